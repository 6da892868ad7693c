"""Steps that are taken once for the same operands.

A row of 70,001 elements of which many are one object (`grid.grid_of`) takes as many steps of a
formula as it has different elements, and a sum of terms that are one object is that object so many
times. What is found is what `Steps` finds: no step depends on what was done before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from ..arith.grid import different, each_pair_once
from ..arith.intervals import Interval, coarse, is_finite, product_of
from ..arith.numbers import ONE, ZERO, Real, Special, fraction
from .profiles import IEEE
from .steps import BITS, Operand, Steps


class Remembering(Steps):
    """Steps that remember: two operands that are one object are looked at once."""

    def __init__(self, name: str, profile: str = IEEE, bits: int = BITS) -> None:
        """Steps in a type and a profile."""
        super().__init__(name, profile, bits)
        # The operands are kept with what they gave: while they are, no other has their address.
        self._known: dict[tuple[object, ...], tuple[Interval, tuple[object, ...]]] = {}

    def _once(self, function: Callable[..., Interval], *operands: object) -> Interval:
        key = (function.__name__, *map(id, operands))
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = (function(*operands), operands)
        return found[0]

    def exactly(self, x: Real) -> Interval:
        """As of any Steps."""
        return self._once(super().exactly, x)

    def rounded(self, x: Operand) -> Interval:
        """As of any Steps."""
        return self._once(super().rounded, x)

    def add(self, x: Operand, y: Operand) -> Interval:
        """As of any Steps."""
        return self._once(super().add, x, y)

    def sub(self, x: Operand, y: Operand) -> Interval:
        """As of any Steps."""
        return self._once(super().sub, x, y)

    def mul(self, x: Operand, y: Operand) -> Interval:
        """As of any Steps."""
        return self._once(super().mul, x, y)

    def div(self, x: Operand, y: Operand) -> Interval:
        """As of any Steps."""
        return self._once(super().div, x, y)

    def square(self, x: Operand) -> Interval:
        """As of any Steps."""
        return self._once(super().square, x)

    def absolute(self, x: Operand) -> Interval:
        """As of any Steps."""
        return self._once(super().absolute, x)

    def max(self, x: Operand, y: Operand) -> Interval:
        """As of any Steps."""
        return self._once(super().max, x, y)

    def exp(self, x: Operand) -> Interval:
        """As of any Steps."""
        return self._once(super().exp, x)

    def log(self, x: Operand) -> Interval:
        """As of any Steps."""
        return self._once(super().log, x)

    def sum(self, terms: Sequence[Interval]) -> Interval:
        """As of any Steps."""
        total = self._total(terms)
        if total is None:
            return super().sum(terms)
        return self._accumulated(*total, terms)

    def dot(self, x: Sequence[Interval], y: Sequence[Interval]) -> Interval:
        """As of any Steps."""
        products = each_pair_once(partial(self._once, product_of), x, y)
        total = self._total(products)
        if total is None:
            return super().dot(x, y)
        factors = {**different(x), **different(y)}.values()
        ends = [self.absolute(factor).high for factor in factors]
        finite = [fraction(end) for end in ends if not isinstance(end, Special)]
        return self._accumulated(*total, products, max(finite, default=ONE))

    def _total(self, terms: Sequence[Interval]) -> tuple[Interval, Interval] | None:
        """The sum of finite terms, and that of their absolute values; None if one is not finite."""
        found = different(terms)
        if len(found) == len(terms) or not all(map(is_finite, found.values())):
            return None
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
