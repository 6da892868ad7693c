"""Takes from this process what Windows lacks, and gives it that system's manners, as far as can be.

No process groups, few signals, no locks of files, pipes that no selector can wait for; text files
with two bytes at the end of a line and cp1252 unless they are opened otherwise, descriptors of
`os.open` in text mode unless O_BINARY is given, no rename onto what is there, nothing moved or
removed that is open, and `taskkill` in place of signals.

os.name stays: pathlib makes no path of another system. What libraries look at when they are
imported stays as well: they are imported first.
"""

from __future__ import annotations

import builtins
import contextlib
import importlib
import io
import os
import selectors
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

MODULES = ("fcntl", "grp", "posix1e", "pty", "pwd", "resource", "syslog", "termios", "tty")
CALLS = (
    "chown", "fchmod", "fchown", "fork", "forkpty", "getegid", "geteuid", "getgid", "getloadavg",
    "getpgid", "getpgrp", "getsid", "getuid", "killpg", "lchown", "mkfifo", "mknod", "nice",
    "openpty", "posix_spawn", "posix_spawnp", "pread", "preadv", "pwrite", "pwritev",
    "sched_getaffinity", "sched_setaffinity", "sendfile", "set_blocking", "setpgid", "setsid",
    "statvfs", "sync", "sysconf", "uname", "wait3", "wait4", "waitid", "O_NOFOLLOW", "O_NONBLOCK",
    "O_DIRECTORY", "O_CLOEXEC", "P_PID", "WEXITED", "WNOWAIT",
)  # fmt: skip
SIGNALS = (
    "SIGALRM", "SIGCHLD", "SIGCONT", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGPROF", "SIGQUIT",
    "SIGSTOP", "SIGTSTP", "SIGUSR1", "SIGUSR2", "SIGVTALRM", "alarm", "getitimer", "pause",
    "setitimer", "sigwait",
)  # fmt: skip
# What looks at the system when it is imported.
FIRST = (
    "asyncio", "concurrent.futures.process", "ctypes", "gmpy2", "google.protobuf.message", "jinja2",
    "multiprocessing.popen_spawn_posix", "numpy", "numpy.random", "onnx", "onnx.reference",
    "platform", "socket", "yaml",
)  # fmt: skip
O_BINARY = 1 << 40
TASKKILL = """#!/bin/sh
echo "$@" >> "${0%/*}/taskkill.txt"
kill -9 -- "-$4"
"""


def pretend(folder: Path) -> None:
    """Do all of it, for the rest of this process; `taskkill` is put into `folder`."""
    for name in FIRST:
        importlib.import_module(name)
    systems = importlib.import_module("onnx_conformance.core.systems")
    systems.WINDOWS = True
    program = folder / "taskkill"
    program.write_text(TASKKILL)
    program.chmod(0o755)
    os.environ["PATH"] = f"{folder}{os.pathsep}{os.environ['PATH']}"
    _lose_names()
    _speak_text()
    _keep_open_files()
    selectors.DefaultSelector = SocketsAlone  # type: ignore[misc,assignment]


def _lose_names() -> None:
    kill, number = os.kill, signal.SIGKILL

    def end(self: subprocess.Popen[Any]) -> None:
        with contextlib.suppress(ProcessLookupError):
            kill(self.pid, number)

    subprocess.Popen.kill = end  # type: ignore[method-assign]
    for name in MODULES:
        sys.modules[name] = None  # type: ignore[assignment]
    for module, names in ((os, CALLS), (signal, SIGNALS)):
        for name in names:
            if hasattr(module, name):
                delattr(module, name)


def _speak_text() -> None:
    """Text files end their lines as there, and descriptors are of text unless told otherwise."""
    real_open, os_open, os_close = io.open, os.open, os.close
    os_read, os_write = os.read, os.write
    of_text: set[int] = set()

    def open_file(  # noqa: PLR0913, PLR0917  as open has them
        file: Any,  # noqa: ANN401  as open has it
        mode: str = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
        closefd: bool = True,  # noqa: FBT001, FBT002  as open has it
        opener: Any = None,  # noqa: ANN401  as open has it
    ) -> Any:  # noqa: ANN401  as open has it
        if "b" not in mode:
            encoding = encoding or "cp1252"
            if newline is None and set(mode) & set("wax+"):
                newline = "\r\n"
        return real_open(file, mode, buffering, encoding, errors, newline, closefd, opener)

    def open_descriptor(path: Any, flags: int, *rest: Any, **more: Any) -> int:  # noqa: ANN401
        descriptor = os_open(path, flags & ~O_BINARY, *rest, **more)
        (of_text.discard if flags & O_BINARY else of_text.add)(descriptor)
        return descriptor

    def close(descriptor: int) -> None:
        of_text.discard(descriptor)
        os_close(descriptor)

    def read(descriptor: int, size: int) -> bytes:
        data = os_read(descriptor, size)
        return data.replace(b"\r\n", b"\n") if descriptor in of_text else data

    def write(descriptor: int, data: Any) -> int:  # noqa: ANN401  anything like bytes
        if descriptor not in of_text:
            return os_write(descriptor, data)
        os_write(descriptor, bytes(data).replace(b"\n", b"\r\n"))
        return len(data)

    io.open = builtins.open = open_file
    os.open, os.close, os.read, os.write = open_descriptor, close, read, write
    os.O_BINARY = O_BINARY  # type: ignore[attr-defined]
    tempfile._bin_openflags |= O_BINARY  # type: ignore[attr-defined]  # noqa: SLF001  as there


def _keep_open_files() -> None:
    """What is open, or in the way, is not moved and not removed."""
    shutil._use_fd_functions = False  # type: ignore[attr-defined]  # noqa: SLF001  paths alone
    for name in ("remove", "rename", "replace", "rmdir", "unlink"):
        setattr(os, name, _careful(name, getattr(os, name)))


def _careful(name: str, call: Any) -> Any:  # noqa: ANN401  a function of os
    def careful(path: Any, *rest: Any, **more: Any) -> Any:  # noqa: ANN401  as that of os
        held = _open_below(os.path.realpath(path))
        if held:
            raise PermissionError(13, "used by another process", held)
        if name == "rename" and os.path.lexists(rest[0]):
            raise FileExistsError(17, "exists already", rest[0])
        if name == "replace" and os.path.isdir(rest[0]):  # noqa: PTH112  any kind of path
            raise PermissionError(13, "a folder is in the way", rest[0])
        return call(path, *rest, **more)

    return careful


def _open_below(place: str) -> str:
    for entry in list(Path("/proc/self/fd").iterdir()):
        try:
            target = str(entry.readlink())
        except OSError:
            continue
        if target == place or target.startswith(f"{place}/"):
            return target
    return ""


class SocketsAlone(selectors.SelectSelector):
    """Waits for sockets, and for nothing else; not for nothing either."""

    def register(self, fileobj: Any, events: int, data: Any = None) -> Any:  # noqa: ANN401
        """OSError where it is no socket."""
        number = fileobj if isinstance(fileobj, int) else fileobj.fileno()
        if not stat.S_ISSOCK(os.fstat(number).st_mode):
            raise OSError(10038, "an operation was attempted on something that is not a socket")
        return super().register(fileobj, events, data)

    def select(self, timeout: float | None = None) -> Any:  # noqa: ANN401  as its parent
        """OSError where nothing is registered."""
        if not self.get_map():
            raise OSError(10022, "an invalid argument was supplied")
        return super().select(timeout)
