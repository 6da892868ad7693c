"""ReduceSum, all versions. Source: its page, Summary, Attributes and Inputs.

The axes are an attribute before version 13 and an input since.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...arith.grid import Grid, normalize_axis, reduce_groups, reduced_shape
from ...arith.rounding import is_float
from ...arith.sums import sum_value
from ...errors import InvalidCallError
from ...registry import oracle, refuse_if_chosen
from ..elementwise.arithmetic import held

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...arith.grid import Item
    from ...registry import Call, Result

    Reducer = Callable[[Sequence[object]], Item]

_NEGATIVE_AXES = 11


@oracle("ReduceSum")
def reduce_sum(call: Call) -> Result:
    """The sums over the axes; 0 where there is nothing to add."""
    name = call.grid("data").type

    def total(items: Sequence[object]) -> Item:
        if is_float(name):
            return sum_value(name, items)  # type: ignore[arg-type]  # elements of a float type
        return held(call, name, sum(items), "integer-overflow")  # type: ignore[arg-type]

    return (reduced(call, total),)


def reduced(call: Call, reducer: Reducer) -> Grid:
    """Input `data` reduced over the axes that the call gives; as it is where there are none.

    InvalidCallError for an axis that the data does not have; what an axis given twice is, no page
    says.
    """
    data = call.grid("data")
    given = _axes(call)
    if not given and call.int_attribute("noop_with_empty_axes", 0):
        return data
    axes = tuple(normalize_axis(axis, data.rank) for axis in given) or tuple(range(data.rank))
    if call.since_version < _NEGATIVE_AXES and any(axis < 0 for axis in given):
        refuse_if_chosen(call, "negative-axis", "from-the-back")
    if len(set(axes)) != len(axes):
        refuse_if_chosen(call, "axis-given-twice", "once")
    keep = call.int_attribute("keepdims", 1)
    if keep not in {0, 1}:
        raise InvalidCallError(f"keepdims is {keep}, neither 0 nor 1")
    items = [
        reducer([data.items[place] for place in group]) for group in reduce_groups(data.shape, axes)
    ]
    return Grid(data.type, reduced_shape(data.shape, axes, keep=keep == 1), items)


def _axes(call: Call) -> tuple[int, ...]:
    """The axes as they are given, none for all of them."""
    if call.has("axes"):
        return call.integers("axes")
    return call.ints_attribute("axes", ())
