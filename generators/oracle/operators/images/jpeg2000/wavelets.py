"""The reversible wavelet transform, undone. Source: T.800, Annexes F.3 and G.2."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Plane = list[list[int]]


def synthesized(bands: Mapping[str, Plane], top: int, left: int, size: tuple[int, int]) -> Plane:
    """One level of the transform undone: four sub-bands make a resolution (2D_SR, F.3.2).

    Args:
        bands: the rows of LL, HL, LH and HH.
        top: where the resolution begins; even places belong to the low bands.
        left: the same, across.
        size: its height and width.
    """
    height, width = size
    plane = [[0] * width for _ in range(height)]
    for band, rows in bands.items():
        # The first letter is of the horizontal direction, the second of the vertical one.
        first_row = (top + (band[1] == "H")) % 2
        first_column = (left + (band[0] == "H")) % 2
        for row, line in zip(range(first_row, height, 2), rows, strict=True):
            plane[row][first_column::2] = line
    plane = [_line(line, left) for line in plane]
    columns = [_line([line[at] for line in plane], top) for at in range(width)]
    return [[column[at] for column in columns] for at in range(height)]


def _line(line: Sequence[int], start: int) -> list[int]:
    """A line whose first place has the number `start`, from its interleaved bands (1D_SR)."""
    if len(line) == 1:
        return [line[0] // 2] if start % 2 else [line[0]]
    found = list(line)
    last = len(line) - 1

    def beside(at: int) -> int:
        """A place beyond the ends is that of the mirrored line (F.3.7)."""
        return -at if at < 0 else 2 * last - at if at > last else at

    for at in range(start % 2, len(line), 2):
        found[at] -= (found[beside(at - 1)] + found[beside(at + 1)] + 2) // 4
    for at in range(1 - start % 2, len(line), 2):
        found[at] += (found[beside(at - 1)] + found[beside(at + 1)]) // 2
    return found


def colours(first: Plane, second: Plane, third: Plane) -> tuple[Plane, Plane, Plane]:
    """Red, green and blue of components that the reversible transform made (G.2.2)."""
    red, green, blue = [], [], []
    for lines in zip(first, second, third, strict=True):
        triples = list(zip(*lines, strict=True))
        greens = [y - (u + v) // 4 for y, u, v in triples]
        green.append(greens)
        red.append([v + g for (_, _, v), g in zip(triples, greens, strict=True)])
        blue.append([u + g for (_, u, _), g in zip(triples, greens, strict=True)])
    return red, green, blue
