"""Concat 1 to 25: tensors joined along an axis. Source: the Concat page, Summary and Attributes.

The axis is 1 by default in version 1 and required since; it may be negative since version 11, and
before no page says what a negative one is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...arith.grid import Grid, normalize_axis
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen

_NEGATIVE_AXES = 11
_AXIS_REQUIRED = 4


@oracle("Concat")
def concat(call: Call) -> Result:
    """The inputs one after the other along the axis; all their other dimensions are the same."""
    axis = call.int_attribute("axis", 1 if call.since_version < _AXIS_REQUIRED else None)
    joined = join(call.grids("inputs"), axis)
    if axis < 0 and call.since_version < _NEGATIVE_AXES:
        refuse_if_chosen(call, "negative-axis", "from-the-back")
    return (joined,)


def join(grids: tuple[Grid, ...], axis: int) -> Grid:
    """Grids one after the other along an axis, which may be negative.

    InvalidCallError where there are none, or types, ranks or other dimensions differ.
    """
    if not grids:
        raise InvalidCallError("nothing to join")
    first = grids[0]
    place = normalize_axis(axis, first.rank)
    for grid in grids[1:]:
        if grid.type != first.type:
            raise InvalidCallError(f"{grid.type} does not join {first.type}")
        if grid.rank != first.rank or _others(grid, place) != _others(first, place):
            raise InvalidCallError(
                f"shapes {list(first.shape)} and {list(grid.shape)} do not join on axis {place}"
            )
    size = sum(grid.shape[place] for grid in grids)
    shape = (*first.shape[:place], size, *first.shape[place + 1 :])
    inner = math.prod(shape[place + 1 :])
    items: list[object] = []
    if size and inner:
        for block in range(math.prod(shape[:place])):
            for grid in grids:
                length = grid.shape[place] * inner
                items.extend(grid.items[block * length : (block + 1) * length])
    return Grid(first.type, shape, items)


def stack(grids: Sequence[Grid], axis: int) -> Grid:
    """Grids of one shape beside each other on a new axis of the result, which may be negative."""
    shape = grids[0].shape
    place = normalize_axis(axis, len(shape) + 1)
    wide = (*shape[:place], 1, *shape[place:])
    return join(tuple(grid.reshaped(wide) for grid in grids), place)


def _others(grid: Grid, axis: int) -> tuple[int, ...]:
    return (*grid.shape[:axis], *grid.shape[axis + 1 :])
