"""Partial sums that overflow where the sum does not: infinities, and NaN where both signs do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..arith.intervals import Interval, is_finite
from ..arith.numbers import INF, NAN, NEG_INF, ZERO, Real, fraction
from ..arith.once import different
from ..arith.rationals import Fraction
from ..arith.rounding import Rounding, unit_roundoff
from .profiles import accumulator, moved


def above_and_below(terms: Sequence[Interval]) -> tuple[Fraction, Fraction]:
    """What the finite terms may come to that are above zero, and how far below it the others."""
    # Of a long row many terms are one object.
    found = different(terms)
    above = below = ZERO
    for place, count in Counter(map(id, terms)).items():
        low, high = fraction(found[place].low), fraction(found[place].high)
        if high > 0:
            above += count * high
        if low < 0:
            below -= count * low
    return above, below


def with_partial_sums(total: Interval, above: Fraction, below: Fraction, kept_in: str) -> Interval:
    """A sum that may be infinite besides, where the terms of one sign overflow on their own.

    A partial sum of theirs stays infinite, and turns to NaN where the others overflow too. Where
    all terms have one sign, that of the total says it all.

    Args:
        total: the sum with its roundings.
        above: what the terms above zero come to at most, with the error of the sum.
        below: how far below zero the others may come, with the error of the sum.
        kept_in: the type of partial sums.
    """
    up, down = (_overflows(kept_in, most) for most in (above, below))
    if total.low is NAN:
        return total
    return Interval(
        NEG_INF if down else total.low,
        INF if up else total.high,
        total.nan or (up and down),
    )


def overflows_against(total: Real, terms: Sequence[Interval], name: str, profile: str) -> bool:
    """Whether the finite terms of the other sign may overflow beside an infinite one."""
    above, below = above_and_below([term for term in terms if is_finite(term)])
    against = below if total is INF else above
    error = (len(terms) + 1) * unit_roundoff(name) * against
    return _overflows(accumulator(name, profile), against + error)


def _overflows(kept_in: str, most: Fraction) -> bool:
    return moved(kept_in, most, ZERO, Rounding.UP) is INF
