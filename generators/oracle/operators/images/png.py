"""Portable network graphics. Source: the PNG specification (W3C, third edition)."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .pictures import BrokenStreamError, Picture, UnknownStreamError, check_size, exact, packed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SIGNATURE = b"\x89PNG\r\n\x1a\n"
_GRAY, _RGB, _PALETTE, _GRAY_ALPHA, _RGB_ALPHA = 0, 2, 3, 4, 6
# Samples of a pixel, and the depths that are allowed, by colour type (11.2.1).
_KINDS = {
    _GRAY: (1, (1, 2, 4, 8, 16)),
    _RGB: (3, (8, 16)),
    _PALETTE: (1, (1, 2, 4, 8)),
    _GRAY_ALPHA: (2, (8, 16)),
    _RGB_ALPHA: (4, (8, 16)),
}
# First row and column, and the steps between them, of the seven passes of Adam7 (8.1).
_PASSES = (
    (0, 0, 8, 8),
    (0, 4, 8, 8),
    (4, 0, 8, 4),
    (0, 2, 4, 4),
    (2, 0, 4, 2),
    (0, 1, 2, 2),
    (1, 0, 2, 1),
)
_WHOLE = ((0, 0, 1, 1),)


@dataclass(frozen=True)
class _Header:
    #: Of the image, in pixels.
    width: int
    #: Of the image, in pixels.
    height: int
    #: Bits of a sample, or of an index into the palette.
    depth: int
    #: The colour type of the PNG specification: 0, 2, 3, 4 or 6.
    colour: int
    #: Whether the pixels come in the seven passes of Adam7.
    interlaced: bool

    @property
    def samples(self) -> int:
        return _KINDS[self.colour][0]


def decode(stream: bytes) -> Picture:
    """The image of a PNG datastream.

    Raises BrokenStreamError where it breaks a rule, UnknownStreamError for a critical chunk that
    the specification does not define.
    """
    chunks = list(_chunks(stream))
    if not chunks or chunks[0][0] != b"IHDR" or chunks[-1][0] != b"IEND":
        raise BrokenStreamError("the chunks do not go from IHDR to IEND")
    header = _header(chunks[0][1])
    palette = [content for name, content in chunks if name == b"PLTE"]
    if any(name not in (b"IHDR", b"PLTE", b"IDAT", b"IEND") for name, _ in chunks if name[0] < 96):
        raise UnknownStreamError("a PNG with an unknown critical chunk")
    try:
        data = zlib.decompress(b"".join(content for name, content in chunks if name == b"IDAT"))
    except zlib.error as error:
        raise BrokenStreamError(f"the compressed data are broken: {error}") from None
    pixels = _pixels(header, data)
    clear = [content for name, content in chunks if name == b"tRNS"]
    return _picture(header, [pixel for row in pixels for pixel in row], palette, clear)


def _chunks(stream: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(SIGNATURE)
    while at < len(stream):
        if at + 12 > len(stream):
            raise BrokenStreamError("a chunk ends too early")
        (size,) = struct.unpack_from(">I", stream, at)
        name, content = stream[at + 4 : at + 8], stream[at + 8 : at + 8 + size]
        (check,) = struct.unpack(">I", stream[at + 8 + size : at + 12 + size].rjust(4, b"\0"))
        if at + 12 + size > len(stream) or zlib.crc32(name + content) != check:
            raise BrokenStreamError(f"chunk {name!r} is cut off, or its check does not hold")
        yield name, content
        at += 12 + size
        if name == b"IEND":
            return


def _header(content: bytes) -> _Header:
    if len(content) != 13:
        raise BrokenStreamError(f"IHDR of {len(content)} bytes")
    width, height, depth, colour, compression, filtering, interlace = struct.unpack(
        ">IIBBBBB", content
    )
    if depth not in _KINDS.get(colour, (0, ()))[1] or compression or filtering or interlace > 1:
        raise BrokenStreamError(f"IHDR says depth {depth}, colour type {colour}")
    check_size(height, width)
    return _Header(width, height, depth, colour, bool(interlace))


def _pixels(header: _Header, data: bytes) -> list[list[list[int]]]:
    """The samples of each pixel, by row and column."""
    pixels: list[list[list[int]]] = [[[]] * header.width for _ in range(header.height)]
    bits = header.samples * header.depth
    at = 0
    for top, left, down, right in _PASSES if header.interlaced else _WHOLE:
        rows, columns = (
            range(top, header.height, down),
            range(left, header.width, right),
        )
        size = (len(columns) * bits + 7) // 8
        before = bytes(size)
        for row in rows if columns else ():
            if at + 1 + size > len(data):
                raise BrokenStreamError("the scanlines end too early")
            before = _unfiltered(data[at], data[at + 1 : at + 1 + size], before, max(bits // 8, 1))
            at += 1 + size
            flat = packed(before, header.depth, len(columns) * header.samples)
            for place, column in enumerate(columns):
                first = place * header.samples
                pixels[row][column] = flat[first : first + header.samples]
    return pixels


def _unfiltered(kind: int, line: bytes, above: bytes, step: int) -> bytes:
    """A scanline without its filter (9.2): none, sub, up, average, Paeth."""
    if kind > 4:
        raise BrokenStreamError(f"a filter of type {kind}")
    found = bytearray()
    for at, byte in enumerate(line):
        left = found[at - step] if at >= step else 0
        corner = above[at - step] if at >= step else 0
        guess = (0, left, above[at], (left + above[at]) // 2, _paeth(left, above[at], corner))
        found.append((byte + guess[kind]) & 255)
    return bytes(found)


def _paeth(left: int, above: int, corner: int) -> int:
    """Of the three the nearest to left + above - corner; of equals the first in this order."""
    estimate = left + above - corner
    return min((left, above, corner), key=lambda item: abs(estimate - item))


def _picture(
    header: _Header, pixels: Sequence[list[int]], palette: list[bytes], clear: list[bytes]
) -> Picture:
    size = header.height, header.width
    if header.colour == _PALETTE:
        if len(palette) != 1 or len(palette[0]) % 3:
            raise BrokenStreamError("an indexed image has one palette of three bytes a colour")
        table = palette[0]
        if any(3 * index >= len(table) for (index,) in pixels):
            raise BrokenStreamError("an index beyond the palette")
        colours = [item for (index,) in pixels for item in table[3 * index : 3 * index + 3]]
        covers = clear[0].ljust(256, b"\xff") if clear else b""
        alpha = [covers[index] for (index,) in pixels] if clear else None
        return Picture(*size, 3, exact(colours), alpha=alpha)
    channels = 3 if header.colour in (_RGB, _RGB_ALPHA) else 1
    greatest = (1 << header.depth) - 1
    alpha = None
    if header.colour in (_GRAY_ALPHA, _RGB_ALPHA):
        alpha = [pixel[-1] for pixel in pixels]
    elif clear:
        if len(clear[0]) != 2 * channels:
            raise BrokenStreamError(f"tRNS of {len(clear[0])} bytes")
        hole = [clear[0][at] << 8 | clear[0][at + 1] for at in range(0, 2 * channels, 2)]
        alpha = [0 if pixel == hole else greatest for pixel in pixels]
    samples = [item for pixel in pixels for item in pixel[:channels]]
    if header.depth == 16:
        return Picture(*size, channels, exact(samples), greatest, alpha)
    step = 255 // greatest
    covered = None if alpha is None else [step * item for item in alpha]
    return Picture(*size, channels, exact([step * item for item in samples]), 255, covered)
