"""Compress and NonZero: what a condition selects. Sources: their pages, Summary and Inputs."""

from __future__ import annotations

from ...arith.grid import Grid, indices, normalize_axis, slices
from ...arith.numbers import Complex, Number, is_zero
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen

_NEGATIVE_AXES = 11


@oracle("Compress")
def compress(call: Call) -> Result:
    """The slices along the axis, or without one the elements, for which the condition is true."""
    data, condition = call.grid("input"), call.grid("condition")
    if data.rank < 1 or condition.rank != 1:
        raise InvalidCallError(f"an input of rank {data.rank}, a condition of {condition.rank}")
    axis = 0
    if "axis" in call.attributes:
        axis = call.int_attribute("axis")
        place = normalize_axis(axis, data.rank)
    else:
        data, place = data.reshaped((len(data.items),)), 0
    if axis < 0 and call.since_version < _NEGATIVE_AXES:
        refuse_if_chosen(call, "negative-axis", "from-the-back")
    size = data.shape[place]
    if len(condition.items) > size:
        refuse_if_chosen(call, "condition-is-longer", "rest-is-ignored")
    chosen = [at for at, kept in enumerate(condition.items[:size]) if kept]
    shape = (*data.shape[:place], len(chosen), *data.shape[place + 1 :])
    return (data.take(slices(data, place, chosen), shape),)


@oracle("NonZero")
def non_zero(call: Call) -> Result:
    """The indices of the elements that are not zero, a column each, in row-major order."""
    data = call.grid("X")
    if data.type == "string" and data.items:
        refuse_if_chosen(call, "zero-of-strings", "empty")
    found = [
        index
        for index, item in zip(indices(data.shape), data.items, strict=True)
        if not _is_zero(item)
    ]
    items = [index[axis] for axis in range(data.rank) for index in found]
    return (Grid("int64", (data.rank, len(found)), items),)


def _is_zero(item: Number) -> bool:
    """Whether an element is zero, or the empty string; NaN is not."""
    if isinstance(item, bytes):
        return not item
    if isinstance(item, Complex):
        return is_zero(item.re) and is_zero(item.im)
    return is_zero(item)
