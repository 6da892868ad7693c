"""The arithmetic coder of VP8, and its tokens. Source: RFC 6386, 7.3 and 13."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...oracle.operators.images.vp8.tables import BAND_OF, EXTRA_BITS, place

if TYPE_CHECKING:
    from collections.abc import Sequence

_LEAST = (11, 19, 35, 67)  # of the values with more than two extra bits


class BoolWriter:
    """Truth values with probabilities, into a partition."""

    def __init__(self) -> None:
        """Nothing is written yet."""
        self._low = 0
        self._range = 255
        self._bits = 0  # that `_low` has beyond the first 8

    def put(self, value: int, probability: int) -> None:
        """Write a value that is 0 as often as `probability` of 256."""
        split = 1 + ((self._range - 1) * probability >> 8)
        if value:
            self._low += split
            self._range -= split
        else:
            self._range = split
        while self._range < 128:
            self._range <<= 1
            self._low <<= 1
            self._bits += 1

    def number(self, value: int, count: int) -> None:
        """Write an unsigned number of so many bits, the highest first."""
        for shift in range(count - 1, -1, -1):
            self.put(value >> shift & 1, 128)

    def maybe(self, value: int, count: int) -> None:
        """Write a flag, and if the value is not 0 its magnitude and its sign."""
        self.number(int(value != 0), 1)
        if value:
            self.number(abs(value), count)
            self.number(int(value < 0), 1)

    def finished(self) -> bytes:
        """The bytes, with enough behind them that a reader never lacks any."""
        padding = -(self._bits + 8) % 8
        count = (self._bits + 8 + padding) // 8
        return (self._low << padding).to_bytes(count, "big") + b"\0\0"


def put_block(
    bits: BoolWriter,
    probabilities: Sequence[int],
    kind: int,
    context: int,
    coefficients: Sequence[int],
) -> int:
    """Write the coefficients of a block, in the order of the zigzag; 1 if there is a token.

    Args:
        bits: of the partition.
        probabilities: all of the frame.
        kind: of the block, 0 to 3; in blocks of kind 0 the first coefficient is left out.
        context: how many of the blocks above and to the left have tokens.
        coefficients: 16, between -2048 and 2048.
    """
    first = int(kind == 0)
    end = max((at + 1 for at in range(first, 16) if coefficients[at]), default=first)
    may_end = True
    for at in range(first, 16):
        start = place(kind, BAND_OF[at], context)
        if may_end:
            bits.put(int(at < end), probabilities[start])
            if at == end:
                break
        value = coefficients[at]
        bits.put(int(value != 0), probabilities[start + 1])
        may_end = value != 0
        context = min(abs(value), 2)
        if value:
            _put_magnitude(bits, probabilities[start + 2 : start + 11], abs(value))
            bits.put(int(value < 0), 128)
    return int(end > first)


def _put_magnitude(bits: BoolWriter, tree: Sequence[int], value: int) -> None:
    bits.put(int(value > 1), tree[0])
    if value == 1:
        return
    bits.put(int(value > 4), tree[1])
    if value <= 4:
        bits.put(int(value > 2), tree[2])
        if value > 2:
            bits.put(value - 3, tree[3])
        return
    bits.put(int(value > 10), tree[4])
    if value <= 10:
        bits.put(int(value > 6), tree[5])
        if value <= 6:
            bits.put(value - 5, 159)
        else:
            bits.put(value - 7 >> 1, 165)
            bits.put(value - 7 & 1, 145)
        return
    category = max(at for at, least in enumerate(_LEAST) if value >= least)
    bits.put(category >> 1, tree[6])
    bits.put(category & 1, tree[7 + (category >> 1)])
    extra, chances = value - _LEAST[category], EXTRA_BITS[category]
    for at, probability in enumerate(chances):
        bits.put(extra >> (len(chances) - 1 - at) & 1, probability)
