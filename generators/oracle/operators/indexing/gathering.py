"""Gather 1 to 13: slices along one axis, by index. Source: the Gather page, Summary and Inputs.

Negative indices count from the back since version 11; before, the page only says that indices are
within bounds. Outside [-s, s - 1] an index is an error.
"""

from __future__ import annotations

from ...arith.grid import normalize_axis, places, strides
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen

_NEGATIVE_INDICES = 11


@oracle("Gather")
def gather(call: Call) -> Result:
    """Data at each index along the axis: the shape of the indices stands in the axis' place."""
    data, indices = call.grid("data"), call.tensor("indices")
    if data.rank < 1:
        raise InvalidCallError("data has rank 0")
    axis = normalize_axis(call.int_attribute("axis"), data.rank)
    size = data.shape[axis]
    positions = []
    for index in call.integers("indices"):
        if not -size <= index < size:
            raise InvalidCallError(f"index {index} is outside [{-size}, {size - 1}]")
        positions.append(index + size if index < 0 else index)
    if positions != list(call.integers("indices")) and call.since_version < _NEGATIVE_INDICES:
        refuse_if_chosen(call, "negative-index", "from-the-back")
    shape = (*data.shape[:axis], *indices.shape, *data.shape[axis + 1 :])
    if 0 in shape:
        return (data.take([], shape),)
    steps = strides(data.shape)
    outer = places(data.shape[:axis], steps[:axis])
    inner = places(data.shape[axis + 1 :], steps[axis + 1 :])
    taken = [
        start + position * steps[axis] + offset
        for start in outer
        for position in positions
        for offset in inner
    ]
    return (data.take(taken, shape),)
