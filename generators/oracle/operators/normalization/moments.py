"""Means and variances of elements in intervals, and what is made of them.

A variance may be computed in one pass, from the mean of the squares, as the function bodies of
GroupNormalization and MeanVarianceNormalization do; that is an alternative.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...accuracy.profiles import REAL
from ...accuracy.steps import Steps
from ...arith.intervals import Interval, hull
from ...arith.numbers import Real, is_finite
from ...arith.once import each_once, each_pair_once


def moments(steps: Steps, items: Sequence[Real]) -> tuple[Interval, Interval]:
    """The mean and the variance of elements.

    The variance is the mean of the squares of what elements are away from the mean; in steps with
    errors it may also be what the mean of the squares is above the square of the mean.
    """
    given = steps.rounded_all(items)
    mean = steps.mean(given)
    variance = steps.mean(each_once(lambda item: steps.square(steps.sub(item, mean)), given))
    if steps.profile == REAL:
        return mean, variance
    squares = steps.mean(each_once(steps.square, given))
    return mean, hull(variance, steps.max(steps.sub(squares, steps.square(mean)), 0))


def standardized(
    steps: Steps, items: Sequence[Interval], mean: Interval, deviation: Interval
) -> list[Interval]:
    """What elements are away from the mean, divided by the deviation."""
    return each_once(lambda item: steps.div(steps.sub(item, mean), deviation), items)


def scaled_and_shifted(  # noqa: PLR0913, PLR0917  the terms of one formula
    steps: Steps,
    items: Sequence[Interval],
    mean: Interval,
    deviation: Interval,
    scale: Interval,
    bias: Interval,
) -> list[Interval]:
    """(x - mean) / deviation * scale + bias; in steps with errors, also with the mean in the bias.

    That is x * factor + (bias - mean * factor) with scale / deviation as one factor. Scaled before
    it is divided, as the page of InstanceNormalization has it, a product may overflow.
    """
    away = each_once(lambda item: steps.sub(item, mean), items)
    divided = each_once(lambda item: steps.div(item, deviation), away)
    written = each_once(lambda item: steps.add(steps.mul(item, scale), bias), divided)
    if steps.profile == REAL:
        return written
    factor = steps.div(scale, deviation)
    shift = steps.sub(bias, steps.mul(mean, factor))
    fused = each_once(lambda item: steps.add(steps.mul(item, factor), shift), items)
    found = each_pair_once(hull, written, fused)

    def scaled_first(item: Interval, otherwise: Interval) -> Interval:
        early = steps.mul(item, scale)
        if is_finite(early.low) and is_finite(early.high):
            return otherwise  # a rounding, which is in the limits
        return hull(otherwise, steps.add(steps.div(early, deviation), bias))

    return each_pair_once(scaled_first, away, found)
