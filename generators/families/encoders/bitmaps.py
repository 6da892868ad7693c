"""Windows bitmaps, written. Source: Microsoft's BITMAPFILEHEADER and BITMAPINFOHEADER."""

from __future__ import annotations

import struct
from itertools import groupby
from typing import TYPE_CHECKING

from .raster import packed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .raster import Raster

_FILE_HEADER, _CORE, _INFO = 14, 12, 40


def encode(
    raster: Raster,
    bits: int,
    colours: Sequence[Sequence[int]] = (),
    *,
    downwards: bool = False,
    core: bool = False,
    runs: bool = False,
) -> bytes:
    """A bitmap file.

    Args:
        raster: indices if there is a table of colours, else red, green and blue.
        bits: bits of a pixel: 1, 4, 8, 24 or 32.
        colours: the table, red, green, blue each.
        downwards: store the first row first, which a negative height indicates.
        core: with the header of 12 bytes of OS/2.
        runs: as run lengths, with 8 bits for a pixel.
    """
    height, width = raster.size
    rows = raster.rows if downwards else raster.rows[::-1]
    if runs:
        data = _run_lengths(rows)
    else:
        lines = [_line(row, bits, indexed=bool(colours)) for row in rows]
        data = b"".join(line + bytes(-len(line) % 4) for line in lines)
    table = b"".join(bytes(item[::-1]) + (b"" if core else b"\0") for item in colours)
    if core:
        header = struct.pack("<IHHHH", _CORE, width, height, 1, bits)
    else:
        tall = -height if downwards else height
        shape = struct.pack("<IiiHHI", _INFO, width, tall, 1, bits, 1 if runs else 0)
        header = shape + struct.pack("<IiiII", len(data), 2835, 2835, len(colours), 0)
    start = _FILE_HEADER + len(header) + len(table)
    return struct.pack("<2sIHHI", b"BM", start + len(data), 0, 0, start) + header + table + data


def _line(row: Sequence[Sequence[int]], bits: int, *, indexed: bool) -> bytes:
    if indexed:
        return packed((pixel[0] for pixel in row), bits)
    spare = b"\0" if bits == 32 else b""
    return b"".join(bytes(pixel[::-1]) + spare for pixel in row)


def _run_lengths(rows: Sequence[Sequence[Sequence[int]]]) -> bytes:
    """Runs of one index, a stretch of several as they are at the head of each row."""
    data = b""
    for row in rows:
        items = [pixel[0] for pixel in row]
        head, rest = items[:3], items[3:]
        if len(head) == 3:
            data += bytes([0, 3, *head, 0])
        else:
            rest = items
        for value, run in groupby(rest):
            data += bytes([len(list(run)), value])
        data += b"\0\0"
    return data + b"\0\1"
