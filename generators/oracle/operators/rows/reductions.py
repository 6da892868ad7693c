"""ReduceSum, ReduceMean, ReduceProd, ReduceSumSquare, ReduceL1, ReduceMax and ReduceMin.

All versions. Sources: their pages, Summary; which axes: axes.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from onnx_conformance.core.values.elements import element_type

from ...accuracy.ends import any_number
from ...accuracy.factors import product_value
from ...accuracy.sums import dot_value, sum_value
from ...arith.grid import Item
from ...arith.numbers import INF, NAN, NEG_INF, ZERO, Real, absolute, fraction, is_finite
from ...arith.rounding import is_float, limits, overflow
from ...arith.rules import rule
from ...registry import Call, Result, oracle
from ..elementwise.arithmetic import held
from ..elementwise.selecting import extreme
from .axes import reduced, sum_in

# Of floats, and of integers of any size.
_OF_FLOATS: dict[str, Callable[[str, Sequence[Real]], Item]] = {
    "ReduceSum": sum_value,
    "ReduceProd": product_value,
    "ReduceSumSquare": lambda name, items: dot_value(name, items, items),
    "ReduceL1": lambda name, items: sum_value(name, [absolute(item) for item in items]),
}
_OF_INTEGERS: dict[str, Callable[[Sequence[int]], int]] = {
    "ReduceSum": sum,
    "ReduceProd": math.prod,
    "ReduceSumSquare": lambda items: sum(item * item for item in items),
    "ReduceL1": lambda items: sum(map(abs, items)),
}


@oracle("ReduceSum")
@oracle("ReduceProd")
@oracle("ReduceSumSquare")
@oracle("ReduceL1")
def reduce_to_sum(call: Call) -> Result:
    """The sums or products over the axes; squares and absolute elements where none is reduced, too.

    The sum of nothing is 0, its product 1.
    """

    def total(name: str, items: Sequence[Any]) -> Item:
        if is_float(name):
            return _OF_FLOATS[call.operator](name, items)
        return held(call, name, _OF_INTEGERS[call.operator](items), "integer-overflow")

    return (reduced(call, total, composite=call.operator in {"ReduceSumSquare", "ReduceL1"}),)


@oracle("ReduceMean")
def reduce_mean(call: Call) -> Result:
    """The sums over the axes divided by the number of elements; that of nothing is undefined."""

    def mean(name: str, items: Sequence[Any]) -> Item:
        if not items:
            reading = call.choose("nothing-to-average", "quotient", "zero")
            return 0 if reading == "zero" or not is_float(name) else NAN
        if is_float(name):
            return _float_mean(call, name, items)
        return _whole_mean(call, sum_in(call, name, sum(items)), len(items))

    return (reduced(call, mean),)


def _float_mean(call: Call, name: str, items: Sequence[Any]) -> Item:
    """The mean of floats, whose sum may be infinite in their type although the mean is not."""
    item = sum_value(name, items, divisor=len(items))
    if not all(map(is_finite, items)):
        return item
    beyond = overflow(name)
    if sum((abs(fraction(x)) for x in items), start=ZERO) < beyond:
        return item
    if call.choose("infinite-sum", "held-wider", "infinite") == "held-wider":
        return item
    total = sum(map(fraction, items), start=ZERO)
    if abs(total) >= beyond:
        return INF if total > 0 else NEG_INF
    why = rule("sum", count=len(items), kept_in=name, gpu_kept_in=name)
    return any_number(total / len(items), why)


def _whole_mean(call: Call, total: int, count: int) -> int:
    """The integer that stands for a mean, which may have a fraction."""
    quotient, rest = divmod(total, count)
    if rest == 0:
        return quotient
    reading = call.choose("fraction-of-a-mean", "truncated", "rounded-down", "nearest")
    if reading == "truncated":
        return quotient + (total < 0)
    if reading == "rounded-down":
        return quotient
    return quotient + (2 * rest > count or (2 * rest == count and quotient % 2 == 1))


@oracle("ReduceMax")
@oracle("ReduceMin")
def reduce_to_extreme(call: Call) -> Result:
    """The greatest or least elements over the axes; of none the other end of the type."""
    greatest = call.operator == "ReduceMax"

    def found(name: str, items: Sequence[Any]) -> Item:
        if not items:
            return _ends(name)[0 if greatest else 1]
        return extreme(call, name, items, max if greatest else min)

    return (reduced(call, found),)


def _ends(name: str) -> tuple[Item, Item]:
    """The least and the greatest value of a type: infinities where it has them."""
    if is_float(name):
        return NEG_INF, INF
    return (False, True) if element_type(name).kind == "bool" else limits(name)
