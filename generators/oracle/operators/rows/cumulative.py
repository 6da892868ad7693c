"""CumSum and CumProd, all versions: each element with those before it along an axis.

Sources: their pages, Summary, Attributes and Inputs. Each result is an element of the output, and
the next may be made from it: what is added up stays in the type of the input.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ...accuracy.factors import product_value
from ...accuracy.sums import sum_value
from ...arith.grid import Item, each_group, lines, normalize_axis
from ...arith.rounding import is_float
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle
from ..elementwise.arithmetic import held
from ..flags import is_set

Whole = Callable[[Sequence[Any]], Item]


@oracle("CumSum")
def cumulative_sum(call: Call) -> Result:
    """The sums of the elements up to each one.

    The shape and the type stay. `exclusive` leaves the element itself out, `reverse` begins at the
    end. A float is within the limits of a sum of so many elements; an integer that does not fit is
    asked. Refused: an axis that is no scalar or does not exist.
    """
    name = call.grid("x").type

    def total(items: Sequence[Any]) -> Item:
        if len(items) == 1 and not call.int_attribute("exclusive", 0):
            return items[0]  # type: ignore[no-any-return]  # the first element is copied
        if is_float(name):
            return sum_value(name, items, kept_in=name)
        return held(call, name, sum(items), "integer-overflow")

    return _cumulative(call, total)


@oracle("CumProd")
def cumulative_product(call: Call) -> Result:
    """The products of the elements up to each one."""
    name = call.grid("x").type

    def product(items: Sequence[Any]) -> Item:
        if is_float(name):
            return product_value(name, items, kept_in=name)
        return held(call, name, math.prod(items), "integer-overflow")

    return _cumulative(call, product)


def _cumulative(call: Call, whole: Whole) -> Result:
    grid = call.grid("x")
    if call.grid("axis").shape:
        raise InvalidCallError("the axis is no 0-D tensor")
    axis = normalize_axis(call.integer("axis"), grid.rank)
    exclusive, reverse = is_set(call, "exclusive", 0), is_set(call, "reverse", 0)
    along = [line[::-1] if reverse else line for line in lines(grid.shape, axis)]

    def sums(row: Sequence[Any]) -> list[Item]:
        return [whole(row[: place if exclusive else place + 1]) for place in range(len(row))]

    return (each_group(grid, along, sums),)
