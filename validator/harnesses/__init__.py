"""Harnesses: what is between protocol 1 and a Python runtime; `runtimes` has one for each.

A harness runs in any interpreter that has the runtime, so this package is independent of all
others:
* It imports nothing of onnx_conformance, no onnx where onnx is not the runtime, and no more than
  numpy beside the runtime. Its syntax is that of Python 3.8.
* It is started as `PYTHON .../harnesses/__main__.py NAME [options]`, which needs no installation.

One request is served by `serving`: it decodes values (`values`), gives the model to the runtime's
module (`Harness.load`), runs each data set (`Harness.run`) and encodes the results. The runtime's
module says which calls are the runtime's own (`rejection`): an exception in those is a rejection,
an exception anywhere else is our error. `element_types` reads the table of element types, which
lies beside it, `arrays` turns values into NumPy arrays and back, `protobuf` reads and changes a
model without the onnx package, and `adapting` holds the changes to a model before the runtime sees
it, which the handshake declares.

May come in: what a Python runtime needs to speak protocol 1.
May not: judging, and any import of the other packages.
"""
