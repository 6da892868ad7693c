"""Which scale and which zero point an element has.

Source: the QuantizeLinear page, the list of granularities and block_size; before version 21 its
second sentence; before version 13 both are scalars.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...arith.grid import Grid, indices, normalize_axis, place_of
from ...errors import InvalidCallError
from ...registry import Call, refuse_if_chosen

_AXIS_SINCE = 13
_BLOCKS_SINCE = 21


def places_of_scales(call: Call, data: Grid, scale: Grid) -> Sequence[int]:
    """For each element of the data the place of its scale; InvalidCallError for another shape."""
    count = len(data.items)
    block = call.int_attribute("block_size", 0) if call.since_version >= _BLOCKS_SINCE else 0
    if block < 0:
        raise InvalidCallError(f"a block of {block}")
    if scale.rank == 0:
        if block:
            refuse_if_chosen(call, "block-size-of-one-scale", "per-tensor")
        return [0] * count
    if call.since_version < _AXIS_SINCE:
        if scale.shape != (1,):
            raise InvalidCallError(f"a scale of shape {list(scale.shape)} is no scalar")
        refuse_if_chosen(call, "one-element-scale", "per-tensor")
        return [0] * count
    if block:
        return _blocked(call, data, scale, block)
    if scale.rank != 1:
        raise InvalidCallError(f"a scale of rank {scale.rank} without block_size")
    axis = call.int_attribute("axis", 1)
    along = data.shape[axis] if -data.rank <= axis < data.rank else None
    if scale.shape == (1,) and along != 1:
        refuse_if_chosen(call, "one-element-scale", "per-tensor")
        return [0] * count
    axis = normalize_axis(axis, data.rank)
    if scale.shape[0] != along:
        raise InvalidCallError(f"{scale.shape[0]} scales for {along} slices")
    return [index[axis] for index in indices(data.shape)]


def _blocked(call: Call, data: Grid, scale: Grid, block: int) -> Sequence[int]:
    if scale.rank != data.rank:
        raise InvalidCallError(f"a scale of rank {scale.rank} for data of rank {data.rank}")
    axis = normalize_axis(call.int_attribute("axis", 1), data.rank)
    expected = list(data.shape)
    expected[axis] = -(-data.shape[axis] // block)
    if list(scale.shape) != expected:
        raise InvalidCallError(f"scales of shape {list(scale.shape)}, not {expected}")
    if data.rank == 1 and scale.shape == (1,):
        # One block of a vector: its scale is one for the whole tensor, too.
        refuse_if_chosen(call, "block-size-of-one-scale", "per-tensor")
    return [
        place_of(
            scale.shape,
            [at // block if along == axis else at for along, at in enumerate(index)],
        )
        for index in indices(data.shape)
    ]


def check_zero_point(call: Call, scale: Grid, zero_point: Grid | None) -> None:
    """InvalidCallError where the zero point has another shape than the scale.

    ONNX's own node tests have a zero point of shape [1] with a scale of shape [].
    """
    if zero_point is None or zero_point.shape == scale.shape:
        return
    if {zero_point.shape, scale.shape} == {(), (1,)}:
        refuse_if_chosen(call, "one-element-zero-point", "per-tensor")
        return
    raise InvalidCallError(
        f"a zero point of shape {list(zero_point.shape)} with a scale of {list(scale.shape)}"
    )
