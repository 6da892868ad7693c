"""ReduceL2, ReduceLogSum and ReduceLogSumExp, all versions.

Sources: their pages, Summary; the function bodies of version 18. Of integers the result is the
integer that a cast makes of the number, as in the bodies.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ...accuracy.bounds import enclosed
from ...accuracy.ends import any_number
from ...accuracy.profiles import REAL
from ...accuracy.steps import Steps
from ...accuracy.sums import sum_value
from ...arith.grid import AnyOf, Enclosed, Item, value_of
from ...arith.intervals import Interval, point
from ...arith.numbers import INF, NAN, NEG_INF, ZERO, Real, fraction, is_finite, less, real
from ...arith.once import each_once
from ...arith.rationals import Fraction
from ...arith.rounding import greatest, is_float, least_normal, limits, saturate
from ...registry import Call, Result, oracle, refuse_if_chosen
from ..elementwise.powers import no_integer
from .axes import reduced, sum_in

Formula = Callable[[Steps], Interval]

# The first versions with a function body.
_BODY = 18
# Beyond this e**x is no number of any type, and below its negative it is none but 0.
_GREATEST_EXPONENT = 800
# Below this e**x is a number of float64, and so is a sum of some of them.
_SAFE_EXPONENT = 600
# A float64's formula is this near to the exact number at least.
_NEARLY_WHOLE = Fraction(1, 10**9)


@oracle("ReduceL2")
def reduce_l2(call: Call) -> Result:
    """The square roots of the sums of squares over the axes; of integers without the fraction."""

    def norm(name: str, items: Sequence[Any]) -> Item:
        if not is_float(name):
            return _whole_norm(call, name, sum(item * item for item in items))
        if not items:
            return ZERO
        if not all(map(is_finite, items)):
            return NAN if NAN in items else INF
        working = name
        if name == "float64" and call.since_version >= _BODY:
            # The body casts the sum to float32, whatever its type.
            reading = call.choose("root-of-doubles", "in-their-type", "in-float32")
            working = "float32" if reading == "in-float32" else name
        return _enclosed(
            name,
            partial(_root_of_dot, items=items),
            [partial(_root_of_squares, items=items)],
            working,
        )

    return (reduced(call, norm, composite=True),)


def _root_of_dot(steps: Steps, items: Sequence[Real]) -> Interval:
    given = each_once(steps.exactly, items)
    return steps.sqrt(steps.dot(given, given))


def _root_of_squares(steps: Steps, items: Sequence[Real]) -> Interval:
    """As in the body, where each square is rounded to the type, or beyond it."""
    return steps.sqrt(steps.sum(each_once(steps.square, each_once(steps.exactly, items))))


def _whole_norm(call: Call, name: str, total: int) -> int:
    """The root of a sum of squares of integers, which the type may not hold as the body does."""
    total = sum_in(call, name, total)
    if total < 0:
        return limits(name)[0]
    root = math.isqrt(total)
    if root * root == total:
        return saturate(name, root)
    up = (2 * root + 1) ** 2 < 4 * total
    # A root that the type does not hold was asked about above.
    return saturate(name, _whole(call, root, root + 1 if up else root))


def _whole(call: Call, truncated: int, nearest: int) -> int:
    """The integer that stands for a number with a fraction."""
    if call.since_version >= _BODY:
        return truncated
    reading = call.choose("fraction-of-an-integer", "truncated", "nearest")
    return truncated if reading == "truncated" else nearest


@oracle("ReduceLogSum")
def reduce_log_sum(call: Call) -> Result:
    """The logarithms of the sums over the axes."""
    _refuse_integers(call)

    def logarithm(name: str, items: Sequence[Any]) -> Item:
        if not is_float(name):
            return _whole_logarithm(call, name, items)
        if not items:
            return NEG_INF
        if not all(map(is_finite, items)):
            return NAN if NAN in items or NEG_INF in items else INF
        item = _enclosed(name, lambda steps: steps.log(steps.sum(each_once(steps.exactly, items))))
        if _may_cancel(name, items):
            # The terms cancel: the rounded sum may be below zero, which has no logarithm, or not.
            exact = value_of(item)
            return any_number(NEG_INF if exact is NAN else real(exact))
        return item

    return (reduced(call, logarithm, composite=True),)


def _may_cancel(name: str, items: Sequence[Real]) -> bool:
    """Whether a sum in some order may be below zero, and in another not."""
    if len({fraction(item) < 0 for item in items if fraction(item)}) < 2:
        return False
    total = sum_value(name, items)
    if not isinstance(total, Enclosed):
        return False
    return less(real(total.low), ZERO) and not less(real(total.high), ZERO)


def _whole_logarithm(call: Call, name: str, items: Sequence[int]) -> Item:
    """The logarithm of a sum of integers."""
    total = sum_in(call, name, sum(items))
    if total <= 0:
        return no_integer(call, name)
    return _whole_of(call, Steps("float64", REAL).log(total))


@oracle("ReduceLogSumExp")
def reduce_log_sum_exp(call: Call) -> Result:
    """The logarithms of the sums of the powers of e over the axes."""
    _refuse_integers(call)

    def logarithm(name: str, items: Sequence[Any]) -> Item:
        if not is_float(name):
            return _whole_log_sum_exp(call, name, items)
        if NAN in items:
            return NAN
        if INF in items:
            return INF
        numbers = [item for item in items if item is not NEG_INF]
        if not numbers:
            return NEG_INF
        # The bodies compute in float64; without one the type itself is all there is. The page's
        # formula in the type itself is as good where its sum is a normal number.
        wide = "float64" if call.since_version >= _BODY else name
        taken = dict.fromkeys((wide, name) if _sum_is_normal(name, numbers) else (wide,))
        return _enclosed(
            name,
            partial(_shifted, items=numbers),
            [partial(_plain, items=numbers, wide=item) for item in taken],
        )

    return (reduced(call, logarithm, composite=True),)


def _shifted(steps: Steps, items: Sequence[Real]) -> Interval:
    """The greatest element is subtracted before, and added behind: no power is beyond the type."""
    given = each_once(steps.exactly, items)
    greatest = steps.greatest(given)
    powers = each_once(lambda item: steps.exp(steps.sub(item, greatest)), given)
    return steps.add(greatest, steps.log(steps.sum(powers)))


def _plain(steps: Steps, items: Sequence[Real], wide: str) -> Interval:
    """The formula as it stands, in a type, where powers may be infinite, and all of them 0."""
    greatest = max(map(fraction, items))
    if abs(greatest) > _GREATEST_EXPONENT:
        return point(INF if greatest > 0 else NEG_INF)
    inner = steps.in_type(wide)
    powers = each_once(lambda item: inner.exp(inner.exactly(item)), items)
    return inner.log(inner.sum(powers))


def _sum_is_normal(name: str, items: Sequence[Real]) -> bool:
    """Whether the sum of the powers of e is a normal number of a type, as the greatest power is."""
    most = max(map(fraction, items))
    low, high = math.log(least_normal(name)), math.log(greatest(name)) - math.log(len(items))
    return low + 1 < most < high - 1


def _whole_log_sum_exp(call: Call, name: str, items: Sequence[int]) -> Item:
    if not items or abs(max(items)) > _SAFE_EXPONENT:
        # Infinite in the body, which no integer is.
        return no_integer(call, name)
    # The power of an integer so far below the greatest is nothing beside it, in any type.
    least = max(items) - _GREATEST_EXPONENT
    given = [Fraction(item) for item in items if item >= least]
    return _whole_of(call, _shifted(Steps("float64", REAL), given))


def _refuse_integers(call: Call) -> None:
    """Log takes no integers: a runtime may refuse them, with nothing to reduce as well."""
    if not is_float(call.grid("data").type):
        refuse_if_chosen(call, "logarithm-of-integers", "converted")


def _whole_of(call: Call, narrow: Interval) -> Item:
    """The integer for a number; of one that is whole, a step of it may have left a bit less."""
    value = (fraction(narrow.low) + fraction(narrow.high)) / 2
    nearest = round(value)
    if abs(value - nearest) < _NEARLY_WHOLE:
        return AnyOf((nearest, nearest - 1 if nearest > 0 else nearest + 1))
    readings = {
        "truncated": math.trunc(value),
        "rounded-down": math.floor(value),
        "nearest": nearest,
    }
    return readings[call.choose("fraction-of-a-logarithm", *readings)]


def _enclosed(
    name: str, formula: Formula, alternatives: Sequence[Formula] = (), working: str | None = None
) -> Item:
    # A sum with its roundings reaches below zero, where root and logarithm are NaN: no sum of
    # squares or powers does, and `_may_cancel` says where others do.
    return enclosed(name, formula, alternatives=alternatives, working=working, nan=False)
