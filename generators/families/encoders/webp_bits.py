"""The entropy coding of lossless WebP, written. Source: RFC 9649, 3.5 to 3.7."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from .bits import Bits

    _Pixel = tuple[int, ...]  # alpha, red, green, blue
    _Codes = Mapping[int, str]

_ORDER = (17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
_SIDE = 2  # log2 of the side of a tile of one group of codes
_LEAST, _MOST = 3, 4096
_LENGTHS_AT, _CACHE_AT = 256, 280


@dataclass(frozen=True)
class _Token:
    """A pixel, an entry of the cache, or a reference: symbols of the five codes, and extra bits.

    Attributes:
        at: the place of its first pixel.
        symbols: by the number of the code: green, red, blue, alpha, distance.
        extra: for each code the bits after its symbol.
    """

    at: int
    symbols: Mapping[int, int]
    extra: Mapping[int, tuple[int, int]]


def put_image(
    bits: Bits,
    pixels: Sequence[_Pixel],
    width: int,
    *,
    cache: int = 0,
    references: bool = False,
    groups: int = 0,
) -> None:
    """Write an image: its cache, its groups of codes and its pixels.

    Args:
        bits: the output.
        pixels: row by row.
        width: of the image.
        cache: log2 of the size of the colour cache; 0 for none.
        references: write repeated pixels as references.
        groups: number of groups of codes, which tiles use in turn; 0 for an image of data only.
    """
    bits.add(int(cache > 0), 1)
    if cache:
        bits.add(cache, 4)
    columns = -(-width >> _SIDE)
    if groups:
        bits.add(int(groups > 1), 1)
    if groups > 1:
        rows = -(-(len(pixels) // width) >> _SIDE)
        bits.add(_SIDE - 2, 3)
        tiles = [(255, 0, at % groups, 0) for at in range(rows * columns)]
        put_image(bits, tiles, columns)
    tokens = _tokens(pixels, width, cache, references=references)
    sizes = (_CACHE_AT + (1 << cache if cache else 0), 256, 256, 256, 40)
    count = max(groups, 1)

    def group_of(token: _Token) -> int:
        y, x = divmod(token.at, width)
        return ((y >> _SIDE) * columns + (x >> _SIDE)) % count

    codes = [
        [
            _put_code(
                bits,
                sizes[part],
                {
                    token.symbols[part]
                    for token in tokens
                    if group_of(token) == group and part in token.symbols
                },
            )
            for part in range(5)
        ]
        for group in range(count)
    ]
    for token in tokens:
        for part, symbol in token.symbols.items():
            bits.code(codes[group_of(token)][part][symbol])
            bits.add(*token.extra.get(part, (0, 0)))


def _tokens(pixels: Sequence[_Pixel], width: int, cache: int, *, references: bool) -> list[_Token]:
    found: list[_Token] = []
    cached: dict[int, _Pixel] = {}
    at = 0
    while at < len(pixels):
        length, distance = _match(pixels, at) if references else (0, 0)
        place = _hash(pixels[at], cache)
        if length >= _LEAST:
            near = {width: 1, 1: 2, width + 1: 3}.get(distance, distance + 120)
            size, more = _stepped(length), _stepped(near)
            symbols = {0: _LENGTHS_AT + size[0], 4: more[0]}
            found.append(_Token(at, symbols, {0: size[1:], 4: more[1:]}))
        else:
            length = 1
            alpha, red, green, blue = pixels[at]
            plain = {0: green, 1: red, 2: blue, 3: alpha}
            known = cache and cached.get(place) == pixels[at]
            found.append(_Token(at, {0: _CACHE_AT + place} if known else plain, {}))
        for pixel in pixels[at : at + length]:
            cached[_hash(pixel, cache)] = pixel
        at += length
    return found


def _hash(pixel: _Pixel, cache: int) -> int:
    number = int.from_bytes(bytes(pixel), "big") * 0x1E35A7BD % (1 << 32)
    return number >> (32 - cache)


def _match(pixels: Sequence[_Pixel], at: int) -> tuple[int, int]:
    """Length and distance of the longest equal stretch before; the nearest of several."""
    best = (0, 0)
    for start in range(at - 1, -1, -1):
        length = 0
        while (
            at + length < len(pixels)
            and length < _MOST
            and pixels[start + length] == pixels[at + length]
        ):
            length += 1
        if length > best[0]:
            best = length, at - start
    return best


def _stepped(number: int) -> tuple[int, int, int]:
    """Symbol, extra bits and their number of a length or a distance."""
    if number <= 4:
        return number - 1, 0, 0
    rest = number - 1
    high = rest.bit_length() - 1
    return 2 * high + (rest >> (high - 1) & 1), rest & ((1 << (high - 1)) - 1), high - 1


# --- prefix codes ----------------------------------------------------------------------------


def _put_code(bits: Bits, size: int, used: set[int]) -> _Codes:
    """Write a code for the symbols that are used, and return the code of each."""
    symbols = sorted(used) or [0]
    if len(symbols) <= 2 and symbols[-1] < 256:
        bits.add(1, 1)
        bits.add(len(symbols) - 1, 1)
        short = symbols[0] < 2
        bits.add(int(not short), 1)
        bits.add(symbols[0], 1 if short else 8)
        for symbol in symbols[1:]:
            bits.add(symbol, 8)
        return _codes(_balanced(symbols))
    lengths = _balanced(symbols)
    stored = _runs([lengths.get(symbol, 0) for symbol in range(size)])
    of_lengths = _balanced(sorted({symbol for symbol, _, _ in stored} | {0, 1}))
    bits.add(0, 1)
    bits.add(len(_ORDER) - 4, 4)
    for symbol in _ORDER:
        bits.add(of_lengths.get(symbol, 0), 3)
    bits.add(0, 1)
    codes = _codes(of_lengths)
    for symbol, extra, count in stored:
        bits.code(codes[symbol])
        bits.add(extra, count)
    return _codes(lengths)


def _balanced(symbols: Sequence[int]) -> dict[int, int]:
    """Lengths for symbols such that no two differ by more than one and the code is complete."""
    if len(symbols) == 1:
        return {symbols[0]: 0}
    longest = (len(symbols) - 1).bit_length()
    short = (1 << longest) - len(symbols)
    return {
        symbol: longest - 1 if place < short else longest for place, symbol in enumerate(symbols)
    }


def _codes(lengths: Mapping[int, int]) -> _Codes:
    """Codes in the order of lengths, and of symbols within one length."""
    found: dict[int, str] = {}
    code = before = 0
    for symbol, length in sorted(lengths.items(), key=lambda item: (item[1], item[0])):
        code <<= length - before
        before = length
        found[symbol] = format(code, f"0{length}b") if length else ""
        code += 1
    return found


def _runs(lengths: Iterable[int]) -> list[tuple[int, int, int]]:
    """Lengths as symbols with extra bits: runs of zeros and of repeated lengths are shortened."""
    found: list[tuple[int, int, int]] = []
    for length, run in groupby(lengths):
        count = len(list(run))
        if length:
            found.append((length, 0, 0))
            count -= 1
        while count:
            step = 1
            if not length and count >= 11:
                step = min(count, 138)
                found.append((18, step - 11, 7))
            elif not length and count >= 3:
                step = count
                found.append((17, step - 3, 3))
            elif length and count >= 3:
                step = min(count, 6)
                found.append((16, step - 3, 2))
            else:
                found.append((length, 0, 0))
            count -= step
    return found
