"""Packet headers: which code-blocks have how many passes and bytes. Source: T.800, Annex B.10."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..pictures import UnknownStreamError

_FULL = 0xFF  # behind it, a byte has seven bits
_LENGTH_BITS = 3  # of a length, before the first increment (B.10.7.1)


class HeaderBits:
    """The bits of a packet header (B.10.1), the highest of a byte first."""

    def __init__(self, stream: bytes, at: int) -> None:
        """Begin at a byte."""
        self._stream = stream
        self._at = at
        self._byte = 0
        self._left = 0

    def bit(self) -> int:
        """The next bit; UnknownStreamError if the stream has ended."""
        if not self._left:
            self._left = 7 if self._byte == _FULL else 8
            self._byte = self._take()
        self._left -= 1
        return self._byte >> self._left & 1

    def number(self, count: int) -> int:
        """The number in so many bits."""
        found = 0
        for _ in range(count):
            found = found << 1 | self.bit()
        return found

    def end(self) -> int:
        """Where the byte behind the header is."""
        if self._byte == _FULL:
            self._take()
        return self._at

    def _take(self) -> int:
        if self._at >= len(self._stream):
            raise UnknownStreamError("the stream ends within a packet header")
        self._at += 1
        return self._stream[self._at - 1]


class TagTree:
    """Numbers in a grid, told as far as is asked (B.10.2).

    Each node of a level has the least of four numbers of the level below.
    """

    def __init__(self, height: int, width: int) -> None:
        """Start with nothing known of the numbers."""
        self._least: list[dict[tuple[int, int], int]] = []
        self._known: list[set[tuple[int, int]]] = []
        while True:
            self._least.append({})
            self._known.append(set())
            if height <= 1 and width <= 1:
                break
            height, width = (height + 1) // 2, (width + 1) // 2

    def is_below(self, bits: HeaderBits, row: int, column: int, limit: int) -> bool:
        """Read on until it is known whether a number is less than the limit."""
        least = 0
        for level in reversed(range(len(self._least))):
            node = (row >> level, column >> level)
            least = max(least, self._least[level].get(node, 0))
            while least < limit and node not in self._known[level]:
                if bits.bit():
                    self._known[level].add(node)
                else:
                    least += 1
            self._least[level][node] = least
        return (row, column) in self._known[0] and least < limit

    def number(self, bits: HeaderBits, row: int, column: int) -> int:
        """Read on until a number is known."""
        limit = 1
        while not self.is_below(bits, row, column, limit):
            limit += 1
        return limit - 1


@dataclass
class CodeBlock:
    """What the packets said of a code-block so far.

    Attributes:
        size: height and width.
        empty_planes: how many of the highest bit-planes hold zeros, once it is included.
        passes: the number of coding passes.
        coded: their bytes.
    """

    size: tuple[int, int]
    empty_planes: int = 0
    passes: int = 0
    coded: bytes = b""
    length_bits: int = _LENGTH_BITS


@dataclass
class Precinct:
    """The code-blocks of a sub-band, one precinct: `rows` of them, and their tag trees."""

    rows: list[list[CodeBlock]]
    _included: TagTree = field(init=False)
    _planes: TagTree = field(init=False)

    def __post_init__(self) -> None:
        """Make the tag trees."""
        size = (len(self.rows), len(self.rows[0]) if self.rows else 0)
        self._included, self._planes = TagTree(*size), TagTree(*size)

    def read(self, bits: HeaderBits, layer: int) -> list[tuple[CodeBlock, int]]:
        """The code-blocks that a packet of the layer adds to, each with the number of its bytes."""
        found = []
        for row, line in enumerate(self.rows):
            for column, block in enumerate(line):
                if block.passes:
                    if not bits.bit():
                        continue
                elif self._included.is_below(bits, row, column, layer + 1):
                    block.empty_planes = self._planes.number(bits, row, column)
                else:
                    continue
                found.append((block, _contribution(bits, block)))
        return found


def _contribution(bits: HeaderBits, block: CodeBlock) -> int:
    """Add the passes of a packet to a block; the number of their bytes (B.10.6 and B.10.7)."""
    passes = _passes(bits)
    block.passes += passes
    while bits.bit():
        block.length_bits += 1
    return bits.number(block.length_bits + passes.bit_length() - 1)


def _passes(bits: HeaderBits) -> int:
    """The number of passes (Table B.4)."""
    if not bits.bit():
        return 1
    if not bits.bit():
        return 2
    if (found := bits.number(2)) < 3:
        return 3 + found
    if (found := bits.number(5)) < 31:
        return 6 + found
    return 37 + bits.number(7)
