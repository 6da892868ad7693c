"""OneHot 9 to 28: an axis with one element of its own. Source: the OneHot page, Summary and Inputs.

Indices below 0 are inside of the range since version 11.
"""

from __future__ import annotations

import math

from ...arith.grid import Grid, normalize_axis
from ...arith.numbers import Real, fraction, is_finite
from ...arith.rounding import fits
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen

_NEGATIVE = 11


@oracle("OneHot")
def one_hot(call: Call) -> Result:
    """The on value where the place on the new axis is the index, the off value elsewhere."""
    indices, values = call.grid("indices"), call.grid("values")
    depth = _depth(call)
    if values.shape != (2,):
        raise InvalidCallError(f"values have shape {list(values.shape)}, not [2]")
    axis = call.int_attribute("axis", -1)
    place = normalize_axis(axis, indices.rank + 1)
    if axis < -1 and call.since_version < _NEGATIVE:
        refuse_if_chosen(call, "negative-axis", "from-the-back")
    if not indices.rank:
        refuse_if_chosen(call, "scalar-indices", "vector")
    hot = [_place(call, item, depth) for item in indices.items]
    inner = math.prod(indices.shape[place:])
    off, on = values.items
    items = [
        on if hot[block * inner + offset] == position else off
        for block in range(len(hot) // inner if inner else 0)
        for position in range(depth)
        for offset in range(inner)
    ]
    shape = (*indices.shape[:place], depth, *indices.shape[place:])
    return (Grid(values.type, shape, items),)


def _depth(call: Call) -> int:
    grid = call.grid("depth")
    if grid.rank > 1 or len(grid.items) != 1:
        raise InvalidCallError(f"depth has shape {list(grid.shape)}: one number is due")
    depth = _cast(grid.items[0])
    if depth is None or depth < 0:
        raise InvalidCallError(f"a depth of {grid.items[0]!r}")
    if depth == 0:
        refuse_if_chosen(call, "depth-of-zero", "empty")
    return depth


def _place(call: Call, item: Real, depth: int) -> int | None:
    """The place on the new axis that is on; None where the index is outside of the range."""
    index = _cast(item)
    if index is None:
        refuse_if_chosen(call, "index-beyond-int64", "all-off")
        return None
    if index < 0 and call.since_version < _NEGATIVE:
        reading = call.choose("negative-index", "all-off", "from-the-back", "rejected")
        if reading == "rejected":
            raise InvalidCallError(f"an index of {index}")
        if reading == "all-off":
            return None
    if not -depth <= index < depth:
        return None
    return index % depth


def _cast(item: Real) -> int | None:
    """A number as an int64, its fraction cut off; None where it is none."""
    if isinstance(item, int):
        return item
    if not is_finite(item):
        return None
    whole = int(fraction(item))
    return whole if fits("int64", whole) else None
