"""JPEG: baseline and extended sequential images of 8 bits, Huffman coded.

Sources: ITU-T T.81 for the stream, T.871 (JFIF) for the colours, and for chroma of half the width
or height the page of ImageDecoder.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...arith.rationals import Fraction
from .jpeg_blocks import SIDE, Bits, Sample, coefficients, huffman_codes, samples
from .pictures import BrokenStreamError, Picture, UnknownStreamError, check_size

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    _Plane = list[list[Sample]]

SIGNATURE = b"\xff\xd8\xff"
_SOI, _EOI, _SOS, _DQT, _DHT, _DRI, _DNL, _ADOBE = 0xD8, 0xD9, 0xDA, 0xDB, 0xC4, 0xDD, 0xDC, 0xEE
_SEQUENTIAL = (0xC0, 0xC1)
_OTHER_FRAMES = (0xC2, 0xC3, *range(0xC5, 0xC8), *range(0xC9, 0xCC), *range(0xCD, 0xD0))
_MIDDLE = 128


@dataclass
class _Component:
    """A component of the frame: its sampling factors, its table of steps, and its blocks."""

    #: Blocks across in one unit of a scan: the horizontal sampling factor.
    across: int
    #: Blocks down in one unit: the vertical sampling factor.
    down: int
    #: The number of its table of steps in the stream's tables.
    table: int
    #: Its samples so far: 64 for each block, by row and column of the block.
    blocks: dict[tuple[int, int], list[Sample]] = field(default_factory=dict)


@dataclass
class _State:
    """What the segments of a stream have given so far."""

    #: Of the image, in pixels.
    height: int = 0
    #: Of the image, in pixels.
    width: int = 0
    #: Tables of quantization steps by number, each in zigzag order.
    steps: dict[int, list[int]] = field(default_factory=dict)
    #: Huffman codes by class (0: means, 1: the others) and number.
    codes: dict[tuple[int, int], dict[tuple[int, int], int]] = field(default_factory=dict)
    #: The components of the frame by their identifiers.
    components: dict[int, _Component] = field(default_factory=dict)
    #: Units between two restarts; 0 if there are none.
    interval: int = 0

    @property
    def most(self) -> tuple[int, int]:
        """The greatest sampling factors, across and down."""
        found = self.components.values()
        return max(item.across for item in found), max(item.down for item in found)

    def size(self, component: _Component) -> tuple[int, int]:
        """Rows and columns of a component (A.1.1)."""
        across, down = self.most
        return (
            -(-self.height * component.down // down),
            -(-self.width * component.across // across),
        )


def decode(stream: bytes) -> Picture:
    """The image of a stream of one or three components.

    Raises BrokenStreamError where it breaks a rule, UnknownStreamError for progressive, lossless
    and arithmetic coding, other numbers of components, and chroma of less than half the size.
    """
    state = _State()
    for marker, content, scan in _segments(stream):
        _take(state, marker, content, scan)
    if not state.components or not all(item.blocks for item in state.components.values()):
        raise BrokenStreamError("no image in the stream")
    planes = [_full_size(state, item) for item in state.components.values()]
    flat = [[item for row in plane for item in row] for plane in planes]
    if len(flat) == 1:
        gray = [_values(item) for item in flat[0]]
        return Picture(state.height, state.width, 1, gray)
    colours = [item for pixel in zip(*flat, strict=True) for item in _colour(*pixel)]
    return Picture(state.height, state.width, 3, colours)


def _take(state: _State, marker: int, content: bytes, scan: bytes) -> None:
    """What a segment says."""
    if marker == _DQT:
        _take_steps(state, content)
    elif marker == _DHT:
        _take_codes(state, content)
    elif marker == _DRI:
        (state.interval,) = _unpacked(">H", content)
    elif marker in _SEQUENTIAL:
        _take_frame(state, content)
    elif marker in _OTHER_FRAMES or marker == _DNL:
        raise UnknownStreamError(f"a JPEG with the marker {marker:#x}")
    elif marker == _ADOBE and content[:5] == b"Adobe" and content[-1] != 1:
        raise UnknownStreamError("a JPEG in other colours than YCbCr")
    elif marker == _SOS:
        _take_scan(state, content, scan)


def _segments(stream: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """Marker and content of each segment, and the coded data behind a header of a scan."""
    at = 2
    while True:
        if stream[at : at + 1] != b"\xff" or at + 1 >= len(stream):
            raise BrokenStreamError(f"no marker at byte {at}, and no end of image")
        while stream[at + 1 : at + 2] == b"\xff":  # any number of them may stand before a marker
            at += 1
        marker = stream[at + 1] if at + 1 < len(stream) else _EOI
        if marker == _EOI:
            return
        (size,) = _unpacked(">H", stream[at + 2 : at + 4])
        content = stream[at + 4 : at + 2 + size]
        if size < 2 or at + 2 + size > len(stream):
            raise BrokenStreamError(f"segment {marker:#x} is cut off")
        at += 2 + size
        start = at
        if marker == _SOS:
            at = _end_of_scan(stream, at)
        yield marker, content, stream[start:at]


def _end_of_scan(stream: bytes, start: int) -> int:
    """Where coded data end: before a marker that is no restart; 0xFF and a zero are data."""
    places = (at for at in range(start, len(stream) - 1) if stream[at] == 0xFF)
    ends = (at for at in places if stream[at + 1] and not 0xD0 <= stream[at + 1] <= 0xD7)
    return next(ends, len(stream))


def _unpacked(form: str, content: bytes) -> tuple[int, ...]:
    if len(content) < struct.calcsize(form):
        raise BrokenStreamError("a segment ends too early")
    return struct.unpack_from(form, content)


def _take_steps(state: _State, content: bytes) -> None:
    while content:
        wide, name = content[0] >> 4, content[0] & 15
        form = ">64H" if wide else ">64B"
        state.steps[name] = list(_unpacked(form, content[1:]))
        content = content[1 + struct.calcsize(form) :]


def _take_codes(state: _State, content: bytes) -> None:
    while content:
        counts = list(_unpacked(">16B", content[1:]))
        end = 17 + sum(counts)
        state.codes[content[0] >> 4, content[0] & 15] = huffman_codes(counts, content[17:end])
        content = content[end:]


def _take_frame(state: _State, content: bytes) -> None:
    bits, state.height, state.width, count = _unpacked(">BHHB", content)
    if bits != 8 or count not in (1, 3) or not state.height:
        raise UnknownStreamError(f"a JPEG of {count} components, {bits} bits each")
    check_size(state.height, state.width)
    for at in range(6, 6 + 3 * count, 3):
        name, factors, table = _unpacked(">BBB", content[at:])
        if not (1 <= factors >> 4 <= 4 and 1 <= factors & 15 <= 4):
            raise BrokenStreamError(f"sampling factors {factors:#x}")
        state.components[name] = _Component(factors >> 4, factors & 15, table)


def _take_scan(state: _State, header: bytes, data: bytes) -> None:
    (count,) = _unpacked(">B", header)
    names = [_unpacked(">BB", header[1 + 2 * at :]) for at in range(count)]
    if not names or any(name not in state.components for name, _ in names):
        raise BrokenStreamError("a scan of components that the frame lacks")
    parts = [_Part.of(state, name, tables) for name, tables in names]
    units = _units(state, [part.component for part in parts])
    intervals = _intervals(data)
    for number, unit in enumerate(units):
        if number % (state.interval or len(units)) == 0:
            if not intervals:
                raise BrokenStreamError("a scan of too few intervals")
            bits = Bits(intervals.pop(0))
            for part in parts:
                part.before = 0
        for index, place in unit:
            part = parts[index]
            found = coefficients(bits, part.mean, part.others, part.before)
            part.before = found[0]
            part.component.blocks[place] = samples(found, part.steps)


@dataclass
class _Part:
    """A component in a scan: its tables, and the mean of its last block."""

    #: The component whose blocks are read.
    component: _Component
    #: The code of the mean of a block.
    mean: dict[tuple[int, int], int]
    #: The code of its other coefficients.
    others: dict[tuple[int, int], int]
    #: The quantization steps, in zigzag order.
    steps: list[int]
    #: The mean of the block before, from which the next one differs; 0 after a restart.
    before: int = 0

    @classmethod
    def of(cls, state: _State, name: int, tables: int) -> _Part:
        component = state.components[name]
        try:
            mean, others = state.codes[0, tables >> 4], state.codes[1, tables & 15]
            return cls(component, mean, others, state.steps[component.table])
        except KeyError:
            raise BrokenStreamError("a scan whose tables are not there") from None


def _units(state: _State, parts: Sequence[_Component]) -> list[list[tuple[int, tuple[int, int]]]]:
    """The blocks of each minimum coded unit: which component, and the place there (A.2)."""
    if len(parts) == 1:
        rows, columns = state.size(parts[0])
        return [
            [(0, (row, column))]
            for row in range(-(-rows // SIDE))
            for column in range(-(-columns // SIDE))
        ]
    across, down = state.most
    return [
        [
            (index, (row * part.down + y, column * part.across + x))
            for index, part in enumerate(parts)
            for y in range(part.down)
            for x in range(part.across)
        ]
        for row in range(-(-state.height // (SIDE * down)))
        for column in range(-(-state.width // (SIDE * across)))
    ]


def _intervals(data: bytes) -> list[bytes]:
    """The coded data between restart markers, without the zeros stuffed in behind 0xFF."""
    found, current, at = [], bytearray(), 0
    while at < len(data):
        if data[at] == 0xFF and at + 1 < len(data) and 0xD0 <= data[at + 1] <= 0xD7:
            found.append(bytes(current))
            current = bytearray()
            at += 2
        else:
            current.append(data[at])
            at += 2 if data[at] == 0xFF else 1
    return [*found, bytes(current)]


# --- chroma of half the size -----------------------------------------------------------------


def _full_size(state: _State, component: _Component) -> _Plane:
    """A component as large as the image."""
    rows, columns = state.size(component)
    if any(
        (row // SIDE, column // SIDE) not in component.blocks
        for row in range(0, rows, SIDE)
        for column in range(0, columns, SIDE)
    ):
        raise BrokenStreamError("blocks are missing")
    plane = [
        [
            component.blocks[row // SIDE, column // SIDE][row % SIDE * SIDE + column % SIDE]
            for column in range(columns)
        ]
        for row in range(rows)
    ]
    across, down = state.most
    wide, high = Fraction(across, component.across), Fraction(down, component.down)
    if wide not in (1, 2) or high not in (1, 2):
        raise UnknownStreamError("a JPEG whose chroma is neither whole nor halved")
    if high == 2:
        plane = _twice_as_high(plane, wide=wide == 2)
    elif wide == 2:
        plane = [_twice_as_wide(row) for row in plane]
    return [row[: state.width] for row in plane[: state.height]]


def _twice_as_wide(row: Sequence[Sample]) -> list[Sample]:
    """Each sample as two: three quarters of it and a quarter of its neighbour, by the page.

    The left one rounds a half down, the right one up. Beyond the ends the last sample goes on.
    """
    found = []
    for at, here in enumerate(row):
        neighbours = row[max(at - 1, 0)], row[min(at + 1, len(row) - 1)]
        for half, other in enumerate(neighbours, 1):
            found.append(
                Sample(
                    (other.low + 3 * here.low + half) >> 2,
                    (other.high + 3 * here.high + half) >> 2,
                    (other.nearest + 3 * here.nearest + half) >> 2,
                )
            )
    return found


def _twice_as_high(plane: _Plane, *, wide: bool) -> _Plane:
    """Rows as two, and columns where `wide`: quarters again; how both round, the page leaves open.

    Rounding each axis or both at once gives one of the two whole numbers around the exact one.
    """
    found = []
    for at, here in enumerate(plane):
        for other in (plane[max(at - 1, 0)], plane[min(at + 1, len(plane) - 1)]):
            sums = [
                (3 * a.low + b.low, 3 * a.high + b.high, 3 * a.nearest + b.nearest)
                for a, b in zip(here, other, strict=True)
            ]
            found.append(_quartered(sums, wide=wide))
    return found


def _quartered(sums: Sequence[tuple[int, ...]], *, wide: bool) -> list[Sample]:
    if not wide:
        return [Sample(low // 4, -(-high // 4), (near + 2) // 4) for low, high, near in sums]
    found = []
    for at, here in enumerate(sums):
        for other in (sums[max(at - 1, 0)], sums[min(at + 1, len(sums) - 1)]):
            low, high, near = (3 * a + b for a, b in zip(here, other, strict=True))
            found.append(Sample(low // 16, -(-high // 16), (near + 8) // 16))
    return found


# --- colours ---------------------------------------------------------------------------------

# What Cb - 128 and Cr - 128 add to red, green and blue, in parts of _UNIT: of T.871, 7, the factors
# 1.402 and 1.772, and for green 0.114 * 1.772 / 0.587 and 0.299 * 1.402 / 0.587.
_UNIT = 587_000
_SHARES = ((0, 822_974), (-202_008, -419_198), (1_040_164, 0))


def _colour(y: Sample, cb: Sample, cr: Sample) -> list[tuple[int, ...]]:
    """Red, green and blue; how a result between two whole numbers is rounded is open."""
    found = []
    for blue, red in _SHARES:
        low = (
            (cb.low if blue > 0 else cb.high) - _MIDDLE,
            (cr.low if red > 0 else cr.high) - _MIDDLE,
        )
        high = (
            (cb.high if blue > 0 else cb.low) - _MIDDLE,
            (cr.high if red > 0 else cr.low) - _MIDDLE,
        )
        near = cb.nearest - _MIDDLE, cr.nearest - _MIDDLE
        ends = (
            y.low + (blue * low[0] + red * low[1]) // _UNIT,
            y.high - -(blue * high[0] + red * high[1]) // _UNIT,
            y.nearest + (2 * (blue * near[0] + red * near[1]) + _UNIT) // (2 * _UNIT),
        )
        found.append(_values(Sample(*(min(max(item, 0), 255) for item in ends))))
    return found


def _values(sample: Sample) -> tuple[int, ...]:
    """All values of a sample, the nearest first."""
    return tuple(dict.fromkeys((sample.nearest, *range(sample.low, sample.high + 1))))
