"""Windows bitmaps. Source: Microsoft's documents of BITMAPFILEHEADER and BITMAPINFOHEADER."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from .pictures import (
    BrokenStreamError,
    Picture,
    UnknownStreamError,
    check_size,
    exact,
    packed,
    spread,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    _Pixel = tuple[tuple[int, ...], ...]

SIGNATURE = b"BM"
_FILE_HEADER, _CORE, _INFO = 14, 12, 40
_RGB, _RLE8, _RLE4, _FIELDS = 0, 1, 2, 3
_END_OF_LINE, _END, _DELTA = 0, 1, 2


def decode(stream: bytes) -> Picture:
    """The image of a bitmap file of 1, 4, 8, 16, 24 or 32 bits a pixel.

    Raises BrokenStreamError where it breaks a rule, UnknownStreamError for other compressions than
    run lengths and for masks that name transparency.
    """
    if len(stream) < _FILE_HEADER + 4:
        raise BrokenStreamError("the header ends too early")
    start, size = struct.unpack_from("<I I", stream, 10)
    if len(stream) < _FILE_HEADER + size or size not in (_CORE, *range(_INFO, 125)):
        raise BrokenStreamError(f"an information header of {size} bytes")
    compression = used = 0
    if size == _CORE:
        width, height, _, bits = struct.unpack_from("<HHHH", stream, 18)
    else:
        width, height, _, bits, compression = struct.unpack_from("<iiHHI", stream, 18)
        (used,) = struct.unpack_from("<I", stream, 46)
    upwards, height = height > 0, abs(height)
    check_size(height, width)
    data = stream[start:]
    if bits in (1, 4, 8):
        entry = 3 if size == _CORE else 4
        at = _FILE_HEADER + size
        colours = _colours(stream[at : at + (used or 1 << bits) * entry], entry)
        rows = _indices(data, (height, width), bits, compression)
        if any(item >= len(colours) for row in rows for item in row):
            raise BrokenStreamError("an index beyond the table of colours")
        pixels = [[colours[item] for item in row] for row in rows]
    elif bits in (16, 24, 32):
        masks = _masks(stream, size, bits, compression)
        pixels = _direct(data, (height, width), bits, masks)
    else:
        raise BrokenStreamError(f"{bits} bits a pixel")
    ordered = pixels[::-1] if upwards else pixels
    samples = [item for row in ordered for pixel in row for item in pixel]
    return Picture(height, width, 3, samples)


def _colours(table: bytes, entry: int) -> list[_Pixel]:
    """The table of colours, each stored as blue, green, red."""
    whole = len(table) // entry * entry
    return [tuple(exact(table[at : at + 3][::-1])) for at in range(0, whole, entry)]


def _indices(
    data: bytes, shape: tuple[int, int], bits: int, compression: int
) -> Sequence[Sequence[int]]:
    height, width = shape
    if (compression, bits) in ((_RLE8, 8), (_RLE4, 4)):
        return _runs(data, shape, bits)
    if compression != _RGB:
        raise UnknownStreamError(f"a bitmap of compression {compression}")
    size = (width * bits + 31) // 32 * 4
    return [packed(data[row * size : (row + 1) * size], bits, width) for row in range(height)]


def _runs(data: bytes, shape: tuple[int, int], bits: int) -> list[list[int]]:
    """Run lengths: a count and an index, or 0 and an escape."""
    height, width = shape
    rows = [[0] * width for _ in range(height)]
    at = x = y = 0
    count, value = _two(data, at)
    while (count, value) != (0, _END):
        at += 2
        items: list[int] = []
        if count:
            pair = (value, value) if bits == 8 else (value >> 4, value & 15)
            items = [pair[place % 2] for place in range(count)]
        elif value == _END_OF_LINE:
            x, y = 0, y + 1
        elif value == _DELTA:
            right, up = _two(data, at)
            x, y, at = x + right, y + up, at + 2
        else:
            size = (value * bits + 7) // 8
            items = packed(data[at : at + size], bits, value)
            at += size + size % 2
        if items and (y >= height or x + len(items) > width):
            raise BrokenStreamError("a run leaves the image")
        if items:
            rows[y][x : x + len(items)] = items
        x += len(items)
        count, value = _two(data, at)
    return rows


def _two(data: bytes, at: int) -> tuple[int, int]:
    if at + 1 >= len(data):
        raise BrokenStreamError("run lengths without an end")
    return data[at], data[at + 1]


def _masks(stream: bytes, size: int, bits: int, compression: int) -> tuple[int, ...]:
    """Where red, green and blue are in the number that a pixel is."""
    if compression == _RGB:
        return (0x7C00, 0x3E0, 0x1F) if bits == 16 else (0xFF0000, 0xFF00, 0xFF)
    if compression != _FIELDS or bits == 24:
        raise UnknownStreamError(f"a bitmap of compression {compression}")
    if len(stream) < _FILE_HEADER + _INFO + 12:
        raise BrokenStreamError("the masks end too early")
    masks: tuple[int, ...] = struct.unpack_from("<III", stream, _FILE_HEADER + _INFO)
    if size > _INFO + 12 and any(stream[_FILE_HEADER + _INFO + 12 :][:4]):
        raise UnknownStreamError("a bitmap with a mask of transparency")
    if not all(masks):
        raise BrokenStreamError("an empty mask")
    return masks


def _direct(
    data: bytes, shape: tuple[int, int], bits: int, masks: Sequence[int]
) -> list[list[_Pixel]]:
    height, width = shape
    size = (width * bits + 31) // 32 * 4
    if len(data) < size * height:
        raise BrokenStreamError("the rows end too early")
    each = bits // 8
    return [
        [
            _fields(int.from_bytes(data[at : at + each], "little"), masks)
            for at in range(row * size, row * size + width * each, each)
        ]
        for row in range(height)
    ]


def _fields(number: int, masks: Sequence[int]) -> _Pixel:
    found: list[tuple[int, ...]] = []
    for mask in masks:
        lowest = mask & -mask
        greatest = mask // lowest
        value = (number & mask) // lowest
        if greatest > 255:
            raise UnknownStreamError("a bitmap of more than 8 bits a colour")
        found += _wider(value, mask.bit_count(), greatest)
    return tuple(found)


def _wider(value: int, bits: int, greatest: int) -> list[tuple[int, ...]]:
    """A number of fewer bits as 8: no document says whether it is scaled, shifted or repeated."""
    shifted = value << (8 - bits)
    repeated = shifted | (shifted >> bits)
    return [tuple(dict.fromkeys((*spread([value], greatest)[0], shifted, repeated)))]
