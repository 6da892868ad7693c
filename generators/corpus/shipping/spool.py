"""The vectors of an operator version while they are made: a file that is read while it grows.

Each vector is a line of JSON with its directory and the sizes of its files, and then their content.
It is our own format because it is there for seconds between two processes of one run: an archive
cannot be read before it is whole.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# A line names the files of one vector.
_LINE = 1 << 20


def spool(path: Path, place: str, files: Mapping[str, bytes]) -> None:
    """Add a vector to a file; FileNotFoundError once its folder is gone: nobody reads it then."""
    head = {"place": place, "files": [[name, len(content)] for name, content in files.items()]}
    with path.open("ab") as stream:
        stream.write(json.dumps(head).encode() + b"\n" + b"".join(files.values()))


@dataclass(frozen=True, slots=True)
class _Spooled:
    """Where a vector is in the file: its first byte, and the name and size of each of its files."""

    start: int
    files: tuple[tuple[str, int], ...]


class Spool:
    """Reads such a file, as far as it is written."""

    def __init__(self, path: Path) -> None:
        """Nothing is opened yet: the file may not be there."""
        self._path = path
        self._handle: int | None = None
        self._read = 0
        self._found: dict[str, _Spooled] = {}

    def has(self, place: str) -> bool:
        """Whether a vector is there, whole."""
        if place not in self._found:
            self._look()
        return place in self._found

    def files(self, place: str) -> dict[str, bytes]:
        """The files of a vector that is there."""
        found = self._found[place]
        files, start = {}, found.start
        for name, size in found.files:
            files[name] = self._bytes(start, size)
            start += size
        return files

    def close(self) -> None:
        """Close the file."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def _look(self) -> None:
        """Find the vectors that were added since."""
        if self._handle is None:
            try:
                self._handle = os.open(self._path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
            except FileNotFoundError:
                return
        size = os.fstat(self._handle).st_size
        while self._read < size:
            line, end, _ = self._bytes(self._read, _LINE).partition(b"\n")
            if not end:
                return
            head = json.loads(line)
            start = self._read + len(line) + 1
            files = tuple((name, length) for name, length in head["files"])
            after = start + sum(length for _, length in files)
            if after > size:
                return
            self._found[head["place"]] = _Spooled(start, files)
            self._read = after

    def _bytes(self, start: int, size: int) -> bytes:
        assert self._handle is not None  # noqa: S101  it was opened to find the vector
        os.lseek(self._handle, start, os.SEEK_SET)
        chunks = []
        while size and (chunk := os.read(self._handle, size)):
            chunks.append(chunk)
            size -= len(chunk)
        return b"".join(chunks)
