"""Which axes a reduction takes, and what is left of them.

Sources: the pages of Reduce*, Summary, Attributes and Inputs. The axes are an attribute in the
older versions and an input in the newer ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from ...arith.grid import Grid, Item, normalize_axis, reduce_groups, reduced_shape
from ...arith.rounding import fits, saturate, wrap
from ...registry import Call, refuse_if_chosen
from ..flags import is_set

# Of an element type and the elements that become one.
Reducer: TypeAlias = Callable[[str, Sequence[Any]], Item]

_NEGATIVE_AXES = 11


def reduced(call: Call, reducer: Reducer, *, composite: bool = False) -> Grid:
    """Input `data` reduced over the axes that the call gives; as it is where there are none.

    With `composite` each element is reduced by itself there: it is squared, or its logarithm is
    computed. InvalidCallError for an axis that the data does not have; what an axis given twice is,
    and whether a scalar names an axis, no page says.
    """
    data = call.grid("data")
    given = _axes(call)
    keep = kept(call)
    if not given and _reduces_nothing(call):
        return data.map(lambda item: reducer(data.type, [item])) if composite else data
    axes = tuple(normalize_axis(axis, data.rank) for axis in given) or tuple(range(data.rank))
    if call.since_version < _NEGATIVE_AXES and any(axis < 0 for axis in given):
        refuse_if_chosen(call, "negative-axis", "from-the-back")
    if len(set(axes)) != len(axes):
        refuse_if_chosen(call, "axis-given-twice", "once")
    items = [
        reducer(data.type, [data.items[place] for place in group])
        for group in reduce_groups(data.shape, axes)
    ]
    return Grid(data.type, reduced_shape(data.shape, axes, keep=keep), items)


def kept(call: Call) -> bool:
    """Whether a reduced axis is left with size 1; the page says what 1 and 0 mean."""
    return is_set(call, "keepdims", 1, readings=("kept", "gone"))


def _reduces_nothing(call: Call) -> bool:
    """Whether a node without axes leaves the data as it is."""
    if not call.has("axes") and "axes" in call.attributes:
        # An attribute that is there is not the default, which alone stands for all axes.
        return call.choose("no-axes-in-the-list", "all", "none") == "none"
    return call.int_attribute("noop_with_empty_axes", 0) != 0


def _axes(call: Call) -> tuple[int, ...]:
    """The axes as they are given, none for all of them."""
    if call.has("axes"):
        if call.tensor("axes").shape == ():
            refuse_if_chosen(call, "axes-of-rank-0", "one-axis")
        return call.integers("axes")
    return call.ints_attribute("axes", ())


def sum_in(call: Call, name: str, exact: int) -> int:
    """A sum on the way to a result, which the type of integers may not hold."""
    if fits(name, exact):
        return exact
    ways = {"exact": exact, "wraps": wrap(name, exact), "saturates": saturate(name, exact)}
    return ways[call.choose("sum-beyond-the-type", *ways)]
