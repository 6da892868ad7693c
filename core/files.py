"""Writes output files and folders completely or not at all."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from .errors import BadInputError, UsageError, cannot_write


def stamp(path: Path) -> tuple[int, int, int] | None:
    """What tells one content of a file from another without reading it; None if it is not there."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def write_whole(path: Path, text: str | Iterable[str]) -> None:
    """Write a text file through a temporary file beside it, so that no reader sees half of it.

    Folders on the way are made. A text that is large may come in parts, made one after the other.

    Raises CannotWriteError if the disk is full. Raises BadInputError for any other reason, such as
    a pipe: if nobody reads it, writing would wait for ever.
    """
    require_no_pipe(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # A device such as /dev/stdout must be written to, not replaced.
        if path.exists() and not path.is_file():
            with contextlib.suppress(BrokenPipeError):  # the reader went away: no error
                _write_parts(path, (text,) if isinstance(text, str) else text)
            return
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
        with replacing(path, mode, f".{path.name}.") as stream:
            for part in (text,) if isinstance(text, str) else text:
                stream.write(part.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise cannot_write(path, error) from None


def _write_parts(path: Path, parts: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as stream:
        stream.writelines(parts)


@contextlib.contextmanager
def replacing(path: Path, mode: int = 0o644, prefix: str = ".writing-") -> Iterator[IO[bytes]]:
    """A stream to a temporary file beside `path`, which replaces `path` if the block succeeds.

    `prefix` begins the temporary file's name; `mode` is the final file's mode. OSError is raised as
    it is.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=prefix)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
        temporary.chmod(mode)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def replacing_folder(folder: Path) -> Iterator[Path]:
    """An empty folder beside `folder`, which replaces it as a whole if the block succeeds.

    Folders on the way are made. OSError is raised as it is; if the block fails, what `folder` holds
    stays.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(dir=folder.absolute().parent, prefix=f".{folder.name}-"))
    try:
        yield beside
        beside.chmod(0o755)
        if folder.exists():
            shutil.rmtree(folder)
        beside.replace(folder)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def lock(descriptor: int) -> bool:
    """Lock an open file or folder until it is closed; False if another process has locked it.

    True, without a lock, if the system or the file system has none.
    """
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


@contextlib.contextmanager
def folder_alone(folder: Path) -> Iterator[None]:
    """Hold a folder as the only one who writes there; BadInputError if somebody else does."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except PermissionError:  # Windows opens no folder
        yield
        return
    try:
        if not lock(descriptor):
            raise BadInputError(
                f"{folder}: another command is writing there; wait for its end, or name another"
                " folder"
            )
        yield
    finally:
        os.close(descriptor)


# Paths that a shell gives for `>(...)` or a redirected output: another process has them open.
_OPEN_ALREADY = ("/dev/fd/", "/proc/self/fd/", "/dev/stdout", "/dev/stderr")


def require_no_pipe(path: Path) -> None:
    """Raise BadInputError if a file to be written is a named pipe or a socket."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return  # a missing file can be made; if not, opening it raises the error
    if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
        return
    if not str(path).startswith(_OPEN_ALREADY):
        raise BadInputError(f"{path}: is a pipe; name a plain file")


def require_plain_file(path: Path) -> None:
    """Raise BadInputError if a path that is to be written and read again is not a plain file."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return  # a missing file can be made; if not, opening it raises the error
    if not stat.S_ISREG(mode):
        raise BadInputError(f"{path}: is no plain file; name one")


def require_own_files(named: Iterable[tuple[str, Path | None]]) -> None:
    """Raise UsageError if two options of a command name one file: each would overwrite the other.

    Args:
        named: each option with its file; None if it was not given.
    """
    taken: dict[str, str] = {}
    for option, path in named:
        if path is not None and not _is_device(path):
            other = taken.setdefault(os.path.realpath(path), option)
            if other != option:
                raise UsageError(f"{other} and {option} both name {path}; give each its own file")


def _is_device(path: Path) -> bool:
    """Whether a path is a device such as /dev/stdout, which several options may share."""
    try:
        return path.exists() and not path.is_file()
    except OSError:  # no name that the system takes: opening it raises the error
        return False


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
