"""One child process: a harness in its own process group, read and written without blocking.

This module does not know the protocol: it sends lines and receives lines, and when the process ends
it gives the reason in words.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO

from onnx_conformance.core import systems
from onnx_conformance.core.errors import BackendUnusableError
from onnx_conformance.core.limits import MEBIBYTE, STDERR, STDERR_HEAD

from .hiding import child_environment
from .pipes import Pipe, PlainPipe, PumpedPipe
from .programs import found_program

# On Windows, seconds in which a dead child's output may still arrive through threads (`pipes`).
_ON_ITS_WAY = 1.0
# What Windows reports instead of signals.
_WINDOWS_ENDS = {
    0xC0000005: "access violation",
    0xC000001D: "illegal instruction",
    0xC0000094: "integer division by zero",
    0xC00000FD: "stack overflow",
    0xC0000135: "a DLL was not found",
    0xC0000374: "heap corruption",
    0xC0000409: "abort, or a stack buffer overrun",
}
_POLL = 0.002
_CHUNK = 1 << 16
_WRITE = 1 << 20
# Bytes read from one child at once, so that a child that never stops writing cannot delay the
# others, or the deadlines.
_SHARE = 4 * MEBIBYTE


@dataclass
class Tail:
    """The beginning of a stream, where a panic gives its reason, and the end, where others do."""

    _first: bytearray = field(default_factory=bytearray)
    _last: bytearray = field(default_factory=bytearray)
    _cut: bool = False

    def add(self, data: bytes) -> None:
        """Keep the beginning and the end of what was read so far and `data`."""
        room = STDERR_HEAD - len(self._first)
        self._first += data[: max(room, 0)]
        self._last += data[max(room, 0) :]
        if len(self._last) > STDERR:
            self._cut = True
            del self._last[: len(self._last) - STDERR]

    def clear(self) -> None:
        """Discard everything: later output belongs to another vector."""
        self._first.clear()
        self._last.clear()
        self._cut = False

    def text(self) -> str:
        """The text that was kept; a line of `...` stands for the part left out."""
        between = b"\n...\n" if self._cut else b""
        return (self._first + between + self._last).decode("utf-8", "backslashreplace")


class Child:
    """A running harness.

    Attributes:
        started: monotonic time of its start.
        eof: True when its standard output has ended.
        broken_input: True when it closed its standard input.
        stderr: the tail of its standard error.
        unread: number of bytes of standard output after the last complete line.
    """

    def __init__(self, command: Sequence[str], memory_limit: int | None = None) -> None:
        """Start a program with its arguments; BackendUnusableError if it does not exist.

        Its environment is ours, without what names the corpus; `memory_limit` is in MiB of address
        space (RLIMIT_AS).
        """
        program = found_program(command[0])
        try:
            self.process = subprocess.Popen(
                _limited(command, memory_limit, program),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                env=child_environment(),
                start_new_session=True,
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
        except OSError as error:
            reason = error.strerror or str(error)
            raise BackendUnusableError(f"cannot start '{command[0]}': {reason}") from None
        stdin, stdout, stderr = self.process.stdin, self.process.stdout, self.process.stderr
        if stdin is None or stdout is None or stderr is None:  # pragma: no cover  pipes were asked
            raise BackendUnusableError(f"'{command[0]}' has no pipes")
        self.stdin, self.stdout, self.stderr_stream = (
            _pipe(stdin, outwards=True),
            _pipe(stdout, outwards=False),
            _pipe(stderr, outwards=False),
        )
        self.started = time.monotonic()
        self.eof = False
        self.stderr_eof = False
        self.broken_input = False
        self.stderr = Tail()
        self._killed = False
        self._died = 0.0
        self._buffer = bytearray()
        self._searched = 0
        self._outbox = bytearray()

    # --- writing ---------------------------------------------------------------------------

    @property
    def waiting_to_write(self) -> bool:
        """Whether a part of a message is not yet in the pipe."""
        return bool(self._outbox) and not self.broken_input

    def queue(self, data: bytes) -> None:
        """Add a message, to be sent by the next `write`."""
        self._outbox += data

    def send(self, data: bytes) -> None:
        """Add a message and write as much as the pipe accepts."""
        self.queue(data)
        self.write()

    def write(self) -> bool:
        """Write as much as the pipe accepts; True if anything was written."""
        progress = False
        while self._outbox and not self.broken_input:
            try:
                count = self.stdin.write(memoryview(self._outbox)[:_WRITE])
            except BlockingIOError:
                break
            except OSError:  # EPIPE: nobody reads any more
                self.broken_input = True
                break
            progress = True
            del self._outbox[:count]
        return progress

    # --- reading ---------------------------------------------------------------------------

    @property
    def unread(self) -> int:
        """Bytes of standard output that are no complete line yet."""
        return len(self._buffer)

    def read(self) -> int:
        """Read available standard output, up to a fair share; return the number of bytes."""
        before = len(self._buffer)
        for data in () if self.eof else _available(self.stdout):
            self.eof = not data
            self._buffer += data
            if len(data) < _CHUNK:
                break  # nothing more is there: one call of the system less for each reply
        return len(self._buffer) - before

    def next_line(self) -> bytes | None:
        """The next complete line without its end, or None."""
        end = self._buffer.find(b"\n", self._searched)
        if end < 0:
            self._searched = len(self._buffer)
            return None
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        self._searched = 0
        return line

    def keep_rest(self) -> None:
        """At the end: add the rest of both streams, even half a line, to the tail."""
        self.read_stderr()
        if systems.WINDOWS and self.process.poll() is not None:
            end = time.monotonic() + _ON_ITS_WAY
            while not self.stderr_eof and time.monotonic() < end:
                time.sleep(_POLL)
                self.read_stderr()
        if self._buffer:
            self.stderr.add(b"[standard output, half a line: " + bytes(self._buffer[:400]) + b"]\n")
            self._buffer.clear()

    def discard_output(self) -> None:
        """At the end: empty both pipes, so that the child can end."""
        self.read()
        self._buffer.clear()
        self._searched = 0
        self.read_stderr()

    def read_stderr(self) -> None:
        """Read available standard error, up to a fair share."""
        for data in () if self.stderr_eof else _available(self.stderr_stream):
            self.stderr_eof = not data
            self.stderr.add(data)

    # --- the end ---------------------------------------------------------------------------

    @property
    def alive(self) -> bool:
        """Whether the process itself still runs (others of its group may)."""
        if self._killed:
            return False
        if systems.WINDOWS:
            return self.process.poll() is None or self._is_heard()
        if not hasattr(os, "waitid"):  # pragma: no cover  macOS before Python 3.13
            return self.process.poll() is None
        # WNOWAIT leaves the dead process in place, so that the system cannot reuse its number,
        # which is also the number of the group that `kill` ends.
        flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self.process.pid, flags) is None

    def _is_heard(self) -> bool:
        """Whether output of a dead child may still arrive through the threads."""
        now = time.monotonic()
        self._died = self._died or now
        return not self.eof and now < self._died + _ON_ITS_WAY

    def how_it_ended(self) -> str:
        """How a killed or dead child ended, in words: `signal SIGSEGV`, `exit 3`."""
        code = self.process.wait()
        if code in _WINDOWS_ENDS:
            return f"exit 0x{code:08X}, {_WINDOWS_ENDS[code]}"
        if code >= 0:
            return f"exit {code}"
        try:
            return f"signal {signal.Signals(-code).name}"
        except ValueError:
            return f"signal {-code}"

    def close_input(self) -> None:
        """Close the child's standard input: protocol 1 then asks it to end."""
        with contextlib.suppress(OSError):
            self.stdin.close()
        self.broken_input = True

    def kill(self) -> None:
        """End the process and everything else in its group, and release the pipes."""
        if not self._killed:
            self._killed = True
            self._kill_all()
            self.process.wait()
        for stream in (self.stdin, self.stdout, self.stderr_stream):
            with contextlib.suppress(OSError):
                stream.close()

    def _kill_all(self) -> None:
        """Kill the process and those that it started, which would otherwise go on running."""
        if systems.WINDOWS:
            # Windows has no groups to kill: the tree is found through the parent of each process.
            command = ["taskkill", "/F", "/T", "/PID", str(self.process.pid)]
            with contextlib.suppress(OSError):
                subprocess.run(command, capture_output=True, check=False)
            self.process.kill()
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)


def _available(pipe: Pipe) -> Iterator[bytes]:
    """What a pipe holds, up to a fair share; an empty piece stands for its end."""
    taken = 0
    while taken < _SHARE:
        try:
            data = pipe.read(_CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        yield data
        if not data:
            return
        taken += len(data)


def _pipe(stream: IO[bytes], *, outwards: bool) -> Pipe:
    return PumpedPipe(stream, outwards=outwards) if systems.WINDOWS else PlainPipe(stream)


def _limited(command: Sequence[str], memory_limit: int | None, program: str) -> list[str]:
    """The command, started by a shell that sets the limits and then replaces itself.

    A shell is used because code between fork and exec is unsafe once any library has threads. Core
    files are switched off: they are large, and crashes are frequent here.
    """
    if systems.WINDOWS:
        if memory_limit is not None:
            raise BackendUnusableError("--memory-limit: this system has no such limit")
        # An absolute path: CreateProcess only tries `.exe`, and starts from our folder, not the
        # child's.
        return [os.path.abspath(program), *command[1:]]  # noqa: PTH100  links stay links
    limits = "ulimit -c 0 2>/dev/null; "
    if memory_limit is not None:
        limits += f"ulimit -v {memory_limit * 1024} && "
    return ["/bin/sh", "-c", limits + 'exec "$@"', "sh", *command]
