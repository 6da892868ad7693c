"""ReduceSum, ReduceMean, ReduceProd, ReduceSumSquare, ReduceL1, ReduceMax and ReduceMin.

All versions. Sources: their pages, Summary; which axes: axes.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from onnx_conformance.core.values.elements import element_type

from ...accuracy.ends import any_number
from ...accuracy.factors import product_value
from ...accuracy.sums import dot_value, sum_value
from ...arith.grid import Item
from ...arith.numbers import INF, NAN, NEG_INF, ZERO, absolute, fraction, is_finite
from ...arith.rounding import fits, is_float, limits, overflow, wrap
from ...arith.rules import rule
from ...registry import Call, Result, oracle
from ..elementwise.arithmetic import held
from ..elementwise.selecting import extreme
from .axes import reduced


@oracle("ReduceSum")
def reduce_sum(call: Call) -> Result:
    """The sums over the axes; 0 where there is nothing to add."""

    def total(name: str, items: Sequence[Any]) -> Item:
        if is_float(name):
            return sum_value(name, items)
        return held(call, name, sum(items), "integer-overflow")

    return (reduced(call, total),)


@oracle("ReduceMean")
def reduce_mean(call: Call) -> Result:
    """The sums over the axes divided by the number of elements; that of nothing is undefined."""

    def mean(name: str, items: Sequence[Any]) -> Item:
        if not items:
            reading = call.choose("nothing-to-average", "quotient", "zero")
            return 0 if reading == "zero" or not is_float(name) else NAN
        if is_float(name):
            return _float_mean(call, name, items)
        return _whole_mean(call, _sum_in(call, name, sum(items)), len(items))

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


def _sum_in(call: Call, name: str, exact: int) -> int:
    """The sum that a mean is made of, which its type may not hold although it holds the mean."""
    if fits(name, exact):
        return exact
    reading = call.choose("sum-beyond-the-type", "exact", "wraps", "saturates")
    if reading == "wraps":
        return wrap(name, exact)
    low, high = limits(name)
    return exact if reading == "exact" else min(max(exact, low), high)


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


@oracle("ReduceProd")
def reduce_prod(call: Call) -> Result:
    """The products over the axes; 1 where there is nothing to multiply."""

    def product(name: str, items: Sequence[Any]) -> Item:
        if is_float(name):
            return product_value(name, items)
        return held(call, name, math.prod(items), "integer-overflow")

    return (reduced(call, product),)


@oracle("ReduceSumSquare")
def reduce_sum_square(call: Call) -> Result:
    """The sums of the squares over the axes, each element squared also where no axis is reduced."""

    def squares(name: str, items: Sequence[Any]) -> Item:
        if is_float(name):
            return dot_value(name, items, items)
        return held(call, name, sum(item * item for item in items), "integer-overflow")

    return (reduced(call, squares, composite=True),)


@oracle("ReduceL1")
def reduce_l1(call: Call) -> Result:
    """The sums of the absolute elements over the axes, also where no axis is reduced."""

    def norm(name: str, items: Sequence[Any]) -> Item:
        if is_float(name):
            return sum_value(name, [absolute(item) for item in items])
        return held(call, name, sum(map(abs, items)), "integer-overflow")

    return (reduced(call, norm, composite=True),)


@oracle("ReduceMax")
def reduce_max(call: Call) -> Result:
    """The greatest elements over the axes; the least of the type where there is none."""

    def greatest(name: str, items: Sequence[Any]) -> Item:
        return extreme(call, name, items, max) if items else _ends(name)[0]

    return (reduced(call, greatest),)


@oracle("ReduceMin")
def reduce_min(call: Call) -> Result:
    """The least elements over the axes; the greatest of the type where there is none."""

    def least(name: str, items: Sequence[Any]) -> Item:
        return extreme(call, name, items, min) if items else _ends(name)[1]

    return (reduced(call, least),)


def _ends(name: str) -> tuple[Item, Item]:
    """The least and the greatest value of a type: infinities where it has them."""
    if is_float(name):
        return NEG_INF, INF
    return (False, True) if element_type(name).kind == "bool" else limits(name)
