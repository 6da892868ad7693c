"""GatherND 11 to 13: slices by tuples of indices. Source: the GatherND page, Summary and Inputs.

Batch dimensions were added in version 12.
"""

from __future__ import annotations

import math

from ...arith.grid import Grid, inside, places, strides
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen


@oracle("GatherND")
def gather_nd(call: Call) -> Result:
    """The slice of the data that each tuple names, in the shape of the tuples."""
    data, indices = call.grid("data"), call.grid("indices")
    batch = call.int_attribute("batch_dims", 0)
    if data.rank < 1 or indices.rank < 1:
        raise InvalidCallError("data or indices have rank 0")
    if not 0 <= batch < min(data.rank, indices.rank):
        raise InvalidCallError(f"batch_dims {batch} for ranks {data.rank} and {indices.rank}")
    if data.shape[:batch] != indices.shape[:batch]:
        raise InvalidCallError(f"{list(data.shape)} and {list(indices.shape)} differ in batches")
    depth = indices.shape[-1]
    if depth > data.rank - batch:
        raise InvalidCallError(f"tuples of {depth} for {data.rank - batch} axes")
    shape = (*indices.shape[:-1], *data.shape[batch + depth :])
    taken = _places(data, indices, batch) if math.prod(shape) else _checked(data, indices, batch)
    if depth == 0:
        refuse_if_chosen(call, "tuples-of-no-numbers", "all-of-the-data")
    return (data.take(taken, shape),)


def _checked(data: Grid, indices: Grid, batch: int) -> list[int]:
    """No places: the result is empty. InvalidCallError for an index outside of its axis."""
    depth = indices.shape[-1]
    for number, index in enumerate(indices.items):
        inside(index, data.shape[batch + number % depth])
    return []


def _places(data: Grid, indices: Grid, batch: int) -> list[int]:
    depth = indices.shape[-1]
    steps = strides(data.shape)
    behind = batch + depth
    inner = places(data.shape[behind:], steps[behind:])
    within = math.prod(indices.shape[batch:-1])
    taken = []
    for number in range(math.prod(indices.shape[:-1])):
        start = number // within * math.prod(data.shape[batch:])
        for axis, index in enumerate(indices.items[number * depth : (number + 1) * depth]):
            start += inside(index, data.shape[batch + axis]) * steps[batch + axis]
        taken += [start + offset for offset in inner]
    return taken
