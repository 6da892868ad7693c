"""Squeeze and Unsqueeze, all versions: axes of size 1 removed and inserted.

Source: the pages of both, Summary. The axes are an attribute before version 13 and an input since;
negative ones count from the back since version 11.
"""

from __future__ import annotations

from dataclasses import replace

from ...arith.grid import normalize_axis
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen

_AXES_ARE_AN_INPUT = 13
_NEGATIVE_AXES = 11
_AXES_HAVE_RANK_1 = 23


@oracle("Squeeze")
def squeeze(call: Call) -> Result:
    """`data` without the axes, or without every axis of size 1 where none are given."""
    data = call.tensor("data")
    ones = tuple(axis for axis, size in enumerate(data.shape) if size == 1)
    axes = _axes(call)
    gone = ones if axes is None else _counted(call, axes, len(data.shape))
    if axes is not None and len(set(gone)) < len(gone):
        refuse_if_chosen(call, "repeated-axis", "once")
    for axis in gone:
        if data.shape[axis] != 1:
            raise InvalidCallError(f"axis {axis} has size {data.shape[axis]}, not 1")
    if axes == () and ones:
        reading = call.choose("empty-axes", "nothing", "all-of-size-1")
        gone = ones if reading == "all-of-size-1" else ()
    kept = tuple(size for axis, size in enumerate(data.shape) if axis not in gone)
    return (replace(data, shape=kept),)


@oracle("Unsqueeze")
def unsqueeze(call: Call) -> Result:
    """`data` with axes of size 1 at these places of the result."""
    data = call.tensor("data")
    axes = _axes(call)
    if axes is None:
        raise InvalidCallError("no axes are given")
    rank = len(data.shape) + len(axes)
    added = _counted(call, axes, rank)
    if len(set(added)) < len(added):
        raise InvalidCallError(f"an axis is given twice in {list(axes)}")
    sizes = iter(data.shape)
    shape = tuple(1 if axis in added else next(sizes) for axis in range(rank))
    return (replace(data, shape=shape),)


def _axes(call: Call) -> tuple[int, ...] | None:
    """The axes as they are given, None where they are not."""
    if call.since_version < _AXES_ARE_AN_INPUT:
        return call.ints_attribute("axes") if "axes" in call.attributes else None
    if not call.has("axes"):
        return None
    axes = call.tensor("axes")
    if len(axes.shape) > 1 or (not axes.shape and call.since_version >= _AXES_HAVE_RANK_1):
        raise InvalidCallError(f"axes have rank {len(axes.shape)}, not 1")
    if not axes.shape:
        refuse_if_chosen(call, "axes-of-rank-0", "one-axis")
    return call.integers("axes")


def _counted(call: Call, axes: tuple[int, ...], rank: int) -> tuple[int, ...]:
    """The axes counted from the front; InvalidCallError outside the rank."""
    if call.since_version < _NEGATIVE_AXES and any(axis < 0 for axis in axes):
        raise InvalidCallError(f"a negative axis in {list(axes)}")
    return tuple(normalize_axis(axis, rank) for axis in axes)
