"""Baseline JPEG, written from coefficients. Source: ITU-T T.81, Annexes B, C and F.1."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    # The coefficients of the block at a row and a column of a component, in the stream's order.
    Blocks = Callable[[int, int, int], Sequence[int]]

_MEANS = list(range(12))
_OTHERS = [0x00, 0xF0, *(run << 4 | size for run in range(16) for size in range(1, 11))]


@dataclass(frozen=True)
class Layout:
    """How an image is stored.

    Attributes:
        size: height and width.
        factors: the sampling factors of each component, across and down.
        step: factor of all coefficients.
        interval: units between restart markers; 0 for none.
    """

    size: tuple[int, int]
    factors: Sequence[tuple[int, int]]
    step: int = 8
    interval: int = 0


def encode(layout: Layout, blocks: Blocks) -> bytes:
    """An interleaved baseline stream with a JFIF header."""
    height, width = layout.size
    count = len(layout.factors)
    frame = struct.pack(">BHHB", 8, height, width, count)
    scan = bytes([count])
    for name, (across, down) in enumerate(layout.factors, 1):
        frame += bytes([name, across << 4 | down, 0])
        scan += bytes([name, 0])
    tables = b"\x00" + _counts(4, len(_MEANS)) + bytes(_MEANS)
    tables += b"\x10" + _counts(8, len(_OTHERS)) + bytes(_OTHERS)
    head = _segment(0xE0, b"JFIF\0\1\1\0\0\1\0\1\0\0") + _segment(
        0xDB, b"\0" + bytes([layout.step] * 64)
    )
    head += _segment(0xC0, frame) + _segment(0xC4, tables)
    if layout.interval:
        head += _segment(0xDD, struct.pack(">H", layout.interval))
    return (
        b"\xff\xd8"
        + head
        + _segment(0xDA, scan + b"\0\x3f\0")
        + _data(layout, blocks)
        + b"\xff\xd9"
    )


def _segment(marker: int, content: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(content) + 2) + content


def _counts(length: int, count: int) -> bytes:
    """The counts of codes by length: all codes have one length."""
    return bytes(count if item == length else 0 for item in range(1, 17))


def _data(layout: Layout, blocks: Blocks) -> bytes:
    """The coded units, with restart markers between them."""
    height, width = layout.size
    most = [max(item[at] for item in layout.factors) for at in range(2)]
    # With a single component, blocks follow one another, whatever its factors.
    factors = layout.factors if len(layout.factors) > 1 else [(1, 1)]
    across, down = most if len(layout.factors) > 1 else (1, 1)
    columns, rows = -(-width // (8 * across)), -(-height // (8 * down))
    found, bits, before = b"", "", [0] * len(factors)
    for unit in range(rows * columns):
        if layout.interval and unit and unit % layout.interval == 0:
            marker = 0xD0 + (unit // layout.interval - 1) % 8
            found += _stuffed(bits) + bytes([0xFF, marker])
            bits, before = "", [0] * len(factors)
        for component, (wide, high) in enumerate(factors):
            for y in range(high):
                for x in range(wide):
                    row, column = unit // columns * high + y, unit % columns * wide + x
                    block = blocks(component, row, column)
                    bits += _block(block, before[component])
                    before[component] = block[0]
    return found + _stuffed(bits)


def _stuffed(bits: str) -> bytes:
    """Whole bytes, filled up with ones; a zero byte follows each 0xFF."""
    bits += "1" * (-len(bits) % 8)
    data = bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits), 8))
    return data.replace(b"\xff", b"\xff\0")


def _block(block: Sequence[int], before: int) -> str:
    size, digits = _number(block[0] - before)
    bits = format(_MEANS.index(size), "04b") + digits
    zeros = 0
    for item in block[1:]:
        if not item:
            zeros += 1
            continue
        while zeros > 15:
            bits += format(_OTHERS.index(0xF0), "08b")
            zeros -= 16
        size, digits = _number(item)
        bits += format(_OTHERS.index(zeros << 4 | size), "08b") + digits
        zeros = 0
    return bits + (format(_OTHERS.index(0), "08b") if zeros else "")


def _number(item: int) -> tuple[int, str]:
    """The category of a number and its digits; a negative number uses those of its complement."""
    size = abs(item).bit_length()
    stored = item if item >= 0 else item + (1 << size) - 1
    return size, format(stored, f"0{size}b") if size else ""
