"""The command as a process of its own: what a shell, a full disk or a signal makes of it."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from forked import run_forked
from misbehaviour import harness

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

VALIDATE = (
    sys.executable,
    "-c",
    "import sys; from onnx_conformance.validator.main import main; sys.exit(main())",
)


def validate(*words: object, **variables: str) -> subprocess.CompletedProcess[bytes]:
    """Run `onnx-validate`, with further variables of the environment."""
    environment = {**os.environ, **variables}
    return run_forked("onnx_conformance.validator.main:main", [*map(str, words)], environment)


def validate_anew(*words: object, **variables: str) -> subprocess.CompletedProcess[bytes]:
    """The same in a new interpreter, for what depends on how it starts."""
    return _run([*VALIDATE, *map(str, words)], variables)


def in_shell(script: str, *words: object, **variables: str) -> subprocess.CompletedProcess[bytes]:
    """Run a script of bash in which `"$@"` is `onnx-validate` with these words.

    Python keeps no compiled module meanwhile: a script that limits the size of files would cut one
    short, and every process after it fails where it is imported.
    """
    kept = {"PYTHONDONTWRITEBYTECODE": "1"} | variables
    return _run(["/bin/bash", "-c", script, "bash", *VALIDATE, *map(str, words)], kept)


def _run(
    command: Sequence[str], variables: Mapping[str, str]
) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, **variables}
    return subprocess.run(command, check=False, timeout=120, capture_output=True, env=environment)


def run_words(vectors: Path, name: str = "well_behaved") -> tuple[str, ...]:
    """The words of `onnx-validate run` for a misbehaving harness and one job."""
    command = " ".join(f"'{word}'" for word in harness(name))
    return ("run", "--backend", f"command:{command}", "--vectors", str(vectors), "--jobs", "1")
