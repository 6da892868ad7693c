"""Portable network graphics, written. Source: the PNG specification (W3C, third edition)."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

from .deflate import compressed
from .raster import packed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .raster import Raster

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COLOURS = {"gray": 0, "rgb": 2, "palette": 3, "gray_alpha": 4, "rgb_alpha": 6}
_STARTS = ((0, 0), (0, 4), (4, 0), (0, 2), (2, 0), (0, 1), (1, 0))
_STEPS = ((8, 8), (8, 8), (8, 4), (4, 4), (4, 2), (2, 2), (2, 1))


def encode(
    raster: Raster,
    colour: str,
    depth: int,
    colours: Sequence[Sequence[int]] = (),
    *,
    filters: Sequence[int] = (0,),
    interlaced: bool = False,
    parts: int = 1,
) -> bytes:
    """A PNG datastream.

    Args:
        raster: samples of `depth` bits; indices with a palette.
        colour: gray, rgb, palette, gray_alpha or rgb_alpha.
        depth: bits of a sample.
        colours: the palette.
        filters: the filter types of the scanlines, over and over.
        interlaced: in the seven passes of Adam7.
        parts: how many IDAT chunks the data are in.
    """
    height, width = raster.size
    passes = [raster.rows]
    if interlaced:
        passes = [
            tuple(row[left::right] for row in raster.rows[top::down])
            for (top, left), (down, right) in zip(_STARTS, _STEPS, strict=True)
        ]
    data = b"".join(_filtered(rows, depth, filters) for rows in passes if rows and rows[0])
    packed_data = compressed(data)
    head = struct.pack(">IIBBBBB", width, height, depth, _COLOURS[colour], 0, 0, int(interlaced))
    chunks = [(b"IHDR", head)]
    if colours:
        chunks.append((b"PLTE", b"".join(bytes(item) for item in colours)))
    size = -(-len(packed_data) // parts)
    chunks += [(b"IDAT", packed_data[at : at + size]) for at in range(0, len(packed_data), size)]
    chunks.append((b"IEND", b""))
    return _SIGNATURE + b"".join(_chunk(name, content) for name, content in chunks)


def _chunk(name: bytes, content: bytes) -> bytes:
    check = zlib.crc32(name + content)
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", check)


def _filtered(rows: Sequence[Sequence[Sequence[int]]], depth: int, filters: Sequence[int]) -> bytes:
    """The scanlines of one pass, each with its filter type before it."""
    step = max(len(rows[0][0]) * depth // 8, 1)
    data, above = b"", b""
    for number, row in enumerate(rows):
        line = packed((item for pixel in row for item in pixel), depth)
        above = above or bytes(len(line))
        kind = filters[number % len(filters)]
        left = bytes(step) + line[:-step] if len(line) > step else bytes(len(line))
        corner = (bytes(step) + above[:-step])[: len(line)]
        guesses = [
            (0, a, b, (a + b) // 2, _paeth(a, b, c))[kind]
            for a, b, c in zip(left, above, corner, strict=True)
        ]
        data += bytes([kind])
        data += bytes((x - guess) % 256 for x, guess in zip(line, guesses, strict=True))
        above = line
    return data


def _paeth(a: int, b: int, c: int) -> int:
    """The predictor of Paeth: of left, above and corner the one nearest to a + b - c."""
    p = a + b - c
    pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
    if pa <= pb and pa <= pc:
        return a
    return b if pb <= pc else c
