"""Rows in columns, whose larger facts stay in the results file: a few numbers for each.

Counts, causes and the gate need neither models nor values. A report that shows them reads them
again, row by row, from the file that is still open: nobody can put another in its place.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from operator import eq
from pathlib import Path
from typing import Any, cast, overload

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.limits import RESULTS_LINE

from ..judging.verdicts import Verdict
from .records import DIGITS, Row

# Facts that reports show of single rows; all others are counted or compared.
LARGE = ("expected", "got", "stderr", "details")
# What thousands of rows have in common is kept once, together.
_COMMON = (
    "verdict",
    "phase",
    "kind",
    "operator",
    "since_version",
    "opset",
    "documented",
    "expect",
    "reused",
)
# What fewer have in common is kept once, each by itself.
_SHARED = ("message", "types", "case", "form", "covers", "control", "taken")
_FIELDS = tuple(field.name for field in fields(Row))
_DEFAULTS: dict[str, Any] = {"expected": None, "got": None, "stderr": ""}
_DETAIL = "details."
_NO_DIGEST = bytes(DIGITS // 2)


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


class _Column:
    """A value for each row, each kept once.

    Attributes:
        numbers: for each row, that of its value.
        values: by number.
    """

    __slots__ = ("_known", "numbers", "values")

    def __init__(self) -> None:
        """Nothing is in it yet."""
        self.numbers = array("I")  # four bytes: a file has fewer rows than that
        self.values: list[Any] = []
        self._known: dict[Hashable, int] = {}

    def add(self, key: Hashable, value: Any) -> None:  # noqa: ANN401  anything
        """Keep the value of one more row; two with the same key are one."""
        number = self._known.setdefault(key, len(self.values))
        if number == len(self.values):
            self.values.append(value)
        self.numbers.append(number)


class RowTable:
    """The rows of one results file, as they are written or read.

    Attributes:
        file: has their larger facts.
        ids: of the vectors, in the order of the rows.
    """

    def __init__(self, file: RowsFile, ids: Iterable[str] = ()) -> None:
        """Take rows of this file; the texts of `ids` are shared with the rows that have them."""
        self.file = file
        self.ids: list[str] = []
        self.places = array("q")
        self.seconds = array("d")
        self.digests = bytearray()
        self.common = _Column()
        self.shared = tuple(_Column() for _ in _SHARED)
        self._texts = {item: item for item in ids}

    def add(self, row: Row, place: int) -> None:
        """Keep a row without its larger facts; its line in the file begins at `place`."""
        self.ids.append(self._texts.setdefault(row.id, row.id))
        self.places.append(place)
        self.seconds.append(row.seconds)
        self.digests += _NO_DIGEST if row.digest is None else bytes.fromhex(row.digest)
        common = (*(getattr(row, name) for name in _COMMON), _given(row))
        self.common.add(common, common)
        for name, column in zip(_SHARED, self.shared, strict=True):
            value = getattr(row, name)
            column.add(tuple(value.items()) if name == "types" else value, value)

    def add_rows(self, rows: Iterable[Row]) -> None:
        """Keep rows that were read from the same file, and so have a place in it."""
        for row in rows:
            self.add(row, cast("StoredRow", row).place)

    @property
    def rows(self) -> Rows:
        """One row for each vector: the last, where there are several, in the place of the first."""
        count = len(self.ids)
        if len(set(self.ids)) == count:
            return Rows(self, range(count))
        return Rows(self, tuple({item: index for index, item in enumerate(self.ids)}.values()))


def _given(row: Row) -> tuple[str, ...]:
    """Which larger facts a row has, and which details."""
    names = [name for name in LARGE if name != "details" and getattr(row, name) not in (None, "")]
    return (*names, *(_DETAIL + key for key in row.details))


class Rows(Sequence[Row]):
    """Rows of a table, each made when it is asked for."""

    def __init__(self, table: RowTable, indices: Sequence[int]) -> None:
        """Those at these places of the table, in this order."""
        self._table = table
        self._indices = indices

    def __len__(self) -> int:
        """How many there are."""
        return len(self._indices)

    def __iter__(self) -> Iterator[Row]:
        """Each, in order."""
        table = self._table
        for index in self._indices:
            yield cast("Row", StoredRow(table, index))

    @overload
    def __getitem__(self, at: int) -> Row: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[Row, ...]: ...

    def __getitem__(self, at: int | slice) -> Row | tuple[Row, ...]:
        """As of a tuple."""
        if isinstance(at, slice):
            return tuple(cast("Row", StoredRow(self._table, item)) for item in self._indices[at])
        return cast("Row", StoredRow(self._table, self._indices[at]))

    def __eq__(self, other: object) -> bool:
        """Whether another sequence has the same rows."""
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]  # as its rows


def _common(name: str) -> property:
    at = _COMMON.index(name)

    def common(self: StoredRow) -> Any:  # noqa: ANN401  of any type
        column = self._table.common
        return column.values[column.numbers[self._index]][at]

    return property(common, doc="As of any row.")


def _shared(name: str) -> property:
    at = _SHARED.index(name)

    def shared(self: StoredRow) -> Any:  # noqa: ANN401  of any type
        column = self._table.shared[at]
        return column.values[column.numbers[self._index]]

    return property(shared, doc="As of any row.")


def _large(name: str) -> property:
    def large(self: StoredRow) -> Any:  # noqa: ANN401  JSON
        return self._facts()[name] if name in self._given else _DEFAULTS[name]

    return property(large, doc="As of any row.")


class StoredRow:
    """A row of a table: a `Row` to whoever reads it, with two numbers in place of its 22 facts.

    It is no subclass, since that would have room for all of them. The larger facts are read from
    the file when they are asked for.
    """

    __slots__ = ("_index", "_table")

    def __init__(self, table: RowTable, index: int) -> None:
        """The row at a place of a table."""
        self._table = table
        self._index = index

    verdict = _common("verdict")
    phase = _common("phase")
    kind = _common("kind")
    operator = _common("operator")
    since_version = _common("since_version")
    opset = _common("opset")
    documented = _common("documented")
    expect = _common("expect")
    reused = _common("reused")
    message = _shared("message")
    types = _shared("types")
    case = _shared("case")
    form = _shared("form")
    covers = _shared("covers")
    control = _shared("control")
    taken = _shared("taken")
    expected = _large("expected")
    got = _large("got")
    stderr = _large("stderr")

    @property
    def id(self) -> str:
        """As of any row."""
        return self._table.ids[self._index]

    @property
    def seconds(self) -> float:
        """As of any row."""
        return self._table.seconds[self._index]

    @property
    def digest(self) -> str | None:
        """As of any row."""
        size = len(_NO_DIGEST)
        found = self._table.digests[size * self._index : size * (self._index + 1)]
        return None if found == _NO_DIGEST else found.hex()

    @property
    def passed(self) -> bool:
        """As of any row."""
        return bool(self.verdict == Verdict.PASS)

    @property
    def place(self) -> int:
        """The offset of its line in the file."""
        return self._table.places[self._index]

    @property
    def _given(self) -> tuple[str, ...]:
        column = self._table.common
        names: tuple[str, ...] = column.values[column.numbers[self._index]][-1]
        return names

    def _facts(self) -> Mapping[str, Any]:
        return self._table.file.facts(self.place, self.id)

    @property
    def details(self) -> Mapping[str, Any]:
        """As of any row."""
        if not any(name.startswith(_DETAIL) for name in self._given):
            return {}
        found: Mapping[str, Any] = self._facts()["details"]
        return found

    def with_verdict(self, verdict: Verdict) -> Row:
        """As of any row; the larger facts stay where they are."""
        return cast("Row", _SeenAs(self._table, self._index, verdict))

    def tells(self, detail: str) -> bool:
        """Whether the details have a key; known without reading."""
        return _DETAIL + detail in self._given

    def __eq__(self, other: object) -> bool:
        """Whether all facts are the same; the other may be a plain row."""
        if not isinstance(other, (Row, StoredRow)):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in _FIELDS)

    __hash__ = None  # type: ignore[assignment]  # as any row: its details can be none


class _SeenAs(StoredRow):
    """A row with another verdict than that in the table."""

    __slots__ = ("verdict",)

    def __init__(self, table: RowTable, index: int, verdict: Verdict) -> None:
        """The row at a place of a table, as it is shown."""
        super().__init__(table, index)
        self.verdict = verdict
