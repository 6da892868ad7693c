"""Dot products of exact vectors, and weighted sums of them, as intervals.

As Steps.dot, but with the exact vectors as integers of one denominator, as in arith/sums.py: an
attention has some thousand products, and intervals of fractions take a second for these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...accuracy.profiles import GPU, REAL, accumulated_error, accumulator
from ...accuracy.steps import Steps
from ...accuracy.sums import Scaled, scaled
from ...arith.intervals import Interval, coarse, point, product_of
from ...arith.numbers import INF, NEG_INF, ONE, ZERO, Real, fraction, is_finite
from ...arith.rationals import Fraction
from ...arith.rounding import greatest, least_normal, least_subnormal, unit_roundoff


@dataclass(frozen=True)
class Pair:
    """The product of two exact vectors.

    Attributes:
        exact: the sum of the products.
        magnitude: the sum of the absolute products.
        factors: the sum of all absolute factors.
        largest: the greatest absolute factor.
        count: how many products there are.
    """

    exact: Fraction
    magnitude: Fraction
    factors: Fraction
    largest: Fraction
    count: int


def pair_of(one: Sequence[Real], other: Sequence[Real]) -> Pair | None:
    """The product of two vectors; None where an element is not finite."""
    if not all(map(is_finite, (*one, *other))):
        return None
    first, second = scaled(one), scaled(other)
    exact, magnitude = first.dot(second)
    factors = first.total()[1] + second.total()[1]
    return Pair(exact, magnitude, factors, max(first.largest(), second.largest()), len(one))


def scaled_product(steps: Steps, pair: Pair, factor: Interval, root: Interval) -> Interval:
    """The product times scale, which may be applied before the sum, in halves, or after it.

    Args:
        steps: the arithmetic.
        pair: the exact product.
        factor: its factor: the scale, or the root of the scale twice.
        root: the square root of the scale, in the type of the vectors.
    """
    if steps.profile == REAL:
        return steps.mul(point(pair.exact), factor)
    if pair.largest and pair.largest * fraction(root.high) > greatest(steps.name):
        # Half of the scale makes a factor infinite, and infinity times zero is NaN.
        return Interval(NEG_INF, INF, nan=True)
    if pair.magnitude == 0:
        return point(ZERO)
    magnitude = pair.magnitude * fraction(factor.high)
    most = max(fraction(root.high), ONE)
    sums = accumulator(steps.name, steps.profile)
    error = accumulated_error(
        sums, magnitude, pair.count, profile=steps.profile, largest=pair.largest * most
    )
    if factor != point(ONE):
        # Each factor is rounded when it is scaled, or the sum is.
        error += 3 * unit_roundoff(steps.name) * magnitude
        lost = least_subnormal(steps.name)
        if steps.profile == GPU:
            lost = 2 * least_normal(steps.name)
        error += lost * most * pair.factors
    found = product_of(point(pair.exact), factor)
    return steps.rounded(Interval(fraction(found.low) - error, fraction(found.high) + error))


class Weights:
    """Weights as intervals, to be multiplied by several columns of exact values."""

    def __init__(self, weights: Sequence[Interval]) -> None:
        """Weights whose ends are finite binary fractions."""
        self._low = scaled([item.low for item in weights])
        self._high = scaled([item.high for item in weights])

    @staticmethod
    def are_finite(weights: Sequence[Interval]) -> bool:
        """Whether all values that the weights may have are finite."""
        return all(
            not item.nan and is_finite(item.low) and is_finite(item.high) for item in weights
        )

    def sum_of(self, steps: Steps, values: Sequence[Real]) -> Interval:
        """The sum of the finite values, each times its weight."""
        given = scaled(values)
        above = Scaled(tuple(max(item, 0) for item in given.integers), given.shift)
        below = Scaled(tuple(max(-item, 0) for item in given.integers), given.shift)
        low = self._low.dot(above)[0] - self._high.dot(below)[0]
        high = self._high.dot(above)[0] - self._low.dot(below)[0]
        if steps.profile == REAL:
            return coarse(Interval(low, high), steps.bits)
        error = ZERO
        if len(values) > 1:
            error = accumulated_error(
                accumulator(steps.name, steps.profile),
                self._high.dot(given)[1],
                len(values),
                profile=steps.profile,
                largest=max(given.largest(), ONE),
            )
        return steps.rounded(Interval(low - error, high + error))
