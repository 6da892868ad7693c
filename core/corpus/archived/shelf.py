"""The archives that were read last: a run takes the vectors of one archive after each other."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

from ...errors import BadInputError
from ...limits import MEBIBYTE
from .unpacking import Unpacked, unpack

# Bytes that are kept of all archives together: of ours, the ten largest.
_KEPT = 32 * MEBIBYTE


class Shelf:
    """Reads archives, and keeps those that were read last. One that is bad is read once."""

    def __init__(self) -> None:
        """Nothing is read yet."""
        self._kept: OrderedDict[Path, Unpacked] = OrderedDict()
        self._bad: dict[Path, str] = {}
        self._size = 0

    def take(self, path: Path) -> Unpacked:
        """An archive; errors as of `unpack`."""
        if path in self._bad:
            raise BadInputError(self._bad[path])
        if path not in self._kept:
            try:
                self._kept[path] = unpack(path)
            except BadInputError as error:
                self._bad[path] = str(error)
                raise
            self._size += len(self._kept[path].content)
            while self._size > _KEPT and len(self._kept) > 1:
                self._size -= len(self._kept.popitem(last=False)[1].content)
        self._kept.move_to_end(path)
        return self._kept[path]


@dataclass(frozen=True, slots=True)
class Archived:
    """An archive of vectors that is read when it is needed: a `corpus.Holder`.

    Attributes:
        path: the file.
        shelf: reads it.
        restore: what to do where it lacks a vector, or has another one.
    """

    path: Path
    shelf: Shelf
    restore: str = "fetch it again, together with the manifests that belong to it"

    def files(self, place: str) -> dict[str, bytes]:
        """The files of the vector with that directory; FileNotFoundError if it is not there."""
        found = self.shelf.take(self.path).files(place)
        if not found:
            raise FileNotFoundError(f"{self.path}/{place}")
        return found
