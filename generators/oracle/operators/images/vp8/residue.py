"""Coefficients of VP8: tokens, steps and transforms. Source: RFC 6386, 13 and 14."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .tables import BAND_OF, EXTRA_BITS, ZIGZAG, first_step, other_step, place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .bits import Bools
    from .prediction import Plane

# Kinds of blocks: luma whose mean stands elsewhere, these means, chroma, and luma with its mean.
_WITHOUT_MEAN, _MEANS, _CHROMA, _WITH_MEAN = range(4)
_SINE, _COSINE = 35468, 20091  # of an eighth of a turn, times the root of 2, in parts of 65536
_EDGES = (4, 2, 2)  # blocks at an edge of a macroblock, of each plane


@dataclass(frozen=True)
class Steps:
    """The steps of the first coefficient of a block and of the others, by kind."""

    luma: tuple[int, int]
    means: tuple[int, int]
    chroma: tuple[int, int]

    @staticmethod
    def of(index: int, deltas: Sequence[int]) -> Steps:
        """The steps for an index and what is added to it for each but luma's others."""

        def at(delta: int, last: int = 127) -> int:
            return min(max(index + delta, 0), last)

        first, means, others, chroma, more = deltas
        return Steps(
            (first_step(at(first)), other_step(index)),
            (2 * first_step(at(means)), max(other_step(at(others)) * 155 // 100, 8)),
            (first_step(at(chroma, 117)), other_step(at(more))),
        )


@dataclass
class Blocks:
    """The coefficients of a macroblock, 16 of each block in row-major order.

    Attributes:
        means: those of the block of means, None if there is none.
        luma, chroma: 16 blocks and 8.
        any_token: whether any block has one beside its end.
    """

    means: list[int] | None
    luma: list[list[int]]
    chroma: list[list[int]]
    any_token: bool


class Tokens:
    """The probabilities of tokens, and which blocks above and to the left had any."""

    def __init__(self, probabilities: Sequence[int], across: int) -> None:
        """Nothing is above the first row."""
        self.probabilities = probabilities
        self._above = [[[0] * count for count in (*_EDGES, 1)] for _ in range(across)]
        self._left = [[0] * count for count in (*_EDGES, 1)]

    def begin_row(self) -> None:
        """Nothing is to the left of a row."""
        self._left = [[0] * count for count in (*_EDGES, 1)]

    def skip(self, column: int, *, means: bool) -> None:
        """A macroblock without tokens; the block of means is left alone where it has none."""
        for edges in (self._above[column], self._left):
            for number, count in enumerate((*_EDGES, 1)):
                if number < 3 or means:
                    edges[number] = [0] * count

    def edges(self, column: int, number: int) -> tuple[list[int], list[int]]:
        """Of a plane, or of the blocks of means (3): what is above, and what is to the left."""
        return self._above[column][number], self._left[number]


def read_blocks(bits: Bools, tokens: Tokens, column: int, *, means: bool) -> Blocks:
    """The coefficients of a macroblock, not yet multiplied by their steps."""
    found = Blocks(None, [], [], any_token=False)

    def read(kind: int, plane: int, x: int, y: int) -> list[int]:
        above, left = tokens.edges(column, plane)
        first = int(kind == _WITHOUT_MEAN)
        block, end = _block(bits, tokens.probabilities, kind, above[x] + left[y])
        above[x] = left[y] = int(end > first)
        found.any_token |= end > first
        return block

    if means:
        found.means = read(_MEANS, 3, 0, 0)
    kind = _WITHOUT_MEAN if means else _WITH_MEAN
    found.luma = [read(kind, 0, x, y) for y in range(4) for x in range(4)]
    found.chroma = [read(_CHROMA, p, x, y) for p in (1, 2) for y in range(2) for x in range(2)]
    return found


def _block(
    bits: Bools, probabilities: Sequence[int], kind: int, context: int
) -> tuple[list[int], int]:
    """The coefficients of a block in row-major order, and the place of its end."""
    found = [0] * 16
    at = int(kind == _WITHOUT_MEAN)
    may_end = True
    while at < 16:
        start = place(kind, BAND_OF[at], context)
        if may_end and not bits.take(probabilities[start]):
            return found, at
        if not bits.take(probabilities[start + 1]):
            context, may_end = 0, False
            at += 1
            continue
        value = _magnitude(bits, probabilities[start + 2 : start + 11])
        context, may_end = (1 if value == 1 else 2), True
        found[ZIGZAG[at]] = -value if bits.take(128) else value
        at += 1
    return found, 16


def _magnitude(bits: Bools, tree: Sequence[int]) -> int:
    if not bits.take(tree[0]):
        return 1
    if not bits.take(tree[1]):
        if not bits.take(tree[2]):
            return 2
        return 3 + bits.take(tree[3])
    if not bits.take(tree[4]):
        if not bits.take(tree[5]):
            return 5 + bits.take(159)
        high = bits.take(165)
        return 7 + 2 * high + bits.take(145)
    upper = bits.take(tree[6])
    category = 2 * upper + bits.take(tree[7 + upper])
    extra = 0
    for probability in EXTRA_BITS[category]:
        extra = 2 * extra + bits.take(probability)
    return 3 + (8 << category) + extra


def spread_means(found: Blocks, steps: Steps) -> list[list[int]]:
    """The residue of the 24 blocks: the means in their places, multiplied and transformed."""
    luma = [_multiplied(block, steps.luma) for block in found.luma]
    if found.means is not None:
        means = _inverse_means(_multiplied(found.means, steps.means))
        for block, mean in zip(luma, means, strict=True):
            block[0] = mean
    chroma = [_multiplied(block, steps.chroma) for block in found.chroma]
    return [_inverse(block) for block in (*luma, *chroma)]


def _multiplied(block: Sequence[int], steps: tuple[int, int]) -> list[int]:
    return [block[0] * steps[0], *(item * steps[1] for item in block[1:])]


def _inverse_means(block: Sequence[int]) -> list[int]:
    """The Walsh-Hadamard transform of 14.3."""
    half = [0] * 16
    for x in range(4):
        one, two, three, four = block[x::4]
        sums = one + four, two + three, two - three, one - four
        half[x::4] = sums[0] + sums[1], sums[2] + sums[3], sums[0] - sums[1], sums[3] - sums[2]
    found = []
    for y in range(0, 16, 4):
        one, two, three, four = half[y : y + 4]
        sums = one + four, two + three, two - three, one - four
        each = sums[0] + sums[1], sums[2] + sums[3], sums[0] - sums[1], sums[3] - sums[2]
        found += [item + 3 >> 3 for item in each]
    return found


def _inverse(block: Sequence[int]) -> list[int]:
    """The cosine transform of 14.4, columns before rows, as it is rounded there."""
    half = [0] * 16
    for x in range(4):
        half[x::4] = _inverse_four(*block[x::4])
    found = []
    for y in range(0, 16, 4):
        found += [item + 4 >> 3 for item in _inverse_four(*half[y : y + 4])]
    return found


def _inverse_four(one: int, two: int, three: int, four: int) -> tuple[int, int, int, int]:
    low = (two * _SINE >> 16) - four - (four * _COSINE >> 16)
    high = two + (two * _COSINE >> 16) + (four * _SINE >> 16)
    return one + three + high, one - three + low, one - three - low, one + three - high


def add_block(plane: Plane, top: int, left: int, block: Sequence[int]) -> None:
    """Add a residue to what was predicted."""
    for y in range(4):
        for x in range(4):
            plane.add(top + y, left + x, block[4 * y + x])
