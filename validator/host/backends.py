"""The backends by name, and the command line that starts each one's harness.

A backend's name is its column in every report. A runtime with an adaptation is a different backend
from the same runtime without it, and never shares its column: `tract+freeze+static` is tract with
two adaptations, each declared in the handshake.
"""

from __future__ import annotations

import difflib
import os
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

from onnx_conformance.core import systems
from onnx_conformance.core.errors import UsageError

from .known_backends import ADAPTATIONS, KNOWN_BACKENDS, OWN_BACKENDS, KnownBackend
from .optimizers import Optimizer

HARNESSES = Path(__file__).parent.parent / "harnesses" / "__main__.py"
RUNTIMES = "runtimes"  # the folder beside it with a module for each runtime
COMMAND_PREFIX = "command:"
PYTHON_PREFIX = "python:"

_OWN = {backend.name: backend for backend in OWN_BACKENDS}
_BY_NAME = {backend.name: backend for backend in KNOWN_BACKENDS}


@dataclass(frozen=True)
class Backend:
    """A backend that can be started.

    Attributes:
        name: its column in reports.
        command: program and arguments of the harness.
        install: how to install what it needs, in words; empty if we do not know.
    """

    name: str
    command: tuple[str, ...]
    install: str = ""


def find_backend(name: str, python: str | None = None) -> Backend:
    """The backend that `--backend NAME` asks for.

    Args:
        name: a known backend or `python:MODULE[:ATTR]`, each followed by any number of
            `+ADAPTATION`, one of our own, or `command:PROGRAM ARGUMENTS`.
        python: interpreter that has the runtime; None means our own.

    Raises UsageError if the name is none of these.
    """
    if name.startswith(COMMAND_PREFIX):
        return _from_command(name, python)
    base, *adaptations = name.split("+")
    if base.startswith(PYTHON_PREFIX):
        target = base[len(PYTHON_PREFIX) :]
        if not target:
            raise UsageError("'python:' needs a module, e.g. python:onnxruntime.backend")
        options = _options(name, adaptations, ADAPTATIONS)
        return Backend(name, harness_command("onnx_backend", (target, *options), python))
    if base in _OWN:
        _options(name, adaptations, ())
        own = _OWN[base]
        return Backend(name, (python or sys.executable, "-m", own.module, *own.options))
    known = known_backend(base)
    options = _options(name, adaptations, (*ADAPTATIONS, *known.own_adaptations))
    return Backend(
        name,
        harness_command(known.harness, (*known.options, *options), python),
        f"pip install {known.install}",
    )


def unoptimized(name: str) -> str:
    """The backend that is another one without what optimizes a model; '' if there is none."""
    base, *adaptations = name.split("+")
    known = _BY_NAME.get(base)
    if known is None or not known.unoptimized:
        return ""
    return "+".join((known.unoptimized, *adaptations))


def optimizer_of(name: str) -> Optimizer | None:
    """What the optimizer of a backend can be told, by the backend's name; None if nothing."""
    known = _BY_NAME.get(name.partition("+")[0])
    return None if known is None else known.optimizer


def known_backend(name: str) -> KnownBackend:
    """The backend `name` among those that have a harness here; UsageError if there is none."""
    found = _BY_NAME.get(name)
    if found is not None:
        return found
    near = difflib.get_close_matches(name, [*_BY_NAME, *_OWN], n=1)
    close = near[0] if near else _as_command(name)
    hint = f"; did you mean '{close}'?" if close else ";"
    raise UsageError(
        f"unknown backend '{name}'{hint} `onnx-validate backends` lists them; any other"
        " runtime is python:MODULE[:ATTR] or command:PROGRAM"
    )


def _as_command(name: str) -> str:
    """The backend that a name likely means which is the path of a program; or empty."""
    first = (name.split() or [""])[0]
    path = Path(first)
    if not (os.sep in first or "/" in first or path.suffix or path.is_file()):
        return ""
    starts = {".py": "python ", ".mjs": "node ", ".js": "node ", ".jar": "java -jar "}
    return f"{COMMAND_PREFIX}{starts.get(path.suffix, '')}{name}"


def harness_command(harness: str, options: tuple[str, ...], python: str | None) -> tuple[str, ...]:
    """The command line that starts a harness module in an interpreter."""
    return (python or sys.executable, str(HARNESSES), harness, *options)


def _options(name: str, adaptations: list[str], allowed: tuple[str, ...]) -> tuple[str, ...]:
    """The harness' options for the adaptations in a backend's name."""
    for item in adaptations:
        if item not in allowed:
            there_is = f"there is {', '.join(allowed)}" if allowed else "it takes none"
            raise UsageError(f"backend '{name}': no adaptation '{item}'; {there_is}")
    return tuple(f"--{item}" for item in adaptations)


def _from_command(name: str, python: str | None) -> Backend:
    if python is not None:
        raise UsageError("--python does not apply to a 'command:' backend: name it in the command")
    try:
        words = _words(name[len(COMMAND_PREFIX) :])
    except ValueError as error:
        raise UsageError(f"backend '{name}' is no command line: {error}") from None
    if not words:
        raise UsageError("'command:' needs a program, e.g. 'command:node harness.mjs'")
    return Backend(name, tuple(words))


def _words(text: str) -> list[str]:
    """A command line split into words; on Windows a backslash does not escape."""
    if not systems.WINDOWS:
        return shlex.split(text)
    return [word.strip('"') for word in shlex.split(text, posix=False)]
