"""A code-block as the decisions of its bit-planes. Source: T.800, Annex D."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .coder import Coder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Place = tuple[int, int]
_AROUND = [(row, column) for row in (-1, 0, 1) for column in (-1, 0, 1) if row or column]


def written(rows: Sequence[Sequence[int]], band: str) -> tuple[int, int, bytes]:
    """The bit-planes, passes and bytes of a block of coefficients; nothing for one of zeros."""
    numbers = {(y, x): item for y, line in enumerate(rows) for x, item in enumerate(line)}
    planes = max(abs(item) for item in numbers.values()).bit_length()
    if not planes:
        return 0, 0, b""
    block = _Block(numbers, (len(rows), len(rows[0])), band)
    for plane in range(planes - 1, -1, -1):
        block.write_plane(plane, is_first=plane == planes - 1)
    return planes, 3 * planes - 2, block.coder.finish()


class _Block:
    def __init__(self, numbers: dict[Place, int], size: Place, band: str) -> None:
        self.coder = Coder()
        self._numbers, self._size, self._band = numbers, size, band
        self._known: set[Place] = set()  # places that are significant
        self._refined: set[Place] = set()

    def write_plane(self, plane: int, *, is_first: bool) -> None:
        """All three passes; of the first plane the last one alone."""
        done: set[Place] = set()
        if not is_first:
            before = frozenset(self._known)
            for place in self._scan():
                if place not in self._known and self._context(place):
                    done.add(place)
                    self._write_zero(place, plane)
            for place in self._scan():
                if place in before:
                    done.add(place)
                    self.coder.put(self._bit(place, plane), self._refinement(place))
                    self._refined.add(place)
        for stripe in self._stripes():
            self._clean(stripe, done, plane)

    def _clean(self, stripe: list[Place], done: set[Place], plane: int) -> None:
        quiet = not any(place in done or self._context(place) for place in stripe)
        if len(stripe) == 4 and quiet and self._known.isdisjoint(stripe):
            ones = [at for at, place in enumerate(stripe) if self._bit(place, plane)]
            self.coder.put(int(bool(ones)), 17)
            if not ones:
                return
            self.coder.put(ones[0] >> 1, 18)
            self.coder.put(ones[0] & 1, 18)
            self._write_sign(stripe[ones[0]])
            stripe = stripe[ones[0] + 1 :]
        for place in stripe:
            if place not in done and place not in self._known:
                self._write_zero(place, plane)

    def _write_zero(self, place: Place, plane: int) -> None:
        """Whether a coefficient becomes significant, and then its sign."""
        bit = self._bit(place, plane)
        self.coder.put(bit, self._context(place))
        if bit:
            self._write_sign(place)

    def _write_sign(self, place: Place) -> None:
        row, column = place
        beside = self._signs((row, column - 1), (row, column + 1))
        above = self._signs((row - 1, column), (row + 1, column))
        negative = self._numbers[place] < 0
        if beside < 0 or (not beside and above < 0):
            beside, above, negative = -beside, -above, not negative
        self.coder.put(int(negative), 9 + (above if not beside else 3 + above))
        self._known.add(place)

    def _signs(self, *places: Place) -> int:
        """The sum of the signs of two neighbours, at most one."""
        signs = [1 if self._numbers[at] > 0 else -1 for at in places if at in self._known]
        return max(-1, min(1, sum(signs)))

    def _bit(self, place: Place, plane: int) -> int:
        return abs(self._numbers[place]) >> plane & 1

    def _refinement(self, place: Place) -> int:
        if place in self._refined:
            return 16
        return 15 if self._context(place) else 14

    def _context(self, place: Place) -> int:
        """Table D.1, read from its last line to its first."""
        around = {
            step for step in _AROUND if (place[0] + step[0], place[1] + step[1]) in self._known
        }
        corners = sum(1 for row, column in around if row and column)
        beside = sum(1 for row, column in around if not row)
        above = len(around) - corners - beside
        rules: list[Callable[[int, int, int], bool]]
        if self._band == "HH":
            straight = beside + above
            if corners >= 3:
                return 8
            return (0, 3, 6)[corners] + min(straight, (2, 2, 1)[corners])
        if self._band == "HL":
            beside, above = above, beside
        rules = [
            lambda _h, _v, d: d == 1,
            lambda _h, _v, d: d >= 2,
            lambda _h, v, _d: v == 1,
            lambda _h, v, _d: v == 2,
            lambda h, _v, _d: h == 1,
            lambda h, _v, d: h == 1 and d >= 1,
            lambda h, v, _d: h == 1 and v >= 1,
            lambda h, _v, _d: h == 2,
        ]
        met = [at for at, rule in enumerate(rules, 1) if rule(beside, above, corners)]
        return max(met, default=0)

    def _stripes(self) -> Iterator[list[Place]]:
        height, width = self._size
        for top in range(0, height, 4):
            for column in range(width):
                yield [(row, column) for row in range(top, min(top + 4, height))]

    def _scan(self) -> Iterator[Place]:
        for stripe in self._stripes():
            yield from stripe
