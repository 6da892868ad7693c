"""WebP, and its lossless images. Source: RFC 9649, the container in 2 and the bitstream in 3."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from .pictures import BrokenStreamError, Picture, UnknownStreamError, check_size, exact
from .webp_codes import LowBits, read_image, tiles_of
from .webp_lossy import decode_lossy

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    # Pixels and their width, before and after.
    Undo = Callable[[list[int], int], tuple[list[int], int]]

SIGNATURE = b"RIFF"
_PREDICTOR, _COLOUR, _GREEN, _INDEX = range(4)
_BLACK = 0xFF000000
_SHIFTS = (24, 16, 8, 0)


def decode(stream: bytes) -> Picture:
    """The image of a WebP file with a VP8L or a VP8 chunk.

    Raises BrokenStreamError where it breaks a rule, UnknownStreamError for animated ones, and for
    lossy ones that are transparent.
    """
    if stream[8:12] != b"WEBP":
        raise BrokenStreamError("a RIFF file of another kind than WEBP")
    at = 12
    names = []
    while at + 8 <= len(stream):
        name = stream[at : at + 4]
        (size,) = struct.unpack_from("<I", stream, at + 4)
        if at + 8 + size > len(stream):
            raise BrokenStreamError(f"chunk {name!r} is cut off")
        if name == b"VP8L":
            return _lossless(stream[at + 8 : at + 8 + size])
        if name == b"VP8 " and b"ALPH" not in names:
            return decode_lossy(stream[at + 8 : at + 8 + size])
        names.append(name)
        at += 8 + size + size % 2
    if b"VP8 " in names or b"ANMF" in names:
        raise UnknownStreamError("a WebP file that is animated, or lossy and transparent")
    raise BrokenStreamError("a WebP file without an image")


def _lossless(data: bytes) -> Picture:
    bits = LowBits(data)
    if bits.take(8) != 0x2F:
        raise BrokenStreamError("a lossless bitstream without its signature")
    width, height = bits.take(14) + 1, bits.take(14) + 1
    alpha, version = bits.take(1), bits.take(3)
    if version:
        raise BrokenStreamError(f"a lossless bitstream of version {version}")
    check_size(height, width)
    undo: list[Undo] = []
    stored = width
    seen: set[int] = set()
    while bits.take(1):
        kind = bits.take(2)
        if kind in seen:
            raise BrokenStreamError("a transform that is there twice")
        seen.add(kind)
        stored = _read_transform(bits, kind, (stored, height), undo)
    pixels = read_image(bits, stored, height, main=True)
    for step in reversed(undo):
        pixels, stored = step(pixels, stored)
    colours = [pixel >> shift & 255 for pixel in pixels for shift in _SHIFTS[1:]]
    covers = [pixel >> 24 for pixel in pixels] if alpha else None
    return Picture(height, width, 3, exact(colours), alpha=covers)


def _read_transform(bits: LowBits, kind: int, size: tuple[int, int], undo: list[Undo]) -> int:
    """Read a transform, add what undoes it, and say how wide the image is that is stored."""
    width, height = size
    if kind == _GREEN:
        undo.append(lambda pixels, stored: (list(map(_with_green, pixels)), stored))
        return width
    if kind == _INDEX:
        count = bits.take(8) + 1
        colours: list[int] = []
        for pixel in read_image(bits, count, 1, main=False):
            colours.append(_sum(pixel, colours[-1] if colours else 0))
        packing = 3 if count <= 2 else 2 if count <= 4 else 1 if count <= 16 else 0
        undo.append(
            lambda pixels, stored: (_looked_up(pixels, stored, colours, packing, width), width)
        )
        return tiles_of(width, packing)
    side = bits.take(3) + 2
    across = tiles_of(width, side)
    tiles = read_image(bits, across, tiles_of(height, side), main=False)
    change = _predicted if kind == _PREDICTOR else _recoloured

    def tile_of(at: int) -> int:
        y, x = divmod(at, width)
        return tiles[(y >> side) * across + (x >> side)]

    undo.append(lambda pixels, stored: (change(pixels, stored, tile_of), stored))
    return width


def _sum(one: int, other: int) -> int:
    """The sums of the four bytes, each modulo 256."""
    return sum(((one >> shift) + (other >> shift) & 255) << shift for shift in _SHIFTS)


def _with_green(pixel: int) -> int:
    green = pixel >> 8 & 255
    return _sum(pixel, green << 16 | green)


def _looked_up(
    pixels: Sequence[int], stored: int, colours: Sequence[int], packing: int, width: int
) -> list[int]:
    """Colours by their indices, of which several may be in one green byte, the first lowest."""
    depth, each = 8 >> packing, 1 << packing
    found = []
    for at, pixel in enumerate(pixels):
        count = min(each, width - at % stored * each)
        for place in range(count):
            index = (pixel >> 8 & 255) >> (place * depth) & ((1 << depth) - 1)
            found.append(colours[index] if index < len(colours) else 0)
    return found


def _recoloured(pixels: Sequence[int], _: int, tile_of: Callable[[int], int]) -> list[int]:
    """The colour transform: shares of green and red added to red and blue (3.5.2)."""

    def share(factor: int, value: int) -> int:
        return _signed(factor) * _signed(value) >> 5

    found = []
    for at, pixel in enumerate(pixels):
        tile = tile_of(at)
        green = pixel >> 8 & 255
        red = (pixel >> 16 & 255) + share(tile & 255, green) & 255
        blue = (pixel & 255) + share(tile >> 8 & 255, green) + share(tile >> 16 & 255, red) & 255
        found.append(pixel & 0xFF00FF00 | red << 16 | blue)
    return found


def _signed(byte: int) -> int:
    return byte - 256 if byte > 127 else byte


def _predicted(pixels: Sequence[int], width: int, tile_of: Callable[[int], int]) -> list[int]:
    """The predictor transform: what the neighbours predict, added to each pixel (3.5.1)."""
    found: list[int] = []
    for at, pixel in enumerate(pixels):
        if at == 0:
            guess = _BLACK
        elif at < width:
            guess = found[at - 1]
        elif at % width == 0:
            guess = found[at - width]
        else:
            # Right above the last column is the first pixel of this row.
            near = found[at - 1], found[at - width], found[at - width - 1], found[at - width + 1]
            guess = _guess(tile_of(at) >> 8 & 15, *near)
        found.append(_sum(pixel, guess))
    return found


def _guess(mode: int, left: int, above: int, corner: int, right: int) -> int:
    """What a mode predicts of the pixels to the left, above, and above at both sides."""
    guesses: tuple[Callable[[], int], ...] = (
        lambda: _BLACK,
        lambda: left,
        lambda: above,
        lambda: right,
        lambda: corner,
        lambda: _mean(_mean(left, right), above),
        lambda: _mean(left, corner),
        lambda: _mean(left, above),
        lambda: _mean(corner, above),
        lambda: _mean(above, right),
        lambda: _mean(_mean(left, corner), _mean(above, right)),
        lambda: _nearer(left, above, corner),
        lambda: _bytes(lambda a, b, c: a + b - c, left, above, corner),
        lambda: _bytes(_and_half, _mean(left, above), corner),
    )
    return guesses[mode]() if mode < len(guesses) else _BLACK


def _bytes(function: Callable[..., int], *pixels: int) -> int:
    """A function of each byte of pixels, clamped to 0 to 255."""
    found = 0
    for shift in _SHIFTS:
        item = function(*(pixel >> shift & 255 for pixel in pixels))
        found |= min(max(item, 0), 255) << shift
    return found


def _mean(one: int, other: int) -> int:
    return _bytes(lambda a, b: (a + b) // 2, one, other)


def _and_half(one: int, other: int) -> int:
    """One, and half of what it is more than the other, cut off towards zero."""
    more = one - other
    return one + (more // 2 if more >= 0 else -(-more // 2))


def _nearer(left: int, above: int, corner: int) -> int:
    """Of left and above the one nearer to left + above - corner."""
    to_left = _bytes_apart(above, corner)
    to_above = _bytes_apart(left, corner)
    return left if to_left < to_above else above


def _bytes_apart(one: int, other: int) -> int:
    return sum(abs((one >> shift & 255) - (other >> shift & 255)) for shift in _SHIFTS)
