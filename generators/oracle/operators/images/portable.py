"""Netpbm's formats: portable bitmaps, graymaps and pixmaps, as text and as bytes.

Source: Netpbm's manual pages pbm(5), pgm(5) and ppm(5).
"""

from __future__ import annotations

from .pictures import BrokenStreamError, Picture, check_size, exact, packed, spread

SIGNATURES = (b"P1", b"P2", b"P3", b"P4", b"P5", b"P6")
_SPACE = b" \t\n\v\f\r"
_BYTE, _WORD = 255, 65535


def decode(stream: bytes) -> Picture:
    """The first image of a stream.

    Raises BrokenStreamError where it breaks a rule of the format.
    """
    kind = stream[1] - ord("0")
    text, kind = kind <= 3, (kind - 1) % 3 + 1
    reader = _Reader(stream)
    width, height = reader.number(), reader.number()
    check_size(height, width)
    greatest = 1 if kind == 1 else reader.number()
    if not 0 < greatest <= _WORD:
        raise BrokenStreamError(f"a greatest value of {greatest}")
    channels = 3 if kind == 3 else 1
    count = width * channels
    rows = (
        [reader.digits(count) if kind == 1 else reader.numbers(count) for _ in range(height)]
        if text
        else reader.rows(height, count, 1 if kind == 1 else 8 if greatest <= _BYTE else 16)
    )
    samples = [item for row in rows for item in row]
    if any(item > greatest for item in samples):
        raise BrokenStreamError(f"a sample above {greatest}")
    if kind == 1:
        samples = [1 - item for item in samples]  # 1 is black
    if greatest > _BYTE:
        return Picture(height, width, channels, exact(samples), depth=greatest)
    return Picture(height, width, channels, spread(samples, greatest))


class _Reader:
    """Reads the header, and samples as text or as bytes."""

    def __init__(self, stream: bytes) -> None:
        self._stream = stream
        self._at = 2

    def _next(self) -> int:
        """The next byte; a comment, which ends with its line, is a line's end."""
        if self._at >= len(self._stream):
            raise BrokenStreamError("the stream ends too early")
        byte = self._stream[self._at]
        self._at += 1
        if byte == ord("#"):
            while byte not in b"\n\r":
                byte = self._next_byte()
        return byte

    def _next_byte(self) -> int:
        if self._at >= len(self._stream):
            raise BrokenStreamError("a comment without an end")
        self._at += 1
        return self._stream[self._at - 1]

    def number(self) -> int:
        """A decimal number, the whitespace before it, and the one character behind it."""
        byte = self._next()
        while byte in _SPACE:
            byte = self._next()
        digits = b""
        while byte not in _SPACE:
            if not 0x30 <= byte <= 0x39:
                raise BrokenStreamError(f"byte {byte:#x} is no digit")
            digits += bytes([byte])
            # The end of the stream ends the last number of a text.
            byte = self._next() if self._at < len(self._stream) else _SPACE[0]
        return int(digits)

    def numbers(self, count: int) -> list[int]:
        return [self.number() for _ in range(count)]

    def digits(self, count: int) -> list[int]:
        """Bits as text, which need no whitespace between them."""
        found: list[int] = []
        while len(found) < count:
            byte = self._next()
            if byte not in _SPACE:
                if byte not in b"01":
                    raise BrokenStreamError(f"byte {byte:#x} is no bit")
                found.append(byte - 0x30)
        return found

    def rows(self, height: int, count: int, bits: int) -> list[list[int]]:
        """Rows of bytes; each begins with a byte of its own."""
        size = (count * bits + 7) // 8
        if len(self._stream) - self._at < size * height:
            raise BrokenStreamError("the rows end too early")
        return [
            packed(self._stream[start : start + size], bits, count)
            for start in range(self._at, self._at + size * height, size)
        ]
