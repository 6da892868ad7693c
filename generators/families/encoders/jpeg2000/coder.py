"""The adaptive binary arithmetic encoder of JPEG 2000. Source: T.800, Annex C.2."""

from __future__ import annotations

# Table C.2 line by line: probability, next state after the more and the less probable symbol, and
# 1 where the symbols change places.
# fmt: off
_TABLE = (
    (0x5601, 1, 1, 1), (0x3401, 2, 6, 0), (0x1801, 3, 9, 0), (0x0AC1, 4, 12, 0), (0x0521, 5, 29, 0),
    (0x0221, 38, 33, 0), (0x5601, 7, 6, 1), (0x5401, 8, 14, 0), (0x4801, 9, 14, 0),
    (0x3801, 10, 14, 0), (0x3001, 11, 17, 0), (0x2401, 12, 18, 0), (0x1C01, 13, 20, 0),
    (0x1601, 29, 21, 0), (0x5601, 15, 14, 1), (0x5401, 16, 14, 0), (0x5101, 17, 15, 0),
    (0x4801, 18, 16, 0), (0x3801, 19, 17, 0), (0x3401, 20, 18, 0), (0x3001, 21, 19, 0),
    (0x2801, 22, 19, 0), (0x2401, 23, 20, 0), (0x2201, 24, 21, 0), (0x1C01, 25, 22, 0),
    (0x1801, 26, 23, 0), (0x1601, 27, 24, 0), (0x1401, 28, 25, 0), (0x1201, 29, 26, 0),
    (0x1101, 30, 27, 0), (0x0AC1, 31, 28, 0), (0x09C1, 32, 29, 0), (0x08A1, 33, 30, 0),
    (0x0521, 34, 31, 0), (0x0441, 35, 32, 0), (0x02A1, 36, 33, 0), (0x0221, 37, 34, 0),
    (0x0141, 38, 35, 0), (0x0111, 39, 36, 0), (0x0085, 40, 37, 0), (0x0049, 41, 38, 0),
    (0x0025, 42, 39, 0), (0x0015, 43, 40, 0), (0x0009, 44, 41, 0), (0x0005, 45, 42, 0),
    (0x0001, 45, 43, 0), (0x5601, 46, 46, 0),
)
# fmt: on


class Coder:
    """Decisions into bytes: one run of the encoder, from INITENC to FLUSH."""

    def __init__(self) -> None:
        """Start with nothing written, every context in the state of Table D.7."""
        self._contexts = {0: [4, 0], 17: [3, 0], 18: [46, 0]}
        self._interval, self._code, self._room = 0x8000, 0, 12
        self._written = bytearray(b"\0")  # the byte before the first, to which a carry may go

    def put(self, decision: int, context: int) -> None:
        """Write a decision in a context (ENCODE)."""
        place = self._contexts.setdefault(context, [0, 0])
        state, likely = place
        part, after, other, changes = _TABLE[state]
        self._interval -= part
        if decision == likely:
            if self._interval & 0x8000:
                self._code += part
                return
            place[0] = after
            takes_part = self._interval < part
        else:
            place[0], place[1] = other, likely ^ changes
            takes_part = self._interval >= part
        if takes_part:
            self._interval = part
        else:
            self._code += part
        while not self._interval & 0x8000:
            self._interval, self._code, self._room = (
                self._interval << 1,
                self._code << 1,
                self._room - 1,
            )
            if not self._room:
                self._write()

    def finish(self) -> bytes:
        """Write out what is left (FLUSH); all bytes."""
        top = self._code + self._interval
        self._code |= 0xFFFF
        if self._code >= top:
            self._code -= 0x8000
        for _ in range(2):
            self._code <<= self._room
            self._write()
        if self._written[-1] == 0xFF:
            self._written.pop()
        return bytes(self._written[1:])

    def _write(self) -> None:
        """Move a byte out (BYTEOUT); one behind 0xFF has seven bits, so that a carry finds room."""
        if self._written[-1] != 0xFF and self._code >= 1 << 27:
            self._written[-1] += 1
            self._code -= 1 << 27
        bits = 7 if self._written[-1] == 0xFF else 8
        shift = 27 - bits
        self._written.append(self._code >> shift)
        self._code &= (1 << shift) - 1
        self._room = bits
