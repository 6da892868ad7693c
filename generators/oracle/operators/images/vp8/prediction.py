"""What blocks are predicted to be from those above and to the left. Source: RFC 6386, 12."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from .tables import DC, HD, HE, HU, LD, RD, TM, VE, VL, VR

if TYPE_CHECKING:
    from collections.abc import Sequence

_ABOVE, _LEFT, _MIDDLE = 127, 129, 128  # beyond the top, beyond the left edge, and without both


class Plane:
    """Samples of a plane, of which those of macroblocks in turn are known."""

    def __init__(self, width: int, height: int) -> None:
        """Nothing is known yet."""
        self.width, self.height = width, height
        self.rows = [[0] * width for _ in range(height)]

    def at(self, y: int, x: int) -> int:
        """A sample, or what stands for it beyond the edges."""
        if y < 0:
            return _ABOVE
        return _LEFT if x < 0 else self.rows[y][x]

    def put(self, y: int, x: int, value: int) -> None:
        """Set a sample, held between 0 and 255."""
        self.rows[y][x] = min(max(value, 0), 255)

    def add(self, y: int, x: int, value: int) -> None:
        """Add to a sample."""
        self.put(y, x, self.rows[y][x] + value)


def predict_square(plane: Plane, side: int, row: int, column: int, mode: int) -> None:
    """Predict the luma of a macroblock (16), or its chroma (8), as one."""
    top, left = side * row, side * column
    above = [plane.at(top - 1, left + x) for x in range(side)]
    beside = [plane.at(top + y, left - 1) for y in range(side)]
    corner = plane.at(top - 1, left - 1)
    mean = _mean((above if row else []) + (beside if column else []))
    for y in range(side):
        for x in range(side):
            predicted = {
                DC: mean,
                VE: above[x],
                HE: beside[y],
                TM: above[x] + beside[y] - corner,
            }[mode]
            plane.put(top + y, left + x, predicted)


def _mean(samples: Sequence[int]) -> int:
    count = len(samples)
    return (sum(samples) + count // 2) // count if count else _MIDDLE


def predict_blocks(
    plane: Plane,
    row: int,
    column: int,
    modes: Sequence[int],
    residue: Sequence[Sequence[int]] | None,
) -> None:
    """Predict the 16 blocks of a macroblock one after the other, each with its residue."""
    top, left = 16 * row, 16 * column
    # Those right of the macroblock above, for all four rows; beyond the edge its last one goes on.
    if not row or left + 16 < plane.width:
        beyond = [plane.at(top - 1, left + 16 + x) for x in range(4)]
    else:
        beyond = [plane.at(top - 1, left + 15)] * 4
    for number, mode in enumerate(modes):
        y, x = top + number // 4 * 4, left + number % 4 * 4
        above = [plane.at(y - 1, x + at) for at in range(4)]
        above += beyond if number % 4 == 3 else [plane.at(y - 1, x + at) for at in range(4, 8)]
        beside = [plane.at(y + at, x - 1) for at in range(4)]
        block = predicted_block(mode, above, beside, plane.at(y - 1, x - 1))
        for place, value in enumerate(block):
            plane.put(y + place // 4, x + place % 4, value)
            if residue is not None:
                plane.add(y + place // 4, x + place % 4, residue[number][place])


def predicted_block(  # noqa: C901, PLR0911  a mode after the other
    mode: int, above: Sequence[int], left: Sequence[int], corner: int
) -> list[int]:
    """A block of 4 x 4 in row-major order.

    Args:
        mode: one of the ten.
        above: the eight samples above it and right of these.
        left: the four samples beside it, from the top on.
        corner: the sample above these.
    """
    if mode == DC:
        return [sum((*above[:4], *left)) + 4 >> 3] * 16
    if mode == TM:
        return [above[x] + left[y] - corner for y in range(4) for x in range(4)]
    if mode == VE:
        return _smoothed((corner, *above[:5])) * 4
    if mode == HE:
        return [item for item in _smoothed((corner, *left, left[3])) for _ in range(4)]
    if mode in (LD, VL):
        three = [*_smoothed(above), above[6] + 3 * above[7] + 2 >> 2]
        if mode == LD:
            return [three[x + y] for y in range(4) for x in range(4)]
        two = _halved(above)
        # The last column of the lower rows goes on in another direction.
        rows = [two[:4], three[:4], [*two[1:4], three[4]], [*three[1:4], three[5]]]
        return [item for each in rows for item in each]
    if mode == HU:
        three, two = _smoothed((*left, left[3])), _halved(left)
        along = [two[0], three[0], two[1], three[1], two[2], three[2], *[left[3]] * 4]
        return [along[2 * y + x] for y in range(4) for x in range(4)]
    edge = (*left[::-1], corner, *above[:4])
    three, two = _smoothed(edge), _halved(edge)  # around edge[1], and of edge[0] and edge[1]
    if mode == RD:
        return [three[3 - y + x] for y in range(4) for x in range(4)]
    if mode == VR:
        rows = [two[4:8], three[3:7], [three[2], *two[4:7]], [three[1], *three[3:6]]]
        return [item for each in rows for item in each]
    if mode == HD:
        along = [two[0], three[0], two[1], three[1], two[2], three[2], two[3], *three[3:6]]
        return [along[6 - 2 * y + x] for y in range(4) for x in range(4)]
    raise ValueError(f"{mode} is no mode of a block")


def _smoothed(samples: Sequence[int]) -> list[int]:
    """Each sample but the two at the ends with its neighbours."""
    return [
        one + 2 * two + three + 2 >> 2
        for one, two, three in zip(samples, samples[1:], samples[2:], strict=False)
    ]


def _halved(samples: Sequence[int]) -> list[int]:
    """The means of neighbours."""
    return [one + two + 1 >> 1 for one, two in pairwise(samples)]
