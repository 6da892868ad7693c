"""Reads an archive into memory. It may come from anybody: nothing in it is believed or written."""

from __future__ import annotations

import gzip
import io
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ...documents import read_plain
from ...errors import BadInputError
from ...limits import ARCHIVE, ARCHIVE_FILE, ARCHIVE_FILES, VECTOR_FILES
from ...text import brief
from ..vectors import KINDS
from .packing import CONTENTS

_PLAIN = (tarfile.REGTYPE, tarfile.AREGTYPE)
_KINDS_OF_MEMBER = {
    tarfile.SYMTYPE: "a link",
    tarfile.LNKTYPE: "a link",
    tarfile.DIRTYPE: "a folder",
    tarfile.CHRTYPE: "a device",
    tarfile.BLKTYPE: "a device",
    tarfile.FIFOTYPE: "a pipe",
}
# POSIX, ustar: where a header says what. Of the fields with numbers only the size is looked at.
_BLOCK = 512
_END = bytes(_BLOCK)
_NAME = slice(0, 100)
_SIZE = slice(124, 135)
_PREFIX = slice(345, 500)
_PLAIN_FILE = b"0" + bytes(100) + b"ustar\00000"  # the type, no link, magic and version
_TYPE_AND_MAGIC = slice(156, 265)
# kind, operator version and directory of a vector
_PLACE_PARTS = 3


@dataclass(frozen=True)
class Unpacked:
    """An archive in memory.

    Attributes:
        content: its tar.
        spans: where each file lies in it: by the directory of its vector, and then by its path in
            that; the path of a list of vectors is its own directory.
    """

    content: bytes
    spans: Mapping[str, Mapping[str, slice]]

    def files(self, place: str) -> dict[str, bytes]:
        """The files in the directory of a vector, by name; empty if it is not there."""
        found = self.spans.get(place, {})
        return {name: self.content[span] for name, span in found.items()}

    def contents(self, operator_version: str) -> bytes | None:
        """The list of the vectors of an operator version; None if it is not there."""
        return self.files(f"{CONTENTS}/{operator_version}.json").get("")

    @property
    def operator_versions(self) -> tuple[str, ...]:
        """Those whose vectors are listed in it."""
        return tuple(
            place.rpartition("/")[2].removesuffix(".json")
            for place, files in self.spans.items()
            if "" in files
        )


def unpack(path: Path) -> Unpacked:
    """Read a whole archive.

    Raises BadInputError if it cannot be read, is damaged or cut short, holds more than is taken
    (`core.limits`), anything but plain files, a name twice, or names that are none of a vector's
    files. Raises FileNotFoundError if it is not there.
    """
    content = _decompressed(path)
    try:
        spans = _spans(content)
    except BadInputError as error:
        raise BadInputError(f"{path}: {error}; nothing of it is used") from None
    except Exception as error:  # tarfile raises many things, and a header can hold anything
        reason = str(error) or type(error).__name__
        raise BadInputError(f"{path}: cannot be unpacked: {reason}; fetch it again") from None
    return Unpacked(content, spans)


def _spans(content: bytes) -> dict[str, dict[str, slice]]:
    """Where each file lies in a tar; see `Unpacked`."""
    spans: dict[str, dict[str, slice]] = {}
    for name, span in _as_we_write(content) or _files_in(content):
        place, inside = _place(name)
        files = spans.setdefault(place, {})
        if inside in files:
            raise BadInputError(f"holds {brief(name)} twice")
        files[inside] = span
        if len(files) > VECTOR_FILES:
            raise BadInputError(f"holds more than {VECTOR_FILES:,} files in {brief(place)}")
    return spans


def _decompressed(path: Path) -> bytes:
    """The tar in an archive; it is not read on where it has more than is taken."""
    try:
        compressed = read_plain(path, ARCHIVE_FILE)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise BadInputError(f"{path}: cannot be read: {error.strerror or error}") from None
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(compressed)) as stream:
            content = stream.read(ARCHIVE + 1)
    except EOFError:
        raise BadInputError(
            f"{path}: cannot be unpacked: it is cut short; fetch it again"
        ) from None
    except (OSError, zlib.error) as error:
        raise BadInputError(f"{path}: cannot be unpacked: {error}; fetch it again") from None
    if len(content) > ARCHIVE:
        raise BadInputError(
            f"{path}: holds more than is taken: {ARCHIVE:,} bytes at most; nothing of it is used"
        )
    if not content:
        raise BadInputError(f"{path}: cannot be unpacked: it is empty; fetch it again")
    return content


def _as_we_write(content: bytes) -> list[tuple[str, slice]] | None:
    """The name and the place of each file in a tar like ours; None where anything is otherwise.

    `tarfile` knows all that a header can say, and takes 20 microseconds for each: as long as a
    harness takes for a small vector, which has six files.
    """
    found: list[tuple[str, slice]] = []
    start = 0
    while header := content[start : start + _BLOCK]:
        if header == _END:
            return found
        size = header[_SIZE]
        if header[_TYPE_AND_MAGIC] != _PLAIN_FILE or not size.isdigit() or header[0] == 0:
            return None
        name = header[_NAME].rstrip(b"\0")
        prefix = header[_PREFIX].rstrip(b"\0")
        end = start + _BLOCK + int(size, 8)
        if end > len(content) or len(found) >= ARCHIVE_FILES:
            return None
        whole = prefix + b"/" + name if prefix else name
        found.append((whole.decode("ascii", "replace"), slice(start + _BLOCK, end)))
        start = end + -end % _BLOCK
    return None


def _files_in(content: bytes) -> Iterator[tuple[str, slice]]:
    """The name and the place of each file in a tar."""
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
        for number, item in enumerate(archive):
            if number >= ARCHIVE_FILES:
                raise BadInputError(f"holds more than is taken: {ARCHIVE_FILES:,} files at most")
            if item.type not in _PLAIN or item.sparse is not None:
                what = _KINDS_OF_MEMBER.get(item.type, "no plain file")
                raise BadInputError(f"holds {brief(item.name)}, which is {what}")
            end = item.offset_data + item.size
            if item.size < 0 or end > len(content):
                raise BadInputError(f"is cut short in {brief(item.name)}")
            yield item.name, slice(item.offset_data, end)


def _place(name: str) -> tuple[str, str]:
    """The directory of a vector and the path in it, of which a list of vectors has none."""
    parts = name.split("/")
    plain = all(map(_is_plain, parts))
    if plain and parts[0] in KINDS and len(parts) > _PLACE_PARTS:
        return "/".join(parts[:_PLACE_PARTS]), "/".join(parts[_PLACE_PARTS:])
    if plain and parts[0] == CONTENTS and len(parts) == 2 and name.endswith(".json"):
        return name, ""
    raise BadInputError(f"holds {brief(name)}, which is no vector's file")


@lru_cache(4096)
def _is_plain(part: str) -> bool:
    """Whether a part of a path is the name of a file or folder, on every system."""
    return bool(part) and part not in (".", "..") and "\\" not in part and part.isprintable()
