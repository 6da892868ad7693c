"""TIFF, its baseline and a little more. Source: TIFF, revision 6.0 (Adobe, 1992)."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .pictures import BrokenStreamError, Picture, UnknownStreamError, check_size, exact, packed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SIGNATURES = (b"II*\0", b"MM\0*")
_SIZES = {1: 1, 3: 2, 4: 4}  # bytes of a number, by its type: BYTE, SHORT, LONG
_LETTERS = {1: "B", 3: "H", 4: "I"}  # the same for struct
_WIDTH, _HEIGHT, _BITS, _COMPRESSION, _PHOTOMETRIC = 256, 257, 258, 259, 262
_FILL_ORDER, _OFFSETS, _ORIENTATION, _CHANNELS, _ROWS, _COUNTS = 266, 273, 274, 277, 278, 279
_PLANAR, _PREDICTOR, _COLOURS = 284, 317, 320
_WHITE_IS_0, _BLACK_IS_0, _RGB, _INDEXED = range(4)
_NONE, _PACKED, _ZIP, _OLD_ZIP = 1, 32773, 8, 32946


@dataclass(frozen=True)
class _Directory:
    """The first image file directory: lists of numbers by tag, and how numbers are stored."""

    #: How numbers are stored: `<` or `>`, as struct writes it.
    order: str
    #: The numbers of each field, by tag.
    tags: Mapping[int, tuple[int, ...]]

    def one(self, tag: int, default: int | None = None) -> int:
        """A single number; BrokenStreamError where it is absent and has no default."""
        values = self.tags.get(tag, () if default is None else (default,))
        if not values:
            raise BrokenStreamError(f"tag {tag} is absent")
        return values[0]

    def all(self, tag: int) -> tuple[int, ...]:
        """A list of numbers; BrokenStreamError where it is absent."""
        if not self.tags.get(tag):
            raise BrokenStreamError(f"tag {tag} is absent")
        return self.tags[tag]


def decode(stream: bytes) -> Picture:
    """The first image of a TIFF file, in strips.

    Raises BrokenStreamError where it breaks a rule, UnknownStreamError for what is neither
    bilevel, grayscale, palette-color nor RGB, and for compressions but PackBits and Deflate.
    """
    found = _directory(stream)
    width, height = found.one(_WIDTH), found.one(_HEIGHT)
    check_size(height, width)
    channels = found.one(_CHANNELS, 1)
    depths = found.tags.get(_BITS, (1,))
    kind = found.one(_PHOTOMETRIC)
    known = (
        kind in (_WHITE_IS_0, _BLACK_IS_0, _RGB, _INDEXED)
        and set(depths) <= {1, 2, 4, 8, 16}
        and len(set(depths)) == 1
        and found.one(_FILL_ORDER, 1) == 1
        and found.one(_ORIENTATION, 1) == 1
        and found.one(_PREDICTOR, 1) == 1
        and (found.one(_PLANAR, 1) == 1 or channels == 1)
    )
    own = 3 if kind == _RGB else 1
    if channels != own or not known or _OFFSETS not in found.tags:
        raise UnknownStreamError("a TIFF beyond the baseline")
    rows = _rows(stream, found, (height, width * channels), depths[0])
    samples = [item for row in rows for item in row]
    greatest = (1 << depths[0]) - 1
    if kind == _INDEXED:
        return Picture(height, width, 3, exact(_colours(found, samples, greatest)))
    if kind == _WHITE_IS_0:
        samples = [greatest - item for item in samples]
    if depths[0] == 16:
        return Picture(height, width, own, exact(samples), greatest)
    return Picture(height, width, own, exact([255 // greatest * x for x in samples]))


def _directory(stream: bytes) -> _Directory:
    order = "<" if stream[:2] == b"II" else ">"
    try:
        (at,) = struct.unpack_from(f"{order}I", stream, 4)
        (count,) = struct.unpack_from(f"{order}H", stream, at)
        tags = {}
        for entry in range(at + 2, at + 2 + 12 * count, 12):
            tag, kind, number = struct.unpack_from(f"{order}HHI", stream, entry)
            place = entry + 8
            if number * _SIZES.get(kind, 0) > 4:
                (place,) = struct.unpack_from(f"{order}I", stream, place)
            if kind in _LETTERS:
                form = f"{order}{number}{_LETTERS[kind]}"
                tags[tag] = struct.unpack_from(form, stream, place)
    except struct.error:
        raise BrokenStreamError("the directory ends too early") from None
    return _Directory(order, tags)


def _rows(
    stream: bytes, found: _Directory, shape: tuple[int, int], depth: int
) -> Sequence[Sequence[int]]:
    height, count = shape
    size = (count * depth + 7) // 8
    each = min(found.one(_ROWS, height), height)
    offsets, lengths = found.all(_OFFSETS), found.all(_COUNTS)
    if each < 1 or len(offsets) != -(-height // each) or len(lengths) != len(offsets):
        raise BrokenStreamError("the strips do not make up the image")
    rows: list[list[int]] = []
    for offset, length in zip(offsets, lengths, strict=True):
        wanted = min(each, height - len(rows)) * size
        strip = _plain(stream[offset : offset + length], found.one(_COMPRESSION, 1))
        if len(strip) < wanted:
            raise BrokenStreamError("a strip ends too early")
        for at in range(0, wanted, size):
            row = strip[at : at + size]
            if depth == 16:
                rows.append(list(struct.unpack(f"{found.order}{count}H", row)))
            else:
                rows.append(packed(row, depth, count))
    return rows


def _plain(strip: bytes, compression: int) -> bytes:
    if compression == _NONE:
        return strip
    if compression in (_ZIP, _OLD_ZIP):
        try:
            return zlib.decompress(strip)
        except zlib.error as error:
            raise BrokenStreamError(f"the compressed data are broken: {error}") from None
    if compression != _PACKED:
        raise UnknownStreamError(f"a TIFF of compression {compression}")
    found = bytearray()
    at = 0
    while at < len(strip):
        head = strip[at]
        if head < 128:
            found += strip[at + 1 : at + 2 + head]
            at += 2 + head
        elif head == 128:
            at += 1
        else:
            found += strip[at + 1 : at + 2] * (257 - head)
            at += 2
    return bytes(found)


def _colours(found: _Directory, indices: Sequence[int], greatest: int) -> list[int]:
    """The colours of indices: the map has all reds, all greens, all blues, of 16 bits each."""
    table, count = found.all(_COLOURS), greatest + 1
    if len(table) != 3 * count:
        raise BrokenStreamError(f"a map of {len(table)} numbers for {count} colours")
    return [table[channel * count + index] >> 8 for index in indices for channel in range(3)]
