"""TensorScatter 24: a stretch of a cache replaced. Source: the TensorScatter page, Summary."""

from __future__ import annotations

from ...arith.grid import Grid, indices, normalize_axis, place_of
from ...attributes import word
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen


@oracle("TensorScatter")
def tensor_scatter(call: Call) -> Result:
    """The cache with the update along the sequence axis, from each sample's write index on."""
    cache, update = call.grid("past_cache"), call.grid("update")
    mode = word(call, "mode", ("linear", "circular"), "linear")
    axis = normalize_axis(call.int_attribute("axis", -2), cache.rank)
    if axis == 0:
        raise InvalidCallError("the axis is that of the batch")
    most = cache.shape[axis]
    length = update.shape[axis] if update.rank == cache.rank else -1
    expected = (*cache.shape[:axis], length, *cache.shape[axis + 1 :])
    if update.shape != expected or length > most:
        raise InvalidCallError(f"an update of {list(update.shape)} for {list(cache.shape)}")
    starts = _starts(call, cache.shape[0])
    for start in starts:
        if mode == "linear" and start + length > most:
            raise InvalidCallError(f"{length} from {start} on reach beyond {most}")
    if mode == "linear" and any(start < -most for start in starts):
        raise InvalidCallError(f"a write index below {-most}")
    if any(start < 0 for start in starts):
        refuse_if_chosen(call, "negative-write-index", "from-the-back")
    items = list(cache.items)
    for index, item in zip(indices(update.shape), update.items, strict=True):
        place = list(index)
        place[axis] = (starts[index[0]] + index[axis]) % most
        items[place_of(cache.shape, place)] = item
    return (Grid(cache.type, cache.shape, items),)


def _starts(call: Call, batch: int) -> tuple[int, ...]:
    if not call.has("write_indices"):
        return (0,) * batch
    if call.grid("write_indices").shape != (batch,):
        raise InvalidCallError(f"write indices of {list(call.grid('write_indices').shape)}")
    return call.integers("write_indices")
