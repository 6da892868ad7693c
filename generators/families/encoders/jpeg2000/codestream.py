"""Codestreams of tiles, packets and code-blocks, and the file around them."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import BadInputError

from .planes import written

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..raster import Raster

_GUARD = 2
_ORDERS = ("LRCP", "RLCP", "RPCL", "PCRL", "CPRL")
Rows = list[list[int]]


@dataclass(frozen=True)
class Style:
    """How an image is coded.

    Attributes:
        levels: of the wavelet transform.
        block: height and width of code-blocks, powers of two from 4 on.
        tile: height and width of tiles; the image's without.
        order: of the packets, such as LRCP.
        layers: into which the passes of each block are divided.
        mixes: whether colours become luminance and differences first.
    """

    levels: int = 2
    block: tuple[int, int] = (64, 64)
    tile: tuple[int, int] | None = None
    order: str = "LRCP"
    layers: int = 1
    mixes: bool = True


def encode(raster: Raster, style: Style, *, file: bool = False) -> bytes:
    """A codestream, or a JP2 file with one, of 8-bit shades of gray or colours."""
    if style.order not in _ORDERS:
        raise BadInputError(f"'{style.order}' is no order; known are {', '.join(_ORDERS)}")
    height, width = raster.size
    channels = len(raster.rows[0][0])
    stream = b"\xff\x4f" + _headers(raster.size, channels, style)
    tall, wide = style.tile or raster.size
    corners = [(top, left) for top in range(0, height, tall) for left in range(0, width, wide)]
    for number, (top, left) in enumerate(corners):
        part = [row[left : left + wide] for row in raster.rows[top : top + tall]]
        data = _tile([[list(p) for p in row] for row in part], (top, left), style)
        stream += struct.pack(">HHHIBBH", 0xFF90, 10, number, 14 + len(data), 0, 1, 0xFF93) + data
    stream += b"\xff\xd9"
    return _file(raster.size, channels, stream) if file else stream


def _headers(size: tuple[int, int], channels: int, style: Style) -> bytes:
    height, width = size
    tall, wide = style.tile or size
    sizes = struct.pack(">H8IH", 0, width, height, 0, 0, wide, tall, 0, 0, channels)
    sizes += bytes([7, 1, 1]) * channels
    mixes = int(style.mixes and channels == 3)
    coding = struct.pack(">BBHB", 0, _ORDERS.index(style.order), style.layers, mixes)
    coding += bytes([style.levels, *(side.bit_length() - 3 for side in style.block[::-1]), 0, 1])
    gains = [0] + [1, 1, 2] * style.levels
    quantization = bytes([_GUARD << 5, *(8 + gain << 3 for gain in gains)])
    parts = ((0x51, sizes), (0x52, coding), (0x5C, quantization))
    return b"".join(struct.pack(">BBH", 255, kind, 2 + len(part)) + part for kind, part in parts)


def _file(size: tuple[int, int], channels: int, stream: bytes) -> bytes:
    """The boxes of a JP2 file: signature, type, header and codestream (Annex I)."""
    header = _box(b"ihdr", struct.pack(">IIHBBBB", *size, channels, 7, 7, 0, 0))
    header += _box(b"colr", struct.pack(">BBBI", 1, 0, 0, 16 if channels == 3 else 17))
    return (
        _box(b"jP  ", b"\r\n\x87\n")
        + _box(b"ftyp", b"jp2 \0\0\0\0jp2 ")
        + _box(b"jp2h", header)
        + _box(b"jp2c", stream)
    )


def _box(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", 8 + len(content)) + kind + content


def _tile(pixels: list[list[list[int]]], corner: tuple[int, int], style: Style) -> bytes:
    """The packets of a tile."""
    channels = len(pixels[0][0])
    if style.mixes and channels == 3:
        pixels = [[_mixed(*(item - 128 for item in pixel)) for pixel in row] for row in pixels]
    else:
        pixels = [[[item - 128 for item in pixel] for pixel in row] for row in pixels]
    packets: dict[tuple[int, int, int], bytes] = {}
    for channel in range(channels):
        plane = [[pixel[channel] for pixel in row] for row in pixels]
        for resolution, bands in enumerate(_bands(plane, corner, style.levels)):
            each = [_Precinct(band, rows, at, style) for band, rows, at in bands]
            gains = [8 + {"LL": 0, "HH": 2}.get(band, 1) for band, _, _ in bands]
            for layer in range(style.layers):
                packet = _packet(each, gains, layer)
                packets[layer, resolution, channel] = packet
    keys: dict[str, Callable[[tuple[int, int, int]], tuple[int, ...]]] = {
        "LRCP": lambda at: at,
        "RLCP": lambda at: (at[1], at[0], at[2]),
        "RPCL": lambda at: (at[1], at[2], at[0]),
        "PCRL": lambda at: (at[2], at[1], at[0]),
        "CPRL": lambda at: (at[2], at[1], at[0]),
    }
    return b"".join(packets[at] for at in sorted(packets, key=keys[style.order]))


def _mixed(red: int, green: int, blue: int) -> list[int]:
    """The reversible transform of colours (G.2.1)."""
    return [(red + 2 * green + blue) // 4, blue - green, red - green]


def _bands(
    plane: Rows, corner: tuple[int, int], levels: int
) -> list[list[tuple[str, Rows, tuple[int, int]]]]:
    """For each resolution from the lowest its sub-bands: name, rows and first place (F.4)."""
    found: list[list[tuple[str, Rows, tuple[int, int]]]] = []
    top, left = corner
    for _ in range(levels):
        columns = [_split(list(column), top) for column in zip(*plane, strict=True)]
        # Low and high rows, and of each the low and high columns.
        halves = [_across([half[side] for half in columns]) for side in (0, 1)]
        low, high = ([_split(row, left) for row in half] for half in halves)
        places = {"L": (top + 1) // 2, "H": top // 2}, {"L": (left + 1) // 2, "H": left // 2}
        found.append(
            [
                (
                    name,
                    [row["LH".index(name[0])] for row in half],
                    (places[0][name[1]], places[1][name[0]]),
                )
                for name, half in (("HL", low), ("LH", high), ("HH", high))
            ]
        )
        plane, top, left = [row[0] for row in low], places[0]["L"], places[1]["L"]
        if not plane:
            raise BadInputError("a tile that has no sample left at the lowest resolution")
    return [[("LL", plane, (top, left))], *found[::-1]]


def _across(columns: list[list[int]]) -> Rows:
    return [list(row) for row in zip(*columns, strict=True)]


def _split(line: list[int], start: int) -> tuple[list[int], list[int]]:
    """The low and the high half of a line whose first place is `start` (1D_SD, F.4.8)."""
    if len(line) == 1:
        return ([], [2 * line[0]]) if start % 2 else (line, [])
    # One period of the line and of its mirror image, so that places go round.
    period = 2 * (len(line) - 1)
    around = [*line, *line[-2:0:-1]]
    high = {
        at: around[at] - (around[at - 1] + around[(at + 1) % period]) // 2
        for at in range(period)
        if (at + start) % 2
    }
    low = [
        around[at] + (high[(at - 1) % period] + high[(at + 1) % period] + 2) // 4
        for at in range(len(line))
        if not (at + start) % 2
    ]
    return low, [high[at] for at in range(len(line)) if (at + start) % 2]


class _Precinct:
    """The coded blocks of a sub-band, and what its tag trees have told."""

    def __init__(self, band: str, rows: Rows, corner: tuple[int, int], style: Style) -> None:
        self.blocks: dict[tuple[int, int], tuple[int, int, bytes]] = {}
        places = [[(top, left) for left in range(len(line))] for top, line in enumerate(rows)]
        cells: dict[tuple[int, int], list[tuple[int, int]]] = {}
        tall, wide = style.block
        first = corner[0] // tall, corner[1] // wide
        for top, left in (place for line in places for place in line):
            cell = (corner[0] + top) // tall - first[0], (corner[1] + left) // wide - first[1]
            cells.setdefault(cell, []).append((top, left))
        for cell, inside in cells.items():
            (top, left), (bottom, right) = inside[0], inside[-1]
            part = [line[left : right + 1] for line in rows[top : bottom + 1]]
            self.blocks[cell] = written(part, band)
        self.layers = style.layers
        self.lengths = dict.fromkeys(self.blocks, 3)
        self.included = _Tree({cell: self.first_layer(cell) for cell in self.blocks})
        self.empty: _Tree | None = None

    def first_layer(self, cell: tuple[int, int]) -> int:
        """The layer in which a block comes first; beyond the last one if it has no passes."""
        parts = [self.share(cell, layer)[0] for layer in range(self.layers)]
        return next((layer for layer, passes in enumerate(parts) if passes), self.layers)

    def share(self, cell: tuple[int, int], layer: int) -> tuple[int, bytes]:
        """The passes and bytes of a block in a layer: each layer has an equal part."""
        _, passes, data = self.blocks[cell]
        cuts = [
            (at * passes // self.layers, at * len(data) // self.layers) for at in (layer, layer + 1)
        ]
        return cuts[1][0] - cuts[0][0], data[cuts[0][1] : cuts[1][1]] if passes else b""


class _Tree:
    """A tag tree that is written (B.10.2)."""

    def __init__(self, numbers: dict[tuple[int, int], int]) -> None:
        self._levels = [numbers]
        while len(self._levels[-1]) > 1:
            above: dict[tuple[int, int], int] = {}
            for (row, column), item in self._levels[-1].items():
                at = row // 2, column // 2
                above[at] = min(above.get(at, item), item)
            self._levels.append(above)
        self._told = [dict.fromkeys(level, 0) for level in self._levels]
        self._ended: set[tuple[int, tuple[int, int]]] = set()

    def tell(self, cell: tuple[int, int], limit: int) -> str:
        """The bits that tell whether a number is less than a limit, and then which it is."""
        bits, least = "", 0
        for level in range(len(self._levels) - 1, -1, -1):
            at = cell[0] >> level, cell[1] >> level
            number, least = self._levels[level][at], max(least, self._told[level][at])
            while least < limit and (level, at) not in self._ended:
                if least == number:
                    bits += "1"
                    self._ended.add((level, at))
                else:
                    bits += "0"
                    least += 1
            self._told[level][at] = least
        return bits


def _packet(precincts: Sequence[_Precinct], gains: Sequence[int], layer: int) -> bytes:
    """A packet: a header of stuffed bits, and the data of its blocks (B.10)."""
    bits, body = "1", b""
    for precinct, gain in zip(precincts, gains, strict=True):
        planes = _GUARD + gain - 1
        if precinct.empty is None:
            precinct.empty = _Tree({at: planes - item[0] for at, item in precinct.blocks.items()})
        for cell in sorted(precinct.blocks):
            passes, data = precinct.share(cell, layer)
            first = precinct.first_layer(cell)
            if layer <= first:
                bits += precinct.included.tell(cell, layer + 1)
                if layer == first:
                    for limit in range(1, planes + 2 - precinct.blocks[cell][0]):
                        bits += precinct.empty.tell(cell, limit)
            else:
                bits += str(int(passes > 0))
            if passes:
                bits += _amount(passes) + _length(precinct, cell, passes, len(data))
                body += data
    return _stuffed(bits) + body


def _amount(passes: int) -> str:
    """The code of a number of passes (Table B.4)."""
    if passes <= 2:
        return "0" if passes == 1 else "10"
    if passes <= 5:
        return f"11{passes - 3:02b}"
    return f"1111{passes - 6:05b}" if passes <= 36 else f"{511:b}{passes - 37:07b}"


def _length(precinct: _Precinct, cell: tuple[int, int], passes: int, length: int) -> str:
    """A length, in bits enough for it; they stay so many for the block (B.10.7)."""
    more = passes.bit_length() - 1
    short = max(0, length.bit_length() - more - precinct.lengths[cell])
    precinct.lengths[cell] += short
    return "1" * short + f"0{length:0{precinct.lengths[cell] + more}b}"


def _stuffed(bits: str) -> bytes:
    """Bits in bytes; one behind 0xFF begins with a zero, and 0xFF is not the last (B.10.1)."""
    found, at = bytearray(), 0
    while at < len(bits) or (found and found[-1] == 0xFF):
        count = 7 if found and found[-1] == 0xFF else 8
        found.append(int(bits[at : at + count].ljust(count, "0"), 2))
        at += count
    return bytes(found)
