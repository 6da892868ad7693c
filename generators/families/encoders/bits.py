"""Streams of bits, as deflate and lossless WebP have them."""

from __future__ import annotations


class Bits:
    """Bits, the lowest bit of a byte first."""

    def __init__(self) -> None:
        """Start with no bits."""
        self._number = 0
        self._count = 0

    def add(self, number: int, count: int) -> None:
        """Add a number as `count` bits."""
        self._number |= number << self._count
        self._count += count

    def code(self, digits: str) -> None:
        """Add a code, its highest bit first."""
        for digit in digits:
            self.add(int(digit), 1)

    def bytes(self) -> bytes:
        """All bits, filled up with zeros."""
        return self._number.to_bytes((self._count + 7) // 8, "little")
