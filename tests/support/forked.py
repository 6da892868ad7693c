"""Programs of ours as processes of their own, forked from one that has their imports already.

Starting Python and importing onnx, NumPy and pytest takes longer than most of what tests run in a
child. A server does it once in each process of the tests; it has no threads, so that forking it is
safe. What depends on how a process starts (what it imports, PYTHON* variables, a shell around it, a
signal before it is up) starts a real interpreter instead.
"""

from __future__ import annotations

import importlib
import io
import multiprocessing
import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# No module of the pytest plugin: pytest rewrites these when it imports them.
_PRELOADED = (
    *("numpy", "onnx", "yaml", "pytest", "jinja2"),
    "onnx_conformance.core.corpus.corpus",
    "onnx_conformance.core.values.comparing",
    "onnx_conformance.validator.main",
    "onnx_conformance.validator.commands.run",
    "onnx_conformance.validator.host.engine",
    "onnx_conformance.validator.reports.terminal",
    "onnx_conformance.validator.running.run",
)
_PATIENCE = 120


def run_forked(
    program: str,
    arguments: Sequence[str],
    environment: Mapping[str, str],
    folder: Path | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run `module:function`, which returns an exit code and reads sys.argv, and keep its output.

    Raises subprocess.TimeoutExpired, and ends the process, if it takes two minutes.
    """
    with tempfile.TemporaryDirectory() as kept:
        process = _context().Process(
            target=_become,
            args=(program, list(arguments), dict(environment), str(folder or Path.cwd()), kept),
        )
        process.start()
        process.join(_PATIENCE)
        if process.is_alive():
            process.kill()
            process.join()
            raise subprocess.TimeoutExpired([program, *arguments], _PATIENCE)
        out, error = ((Path(kept) / name).read_bytes() for name in ("out", "error"))
        code = process.exitcode
        process.close()
    return subprocess.CompletedProcess(
        [program, *arguments], 1 if code is None else code, out, error
    )


@cache
def _context() -> Any:  # noqa: ANN401  a context of multiprocessing
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(_PRELOADED))
    return context


def _become(
    program: str, arguments: list[str], environment: dict[str, str], folder: str, kept: str
) -> None:
    """Be the program: its words, its environment, its folder, and files for its output."""
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.argv = [program, *arguments]
    for number, name in ((1, "out"), (2, "error")):
        file = os.open(Path(kept) / name, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(file, number)
        os.close(file)
    sys.stdout, sys.stderr = (
        io.TextIOWrapper(
            os.fdopen(number, "wb", closefd=False), "utf-8", line_buffering=number == 2
        )
        for number in (1, 2)
    )
    module, _, function = program.partition(":")
    code = getattr(importlib.import_module(module), function)()
    sys.stdout.flush()
    sys.stderr.flush()
    sys.exit(code)
