"""A key frame: its header, its macroblocks, and the planes that come of them. Source: RFC 6386, 9.

Planes are of whole macroblocks; whoever asks cuts them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..pictures import BrokenStreamError, UnknownStreamError, check_size
from .bits import Bools
from .filters import Strength, filtered
from .prediction import Plane, predict_blocks, predict_square
from .residue import Steps, Tokens, add_block, read_blocks, spread_means
from .tables import (
    BLOCK_TREE,
    CHROMA_PROBABILITIES,
    DC,
    HE,
    LUMA_PROBABILITIES,
    TM,
    VE,
    block_mode_probabilities,
    token_probabilities,
    update_probabilities,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

_START = b"\x9d\x01\x2a"
_SEGMENTS = 4


@dataclass
class _Header:
    """What the first partition says before its macroblocks."""

    across: int
    down: int
    segments: bool = False
    with_map: bool = False
    absolute: bool = False
    quantizers: list[int] = field(default_factory=lambda: [0] * _SEGMENTS)
    levels: list[int] = field(default_factory=lambda: [0] * _SEGMENTS)
    tree: list[int] = field(default_factory=lambda: [255] * 3)
    simple: bool = False
    level: int = 0
    sharpness: int = 0
    of_intra: int = 0
    of_blocks: int = 0
    adjusted: bool = False
    quantizer: int = 0
    deltas: tuple[int, ...] = (0,) * 5
    skip: int | None = None


@dataclass(frozen=True)
class Planes:
    """Luma, and the two planes of chroma of half its size, each a list of rows."""

    width: int
    height: int
    luma: Sequence[Sequence[int]]
    chroma: tuple[Sequence[Sequence[int]], Sequence[Sequence[int]]]


def decode_frame(data: bytes) -> Planes:
    """The planes of a key frame; BrokenStreamError where it breaks a rule."""
    if len(data) < 10:
        raise BrokenStreamError("a frame without a header")
    tag = int.from_bytes(data[:3], "little")
    if tag & 1:
        raise BrokenStreamError("a frame that needs another before it")
    if tag >> 1 & 7:
        raise UnknownStreamError("a frame of another profile than 0")
    if data[3:6] != _START:
        raise BrokenStreamError("a frame without its start code")
    width, height = (int.from_bytes(data[at : at + 2], "little") & 0x3FFF for at in (6, 8))
    check_size(height, width)
    first = tag >> 5
    if 10 + first > len(data):
        raise BrokenStreamError("the first partition is cut off")
    bits = Bools(data[10 : 10 + first])
    header = _Header(-(-width // 16), -(-height // 16))
    parts = _read_header(bits, header)
    tokens = _read_probabilities(bits)
    if bits.number(1):
        header.skip = bits.number(8)
    streams = _partitions(data[10 + first :], parts)
    frame = _Frame(header, tokens)
    for row in range(header.down):
        frame.read_row(row, bits, streams[row % parts])
    if bits.ended or any(stream.ended for stream in streams):
        raise BrokenStreamError("a partition ends too early")
    # Level 0 in the header means that no edge is filtered, whatever macroblocks add to it (9.6).
    strengths = frame.strengths if header.level else ()
    luma, *chroma = filtered(frame.planes, strengths, simple=header.simple)
    return Planes(width, height, luma, (chroma[0], chroma[1]))


def _read_header(bits: Bools, header: _Header) -> int:
    """Fill the header, up to the probabilities of tokens; the number of partitions of tokens."""
    bits.number(2)  # the colour space, and whether samples are clamped: both change no decoder
    header.segments = bool(bits.number(1))
    if header.segments:
        _read_segments(bits, header)
    header.simple = bool(bits.number(1))
    header.level, header.sharpness = bits.number(6), bits.number(3)
    header.adjusted = bool(bits.number(1))
    if header.adjusted and bits.number(1):
        found = [bits.maybe(6) or 0 for _ in range(8)]
        header.of_intra, header.of_blocks = found[0], found[4]
    parts = 1 << bits.number(2)
    header.quantizer = bits.number(7)
    header.deltas = tuple(bits.maybe(4) or 0 for _ in range(5))
    bits.number(1)  # whether the probabilities hold beyond this frame
    return parts


def _read_segments(bits: Bools, header: _Header) -> None:
    header.with_map = bool(bits.number(1))
    if bits.number(1):
        header.absolute = bool(bits.number(1))
        header.quantizers = [bits.maybe(7) or 0 for _ in range(_SEGMENTS)]
        header.levels = [bits.maybe(6) or 0 for _ in range(_SEGMENTS)]
    if header.with_map:
        header.tree = [bits.number(8) if bits.number(1) else 255 for _ in range(3)]


def _read_probabilities(bits: Bools) -> list[int]:
    tokens = token_probabilities()
    for at, probability in enumerate(update_probabilities()):
        if bits.take(probability):
            tokens[at] = bits.number(8)
    return tokens


def _partitions(data: bytes, count: int) -> list[Bools]:
    sizes = [int.from_bytes(data[3 * at : 3 * at + 3], "little") for at in range(count - 1)]
    at = 3 * (count - 1)
    if at + sum(sizes) > len(data):
        raise BrokenStreamError("a partition of tokens is cut off")
    found = []
    for size in sizes:
        found.append(Bools(data[at : at + size]))
        at += size
    return [*found, Bools(data[at:])]


class _Frame:
    """The planes while they grow, and what the next macroblock needs to know of those before."""

    def __init__(self, header: _Header, tokens: Sequence[int]) -> None:
        self._header = header
        self._tokens = Tokens(tokens, header.across)
        self._modes_above = [DC] * 4 * header.across
        self._modes_left = [DC] * 4
        across, down = header.across, header.down
        self.planes = [Plane(16 * across, 16 * down)]
        self.planes += [Plane(8 * across, 8 * down) for _ in range(2)]
        self.strengths: list[list[Strength]] = []
        self._steps = [self._steps_of(number) for number in range(_SEGMENTS)]

    def _steps_of(self, segment: int) -> Steps:
        header = self._header
        index = header.quantizer
        if header.segments:
            own = header.quantizers[segment]
            index = own if header.absolute else index + own
        return Steps.of(min(max(index, 0), 127), header.deltas)

    def read_row(self, row: int, bits: Bools, stream: Bools) -> None:
        """Read a row of macroblocks: their modes from `bits`, their tokens from `stream`."""
        self._modes_left = [DC] * 4
        self._tokens.begin_row()
        self.strengths.append([])
        for column in range(self._header.across):
            self._read(row, column, bits, stream)

    def _read(self, row: int, column: int, bits: Bools, stream: Bools) -> None:
        header = self._header
        segment = 0
        if header.with_map:
            upper = bits.take(header.tree[0])
            segment = 2 * upper + bits.take(header.tree[1 + upper])
        skipped = header.skip is not None and bits.take(header.skip)
        mode, modes = self._read_modes(bits, column)
        chroma = _chroma_mode(bits)
        blocks = mode is None
        if skipped:
            self._tokens.skip(column, means=not blocks)
            found = None
        else:
            found = read_blocks(stream, self._tokens, column, means=not blocks)
        any_token = found is not None and found.any_token
        self.strengths[row].append(self._strength(segment, blocks=blocks, inner=any_token))
        residue = None
        if found is not None:
            residue = spread_means(found, self._steps[segment])
        luma = self.planes[0]
        if mode is None:
            predict_blocks(luma, row, column, modes, residue)
        else:
            predict_square(luma, 16, row, column, mode)
            _add(luma, 16, (row, column), residue[:16] if residue else ())
        for number, plane in enumerate(self.planes[1:]):
            predict_square(plane, 8, row, column, chroma)
            start = 16 + 4 * number
            _add(plane, 8, (row, column), residue[start : start + 4] if residue else ())

    def _read_modes(self, bits: Bools, column: int) -> tuple[int | None, list[int]]:
        """The mode of a macroblock, None if each block has its own; and the modes of its blocks."""
        above = self._modes_above[4 * column : 4 * column + 4]
        probabilities = LUMA_PROBABILITIES
        if bits.take(probabilities[0]):
            if bits.take(probabilities[1]):
                mode = TM if bits.take(probabilities[3]) else HE
            else:
                mode = VE if bits.take(probabilities[2]) else DC
            modes = [mode] * 16
        else:
            mode, modes = None, []
            left = list(self._modes_left)
            for y in range(4):
                for x in range(4):
                    found = _block_mode(bits, block_mode_probabilities(above[x], left[y]))
                    above[x] = left[y] = found
                    modes.append(found)
        self._modes_above[4 * column : 4 * column + 4] = modes[12:]
        self._modes_left = modes[3::4]
        return mode, modes

    def _strength(self, segment: int, *, blocks: bool, inner: bool) -> Strength:
        header = self._header
        level = header.level
        if header.segments:
            own = header.levels[segment]
            level = own if header.absolute else level + own
        level = min(max(level, 0), 63)
        if header.adjusted:
            level += header.of_intra + (header.of_blocks if blocks else 0)
        return Strength.of(min(max(level, 0), 63), header.sharpness, inner=blocks or inner)


def _block_mode(bits: Bools, probabilities: bytes) -> int:
    at = 0
    while True:
        found = BLOCK_TREE[2 * at + bits.take(probabilities[at])]
        if found <= 0:
            return -found
        at = found


def _chroma_mode(bits: Bools) -> int:
    for probability, mode in zip(CHROMA_PROBABILITIES, (DC, VE, HE), strict=True):
        if not bits.take(probability):
            return mode
    return TM


def _add(plane: Plane, side: int, place: tuple[int, int], residue: Sequence[Sequence[int]]) -> None:
    """Add the residue of the blocks of a macroblock."""
    row, column = place
    across = side // 4
    for number, block in enumerate(residue):
        y, x = divmod(number, across)
        add_block(plane, side * row + 4 * y, side * column + 4 * x, block)
