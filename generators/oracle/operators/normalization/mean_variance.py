"""MeanVarianceNormalization, all versions. Source: its page, Summary, Attributes, function body."""

from __future__ import annotations

from collections.abc import Sequence

from ...accuracy.bounds import enclosed_all
from ...accuracy.profiles import REAL
from ...accuracy.steps import Steps
from ...arith.grid import EITHER_ZERO, Item, each_group, normalize_axes, reduce_groups
from ...arith.intervals import Interval, hull
from ...arith.numbers import NAN, Real, fraction, from_float, is_finite
from ...registry import Call, Result, oracle, refuse_if_chosen
from .moments import moments, standardized

# The float32 in the function body.
_EPSILON = fraction(from_float(9.999999717180685e-10))
_REDUCTION_FROM_THE_BACK = 13


@oracle("MeanVarianceNormalization")
def mean_variance_normalization(call: Call) -> Result:
    """What elements are away from their mean, divided by the deviation.

    Mean and deviation are over `axes`, those of (N, C, H, W) but C by default; the shape stays. An
    element is within the limits of the formula by either variance, with or without what the
    function body adds to the deviation; a row of equal elements is asked. Refused: an axis that
    does not exist or is there twice.
    """
    x = call.grid("X")
    given = call.ints_attribute("axes", (0, 2, 3))
    axes = normalize_axes(given, x.rank)
    if not given and call.choose("no-axes-in-the-list", "all", "none") == "all":
        axes = tuple(range(x.rank))
    if call.since_version < _REDUCTION_FROM_THE_BACK and any(axis < 0 for axis in given):
        # The ReduceMean of the function body has negative axes since version 11.
        refuse_if_chosen(call, "negative-axes", "from-the-back")
    if x.type != "float32":
        # The constants of the function body are float32, and its steps have one type.
        refuse_if_chosen(call, "constants-of-another-type", "computed")

    def normalized(row: Sequence[Real]) -> list[Item]:
        constant = all(item == row[0] and is_finite(item) for item in row)
        return _constant(call, row) if constant else _standardized(x.type, row)

    return (each_group(x, reduce_groups(x.shape, axes), normalized),)


def _constant(call: Call, row: Sequence[Real]) -> list[Item]:
    """Equal elements, whose mean no rounding of a sum makes another number."""
    # The page divides 0 by 0; the function body of the same page adds to the deviation.
    if call.choose("constant-row", "function-body", "formula") == "formula":
        return [NAN] * len(row)
    return [EITHER_ZERO] * len(row)


def _standardized(name: str, row: Sequence[Real]) -> list[Item]:
    """By either variance, with or without what the function body adds to the deviation."""

    def formula(steps: Steps) -> list[Interval]:
        mean, variance = moments(steps, row)
        deviation = steps.sqrt(variance)
        if steps.profile != REAL:
            deviation = hull(deviation, steps.add(deviation, _EPSILON))
        return standardized(steps, steps.rounded_all(row), mean, deviation)

    return enclosed_all(name, formula)
