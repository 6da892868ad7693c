"""Programs of a checkout that answer questions on a worker, and stay warm between them.

For work that needs a process of its own: it forks, it sets timers, it may end. A question and its
answer are bytes; a program reads and writes them with `read_frame` and `write_frame`.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import struct
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from ..errors import ClusterError
from .warm import Warm, kept_at

if TYPE_CHECKING:
    from distributed import Worker

_ATTRIBUTE = "onnx_conformance_programs"
_SIZE = struct.Struct(">Q")


@dataclass(frozen=True)
class Program:
    """A program.

    Attributes:
        run: names the run that it is for.
        words: what Python, the one of the worker, is called with.
        folder: where it is started: a checkout, in the same place on each machine.
    """

    run: str
    words: tuple[str, ...]
    folder: str


def read_frame(stream: IO[bytes]) -> bytes | None:
    """The next question or answer; None at the end."""
    head = stream.read(_SIZE.size)
    if len(head) < _SIZE.size:
        return None
    size: int = _SIZE.unpack(head)[0]
    content = stream.read(size)
    return content if len(content) == size else None


def write_frame(stream: IO[bytes], content: bytes) -> None:
    """Write a question or an answer."""
    stream.write(_SIZE.pack(len(content)) + content)
    stream.flush()


class Answering:
    """A program that runs.

    Attributes:
        broken: whether it has ended.
    """

    def __init__(self, program: Program) -> None:
        """Start it; ClusterError if there is no such folder."""
        if not Path(program.folder).is_dir():
            raise ClusterError(f"has no checkout at {program.folder}")
        self.broken = self._closed = False
        self._process = subprocess.Popen(
            [sys.executable, *program.words],
            cwd=program.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )

    def ask(self, question: bytes) -> bytes:
        """The answer to a question; ClusterError if it ends before."""
        process, answer = self._process, None
        if process.stdin is None or process.stdout is None:
            raise ClusterError("a program without pipes")
        with contextlib.suppress(OSError):
            write_frame(process.stdin, question)
            answer = read_frame(process.stdout)
        if answer is None:
            self.broken = True
            self.close()
            raise ClusterError(f"a program of it ended: exit {process.returncode}")
        return answer

    def stop(self) -> None:
        """As of `Keepable`: with all that it started."""
        if not self._closed:
            with contextlib.suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        """As of `Keepable`."""
        self.stop()
        self._closed = True
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()


# --- what is called on a worker -------------------------------------------------------------


def answer(program: Program, question: bytes) -> bytes:
    """Ask a program, in a thread of the worker."""
    from distributed import get_worker

    return _answer(_kept(get_worker()), program, question)


async def look(program: Program, question: bytes, dask_worker: Worker) -> bytes | str:
    """Ask a program of a worker who it is; a text says why it cannot."""
    try:
        return await asyncio.to_thread(_answer, _kept(dask_worker), program, question)
    except (ClusterError, OSError) as error:
        return str(error)


async def leave(run: str, dask_worker: Worker) -> None:
    """End all programs of a run."""
    await asyncio.to_thread(_kept(dask_worker).leave, run)


def _kept(worker: Any) -> Warm[Answering]:  # noqa: ANN401  Dask's worker
    found: Warm[Answering] = kept_at(worker, _ATTRIBUTE, Warm)
    return found


def _answer(kept: Warm[Answering], program: Program, question: bytes) -> bytes:
    with kept.lent(program.run, "", lambda: Answering(program)) as running:
        return running.ask(question)
