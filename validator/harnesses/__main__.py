"""Starts a harness without an installation: `PYTHON .../harnesses/__main__.py NAME [options]`."""

from __future__ import annotations

import importlib
import os
import sys
import types

PACKAGE = "onnx_conformance_harnesses"


def main() -> int:
    """Load this folder as a package of its own and serve the harness that the command line names.

    Python puts the folder of a script on the module path, where `onnxruntime.py` would hide the
    runtime of that name: the folder is removed from the path before anything else is imported.
    """
    here = os.path.dirname(os.path.realpath(__file__))  # noqa: PTH120  pathlib is a slow import
    sys.path[:] = [item for item in sys.path if os.path.realpath(item) != here]
    package = types.ModuleType(PACKAGE)
    package.__path__ = [here]
    sys.modules[PACKAGE] = package
    serving = importlib.import_module(PACKAGE + ".serving")
    return int(serving.main(sys.argv[1:]))


if __name__ == "__main__":
    sys.exit(main())
