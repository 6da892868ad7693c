"""zlib streams of one block with fixed codes: the same bytes on every machine.

Sources: RFC 1950 and RFC 1951. What zlib's own compressor writes changes with its version.
"""

from __future__ import annotations

import struct
import zlib

_LEAST, _MOST, _FAR = 3, 258, 4096
_END = 256


def compressed(data: bytes) -> bytes:
    """A zlib stream that holds `data`: each stretch that was there before is a reference to it."""
    bits = _Bits()
    bits.add(1, 1)  # the last block
    bits.add(1, 2)  # of fixed codes
    at = 0
    while at < len(data):
        length, distance = _match(data, at)
        if length < _LEAST:
            bits.symbol(data[at])
            at += 1
        else:
            code, extra, count = _length(length)
            bits.symbol(code)
            bits.add(extra, count)
            code, extra, count = _distance(distance)
            bits.reversed(code, 5)
            bits.add(extra, count)
            at += length
    bits.symbol(_END)
    return b"\x78\x01" + bits.bytes() + struct.pack(">I", zlib.adler32(data))


class _Bits:
    """Bits, the lowest of a byte first."""

    def __init__(self) -> None:
        self._number = 0
        self._count = 0

    def add(self, number: int, count: int) -> None:
        self._number |= number << self._count
        self._count += count

    def reversed(self, number: int, count: int) -> None:
        """A code, whose highest bit comes first."""
        self.add(int(format(number, f"0{count}b")[::-1], 2), count)

    def symbol(self, symbol: int) -> None:
        """A literal or a length by the fixed codes (RFC 1951, 3.2.6)."""
        if symbol < 144:
            self.reversed(0x30 + symbol, 8)
        elif symbol < 256:
            self.reversed(0x190 + symbol - 144, 9)
        elif symbol < 280:
            self.reversed(symbol - 256, 7)
        else:
            self.reversed(0xC0 + symbol - 280, 8)

    def bytes(self) -> bytes:
        return self._number.to_bytes((self._count + 7) // 8, "little")


def _match(data: bytes, at: int) -> tuple[int, int]:
    """Length and distance of the longest stretch before that goes on alike; or of the nearest."""
    best = (0, 0)
    for start in range(at - 1, max(at - _FAR, -1), -1):
        length = 0
        while (
            length < _MOST and at + length < len(data) and data[start + length] == data[at + length]
        ):
            length += 1
        if length > best[0]:
            best = length, at - start
    return best


def _length(length: int) -> tuple[int, int, int]:
    """Symbol, extra bits and their number of a length (RFC 1951, 3.2.5)."""
    if length == _MOST:
        return 285, 0, 0
    code, extra, count = _stepped(length - _LEAST, 4)
    return 257 + code, extra, count


def _distance(distance: int) -> tuple[int, int, int]:
    """Symbol, extra bits and their number of a distance."""
    return _stepped(distance - 1, 2)


def _stepped(number: int, group: int) -> tuple[int, int, int]:
    """Numbers in groups of `group` symbols, each group with one extra bit more than the last."""
    if number < 2 * group:
        return number, 0, 0
    count = (number // group).bit_length() - 1
    return group * count + (number >> count), number & ((1 << count) - 1), count
