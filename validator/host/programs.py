"""Where the program of a command is, and why it cannot be started, in words."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from onnx_conformance.core import systems
from onnx_conformance.core.errors import BackendUnusableError


def found_program(program: str) -> str:
    """The path of a command's program; BackendUnusableError if there is none that can start."""
    found = _which(program)
    if found is None:
        raise BackendUnusableError(f"cannot start '{program}': {_why_not(program)}")
    interpreter = "" if systems.WINDOWS else _missing_interpreter(found)
    if interpreter:
        raise BackendUnusableError(
            f"cannot start '{program}': its first line names the interpreter '{interpreter}',"
            " which is not there"
        )
    return found


def _which(program: str) -> str | None:
    """The file of a program, looked up in PATH unless the program is given as a path.

    On Windows, programs have names with an extension (`npm.cmd`, `harness.exe`) that people leave
    out; before Python 3.12 `shutil.which` does not try extensions if the name has a folder.
    """
    found = shutil.which(program)
    if found is None and systems.WINDOWS:
        ends = os.environ.get("PATHEXT", ".COM;.EXE;.BAT;.CMD").lower().split(";")
        tried = (shutil.which(program + end) for end in ends if end)
        found = next((item for item in tried if item is not None), None)
    return found


def _has_folder(program: str) -> bool:
    """Whether a program is given as a path: PATH is then not searched."""
    return any(mark in program for mark in (os.sep, os.altsep) if mark)


def _why_not(program: str) -> str:
    first = program.split(maxsplit=1)[0] if program.strip() else ""
    if first != program and shutil.which(first) is not None:
        return "no such program; quotes make it one word: pass its arguments as separate words"
    if not _has_folder(program) or not Path(program).exists():
        return "no such program"
    if Path(program).is_dir():
        return "it is a folder"
    if systems.WINDOWS:
        return "it is no program: name the interpreter before it, as in `python harness.py`"
    return "it is not executable (chmod +x)"


def _missing_interpreter(program: str) -> str:
    """The interpreter after `#!` (or `#!/usr/bin/env`) if it does not exist, else an empty text."""
    try:
        with Path(program).open("rb") as stream:
            first = stream.readline(256)
    except OSError:
        return ""  # executable but not readable: nothing more is known
    words = os.fsdecode(first[2:]).split() if first.startswith(b"#!") else []
    if not words:
        return ""
    if not Path(words[0]).exists():
        return words[0]
    by_name = Path(words[0]).name == "env" and len(words) == 2
    return words[1] if by_name and shutil.which(words[1]) is None else ""
