"""Rows whose larger facts stay in the results file, so that memory holds a few numbers for each.

Counts, causes and the gate need neither models nor values. A report that shows them reads them
again, row by row, from the file that is still open: nobody can put another in its place.
"""

from __future__ import annotations

import os
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.limits import RESULTS_LINE

from .records import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from ..judging.verdicts import Verdict

# Facts that reports show of single rows; all others are counted or compared.
LARGE = ("expected", "got", "stderr", "details")
_FIELDS = tuple(field.name for field in fields(Row))
_SMALL = tuple(name for name in _FIELDS if name not in LARGE)
_DEFAULTS: dict[str, Any] = {"expected": None, "got": None, "stderr": ""}


class RowsFile:
    """A results file of which single lines are read again."""

    def __init__(self, path: Path, parse: Callable[[bytes], Mapping[str, Any]]) -> None:
        """Keep the file open; `parse` makes a row's values of a line, or raises an error."""
        self._path = path
        self._parse = parse
        self._stream = path.open("rb", buffering=0)
        self._last: tuple[int, Mapping[str, Any]] = (-1, {})

    def __del__(self) -> None:
        """Close the file with the last of its rows."""
        if "_stream" in self.__dict__:
            self._stream.close()

    def facts(self, place: int, vector_id: str) -> Mapping[str, Any]:
        """The facts in the line that begins at an offset; BadInputError if it is another row's."""
        if self._last[0] != place:
            try:
                found = self._parse(self._line(place))
                same = found["id"] == vector_id
            except (OSError, ValueError, KeyError, TypeError, AttributeError):
                same = False
            if not same:
                raise BadInputError(
                    f"{self._path}: was changed while it was read: '{vector_id}' is no longer where"
                    " it was"
                )
            self._last = place, found
        return self._last[1]

    def _line(self, place: int) -> bytes:
        size = 1 << 13
        while True:
            piece = self._read(place, size)
            end = piece.find(b"\n")
            if end >= 0 or len(piece) < size or size > RESULTS_LINE:
                return piece[: end if end >= 0 else None]
            size *= 8

    def _read(self, place: int, size: int) -> bytes:
        if hasattr(os, "pread"):  # processes that share the file share its position
            return os.pread(self._stream.fileno(), size, place)
        self._stream.seek(place)
        return self._stream.read(size)


class StoredRow(Row):
    """A row whose large facts are read from the file when they are asked for."""

    __slots__ = ("_file", "_given", "_place")

    _file: RowsFile
    _given: tuple[str, ...]
    _place: int

    def _stored(self, name: str) -> Any:  # noqa: ANN401  JSON
        if name not in self._given:
            return _DEFAULTS[name]
        return self._file.facts(self._place, self.id)[name]

    @property
    def expected(self) -> Any:  # noqa: ANN401
        """As of any row."""
        return self._stored("expected")

    @property
    def got(self) -> Any:  # noqa: ANN401
        """As of any row."""
        return self._stored("got")

    @property
    def stderr(self) -> str:
        """As of any row."""
        text: str = self._stored("stderr")
        return text

    @property
    def details(self) -> Mapping[str, Any]:
        """As of any row."""
        if not any(name.startswith(_DETAIL) for name in self._given):
            return {}
        found: Mapping[str, Any] = self._file.facts(self._place, self.id)["details"]
        return found

    def with_verdict(self, verdict: Verdict) -> Row:
        """As of any row; the larger facts stay where they are."""
        other = object.__new__(StoredRow)
        for name in (*_SMALL, *self.__slots__):
            object.__setattr__(other, name, getattr(self, name))
        object.__setattr__(other, "verdict", verdict)
        return other

    def tells(self, detail: str) -> bool:
        """Whether the details have a key; known without reading."""
        return _DETAIL + detail in self._given

    def __eq__(self, other: object) -> bool:
        """Whether all facts are the same; the other may be a plain row."""
        if not isinstance(other, Row):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in _FIELDS)

    __hash__ = None  # type: ignore[assignment]  # as any row: its details can be none


_DETAIL = "details."


def stored(row: Row, file: RowsFile, place: int, pool: dict[Any, Any]) -> Row:
    """The row without its large facts, or the row itself if it has none.

    Args:
        row: as it was read or written.
        file: holds it.
        place: the offset of its line.
        pool: what rows share.
    """
    if not (row.details or row.stderr or row.expected is not None or row.got is not None):
        return row
    names = [name for name in LARGE if name != "details" and getattr(row, name) not in (None, "")]
    given = (*names, *(_DETAIL + key for key in row.details))
    kept = object.__new__(StoredRow)
    for name in _SMALL:
        object.__setattr__(kept, name, getattr(row, name))
    object.__setattr__(kept, "_file", file)
    object.__setattr__(kept, "_given", pool.setdefault(given, given))
    object.__setattr__(kept, "_place", place)
    return kept
