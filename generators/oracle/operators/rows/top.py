"""TopK, all versions. Source: its page, Summary, Attributes and Inputs.

The number of elements is an attribute before version 10 and an input since.
"""

from __future__ import annotations

from ...arith.grid import Grid, Item, any_of, lines, normalize_axis
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from ..flags import is_set
from .ranking import ranked

_COUNT_IS_AN_INPUT = 10


@oracle("TopK")
def top_k(call: Call) -> Result:
    """The k greatest or least elements along the axis, and their positions.

    Both outputs have the shape of X but for k along the axis; positions are int64. Equal elements
    come in the order of their positions. Without `sorted` each of the k may stand at any place.
    Refused: an axis that does not exist, a k below 0 or beyond the axis.
    """
    grid = call.grid("X")
    axis = normalize_axis(call.int_attribute("axis", -1), grid.rank)
    count = _count(call)
    if not 0 <= count <= grid.shape[axis]:
        raise InvalidCallError(f"{count} of {grid.shape[axis]} elements")
    if count == 0:
        refuse_if_chosen(call, "none-retrieved", "empty")
    greatest = is_set(call, "largest", 1)
    in_order = is_set(call, "sorted", 1)
    shape = (*grid.shape[:axis], count, *grid.shape[axis + 1 :])
    values: list[Item] = [0] * (len(grid.items) // (grid.shape[axis] or 1) * count)
    positions = list(values)
    for line, places in zip(lines(grid.shape, axis), lines(shape, axis), strict=True):
        row = [grid.items[place] for place in line]
        taken = ranked(call, row, greatest=greatest)[:count]
        for rank, place in enumerate(places):
            # In no particular order each of those that are selected may stand anywhere.
            standing = taken[rank : rank + 1] if in_order else taken[rank:] + taken[:rank]
            values[place] = any_of([row[position] for position in standing])
            positions[place] = any_of(standing)
    return Grid(grid.type, shape, values), Grid("int64", shape, positions)


def _count(call: Call) -> int:
    if call.since_version < _COUNT_IS_AN_INPUT:
        return call.int_attribute("k")
    if call.grid("K").shape != (1,):
        raise InvalidCallError("K is no 1-D tensor of one element")
    return call.integer("K")
