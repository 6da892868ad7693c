"""Lossy WebP, written. Source: RFC 9649, 2, and RFC 6386, 9 and 19.

No picture is given: modes and coefficients are chosen, and the decoder finds what picture they are.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...oracle.operators.images.vp8.tables import (
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
from .vp8_bits import BoolWriter, put_block

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_START = b"\x9d\x01\x2a"
_COEFFICIENTS = 25  # blocks of a macroblock: 16 of luma, 8 of chroma, and the means
_MODES = (DC, VE, HE, TM)


@dataclass(frozen=True)
class Macroblock:
    """A macroblock as it is written.

    Attributes:
        mode: DC, VE, HE or TM for its luma; None if each block has its own.
        modes: of its 16 blocks, where each has its own.
        chroma: the mode of its chroma.
        blocks: the coefficients of its 16 blocks of luma, its 8 of chroma and its means, each 16 in
            the order of the zigzag; none if it has no tokens.
        segment: which quantizer and filter it has.
    """

    mode: int | None
    modes: Sequence[int]
    chroma: int
    blocks: Sequence[Sequence[int]]
    segment: int = 0


@dataclass(frozen=True)
class Settings:
    """What the header of a frame says.

    Attributes:
        quantizer: index of its steps.
        deltas: added to the index for luma's first, the means' first and others, chroma's first and
            others.
        level, sharpness, simple: of the filter of edges.
        adjusted: what is added to the level everywhere, and where each block has a mode.
        segments: an index of steps and a level for each of four, in place of those of the frame.
        parts: partitions of tokens: 1, 2, 4 or 8.
        given: probabilities of tokens by their place, in place of those that hold otherwise.
        skips: whether macroblocks without tokens are marked as such.
    """

    quantizer: int = 20
    deltas: tuple[int, ...] = (0,) * 5
    level: int = 0
    sharpness: int = 0
    simple: bool = False
    adjusted: tuple[int, int] = (0, 0)
    segments: Sequence[tuple[int, int]] = ()
    parts: int = 1
    given: Sequence[tuple[int, int]] = ()
    skips: bool = False


def encode(
    size: tuple[int, int], settings: Settings, macroblock: Callable[[int, int], Macroblock]
) -> bytes:
    """A WebP file with a chunk `VP8 `.

    Args:
        size: height and width.
        settings: the header.
        macroblock: what stands at a row and a column of macroblocks.
    """
    height, width = size
    bits = BoolWriter()
    tokens = token_probabilities()
    _put_header(bits, settings)
    given = dict(settings.given)
    for at, probability in enumerate(update_probabilities()):
        bits.put(int(at in given), probability)
        if at in given:
            tokens[at] = given[at]
            bits.number(given[at], 8)
    bits.number(int(settings.skips), 1)
    if settings.skips:
        bits.number(200, 8)
    writer = _Rows(bits, [BoolWriter() for _ in range(settings.parts)], settings, tokens)
    for row in range(-(-height // 16)):
        writer.put(row, [macroblock(row, column) for column in range(-(-width // 16))])
    first, parts = bits.finished(), [part.finished() for part in writer.parts]
    frame = (len(first) << 5 | 1 << 4).to_bytes(3, "little") + _START
    frame += struct.pack("<HH", width, height) + first
    frame += b"".join(len(part).to_bytes(3, "little") for part in parts[:-1]) + b"".join(parts)
    chunk = b"VP8 " + struct.pack("<I", len(frame)) + frame + b"\0" * (len(frame) % 2)
    return b"RIFF" + struct.pack("<I", 4 + len(chunk)) + b"WEBP" + chunk


def _put_header(bits: BoolWriter, settings: Settings) -> None:
    bits.number(0, 2)
    bits.number(int(bool(settings.segments)), 1)
    if settings.segments:
        bits.number(0b111, 3)  # with a map, with numbers, which stand in place of the frame's
        for at, count in ((0, 7), (1, 6)):
            for segment in settings.segments:
                bits.maybe(segment[at], count)
        for _ in range(3):
            bits.number(1, 1)
            bits.number(120, 8)
    bits.number(int(settings.simple), 1)
    bits.number(settings.level, 6)
    bits.number(settings.sharpness, 3)
    bits.number(int(any(settings.adjusted)), 1)
    if any(settings.adjusted):
        bits.number(1, 1)
        for value in (settings.adjusted[0], 0, 0, 0, settings.adjusted[1], 0, 0, 0):
            bits.maybe(value, 6)
    bits.number(settings.parts.bit_length() - 1, 2)
    bits.number(settings.quantizer, 7)
    for delta in settings.deltas:
        bits.maybe(delta, 4)
    bits.number(0, 1)


class _Rows:
    """Writes macroblocks, and knows what stands above and to the left."""

    def __init__(
        self,
        bits: BoolWriter,
        parts: Sequence[BoolWriter],
        settings: Settings,
        tokens: Sequence[int],
    ) -> None:
        self._bits, self.parts, self._settings, self._tokens = bits, parts, settings, tokens
        self._modes_above: dict[int, list[int]] = {}
        self._above: dict[int, dict[int, list[int]]] = {}
        self._left: dict[int, list[int]] = {}

    def put(self, row: int, macroblocks: Sequence[Macroblock]) -> None:
        """Write a row."""
        beside, self._left = [DC] * 4, {}
        for column, macroblock in enumerate(macroblocks):
            if self._settings.segments:
                self._bits.put(macroblock.segment >> 1, 120)
                self._bits.put(macroblock.segment & 1, 120)
            if self._settings.skips:
                self._bits.put(int(not macroblock.blocks), 200)
            above = self._modes_above.get(column, [DC] * 4)
            modes = _put_modes(self._bits, macroblock, above, beside)
            self._modes_above[column], beside = modes[12:], modes[3::4]
            self._put_tokens(self.parts[row % len(self.parts)], column, macroblock)

    def _put_tokens(self, bits: BoolWriter, column: int, macroblock: Macroblock) -> None:
        means = macroblock.mode is not None
        above = self._above.setdefault(column, {})
        written = bool(macroblock.blocks) or not self._settings.skips
        blocks = macroblock.blocks or [[0] * 16] * _COEFFICIENTS

        def put(kind: int, plane: int, side: int, numbers: Sequence[int]) -> None:
            up = above.setdefault(plane, [0] * side)
            left = self._left.setdefault(plane, [0] * side)
            for at, number in enumerate(numbers):
                y, x = divmod(at, side)
                any_token = 0
                if written:
                    block = blocks[number]
                    any_token = put_block(bits, self._tokens, kind, up[x] + left[y], block)
                up[x] = left[y] = any_token

        if means:
            put(1, 3, 1, [24])
        put(0 if means else 3, 0, 4, range(16))
        put(2, 1, 2, range(16, 20))
        put(2, 2, 2, range(20, 24))


def _put_modes(
    bits: BoolWriter, macroblock: Macroblock, above: Sequence[int], beside: Sequence[int]
) -> list[int]:
    """Write the modes of luma and chroma; the modes of the blocks, as those behind see them."""
    luma = LUMA_PROBABILITIES
    mode = macroblock.mode
    bits.put(int(mode is not None), luma[0])
    if mode is not None:
        later = mode in (HE, TM)
        bits.put(int(later), luma[1])
        bits.put(int(mode in (VE, TM)), luma[3 if later else 2])
        modes = [mode] * 16
    else:
        up, left, modes = list(above), list(beside), list(macroblock.modes)
        for at, each in enumerate(modes):
            y, x = divmod(at, 4)
            _put_block_mode(bits, block_mode_probabilities(up[x], left[y]), each)
            up[x] = left[y] = each
    for known, probability in zip((DC, VE, HE), CHROMA_PROBABILITIES, strict=True):
        bits.put(int(macroblock.chroma != known), probability)
        if macroblock.chroma == known:
            break
    return modes


def _put_block_mode(bits: BoolWriter, probabilities: Sequence[int], mode: int) -> None:
    for node, value in _path(mode, 0):
        bits.put(value, probabilities[node])


def _path(mode: int, node: int) -> list[tuple[int, int]]:
    """The nodes of the tree that lead to a mode, each with the way that is taken; none if none."""
    for value in (0, 1):
        found = BLOCK_TREE[2 * node + value]
        if found <= 0 and -found == mode:
            return [(node, value)]
        further = _path(mode, found) if found > 0 else []
        if further:
            return [(node, value), *further]
    return []
