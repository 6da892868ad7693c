"""The blocks of a JPEG scan: Huffman codes, coefficients, and the samples that they stand for.

Source: ITU-T T.81, Annexes A.3, C and F.2. Samples come of exact arithmetic on the cosines to 60
bits. ITU-T T.83 allows a decoder to be off in a coefficient, and every decoder in use is within
one of the exact sample: that is permitted, but for a block of its mean alone, whose samples are
a quotient by 8 that all compute.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from ...arith.rationals import Fraction
from .pictures import BrokenStreamError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SIDE = 8
_AREA = 64
_LEVEL = 128  # what is added to each sample (A.3.1)
_BITS = 60
_ONE = 1 << _BITS
_END_OF_BLOCK, _SIXTEEN_ZEROS = 0x00, 0xF0


@dataclass(frozen=True)
class Sample:
    """What a decoder may make of a sample: at least, at most, and the nearest to the exact one."""

    #: The least permitted value, 0 to 255.
    low: int
    #: The greatest permitted value, 0 to 255.
    high: int
    #: The integer nearest to the exact value.
    nearest: int


@cache
def zigzag() -> list[int]:
    """The place in a block, row by row, of each coefficient in the order of the stream (A.3.6)."""
    places = [(row, column) for row in range(SIDE) for column in range(SIDE)]

    def order(place: tuple[int, int]) -> tuple[int, int]:
        row, column = place
        return row + column, row if (row + column) % 2 else column

    return [row * SIDE + column for row, column in sorted(places, key=order)]


def huffman_codes(counts: Sequence[int], symbols: Sequence[int]) -> dict[tuple[int, int], int]:
    """The symbol of each code, by its length and its bits (Annex C)."""
    found: dict[tuple[int, int], int] = {}
    code = at = 0
    for length, count in enumerate(counts, 1):
        for _ in range(count):
            if code >> length or at >= len(symbols):
                raise BrokenStreamError("a table of codes that are too many")
            found[length, code] = symbols[at]
            code, at = code + 1, at + 1
        code <<= 1
    return found


class Bits:
    """The bits of one interval between restart markers, the highest of a byte first."""

    def __init__(self, data: bytes) -> None:
        """Begin with the first bit."""
        self._data = data
        self._at = 0

    def take(self, count: int) -> int:
        """A number of so many bits; BrokenStreamError behind the end."""
        number = 0
        for _ in range(count):
            if self._at >= 8 * len(self._data):
                raise BrokenStreamError("the scan ends too early")
            number = number << 1 | self._data[self._at // 8] >> (7 - self._at % 8) & 1
            self._at += 1
        return number

    def symbol(self, codes: Mapping[tuple[int, int], int]) -> int:
        """The symbol of the next code."""
        code = 0
        for length in range(1, 17):
            code = code << 1 | self.take(1)
            if (length, code) in codes:
                return codes[length, code]
        raise BrokenStreamError("bits that are no code")

    def signed(self, size: int) -> int:
        """A number of the category `size` (F.2.2.1): half of the numbers are negative."""
        number = self.take(size)
        return number if not size or number >> (size - 1) else number - (1 << size) + 1


def coefficients(
    bits: Bits,
    mean: Mapping[tuple[int, int], int],
    others: Mapping[tuple[int, int], int],
    before: int,
) -> list[int]:
    """The 64 coefficients of a block in the order of the stream; `before` is the mean before it."""
    found = [0] * _AREA
    found[0] = before + bits.signed(bits.symbol(mean))
    at = 1
    while at < _AREA:
        symbol = bits.symbol(others)
        size = symbol & 15
        at = _AREA if symbol == _END_OF_BLOCK else at + (symbol >> 4)
        if size:
            if at >= _AREA:
                raise BrokenStreamError("a coefficient beyond the block")
            found[at] = bits.signed(size)
        elif symbol not in (_END_OF_BLOCK, _SIXTEEN_ZEROS):
            raise BrokenStreamError(f"the symbol {symbol:#x} has no meaning")
        at += 1
    return found


def samples(found: Sequence[int], steps: Sequence[int]) -> list[Sample]:
    """The 64 samples of a block, row by row, from coefficients and their steps (A.3.3, A.3.4)."""
    if not any(found[1:]):
        exact = Fraction(found[0] * steps[0], SIDE) + _LEVEL
        near = math.floor(exact + Fraction(1, 2))
        return [Sample(_held(math.floor(exact)), _held(math.ceil(exact)), _held(near))] * _AREA
    block = [0] * _AREA
    for place, coefficient, step in zip(zigzag(), found, steps, strict=True):
        block[place] = coefficient * step
    cosines = _cosines()
    rows = [
        [sum(cosines[x][u] * block[v * SIDE + u] for u in range(SIDE)) for x in range(SIDE)]
        for v in range(SIDE)
    ]
    half = 1 << (2 * _BITS + 1)
    exact_samples = [
        (sum(cosines[y][v] * rows[v][x] for v in range(SIDE)) + half >> (2 * _BITS + 2)) + _LEVEL
        for y in range(SIDE)
        for x in range(SIDE)
    ]
    return [Sample(_held(item - 1), _held(item + 1), _held(item)) for item in exact_samples]


def _held(sample: int) -> int:
    return min(max(sample, 0), 255)


@cache
def _cosines() -> list[list[int]]:
    """C(u) cos((2x + 1) u pi / 16) for each x and u, times 2^60."""

    def half_angle(cosine: int, sign: int) -> int:
        return math.isqrt(_ONE * (_ONE + sign * cosine) // 2)

    fourth = math.isqrt(_ONE * _ONE // 2)  # of pi / 4
    second, sixth = half_angle(fourth, 1), half_angle(fourth, -1)
    quarter = [
        _ONE,
        half_angle(second, 1),
        second,
        half_angle(sixth, 1),
        fourth,
        half_angle(sixth, -1),
        sixth,
        half_angle(second, -1),
        0,
    ]

    def cosine(sixteenths: int) -> int:
        turned = sixteenths % 32
        turned = min(turned, 32 - turned)
        return quarter[turned] if turned <= 8 else -quarter[16 - turned]

    return [
        [fourth if u == 0 else cosine((2 * x + 1) * u) for u in range(SIDE)] for x in range(SIDE)
    ]
