"""The pipes of a child, in a form that one selector can wait for on every system.

POSIX waits for pipes themselves. Windows waits for sockets only, so that there a thread moves the
bytes between each pipe and a pair of sockets; both ends behave alike: nothing blocks, and an end
that is gone is an OSError, or no data.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from typing import IO, Protocol

_CHUNK = 1 << 16


class Pipe(Protocol):
    """One end of a pipe to or from a child."""

    def fileno(self) -> int:
        """What a selector waits for."""
        ...

    def read(self, size: int) -> bytes:
        """What is there; no data at the end, BlockingIOError where nothing is there yet."""
        ...

    def write(self, data: memoryview) -> int:
        """Write what fits; BlockingIOError where nothing does, OSError where nobody reads."""
        ...

    def close(self) -> None:
        """Give it back; OSError where it is gone."""
        ...


class PlainPipe:
    """A pipe that does not block."""

    def __init__(self, stream: IO[bytes]) -> None:
        """Take one end of a pipe."""
        self._stream = stream
        os.set_blocking(stream.fileno(), False)

    def fileno(self) -> int:
        """The pipe itself."""
        return self._stream.fileno()

    def read(self, size: int) -> bytes:
        """See Pipe."""
        return os.read(self._stream.fileno(), size)

    def write(self, data: memoryview) -> int:
        """See Pipe."""
        return os.write(self._stream.fileno(), data)

    def close(self) -> None:
        """See Pipe."""
        self._stream.close()


class PumpedPipe:
    """A pipe behind a pair of sockets; a thread moves what is in it from one to the other."""

    def __init__(self, stream: IO[bytes], *, outwards: bool) -> None:
        """Take one end of a pipe; `outwards` says that the child reads the other end."""
        self._socket, far = socket.socketpair()
        self._socket.settimeout(0)
        pump = _write_all if outwards else _read_all
        threading.Thread(target=pump, args=(stream, far), daemon=True).start()

    def fileno(self) -> int:
        """The near socket; -1 once it is closed."""
        return self._socket.fileno()

    def read(self, size: int) -> bytes:
        """See Pipe."""
        return self._socket.recv(size)

    def write(self, data: memoryview) -> int:
        """See Pipe."""
        return self._socket.send(data)

    def close(self) -> None:
        """See Pipe; the thread ends by that, or when the child does."""
        self._socket.close()


def _read_all(stream: IO[bytes], far: socket.socket) -> None:
    """Give the socket what the child writes, until it ends."""
    with far, stream, contextlib.suppress(OSError, ValueError):
        while data := os.read(stream.fileno(), _CHUNK):
            far.sendall(data)


def _write_all(stream: IO[bytes], far: socket.socket) -> None:
    """Give the child what the socket brings, until that is closed or nobody reads."""
    with far, stream, contextlib.suppress(OSError, ValueError):
        while data := far.recv(_CHUNK):
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(stream.fileno(), rest) :]
