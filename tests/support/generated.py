"""Vectors of the real specs, made once for all processes of pytest-xdist that want them."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from made_once import made_once
from places import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def generated(factory: pytest.TempPathFactory, name: str, *patterns: str) -> Path:
    """A folder with the vectors of these patterns, which nobody changes."""
    command = [sys.executable, "-m", "onnx_conformance.generators.main", "generate"]

    def make(folder: Path) -> None:
        words = ["--specs", str(ROOT / "specs"), "--jobs", "1", "--output", str(folder)]
        subprocess.run([*command, *words, *patterns], check=True, capture_output=True)

    return made_once(factory, name, make)
