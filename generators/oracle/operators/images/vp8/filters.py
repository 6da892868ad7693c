"""The filters of edges between blocks, after all of a frame is known. Source: RFC 6386, 15."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .prediction import Plane

    _Line = list[int]  # samples across an edge, four on each side, or two
    _Filter = Callable[[_Line], None]


@dataclass(frozen=True)
class Strength:
    """How the edges of a macroblock are filtered.

    Attributes:
        level: 0 for not at all.
        interior: the greatest difference of neighbours that is no edge of the picture.
        steep: above which difference a side has an edge of its own.
        inner: whether edges within it are filtered too.
    """

    level: int
    interior: int
    steep: int
    inner: bool

    @staticmethod
    def of(level: int, sharpness: int, *, inner: bool) -> Strength:
        """The strength at a level."""
        interior = level
        if sharpness:
            interior = min(interior >> (2 if sharpness > 4 else 1), 9 - sharpness)
        steep = 2 if level >= 40 else 1 if level >= 15 else 0
        return Strength(level, max(interior, 1), steep, inner)

    def limit(self, *, outer: bool) -> int:
        """The greatest difference across an edge that is filtered."""
        return 2 * (self.level + (2 if outer else 0)) + self.interior


def filtered(
    planes: Sequence[Plane], strengths: Sequence[Sequence[Strength]], *, simple: bool
) -> list[list[list[int]]]:
    """The rows of the planes after their filters; the simple filter is for luma alone."""
    for row, each in enumerate(strengths):
        for column, strength in enumerate(each):
            if not strength.level:
                continue
            for number, plane in enumerate(planes[:1] if simple else planes):
                _macroblock(plane, 8 if number else 16, (row, column), strength, simple=simple)
    return [plane.rows for plane in planes]


def _macroblock(
    plane: Plane, side: int, place: tuple[int, int], strength: Strength, *, simple: bool
) -> None:
    row, column = place
    top, left = side * row, side * column
    inner = range(4, side, 4) if strength.inner else ()
    for upright in (True, False):
        edges = [0] if (column if upright else row) else []
        for offset in (*edges, *inner):
            change = _filter(strength, outer=not offset, simple=simple)
            for places in _lines(top, left, side, offset, upright=upright):
                line = [plane.rows[y][x] - 128 for y, x in places]
                change(line)
                for (y, x), value in zip(places, line, strict=True):
                    plane.rows[y][x] = value + 128


def _lines(
    top: int, left: int, side: int, offset: int, *, upright: bool
) -> Iterator[list[tuple[int, int]]]:
    """The places of the eight samples across an edge, for each line that crosses it."""
    for at in range(side):
        if upright:
            yield [(top + at, left + offset + step) for step in range(-4, 4)]
        else:
            yield [(top + offset + step, left + at) for step in range(-4, 4)]


def _filter(strength: Strength, *, outer: bool, simple: bool) -> _Filter:  # noqa: C901  one page
    """The filter of an edge; it changes samples that were made signed."""
    limit = strength.limit(outer=outer)

    def crosses(line: _Line) -> bool:
        return 2 * abs(line[3] - line[4]) + (abs(line[2] - line[5]) >> 1) <= limit

    def smooth(line: _Line) -> bool:
        sides = (0, 1, 2, 4, 5, 6)
        return crosses(line) and all(
            abs(line[at] - line[at + 1]) <= strength.interior for at in sides
        )

    def steep(line: _Line) -> bool:
        return max(abs(line[2] - line[3]), abs(line[4] - line[5])) > strength.steep

    def of_simple(line: _Line) -> None:
        if crosses(line):
            _adjust(line, wide=True)

    def of_inner(line: _Line) -> None:
        if smooth(line):
            is_steep = steep(line)
            change = _adjust(line, wide=is_steep) + 1 >> 1
            if not is_steep:
                line[5] = _clamped(line[5] - change)
                line[2] = _clamped(line[2] + change)

    def of_outer(line: _Line) -> None:
        if not smooth(line):
            return
        if steep(line):
            _adjust(line, wide=True)
            return
        across = _clamped(_clamped(line[2] - line[5]) + 3 * (line[4] - line[3]))
        for share, one, other in ((27, 4, 3), (18, 5, 2), (9, 6, 1)):
            change = _clamped(share * across + 63 >> 7)
            line[one] = _clamped(line[one] - change)
            line[other] = _clamped(line[other] + change)

    return of_simple if simple else of_outer if outer else of_inner


def _adjust(line: _Line, *, wide: bool) -> int:
    """Bring both sides of an edge nearer; by how much the far side came."""
    across = _clamped((_clamped(line[2] - line[5]) if wide else 0) + 3 * (line[4] - line[3]))
    near, far = _clamped(across + 3) >> 3, _clamped(across + 4) >> 3
    line[4] = _clamped(line[4] - far)
    line[3] = _clamped(line[3] + near)
    return far


def _clamped(value: int) -> int:
    return min(max(value, -128), 127)
