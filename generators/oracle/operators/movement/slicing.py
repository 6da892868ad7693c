"""Slice 1 to 13: a part of a tensor, each axis from a start to an end by steps.

Source: the Slice page, Summary, Inputs and Attributes. Starts, ends and axes are attributes in
version 1; version 10 has steps; axes below 0 are described since version 11, and what is done with
starts and ends outside of the axis, in full, since version 13.
"""

from __future__ import annotations

from ...arith.grid import normalize_axis, places, strides
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen

_INPUTS = 10
_NEGATIVE_AXES = 11
_CLAMPING_IS_STATED = 13


@oracle("Slice")
def slice_(call: Call) -> Result:
    """The elements at start, start + step, ... before the end, along each of the axes."""
    data = call.grid("data")
    ranges = [range(size) for size in data.shape]
    for axis, start, end, step in _bounds(call, data.rank):
        ranges[axis] = _range(call, data.shape[axis], start, end, step)
    own = strides(data.shape)
    shape = tuple(len(item) for item in ranges)
    first = sum(item[0] * step for item, step in zip(ranges, own, strict=True) if item)
    steps = [item.step * step for item, step in zip(ranges, own, strict=True)]
    return (data.take(places(shape, steps, first), shape),)


def _bounds(call: Call, rank: int) -> list[tuple[int, int, int, int]]:
    """Of each axis that is cut: which it is, where it starts, ends, and by what steps."""
    starts, ends = _list(call, "starts"), _list(call, "ends")
    axes, steps = _list(call, "axes"), _list(call, "steps")
    if starts is None or ends is None:
        raise InvalidCallError("starts or ends are absent")
    given_axes = tuple(range(len(starts))) if axes is None else axes
    given_steps = (1,) * len(starts) if steps is None else steps
    if not len(starts) == len(ends) == len(given_axes) == len(given_steps):
        raise InvalidCallError("starts, ends, axes and steps are not of one length")
    settled = [normalize_axis(axis, rank) for axis in given_axes]
    if 0 in given_steps:
        raise InvalidCallError("a step of 0")
    if len(set(settled)) < len(settled):
        reading = call.choose("repeated-axis", "last-one-holds", "rejected")
        if reading == "rejected":
            raise InvalidCallError("an axis is repeated")
    if any(axis < 0 for axis in given_axes) and call.since_version < _NEGATIVE_AXES:
        refuse_if_chosen(call, "negative-axis", "from-the-back")
    if axes is None and len(starts) < rank and call.since_version >= _INPUTS:
        refuse_if_chosen(call, "fewer-starts-than-axes", "first-axes")
    return list(zip(settled, starts, ends, given_steps, strict=True))


def _list(call: Call, name: str) -> tuple[int, ...] | None:
    """A list that is an attribute or an input of rank 1; None where it is absent."""
    if call.since_version < _INPUTS:
        return call.ints_attribute(name) if name in call.attributes else None
    return call.integers(name, rank=1) if call.has(name) else None


def _range(call: Call, size: int, start: int, end: int, step: int) -> range:
    """The indices that are selected from an axis of a size."""
    if size == 0:
        return range(0)
    begin = start + size if start < 0 else start
    stop = end + size if end < 0 else end
    if step > 0:
        return range(min(max(begin, 0), size), min(max(stop, 0), size), step)
    if begin < 0 and stop < 0 and call.since_version < _CLAMPING_IS_STATED:
        reading = call.choose("backwards-from-before-the-first", "from-the-first", "nothing")
        if reading == "nothing":
            return range(0)
    return range(min(max(begin, 0), size - 1), min(max(stop, -1), size - 1), step)
