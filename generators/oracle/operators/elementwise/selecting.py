"""Max, Min, Sum, Mean and Where: elements at one place of several tensors.

Sources: their pages, Summary. Before version 8 the variadic ones require equal shapes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...accuracy.bounds import rounded
from ...accuracy.sums import sum_value
from ...arith.grid import EITHER_ZERO, AnyOf, Item, combine
from ...arith.numbers import NAN, NEG_ZERO, ZERO, Real, add, is_nan, is_zero, order
from ...arith.rounding import is_float
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle

_NUMPY_BROADCASTING = 8


_EXTREMES = {"Max": max, "Min": min}


@oracle("Max")
@oracle("Min")
def greatest_or_least(call: Call) -> Result:
    """The greatest or the least of the elements; what it is with a NaN among them is left open."""
    choose = _EXTREMES[call.operator]
    return _of_all(call, lambda name, items: extreme(call, name, items, choose))


@oracle("Sum")
def total(call: Call) -> Result:
    """The sum of the elements, added in any order, in their own type."""
    return _of_all(call, _sum)


def _sum(name: str, items: Sequence[Real]) -> Item:
    if all(item is NEG_ZERO for item in items):
        return AnyOf((NEG_ZERO, ZERO))  # a sum may start from 0
    if len(items) == 1:
        return items[0]
    if len(items) == 2:
        return rounded(name, add, *items)
    return sum_value(name, items, kept_in=name)


@oracle("Mean")
def mean(call: Call) -> Result:
    """The sum of the elements, added in any order, divided by their number."""
    return _of_all(
        call, lambda name, items: sum_value(name, items, divisor=len(items), kept_in=name)
    )


def _of_all(call: Call, function: Callable[[str, Sequence[Real]], Item]) -> Result:
    grids = call.grids("data_0")
    if not grids:
        raise InvalidCallError("no input is given")
    first = grids[0]
    if any(grid.type != first.type for grid in grids):
        raise InvalidCallError("the inputs have different element types")
    if call.since_version < _NUMPY_BROADCASTING and any(
        grid.shape != first.shape for grid in grids
    ):
        raise InvalidCallError("the inputs have different shapes")
    return (combine(first.type, lambda *items: function(first.type, items), *grids),)


def extreme(
    call: Call,
    name: str,
    items: Sequence[Real],
    choose: Callable[..., Real],
    question: str = "nan-among-inputs",
) -> Item:
    """The greatest or the least element, by `max` or `min`; there must be at least one.

    Among zeros of both signs either is permitted; what NaN among numbers gives is the question.
    """
    if not is_float(name):
        return choose(items)
    numbers = [item for item in items if not is_nan(item)]
    if len(items) == 1 or not numbers:
        return items[0]
    if len(numbers) < len(items):
        reading = call.choose(question, "propagates", "ignored")
        if reading == "propagates":
            return NAN
    found = choose(numbers, key=order)
    if is_zero(found) and {ZERO, NEG_ZERO} <= set(numbers):
        return EITHER_ZERO
    return found


@oracle("Where")
def where(call: Call) -> Result:
    """The element of X if the condition is true, else that of Y."""
    one, other = call.grid("X"), call.grid("Y")
    if one.type != other.type:
        raise InvalidCallError(f"X is {one.type} and Y is {other.type}")
    condition = call.grid("condition")
    return (combine(one.type, lambda taken, x, y: x if taken else y, condition, one, other),)
