"""Transpose, all versions: the axes in another order. Source: its page, Summary and Attributes."""

from __future__ import annotations

from ...arith.grid import transpose
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle


@oracle("Transpose")
def transposed(call: Call) -> Result:
    """Axis perm[i] of the data as axis i; without a perm the axes turned round."""
    data = call.grid("data")
    order = call.ints_attribute("perm", tuple(reversed(range(data.rank))))
    if any(axis < 0 for axis in order):
        raise InvalidCallError(f"an axis below 0 in {list(order)}")
    return (transpose(data, order),)
