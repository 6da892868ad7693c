"""The runtimes that tests use, where `python -m tools.runtimes` has installed them."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

import pytest
from tools.runtimes import FOLDER, NODE, environment_of, is_here

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.validator.host.known_backends import KnownBackend


def runtime_python(backend: KnownBackend) -> str:
    """An interpreter that has a backend's runtime; the test is skipped where there is none."""
    if is_here(backend):
        return sys.executable
    python = environment_of(backend) / "bin" / "python"
    if python.exists():
        return str(python)
    pytest.skip(f"{backend.name} is not installed; `make test-runtimes` installs all runtimes")


def node_packages() -> Path:
    """The node_modules with onnxruntime-web and -node; the test is skipped where there is none."""
    packages = FOLDER / NODE / "node_modules"
    if not (packages / "onnxruntime-web").is_dir() or shutil.which("node") is None:
        pytest.skip("onnxruntime-web is not installed; `make test-runtimes` installs all runtimes")
    return packages
