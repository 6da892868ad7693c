"""CenterCropPad 18: the middle of a tensor, or a frame around it. Source: its page, Summary."""

from __future__ import annotations

from ...arith.grid import Grid, indices, normalize_axis, place_of
from ...arith.rounding import zero_of
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen


@oracle("CenterCropPad")
def center_crop_pad(call: Call) -> Result:
    """Each axis cut to, or filled up to, the size that is asked for, around its middle."""
    data, sizes = call.grid("input_data"), call.integers("shape", rank=1)
    given = call.ints_attribute("axes", tuple(range(data.rank)))
    axes = [normalize_axis(axis, data.rank) for axis in given]
    if len(sizes) != len(axes):
        raise InvalidCallError(f"{len(sizes)} sizes for {len(axes)} axes")
    if any(size < 0 for size in sizes):
        raise InvalidCallError(f"a size below 0 in {list(sizes)}")
    if len(set(axes)) < len(axes):
        refuse_if_chosen(call, "repeated-axis", "last-one-holds")
    shape = list(data.shape)
    for axis, size in zip(axes, sizes, strict=True):
        shape[axis] = size
    # How far the output begins before the data; below 0 where the data is cut.
    before = [
        (new - old) // 2 if new > old else -((old - new) // 2)
        for old, new in zip(data.shape, shape, strict=True)
    ]
    padded = any(new > old for old, new in zip(data.shape, shape, strict=True))
    if data.type == "string" and padded and 0 not in shape:
        refuse_if_chosen(call, "zero-of-strings", "empty")
    zero = zero_of(data.type)
    items = []
    for index in indices(tuple(shape)):
        source = [place - offset for place, offset in zip(index, before, strict=True)]
        inside = all(0 <= at < size for at, size in zip(source, data.shape, strict=True))
        items.append(data.items[place_of(data.shape, source)] if inside else zero)
    return (Grid(data.type, tuple(shape), items),)
