"""The arithmetic decoder of VP8. Source: RFC 6386, 7."""

from __future__ import annotations


class Bools:
    """Truth values with probabilities, from a partition; beyond its end there are zeros."""

    def __init__(self, data: bytes) -> None:
        """Begin at the first byte."""
        self._data = data
        self._at = 2
        self._value = int.from_bytes(data[:2].ljust(2, b"\0"), "big")
        self._range = 255
        self._shifts = 0

    def take(self, probability: int) -> int:
        """One value, which is 0 as often as `probability` of 256."""
        split = 1 + ((self._range - 1) * probability >> 8)
        found = int(self._value >= split << 8)
        if found:
            self._range -= split
            self._value -= split << 8
        else:
            self._range = split
        while self._range < 128:
            self._value <<= 1
            self._range <<= 1
            self._shifts += 1
            if self._shifts == 8:
                self._shifts = 0
                if self._at < len(self._data):
                    self._value |= self._data[self._at]
                self._at += 1
        return found

    def number(self, count: int) -> int:
        """An unsigned number of so many bits, the highest first."""
        value = 0
        for _ in range(count):
            value = value << 1 | self.take(128)
        return value

    def signed(self, count: int) -> int:
        """A magnitude of so many bits, and a sign."""
        value = self.number(count)
        return -value if self.number(1) else value

    def maybe(self, count: int) -> int | None:
        """A signed number if a flag says that there is one."""
        return self.signed(count) if self.number(1) else None

    @property
    def ended(self) -> bool:
        """Whether more was taken than there is."""
        return self._at > len(self._data) + 2
