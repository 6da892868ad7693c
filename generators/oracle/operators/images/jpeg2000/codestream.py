"""A codestream: headers, tiles and their components. Source: T.800, Annexes A, B and I."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from ..pictures import Picture, UnknownStreamError, check_size, exact
from .blocks import coefficients
from .packets import CodeBlock, HeaderBits, Precinct
from .wavelets import colours, synthesized

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .wavelets import Plane

SIGNATURES = (b"\xff\x4f\xff\x51", b"\0\0\0\x0cjP  \r\n\x87\n")
_START, _SIZE, _CODING, _QUANTIZATION = 0xFF4F, 0xFF51, 0xFF52, 0xFF5C
_COMMENT, _TILE, _DATA, _END = 0xFF64, 0xFF90, 0xFF93, 0xFFD9
_EIGHT_BITS = 7  # Ssiz: one less than the bits of an unsigned sample
_LARGEST_PRECINCT = 1 << 15
_REVERSIBLE = 1
_ORDERS = ("LRC", "RLC", "RCL", "CRL", "CRL")  # with one precinct, positions play no part
_MOST_LEVELS = 32


@dataclass(frozen=True)
class _Layout:
    """What SIZ says (A.5.1): the image and the tiles on the reference grid, each (row, column)."""

    end: tuple[int, int]
    start: tuple[int, int]
    tile: tuple[int, int]
    tile_start: tuple[int, int]
    components: int


@dataclass(frozen=True)
class _Coding:
    """What COD and QCD say (A.6.1, A.6.4)."""

    order: str
    layers: int
    transforms_colours: bool
    levels: int
    block: tuple[int, int]
    planes: tuple[int, ...]  # M_b of each sub-band (E.1)


@dataclass(frozen=True)
class _Band:
    """A sub-band: its name, its rectangle (top, left, bottom, right), its blocks and planes."""

    name: str
    place: tuple[int, int, int, int]
    precinct: Precinct
    planes: int


def decode(stream: bytes) -> Picture:
    """The image of a codestream, or of a JP2 file's first one.

    Knows what is coded without loss, in 8 bits, in tiles of one part, in precincts of the largest
    size. UnknownStreamError for all else, streams that end too early among it: the document lets a
    decoder make an image of what is there.
    """
    try:
        return _image(_codestream(stream))
    except (struct.error, IndexError):
        raise UnknownStreamError("the codestream ends too early") from None


def _codestream(stream: bytes) -> bytes:
    """The contents of the first box of a codestream (I.4, I.5.4)."""
    if stream.startswith(SIGNATURES[0]):
        return stream
    at = 0
    while at < len(stream):
        length, kind = struct.unpack_from(">I4s", stream, at)
        if kind == b"jp2c" and length != 1:
            return stream[at + 8 : at + length if length else None]
        if kind in {b"pclr", b"cdef"} or length < 8:
            break
        at += length if kind != b"jp2h" else 8
    raise UnknownStreamError("a JP2 file that is not read here")


def _image(stream: bytes) -> Picture:
    at, parts = 2, {}
    while (marker := _word(stream, at)) != _TILE:
        if marker not in {_SIZE, _CODING, _QUANTIZATION, _COMMENT} or marker in parts:
            raise UnknownStreamError(f"marker {marker:#06x}")
        length = _word(stream, at + 2)
        parts[marker] = stream[at + 4 : at + 2 + length]
        at += 2 + length
    if not {_SIZE, _CODING, _QUANTIZATION} <= parts.keys():
        raise UnknownStreamError("a main header without size, coding or quantization")
    layout, coding = _layout(parts[_SIZE]), _coding(parts[_CODING], parts[_QUANTIZATION])
    height, width = (layout.end[axis] - layout.start[axis] for axis in (0, 1))
    check_size(height, width)
    image = [[[0] * width for _ in range(height)] for _ in range(layout.components)]
    for number, data in _tiles(stream, at):
        top, left, bottom, right = place = _tile_place(layout, number)
        planes = _tile(place, layout.components, coding, data)
        for target, plane in zip(image, planes, strict=True):
            for row, line in zip(range(top, bottom), plane, strict=True):
                columns = slice(left - layout.start[1], right - layout.start[1])
                target[row - layout.start[0]][columns] = line
    # The level that a sample was shifted by (G.1), and the range that it is limited to.
    samples = [
        max(0, min(255, plane[row][column] + 128))
        for row in range(height)
        for column in range(width)
        for plane in image
    ]
    return Picture(height, width, layout.components, exact(samples))


def _word(stream: bytes, at: int) -> int:
    return int(struct.unpack_from(">H", stream, at)[0])


def _layout(part: bytes) -> _Layout:
    numbers = struct.unpack_from(">H8IH", part)
    components = numbers[9]
    each = {part[36 + 3 * at : 39 + 3 * at] for at in range(components)}
    if components not in {1, 3} or each != {bytes([_EIGHT_BITS, 1, 1])}:
        raise UnknownStreamError("not one or three components of 8 bits and of full size")
    across, down = numbers[1:9:2], numbers[2:9:2]
    pairs = list(zip(down, across, strict=True))
    return _Layout(pairs[0], pairs[1], pairs[2], pairs[3], components)


def _coding(coding: bytes, quantization: bytes) -> _Coding:
    style, order, layers, transform, levels, wide, high, passes, wavelet = struct.unpack_from(
        ">BBHBBBBBB", coding
    )
    if style or passes or wavelet != _REVERSIBLE or order >= len(_ORDERS) or transform > 1:
        raise UnknownStreamError("a coding style that is not read here")
    if levels > _MOST_LEVELS or quantization[0] & 0x1F:
        raise UnknownStreamError("quantized coefficients")
    guard = quantization[0] >> 5
    planes = tuple(guard + (item >> 3) - 1 for item in quantization[1 : 3 * levels + 2])
    if len(planes) != 3 * levels + 1:
        raise UnknownStreamError("sub-bands without an exponent")
    block = (1 << high + 2, 1 << wide + 2)
    return _Coding(_ORDERS[order], layers, bool(transform), levels, block, planes)


def _tiles(stream: bytes, at: int) -> Iterator[tuple[int, bytes]]:
    """The number of each tile, and the data of its only part (A.4.2)."""
    found: set[int] = set()
    while _word(stream, at) == _TILE:
        number, length = struct.unpack_from(">HI", stream, at + 4)
        if number in found or _word(stream, at + 12) != _DATA:
            raise UnknownStreamError("a tile of several parts, or with a header of its own")
        found.add(number)
        end = at + length if length else len(stream) - 2
        yield number, stream[at + 14 : end]
        at = end
    if _word(stream, at) != _END:
        raise UnknownStreamError("no end of the codestream")


def _tile_place(layout: _Layout, number: int) -> tuple[int, int, int, int]:
    """Top, left, bottom and right of a tile (B.3)."""
    across = _up(layout.end[1] - layout.tile_start[1], layout.tile[1])
    cell = divmod(number, across)
    begins = [layout.tile_start[axis] + cell[axis] * layout.tile[axis] for axis in (0, 1)]
    top, left = (max(begins[axis], layout.start[axis]) for axis in (0, 1))
    bottom, right = (min(begins[axis] + layout.tile[axis], layout.end[axis]) for axis in (0, 1))
    if top >= bottom or left >= right:
        raise UnknownStreamError(f"there is no tile {number}")
    return top, left, bottom, right


def _tile(
    place: tuple[int, int, int, int], components: int, coding: _Coding, data: bytes
) -> list[Plane]:
    """The planes of a tile, before the shift of their level."""
    resolutions = [
        [_bands(place, level, coding) for level in range(coding.levels + 1)]
        for _ in range(components)
    ]
    _read_packets(place, resolutions, coding, data)
    planes = [_component(place, bands, coding.levels) for bands in resolutions]
    if coding.transforms_colours and components == 3:
        return list(colours(*planes))
    return planes


def _bands(place: tuple[int, int, int, int], resolution: int, coding: _Coding) -> list[_Band]:
    """The sub-bands that a resolution adds (B.5), with their code-blocks (B.7)."""
    found = []
    names = ("HL", "LH", "HH") if resolution else ("LL",)
    depth = coding.levels - resolution + (resolution > 0)
    for at, name in enumerate(names):
        inside = _band_place(place, name, depth)
        if max(inside) > _LARGEST_PRECINCT >> (resolution > 0):
            raise UnknownStreamError("more than one precinct")
        number = 3 * (resolution - 1) + 1 + at if resolution else 0
        precinct = Precinct(_code_blocks(inside, coding.block))
        found.append(_Band(name, inside, precinct, coding.planes[number]))
    return found


def _resolution_place(place: tuple[int, int, int, int], halvings: int) -> tuple[int, int, int, int]:
    """The rectangle of a resolution (equation B-14)."""
    top, left, bottom, right = (_up(edge, 1 << halvings) for edge in place)
    return top, left, bottom, right


def _band_place(
    place: tuple[int, int, int, int], name: str, depth: int
) -> tuple[int, int, int, int]:
    """The rectangle of a sub-band (equation B-15)."""
    half = 1 << depth >> 1
    shifts = (half * (name[1] == "H"), half * (name[0] == "H")) * 2
    top, left, bottom, right = (
        _up(edge - shift, 1 << depth) for edge, shift in zip(place, shifts, strict=True)
    )
    return top, left, bottom, right


def _code_blocks(place: tuple[int, int, int, int], block: tuple[int, int]) -> list[list[CodeBlock]]:
    top, left, bottom, right = place
    heights, widths = _cells(top, bottom, block[0]), _cells(left, right, block[1])
    return [[CodeBlock((height, width)) for width in widths] for height in heights if widths]


def _cells(start: int, end: int, step: int) -> list[int]:
    """The lengths of the parts of a line that is cut at the multiples of a step."""
    cuts = [start, *range(start - start % step + step, end, step), end]
    return [end - start for start, end in pairwise(cuts) if end > start]


def _read_packets(
    place: tuple[int, int, int, int],
    resolutions: list[list[list[_Band]]],
    coding: _Coding,
    data: bytes,
) -> None:
    """Hand the bytes of a tile to its code-blocks, packet by packet (B.9, B.12).

    A resolution without samples has no packets, one without code-blocks has.
    """
    there = {
        level
        for level in range(coding.levels + 1)
        if (inside := _resolution_place(place, coding.levels - level))
        and inside[0] < inside[2]
        and inside[1] < inside[3]
    }
    ends = {"L": coding.layers, "R": coding.levels + 1, "C": len(resolutions)}
    at = 0
    outer, middle, inner = tuple(coding.order)
    for first in range(ends[outer]):
        for second in range(ends[middle]):
            for third in range(ends[inner]):
                index = {outer: first, middle: second, inner: third}
                if index["R"] in there:
                    at = _packet(resolutions[index["C"]][index["R"]], index["L"], data, at)


def _packet(bands: list[_Band], layer: int, data: bytes, at: int) -> int:
    """Read a packet; where the next one begins."""
    bits = HeaderBits(data, at)
    added = []
    if bits.bit():
        added = [item for band in bands for item in band.precinct.read(bits, layer)]
    at = bits.end()
    for block, length in added:
        if at + length > len(data):
            raise UnknownStreamError("the data of a packet end too early")
        block.coded += data[at : at + length]
        at += length
    return at


def _component(
    place: tuple[int, int, int, int], resolutions: list[list[_Band]], levels: int
) -> Plane:
    """A tile-component from its sub-bands (F.3)."""
    plane = _coefficients(resolutions[0][0])
    for resolution in range(1, levels + 1):
        top, left, bottom, right = _resolution_place(place, levels - resolution)
        bands = {band.name: _coefficients(band) for band in resolutions[resolution]}
        plane = synthesized({"LL": plane, **bands}, top, left, (bottom - top, right - left))
    return plane


def _coefficients(band: _Band) -> Plane:
    top, _, bottom, _ = band.place
    rows: Plane = []
    for line in band.precinct.rows:
        blocks = [_decoded(block, band) for block in line]
        rows += [[item for block in blocks for item in block[at]] for at in range(len(blocks[0]))]
    return rows or [[] for _ in range(bottom - top)]


def _decoded(block: CodeBlock, band: _Band) -> Plane:
    height, width = block.size
    if not block.passes:
        return [[0] * width for _ in range(height)]
    planes = band.planes - block.empty_planes
    if block.passes != 3 * planes - 2:
        raise UnknownStreamError("bit-planes were left out: the image is not coded without loss")
    return coefficients(block.size, band.name, planes, block.coded)


def _up(number: int, step: int) -> int:
    """A quotient, rounded up."""
    return -(-number // step)
