"""The entropy coding of lossless WebP: prefix codes, references to pixels before, a colour cache.

Source: RFC 9649, 3.5 to 3.7. A pixel is a number: alpha, red, green and blue from the highest byte.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from ...arith.rationals import Fraction
from .jpeg_blocks import huffman_codes
from .pictures import BrokenStreamError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Codes = Mapping[tuple[int, int], int]

_BYTES, _LENGTHS, _DISTANCES = 256, 24, 40
_LONGEST = 15
# The order in which the lengths of the codes of lengths are stored (3.7.2.1.2).
_ORDER = (17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
# Symbols of lengths that repeat: the least number of times, and bits for more.
_REPEATED = {16: (3, 2), 17: (3, 3), 18: (11, 7)}
_NEAR = 120  # distances that stand for a place in the neighbourhood
_CACHE_FACTOR = 0x1E35A7BD


class LowBits:
    """The bits of a stream, the lowest of a byte first."""

    def __init__(self, data: bytes) -> None:
        """Begin with the first bit."""
        self._data = data
        self._at = 0

    def take(self, count: int) -> int:
        """A number of so many bits, its lowest first; BrokenStreamError behind the end."""
        number = 0
        for place in range(count):
            if self._at >= 8 * len(self._data):
                raise BrokenStreamError("the stream ends too early")
            number |= (self._data[self._at // 8] >> (self._at % 8) & 1) << place
            self._at += 1
        return number

    def symbol(self, codes: Codes) -> int:
        """The symbol of the next code, whose highest bit comes first; one alone has no bits."""
        code = length = 0
        while (length, code) not in codes:
            if length == _LONGEST:
                raise BrokenStreamError("bits that are no code")
            code, length = code << 1 | self.take(1), length + 1
        return codes[length, code]

    def stepped(self, symbol: int) -> int:
        """A length or a distance: a symbol, and bits behind it (3.6.2.2)."""
        if symbol < 4:
            return symbol + 1
        extra = (symbol - 2) >> 1
        return ((2 + (symbol & 1)) << extra) + self.take(extra) + 1


@dataclass(frozen=True)
class _Group:
    """Five codes: of green, lengths and the cache; red; blue; alpha; distances."""

    #: Of green values, lengths of copies and places in the colour cache.
    green: Codes
    #: Of red values.
    red: Codes
    #: Of blue values.
    blue: Codes
    #: Of alpha values.
    alpha: Codes
    #: Of distances of copies.
    distance: Codes


def read_image(bits: LowBits, width: int, height: int, *, main: bool) -> list[int]:
    """The pixels of an image, row by row.

    Args:
        bits: where it begins.
        width: in pixels.
        height: in pixels.
        main: whether it is the picture itself, which may have several groups of codes.
    """
    cache_bits = bits.take(4) if bits.take(1) else 0
    if cache_bits > 11:
        raise BrokenStreamError(f"a cache of {cache_bits} bits")
    places, side = [0], 0
    if main and bits.take(1):
        side = bits.take(3) + 2
        tiles = read_image(bits, tiles_of(width, side), tiles_of(height, side), main=False)
        places = [tile >> 8 & 0xFFFF for tile in tiles]
    groups = [_group(bits, cache_bits) for _ in range(max(places) + 1)]
    pixels: list[int] = []
    cached = [0] * (1 << cache_bits)
    while len(pixels) < width * height:
        y, x = divmod(len(pixels), width)
        tile = (y >> side) * tiles_of(width, side) + (x >> side) if side else 0
        group = groups[places[tile]]
        found = _next(bits, group, pixels, cached, width)
        for pixel in found:
            cached[
                (_CACHE_FACTOR * pixel & 0xFFFFFFFF) >> (32 - cache_bits) if cache_bits else 0
            ] = pixel
        pixels += found
    if len(pixels) > width * height:
        raise BrokenStreamError("a reference leaves the image")
    return pixels


def tiles_of(size: int, bits: int) -> int:
    """How many tiles with sides of 2^bits cover a size."""
    return -(-size >> bits)


def _next(
    bits: LowBits, group: _Group, pixels: Sequence[int], cached: Sequence[int], width: int
) -> list[int]:
    """One pixel, or those that a reference stands for."""
    symbol = bits.symbol(group.green)
    if symbol < _BYTES:
        red, blue = bits.symbol(group.red), bits.symbol(group.blue)
        return [bits.symbol(group.alpha) << 24 | red << 16 | symbol << 8 | blue]
    if symbol >= _BYTES + _LENGTHS:
        return [cached[symbol - _BYTES - _LENGTHS]]
    length = bits.stepped(symbol - _BYTES)
    distance = bits.stepped(bits.symbol(group.distance))
    if distance > _NEAR:
        back = distance - _NEAR
    else:
        left, up = _neighbours()[distance - 1]
        back = max(left + up * width, 1)
    if back > len(pixels):
        raise BrokenStreamError("a reference to before the image")
    return [pixels[len(pixels) - back + place % back] for place in range(length)]


@cache
def _neighbours() -> list[tuple[int, int]]:
    """Columns to the left and rows up of the near distances, the nearest first (3.6.2.2.2)."""
    places = [(left, up) for up in range(8) for left in range(-7, 9) if up or left > 0]
    return sorted(
        places, key=lambda place: (place[0] ** 2 + place[1] ** 2, abs(place[0]), -place[0])
    )


# --- prefix codes ----------------------------------------------------------------------------


def _group(bits: LowBits, cache_bits: int) -> _Group:
    cached = 1 << cache_bits if cache_bits else 0
    sizes = (_BYTES + _LENGTHS + cached, _BYTES, _BYTES, _BYTES, _DISTANCES)
    return _Group(*[_code(bits, size) for size in sizes])


def _code(bits: LowBits, size: int) -> Codes:
    """A prefix code of an alphabet (3.7.2.1)."""
    lengths = [0] * size
    if bits.take(1):
        count = bits.take(1) + 1
        symbols = [bits.take(8 if bits.take(1) else 1)]
        symbols += [bits.take(8)] if count == 2 else []
        if max(symbols) >= size:
            raise BrokenStreamError(f"the symbol {max(symbols)} of {size}")
        for symbol in symbols:
            lengths[symbol] = 1
        return _canonical(lengths)
    for place in _ORDER[: bits.take(4) + 4]:
        lengths[place] = bits.take(3)
    of_lengths = _canonical(lengths[: len(_ORDER)])
    left = 2 + bits.take(2 + 2 * bits.take(3)) if bits.take(1) else size
    found: list[int] = []
    before = 8
    while len(found) < size and left:
        symbol = bits.symbol(of_lengths)
        left -= 1
        if symbol in _REPEATED:
            least, extra = _REPEATED[symbol]
            found += [before if symbol == 16 else 0] * (least + bits.take(extra))
        else:
            found.append(symbol)
            before = symbol or before
    if len(found) > size:
        raise BrokenStreamError("more lengths than symbols")
    return _canonical([*found, *[0] * (size - len(found))])


def _canonical(lengths: Sequence[int]) -> Codes:
    """The codes of symbols by their lengths, as in Deflate; they must leave no bits unused."""
    symbols = [symbol for symbol, length in enumerate(lengths) if length]
    if len(symbols) == 1:
        return {(0, 0): symbols[0]}
    if sum(Fraction(1, 1 << length) for length in lengths if length) != 1:
        raise BrokenStreamError("a code that is not complete")
    symbols.sort(key=lambda symbol: lengths[symbol])
    counts = [lengths.count(length) for length in range(1, _LONGEST + 1)]
    return huffman_codes(counts, symbols)
