"""Inlines the functions of a model and infers its types, in a process of its own.

`onnx.shape_inference` and `onnx.inliner` are C++ that has crashed and hung on hostile models: a
child with a deadline costs a model its types at most. The child is given no weights.
"""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import onnx

# Key of a node's metadata: the function that it was written in, before it was inlined.
FUNCTION_KEY = "onnx_conformance.function"
# 5,000 nodes take a second.
DEADLINE = 60.0
# Larger initializers stay behind: shapes, axes and indices are smaller, and what follows from
# others needs types alone.
_KEPT = 4096


def inferred(
    model: onnx.ModelProto, deadline: float = DEADLINE
) -> tuple[onnx.ModelProto, str | None]:
    """The model without large initializers' data, its functions inlined and types inferred.

    Args:
        model: the model; it stays as it is.
        deadline: seconds.

    Returns it with None, or the model without weights as it was and why nothing was inferred.
    """
    import onnx
    from google.protobuf.message import DecodeError

    light = without_weights(model)
    command = [sys.executable, "-m", __name__]
    try:
        done = subprocess.run(
            command,
            input=light.SerializeToString(),
            capture_output=True,
            timeout=deadline,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return light, f"onnx's shape inference took more than {deadline:g} seconds"
    if done.returncode < 0:
        return light, f"onnx's shape inference died of signal {-done.returncode}"
    try:
        found = onnx.ModelProto.FromString(done.stdout) if not done.returncode else None
    except DecodeError:
        found = None
    if found is None:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no word"]
        return light, f"onnx's shape inference failed: {said[-1]}"
    return found, None


def without_weights(model: onnx.ModelProto) -> onnx.ModelProto:
    """A copy of a model whose larger initializers keep name, type and dimensions alone."""
    light = type(model)()
    for field, value in model.ListFields():
        if field.name != "graph":
            _assign(light, field.name, value)
    for field, value in model.graph.ListFields():
        if field.name != "initializer":
            _assign(light.graph, field.name, value)
    for tensor in model.graph.initializer:
        kept = light.graph.initializer.add()
        external = tensor.data_location == tensor.EXTERNAL
        if not external and tensor.ByteSize() <= _KEPT:
            kept.CopyFrom(tensor)
            continue
        kept.name, kept.data_type = tensor.name, tensor.data_type
        kept.dims.extend(tensor.dims)
        kept.data_location = tensor.EXTERNAL
    return light


def _assign(message: onnx.ModelProto | onnx.GraphProto, name: str, value: object) -> None:
    """Copy one field of a message."""
    target = getattr(message, name)
    if hasattr(target, "MergeFrom") and not isinstance(target, (str, bytes)):
        target.MergeFrom(value)
    else:
        setattr(message, name, value)


def _child() -> None:
    import onnx
    import onnx.inliner
    import onnx.shape_inference

    model = onnx.ModelProto.FromString(sys.stdin.buffer.read())
    for function in model.functions:
        for node in function.node:
            entry = node.metadata_props.add()
            entry.key, entry.value = FUNCTION_KEY, function.name
    if model.functions:
        model = onnx.inliner.inline_local_functions(model)
    model = onnx.shape_inference.infer_shapes(model, data_prop=True)
    sys.stdout.buffer.write(model.SerializeToString())


if __name__ == "__main__":
    _child()
