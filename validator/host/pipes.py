"""The pipes of a child, in a form that one selector can wait for on every system.

On POSIX a selector waits for the pipes themselves. On Windows it can wait only for sockets, so a
thread moves the bytes between each pipe and a pair of sockets. Both kinds behave alike: nothing
blocks, and an end that was closed gives an OSError, or no data.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from typing import IO, TypeAlias

_CHUNK = 1 << 16


class PlainPipe:
    """A pipe that does not block."""

    def __init__(self, stream: IO[bytes]) -> None:
        """Wrap one end of a pipe."""
        self._stream = stream
        os.set_blocking(stream.fileno(), False)

    def fileno(self) -> int:
        """The descriptor that a selector waits for."""
        return self._stream.fileno()

    def read(self, size: int) -> bytes:
        """The available bytes; empty at the end, BlockingIOError if nothing is available yet."""
        return os.read(self._stream.fileno(), size)

    def write(self, data: memoryview) -> int:
        """Write what fits; BlockingIOError if nothing fits, OSError if nobody reads."""
        return os.write(self._stream.fileno(), data)

    def close(self) -> None:
        """Close it; OSError if it was closed already."""
        self._stream.close()


class PumpedPipe:
    """A pipe behind a pair of sockets; a thread moves the bytes from one to the other."""

    def __init__(self, stream: IO[bytes], *, outwards: bool) -> None:
        """Wrap one end of a pipe; `outwards` means that the child reads the other end."""
        self._socket, far = socket.socketpair()
        self._socket.settimeout(0)
        pump = _write_all if outwards else _read_all
        threading.Thread(target=pump, args=(stream, far), daemon=True).start()

    def fileno(self) -> int:
        """The near socket's descriptor; -1 once it is closed."""
        return self._socket.fileno()

    def read(self, size: int) -> bytes:
        """See PlainPipe."""
        return self._socket.recv(size)

    def write(self, data: memoryview) -> int:
        """See PlainPipe."""
        return self._socket.send(data)

    def close(self) -> None:
        """See PlainPipe; closing ends the thread, and so does the end of the child."""
        self._socket.close()


Pipe: TypeAlias = PlainPipe | PumpedPipe


def _read_all(stream: IO[bytes], far: socket.socket) -> None:
    """Send the child's output to the socket until it ends."""
    with far, stream, contextlib.suppress(OSError, ValueError):
        while data := os.read(stream.fileno(), _CHUNK):
            far.sendall(data)


def _write_all(stream: IO[bytes], far: socket.socket) -> None:
    """Write the socket's data to the child until the socket is closed or nobody reads."""
    with far, stream, contextlib.suppress(OSError, ValueError):
        while data := far.recv(_CHUNK):
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(stream.fileno(), rest) :]
