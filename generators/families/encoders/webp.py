"""Lossless WebP, written. Source: RFC 9649, the container in 2 and the bitstream in 3."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from .bits import Bits
from .webp_bits import put_image

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .raster import Raster

    _Pixel = tuple[int, ...]  # alpha, red, green, blue

_SIDE = 2  # log2 of the side of a tile
_BLACK = (255, 0, 0, 0)
_PREDICTOR, _COLOUR, _GREEN, _INDEX = range(4)


def encode(
    raster: Raster,
    *,
    green: bool = False,
    modes: Sequence[int] = (),
    shares: Sequence[int] = (),
    indexed: bool = False,
    references: bool = False,
    cache: int = 0,
    groups: int = 1,
) -> bytes:
    """A WebP file with a VP8L chunk.

    Args:
        raster: red, green and blue, and alpha if there is a fourth sample.
        green: with green subtracted from red and blue.
        modes: modes of the predictor, one for each tile, repeated; none for no predictor.
        shares: of the colour transform: red in blue, green in blue, green in red, from -128 on.
        indexed: with a table of colours.
        references: write repeated pixels as references.
        cache: log2 of the size of the colour cache; 0 for none.
        groups: how many groups of codes the tiles use in turn.
    """
    height, width = raster.size
    rows = [(*pixel, 255)[:4] for row in raster.rows for pixel in row]
    pixels: list[_Pixel] = [(alpha, red, green_, blue) for red, green_, blue, alpha in rows]
    bits = Bits()
    bits.add(0x2F, 8)
    bits.add(width - 1, 14)
    bits.add(height - 1, 14)
    bits.add(int(any(pixel[0] < 255 for pixel in pixels)), 1)
    bits.add(0, 3)
    stored = width
    if indexed:
        pixels, stored = _indexed(bits, pixels, width)
    if green:
        bits.add(1 | _GREEN << 1, 3)
        pixels = [(a, (r - g) % 256, g, (b - g) % 256) for a, r, g, b in pixels]
    if shares:
        pixels = _recoloured(bits, pixels, (height, stored), shares)
    if modes:
        pixels = _unpredicted(bits, pixels, (height, stored), modes)
    bits.add(0, 1)
    put_image(bits, pixels, stored, cache=cache, references=references, groups=groups)
    data = bits.bytes()
    chunk = b"VP8L" + struct.pack("<I", len(data)) + data + bytes(len(data) % 2)
    return b"RIFF" + struct.pack("<I", len(chunk) + 4) + b"WEBP" + chunk


def _indexed(bits: Bits, pixels: Sequence[_Pixel], width: int) -> tuple[list[_Pixel], int]:
    """The table of colours, each minus the one before it; and indices, several in a green byte."""
    colours = sorted(set(pixels))
    bits.add(1 | _INDEX << 1, 3)
    bits.add(len(colours) - 1, 8)
    pairs = zip(colours, [(0, 0, 0, 0), *colours], strict=False)
    put_image(bits, [_less(one, before) for one, before in pairs], len(colours))
    each = 8 if len(colours) <= 2 else 4 if len(colours) <= 4 else 2 if len(colours) <= 16 else 1
    depth = 8 // each
    found: list[_Pixel] = []
    for start in range(0, len(pixels), width):
        indices = [colours.index(pixel) for pixel in pixels[start : start + width]]
        for at in range(0, width, each):
            byte = sum(item << depth * place for place, item in enumerate(indices[at : at + each]))
            found.append((255, 0, byte, 0))
    return found, -(-width // each)


def _less(one: _Pixel, other: _Pixel) -> _Pixel:
    return tuple((a - b) % 256 for a, b in zip(one, other, strict=True))


def _tiles(size: tuple[int, int]) -> tuple[int, int]:
    return -(-size[0] >> _SIDE), -(-size[1] >> _SIDE)


def _recoloured(
    bits: Bits, pixels: Sequence[_Pixel], size: tuple[int, int], shares: Sequence[int]
) -> list[_Pixel]:
    """Pixels minus shares of green in red, and of green and red in blue."""
    red_in_blue, green_in_blue, green_in_red = shares
    rows, columns = _tiles(size)
    bits.add(1 | _COLOUR << 1, 3)
    bits.add(_SIDE - 2, 3)
    tile = (255, red_in_blue % 256, green_in_blue % 256, green_in_red % 256)
    put_image(bits, [tile] * (rows * columns), columns)

    def share(factor: int, value: int) -> int:
        return factor * ((value + 128) % 256 - 128) >> 5

    return [
        (
            a,
            (r - share(green_in_red, g)) % 256,
            g,
            (b - share(green_in_blue, g) - share(red_in_blue, r)) % 256,
        )
        for a, r, g, b in pixels
    ]


def _unpredicted(
    bits: Bits, pixels: Sequence[_Pixel], size: tuple[int, int], modes: Sequence[int]
) -> list[_Pixel]:
    """Each pixel minus the prediction of its tile's mode from its neighbours."""
    rows, columns = _tiles(size)
    width = size[1]
    bits.add(1 | _PREDICTOR << 1, 3)
    bits.add(_SIDE - 2, 3)
    used = [modes[at % len(modes)] for at in range(rows * columns)]
    put_image(bits, [(255, 0, mode, 0) for mode in used], columns)
    found = []
    for at, pixel in enumerate(pixels):
        y, x = divmod(at, width)
        if at == 0:
            guess: _Pixel = _BLACK
        elif y == 0:
            guess = pixels[at - 1]
        elif x == 0:
            guess = pixels[at - width]
        else:
            predict = _MODES[used[(y >> _SIDE) * columns + (x >> _SIDE)]]
            # left, top, top left, top right; for the last column, top right is the row's own first
            # pixel
            around = (at - 1, at - width, at - width - 1, at - width + 1)
            samples = zip(*(pixels[place] for place in around), strict=True)
            guess = predict([list(item) for item in samples])
        found.append(_less(pixel, guess))
    return found


def _each(function: Callable[[int, int, int, int], int]) -> Callable[[list[list[int]]], _Pixel]:
    """A prediction of each sample by left, top, top left and top right, clamped to its range."""
    return lambda samples: tuple(min(max(function(*item), 0), 255) for item in samples)


def _select(samples: list[list[int]]) -> _Pixel:
    """Left if all samples together are nearer to it than to the top, else the top."""
    to_left = sum(abs(t - corner) for _, t, corner, _ in samples)
    to_top = sum(abs(left - corner) for left, _, corner, _ in samples)
    return tuple(item[0 if to_left < to_top else 1] for item in samples)


def _half(average: int, corner: int) -> int:
    return average + int((average - corner) / 2)


_MODES: tuple[Callable[[list[list[int]]], _Pixel], ...] = (
    lambda _: _BLACK,
    _each(lambda left, _t, _c, _r: left),
    _each(lambda _l, top, _c, _r: top),
    _each(lambda _l, _t, _c, right: right),
    _each(lambda _l, _t, corner, _r: corner),
    _each(lambda left, top, _c, right: ((left + right) // 2 + top) // 2),
    _each(lambda left, _t, corner, _r: (left + corner) // 2),
    _each(lambda left, top, _c, _r: (left + top) // 2),
    _each(lambda _l, top, corner, _r: (corner + top) // 2),
    _each(lambda _l, top, _c, right: (top + right) // 2),
    _each(lambda left, top, corner, right: ((left + corner) // 2 + (top + right) // 2) // 2),
    _select,
    _each(lambda left, top, corner, _r: left + top - corner),
    _each(lambda left, top, corner, _r: _half((left + top) // 2, corner)),
)
