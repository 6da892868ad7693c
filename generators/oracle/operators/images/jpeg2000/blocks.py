"""Coefficients of a code-block, bit-plane by bit-plane. Source: T.800, Annex D."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .arithmetic import Decoder

if TYPE_CHECKING:
    from collections.abc import Iterator

_STRIPE = 4  # rows that a pass scans together, column by column
_REFINED, _RUN, _UNIFORM, _CONTEXTS = 14, 17, 18, 19  # Table D.7, with the states they start in
_STARTS = {0: 4, _RUN: 3, _UNIFORM: 46}

# Table D.3: the context of a sign, and whether it is reversed, by the signs beside and above.
_SIGNS = {
    (1, 1): (13, 0),
    (1, 0): (12, 0),
    (1, -1): (11, 0),
    (0, 1): (10, 0),
    (0, 0): (9, 0),
    (0, -1): (10, 1),
    (-1, 1): (11, 1),
    (-1, 0): (12, 1),
    (-1, -1): (13, 1),
}


def coefficients(size: tuple[int, int], band: str, planes: int, coded: bytes) -> list[list[int]]:
    """The rows of a code-block that all of its passes were coded of.

    Args:
        size: height and width.
        band: the sub-band, LL, HL, LH or HH, after which contexts are formed.
        planes: how many bit-planes are coded; those above hold zeros.
        coded: the bytes of all passes.
    """
    block = _Block(size, band, coded)
    for plane in reversed(range(planes)):
        block.plane = plane
        if plane < planes - 1:
            block.propagate()
            block.refine()
        block.clean_up()
    inside = slice(1, block.width + 1)
    return [
        [sign * item for sign, item in zip(signs[inside], line[inside], strict=True)]
        for signs, line in zip(block.sign[1:-1], block.magnitude[1:-1], strict=True)
    ]


class _Block:
    """The state of the coefficients of a block while its passes are decoded.

    A frame of coefficients that are never significant surrounds the block.
    """

    def __init__(self, size: tuple[int, int], band: str, coded: bytes) -> None:
        self.height, self.width = size
        self.plane = 0  # the bit-plane that is decoded, 0 the lowest
        self._band = band
        self._decoder = Decoder(coded, _STARTS, _CONTEXTS)
        frame = (self.height + 2, self.width + 2)
        self.magnitude = [[0] * frame[1] for _ in range(frame[0])]
        self.sign = [[0] * frame[1] for _ in range(frame[0])]  # 1, -1; 0 if not significant
        self._refined = [[False] * frame[1] for _ in range(frame[0])]
        self._seen = [[False] * frame[1] for _ in range(frame[0])]

    def propagate(self) -> None:
        """Significance propagation: what has a significant neighbour (D.3.1)."""
        for column, rows in self._columns():
            for row in rows:
                if not self.sign[row][column] and (context := self._zero_context(row, column)):
                    self._seen[row][column] = True
                    if self._decoder.decide(context):
                        self._become_significant(row, column)

    def refine(self) -> None:
        """Magnitude refinement: a further bit of what was significant before (D.3.3)."""
        for column, rows in self._columns():
            for row in rows:
                if self.sign[row][column] and not self._seen[row][column]:
                    context = _REFINED + 2
                    if not self._refined[row][column]:
                        context = _REFINED + (self._zero_context(row, column) > 0)
                        self._refined[row][column] = True
                    self.magnitude[row][column] |= self._decoder.decide(context) << self.plane

    def clean_up(self) -> None:
        """The cleanup pass: all that no other pass of this plane has seen (D.3.4)."""
        for column, rows in self._columns():
            first = 0
            if len(rows) == _STRIPE and not any(self._has_context(row, column) for row in rows):
                if not self._decoder.decide(_RUN):
                    continue
                first = self._decoder.decide(_UNIFORM) << 1
                first |= self._decoder.decide(_UNIFORM)
                self._become_significant(rows[first], column)
                first += 1
            for row in rows[first:]:
                if self.sign[row][column] or self._seen[row][column]:
                    continue
                if self._decoder.decide(self._zero_context(row, column)):
                    self._become_significant(row, column)
        self._seen = [[False] * len(line) for line in self._seen]

    def _has_context(self, row: int, column: int) -> bool:
        """Whether a coefficient or one of its neighbours is significant."""
        return bool(self.sign[row][column]) or self._zero_context(row, column) > 0

    def _become_significant(self, row: int, column: int) -> None:
        across = self.sign[row][column - 1] + self.sign[row][column + 1]
        down = self.sign[row - 1][column] + self.sign[row + 1][column]
        context, reversed_ = _SIGNS[max(-1, min(1, across)), max(-1, min(1, down))]
        negative = self._decoder.decide(context) ^ reversed_
        self.sign[row][column] = -1 if negative else 1
        self.magnitude[row][column] = 1 << self.plane

    def _zero_context(self, row: int, column: int) -> int:
        """The context by significant neighbours (Table D.1); 0 if there is none."""
        above, here, below = self.sign[row - 1], self.sign[row], self.sign[row + 1]
        across = bool(here[column - 1]) + bool(here[column + 1])
        down = bool(above[column]) + bool(below[column])
        corners = sum(bool(line[at]) for line in (above, below) for at in (column - 1, column + 1))
        if self._band == "HH":
            return _diagonal_context(across + down, corners)
        if self._band == "HL":
            across, down = down, across
        return _straight_context(across, down, corners)

    def _columns(self) -> Iterator[tuple[int, range]]:
        """Each column of each stripe, with its rows."""
        for top in range(1, self.height + 1, _STRIPE):
            rows = range(top, min(top + _STRIPE, self.height + 1))
            for column in range(1, self.width + 1):
                yield column, rows


def _straight_context(across: int, down: int, corners: int) -> int:
    if across == 2:
        return 8
    if across == 1:
        return 7 if down else 6 if corners else 5
    return 2 + down if down else min(corners, 2)


def _diagonal_context(straight: int, corners: int) -> int:
    if corners >= 3:
        return 8
    if corners == 2:
        return 7 if straight else 6
    return 3 * corners + min(straight, 2)
