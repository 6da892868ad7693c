"""The Lp norm of elements, for LpPool and GlobalLpPool. Source: their pages, Summary."""

from __future__ import annotations

from collections.abc import Sequence

from ...accuracy.bounds import dot_bound, enclosed, within_ulps
from ...accuracy.profiles import accumulator
from ...accuracy.steps import Steps
from ...accuracy.sums import scaled, sum_value
from ...arith.elementary import Enclosure
from ...arith.grid import AnyOf, Item
from ...arith.intervals import Interval, root
from ...arith.numbers import NAN, ZERO, Real, absolute, fraction, from_float, is_finite, is_zero
from ...arith.once import each_once
from ...arith.rationals import Fraction
from ...arith.rounding import float_format, unit_roundoff
from ...registry import Call, refuse_if_chosen

# Squares of numbers between these are far from the ends of float32.
_LEAST, _GREATEST = Fraction(1, 2**40), Fraction(2**40)
# Of two powers that are computed as such.
_ULPS = 3
# A sum may be computed as a mean times a count; PyTorch and the reference do so.
_SCALED = 3


def norm(call: Call, name: str, items: Sequence[Real]) -> Item:
    """The p-th root of the sum of the absolute elements to the power of p; of nothing 0."""
    p = from_float(float(call.attribute("p")))
    if not isinstance(p, (int, Fraction)) or p <= 0:
        refuse_if_chosen(call, "no-norm", "formula")
        return AnyOf((NAN, ZERO))
    if not items:
        return ZERO
    sizes = each_once(absolute, items)
    if p == 1:
        if not all(map(is_finite, sizes)):
            return sum_value(name, sizes)
        total, _ = scaled(sizes).total()
        return dot_bound(name, total, total, len(sizes) + _SCALED)
    if p == 2 and all(map(_is_ordinary, {id(size): size for size in sizes}.values())):
        return _euclidean(name, sizes)

    def formula(steps: Steps, *given: Interval) -> Interval:
        total = steps.sum([steps.pow(item, Fraction(p)) for item in given])
        return steps.pow(total, steps.div(1, Fraction(p)))

    return enclosed(name, formula, *sizes)


def _is_ordinary(size: Real) -> bool:
    return is_finite(size) and (is_zero(size) or _LEAST <= fraction(size) <= _GREATEST)


def _euclidean(name: str, sizes: Sequence[Real]) -> Item:
    """The root of the sum of squares, with the roundings of the sum: half of them count."""
    one = scaled(sizes)
    total, _ = one.dot(one)
    if total == 0:
        return sum_value(name, sizes)
    found = root(total, float_format(name).width + 32)
    roundings = Fraction(len(sizes) + 2 + _SCALED, 2)
    kept_in = unit_roundoff(accumulator(name)) / unit_roundoff(name)
    return within_ulps(
        name,
        Enclosure(fraction(found.low), fraction(found.high)),
        roundings * kept_in + _ULPS,
        gpu=roundings + _ULPS + 3,
    )
