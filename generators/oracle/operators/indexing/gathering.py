"""Gather 1 to 13: slices along one axis, by index. Source: the Gather page, Summary and Inputs.

Negative indices count from the back since version 11; before, the page only says that indices are
within bounds. Outside [-s, s - 1] an index is an error.
"""

from __future__ import annotations

from ...arith.grid import inside, normalize_axis, slices
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
    positions = [inside(index, data.shape[axis]) for index in call.integers("indices")]
    if positions != list(call.integers("indices")) and call.since_version < _NEGATIVE_INDICES:
        refuse_if_chosen(call, "negative-index", "from-the-back")
    shape = (*data.shape[:axis], *indices.shape, *data.shape[axis + 1 :])
    return (data.take([] if 0 in shape else slices(data, axis, positions), shape),)
