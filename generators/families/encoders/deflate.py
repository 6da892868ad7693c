"""zlib streams of one block with fixed codes: the same bytes on every machine.

Sources: RFC 1950 and RFC 1951. The output of zlib's own compressor changes with its version.
"""

from __future__ import annotations

import struct
import zlib

from .bits import Bits

_LEAST, _MOST, _FAR = 3, 258, 4096
_END = 256


def compressed(data: bytes) -> bytes:
    """A zlib stream that holds `data`: a repeated stretch is written as a reference."""
    bits = Bits()
    bits.add(1, 1)  # the last block
    bits.add(1, 2)  # of fixed codes
    at = 0
    while at < len(data):
        length, distance = _match(data, at)
        if length < _LEAST:
            bits.code(_fixed(data[at]))
            at += 1
        else:
            code, extra, count = _length(length)
            bits.code(_fixed(code))
            bits.add(extra, count)
            code, extra, count = _distance(distance)
            bits.code(_digits(code, 5))
            bits.add(extra, count)
            at += length
    bits.code(_fixed(_END))
    return b"\x78\x01" + bits.bytes() + struct.pack(">I", zlib.adler32(data))


def _digits(number: int, count: int) -> str:
    """A code, its highest bit first."""
    return format(number, f"0{count}b")


def _fixed(symbol: int) -> str:
    """A literal or a length in the fixed codes (RFC 1951, 3.2.6)."""
    if symbol < 144:
        return _digits(0x30 + symbol, 8)
    if symbol < 256:
        return _digits(0x190 + symbol - 144, 9)
    if symbol < 280:
        return _digits(symbol - 256, 7)
    return _digits(0xC0 + symbol - 280, 8)


def _match(data: bytes, at: int) -> tuple[int, int]:
    """Length and distance of the longest equal stretch before; the nearest of several."""
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
    """Numbers in groups of `group` symbols; each has one extra bit more than the one before."""
    if number < 2 * group:
        return number, 0, 0
    count = (number // group).bit_length() - 1
    return group * count + (number >> count), number & ((1 << count) - 1), count
