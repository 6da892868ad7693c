"""What is run on ONNX's own node tests: our two commands, and its runner under pytest."""

from __future__ import annotations

import os
import sys
from pathlib import Path

IMPORT = "import sys; from onnx_conformance.generators.main import main; sys.exit(main())"
VALIDATE = "import sys; from onnx_conformance.validator.main import main; sys.exit(main())"
RUNNER = Path(__file__).parent / "onnx_runner.py"


def python(*arguments: str) -> list[str]:
    """A command of this interpreter."""
    return [sys.executable, *arguments]


def pytest_options() -> list[str]:
    """Options under which pytest does nothing but run."""
    return [
        *("-q", "-r", "N", "-p", "no:cacheprovider", "-p", "no:xdist"),
        *("-c", os.devnull, "--rootdir", os.fspath(RUNNER.parent)),  # no settings of ours
    ]
