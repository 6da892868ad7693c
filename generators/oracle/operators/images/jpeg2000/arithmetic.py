"""The adaptive binary arithmetic decoder of JPEG 2000. Source: T.800, Annex C."""

from __future__ import annotations

_END = 0xFF  # beyond the last byte a decoder reads ones (C.3.4)
_MARKER = 0x8F  # a byte above this one behind 0xFF begins a marker

# Table C.2: the probability, the next state after the more and after the less probable symbol,
# and whether the two symbols change places then.
_STATES: tuple[tuple[int, int, int, bool], ...] = (
    (0x5601, 1, 1, True),
    (0x3401, 2, 6, False),
    (0x1801, 3, 9, False),
    (0x0AC1, 4, 12, False),
    (0x0521, 5, 29, False),
    (0x0221, 38, 33, False),
    (0x5601, 7, 6, True),
    (0x5401, 8, 14, False),
    (0x4801, 9, 14, False),
    (0x3801, 10, 14, False),
    (0x3001, 11, 17, False),
    (0x2401, 12, 18, False),
    (0x1C01, 13, 20, False),
    (0x1601, 29, 21, False),
    (0x5601, 15, 14, True),
    (0x5401, 16, 14, False),
    (0x5101, 17, 15, False),
    (0x4801, 18, 16, False),
    (0x3801, 19, 17, False),
    (0x3401, 20, 18, False),
    (0x3001, 21, 19, False),
    (0x2801, 22, 19, False),
    (0x2401, 23, 20, False),
    (0x2201, 24, 21, False),
    (0x1C01, 25, 22, False),
    (0x1801, 26, 23, False),
    (0x1601, 27, 24, False),
    (0x1401, 28, 25, False),
    (0x1201, 29, 26, False),
    (0x1101, 30, 27, False),
    (0x0AC1, 31, 28, False),
    (0x09C1, 32, 29, False),
    (0x08A1, 33, 30, False),
    (0x0521, 34, 31, False),
    (0x0441, 35, 32, False),
    (0x02A1, 36, 33, False),
    (0x0221, 37, 34, False),
    (0x0141, 38, 35, False),
    (0x0111, 39, 36, False),
    (0x0085, 40, 37, False),
    (0x0049, 41, 38, False),
    (0x0025, 42, 39, False),
    (0x0015, 43, 40, False),
    (0x0009, 44, 41, False),
    (0x0005, 45, 42, False),
    (0x0001, 45, 43, False),
    (0x5601, 46, 46, False),
)


class Decoder:
    """Decisions from the bytes of one code-block, each in a context that learns from them."""

    def __init__(self, coded: bytes, states: dict[int, int], contexts: int) -> None:
        """Begin (INITDEC, C.3.5) with the states that some contexts start in; 0 for the others."""
        self._coded = coded
        self._at = 0
        self._state = [states.get(number, 0) for number in range(contexts)]
        self._likely = [0] * contexts
        self._code = self._byte(0) << 16
        self._shifts = 0
        self._read()
        self._code <<= 7
        self._shifts -= 7
        self._interval = 0x8000

    def decide(self, context: int) -> int:
        """The next decision, 0 or 1 (DECODE, C.3.2)."""
        chance, after_likely, after_other, swaps = _STATES[self._state[context]]
        likely = self._likely[context]
        self._interval -= chance
        lower = self._code >> 16 < chance
        if not lower:
            self._code -= chance << 16
            if self._interval & 0x8000:
                return likely
        # With the intervals exchanged, the smaller of both is the more probable symbol's.
        decision = likely if lower == (self._interval < chance) else 1 - likely
        if lower:
            self._interval = chance
        if decision == likely:
            self._state[context] = after_likely
        else:
            self._state[context] = after_other
            if swaps:
                self._likely[context] = 1 - likely
        self._renormalize()
        return decision

    def _renormalize(self) -> None:
        while not self._interval & 0x8000:
            if not self._shifts:
                self._read()
            self._interval <<= 1
            self._code <<= 1
            self._shifts -= 1

    def _byte(self, at: int) -> int:
        return self._coded[at] if at < len(self._coded) else _END

    def _read(self) -> None:
        """Take a byte; behind 0xFF seven bits, or none of a marker (BYTEIN, C.3.4)."""
        following = self._byte(self._at + 1)
        if self._byte(self._at) != _END:
            self._at += 1
            self._code += following << 8
            self._shifts = 8
        elif following > _MARKER:
            self._code += 0xFF00
            self._shifts = 8
        else:
            self._at += 1
            self._code += following << 9
            self._shifts = 7
