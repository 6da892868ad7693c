"""The backends by name, and the command line that starts each one's harness.

A backend's name is its column in every report. The same runtime as it is and adapted, or with
another setting, are different backends with different names, never one column.
"""

from __future__ import annotations

import difflib
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

from .errors import UsageError

HARNESSES = Path(__file__).parent / "harnesses" / "__main__.py"
COMMAND_PREFIX = "command:"
PYTHON_PREFIX = "python:"


@dataclass(frozen=True)
class Backend:
    """A backend that can be started.

    Attributes:
        name: its column in reports.
        command: program and arguments of the harness.
        install: how to get what it needs, in words; empty where we cannot know.
    """

    name: str
    command: tuple[str, ...]
    install: str = ""


@dataclass(frozen=True)
class KnownBackend:
    """A backend that comes with a harness here.

    Attributes:
        name: its column in reports.
        harness: module in `harnesses` that serves it.
        options: further arguments of the harness.
        summary: what it is, in one line.
        modules: what its interpreter must be able to import.
        install: arguments of `pip install` that bring them.
    """

    name: str
    harness: str
    options: tuple[str, ...]
    summary: str
    modules: tuple[str, ...]
    install: str


KNOWN_BACKENDS: tuple[KnownBackend, ...] = (
    KnownBackend(
        "reference", "reference", (), "onnx.reference, ONNX's own evaluator", ("onnx",), "onnx"
    ),
    KnownBackend(
        "onnxruntime",
        "onnxruntime",
        (),
        "onnxruntime on CPU, graph optimization as it comes",
        ("onnxruntime",),
        "onnxruntime",
    ),
    KnownBackend(
        "onnxruntime-noopt",
        "onnxruntime",
        ("--no-optimization",),
        "onnxruntime on CPU, graph optimization disabled: folding hides missing kernels",
        ("onnxruntime",),
        "onnxruntime",
    ),
    KnownBackend(
        "checker",
        "checker",
        (),
        "onnx.checker with full_check and strict shape inference: judges validity alone",
        ("onnx",),
        "onnx",
    ),
)

_BY_NAME = {backend.name: backend for backend in KNOWN_BACKENDS}


def resolve(name: str, python: str | None = None) -> Backend:
    """The backend that `--backend NAME` asks for.

    Args:
        name: a known backend, `python:MODULE[:ATTR]` or `command:PROGRAM ARGUMENTS`.
        python: interpreter that has the runtime; our own where it is None.

    Raises UsageError where the name is none of these.
    """
    if name.startswith(COMMAND_PREFIX):
        return _from_command(name, python)
    if name.startswith(PYTHON_PREFIX):
        target = name[len(PYTHON_PREFIX) :]
        if not target:
            raise UsageError("'python:' needs a module, e.g. python:onnxruntime.backend")
        return Backend(name, harness_command("onnx_backend", (target,), python))
    known = _BY_NAME.get(name)
    if known is None:
        near = difflib.get_close_matches(name, _BY_NAME, n=1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        raise UsageError(
            f"unknown backend '{name}'{hint} `onnx-validate backends` lists them; any other"
            " runtime is python:MODULE[:ATTR] or command:PROGRAM"
        )
    return Backend(
        known.name,
        harness_command(known.harness, known.options, python),
        f"pip install {known.install}",
    )


def harness_command(harness: str, options: tuple[str, ...], python: str | None) -> tuple[str, ...]:
    """The command line that starts a harness module in an interpreter."""
    return (python or sys.executable, str(HARNESSES), harness, *options)


def _from_command(name: str, python: str | None) -> Backend:
    if python is not None:
        raise UsageError("--python does not apply to a 'command:' backend: name it in the command")
    try:
        words = shlex.split(name[len(COMMAND_PREFIX) :])
    except ValueError as error:
        raise UsageError(f"backend '{name}' is no command line: {error}") from None
    if not words:
        raise UsageError("'command:' needs a program, e.g. 'command:node harness.mjs'")
    return Backend(name, tuple(words))
