"""Steps that are taken once for the same operands.

A row of 70,001 elements of which many are one object (`grid.grid_of`) takes as many steps of a
formula as it has different elements, and a sum of terms that are one object is that object so many
times. What is found is what `Steps` finds: no step depends on what was done before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar, cast

from ..arith.intervals import Interval, coarse, is_finite, product_of
from ..arith.numbers import ZERO, fraction
from ..arith.once import different, each_pair_once
from .profiles import IEEE
from .steps import BITS, Steps

Method = TypeVar("Method", bound="Callable[..., Interval]")


def _once(step: Method) -> Method:
    """A step of any Steps, taken once for operands that are the same objects."""

    def taken(self: Remembering, *operands: object) -> Interval:
        return self.once(step.__name__, partial(step, self), *operands)

    return cast("Method", taken)


class Remembering(Steps):
    """Steps that remember: two operands that are one object are looked at once."""

    def __init__(self, name: str, profile: str = IEEE, bits: int = BITS) -> None:
        """Steps in a type and a profile."""
        super().__init__(name, profile, bits)
        # The operands are kept with what they gave: while they are, no other has their address.
        self._known: dict[tuple[object, ...], tuple[Interval, tuple[object, ...]]] = {}

    exactly = _once(Steps.exactly)
    rounded = _once(Steps.rounded)
    add = _once(Steps.add)
    sub = _once(Steps.sub)
    mul = _once(Steps.mul)
    div = _once(Steps.div)
    square = _once(Steps.square)
    absolute = _once(Steps.absolute)
    max = _once(Steps.max)
    exp = _once(Steps.exp)
    log = _once(Steps.log)

    def once(self, name: str, function: Callable[..., Interval], *operands: object) -> Interval:
        """What a function of this name gives, remembered."""
        key = (name, *map(id, operands))
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = (function(*operands), operands)
        return found[0]

    def _products(self, x: Sequence[Interval], y: Sequence[Interval]) -> list[Interval]:
        return each_pair_once(partial(self.once, "product_of", product_of), x, y)

    def _totals(self, terms: Sequence[Interval]) -> tuple[Interval, Interval]:
        found = different(terms)
        if len(found) == len(terms) or not all(map(is_finite, found.values())):
            return super()._totals(terms)
        low = high = magnitude_low = magnitude_high = ZERO
        nan = False
        for place, count in Counter(map(id, terms)).items():
            term = found[place]
            size = self.absolute(term)
            low, high = low + count * fraction(term.low), high + count * fraction(term.high)
            magnitude_low += count * fraction(size.low)
            magnitude_high += count * fraction(size.high)
            nan = nan or term.nan
        total = coarse(Interval(low, high, nan), self.bits)
        return total, Interval(magnitude_low, magnitude_high, nan)
