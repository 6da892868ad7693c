"""SplitToSequence and ConcatFromSequence, all versions. Source: their pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onnx_conformance.core.values.tensors import SequenceValue, Tensor

from ...arith.grid import grid_of, normalize_axis, places, strides, tensor_of
from ...errors import InvalidCallError
from ...registry import oracle, refuse_if_chosen
from ..movement.joining import join

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...arith.grid import Grid
    from ...registry import Call, Result


@oracle("SplitToSequence")
def split_to_sequence(call: Call) -> Result:
    """The parts of a tensor along an axis, which is removed if nothing says how to split."""
    data = call.grid("input")
    axis = normalize_axis(call.int_attribute("axis"), data.rank)
    parts = _parts(data, axis, _lengths(call, data.shape[axis]))
    if not call.has("split") and not _flag(call, "keepdims"):
        shape = (*data.shape[:axis], *data.shape[axis + 1 :])
        parts = [part.reshaped(shape) for part in parts]
    return (SequenceValue(tuple(tensor_of(part) for part in parts)),)


def _parts(data: Grid, axis: int, lengths: Sequence[int]) -> list[Grid]:
    parts = []
    steps = strides(data.shape)
    begin = 0
    for length in lengths:
        shape = (*data.shape[:axis], length, *data.shape[axis + 1 :])
        parts.append(data.take(places(shape, steps, begin * steps[axis]), shape))
        begin += length
    return parts


def _lengths(call: Call, size: int) -> tuple[int, ...]:
    """The length of each part along the axis."""
    lengths = call.integers("split") if call.has("split") else (1,)
    if min(lengths, default=0) < 0:
        raise InvalidCallError(f"split {list(lengths)} has a negative length")
    if call.has("split") and len(call.tensor("split").shape) == 1:
        if sum(lengths) != size:
            raise InvalidCallError(f"split {list(lengths)} does not make up {size}")
        if 0 in lengths:
            refuse_if_chosen(call, "length-of-zero", "an-empty-part")
        return lengths
    if len(lengths) != 1 or (call.has("split") and call.tensor("split").shape):
        raise InvalidCallError("split is neither a scalar nor of one dimension")
    (length,) = lengths
    if length == 0:
        raise InvalidCallError("chunks of length 0 make up nothing")
    if size == 0:
        refuse_if_chosen(call, "nothing-to-split", "no-part")
    return (length,) * (size // length) + ((size % length,) if size % length else ())


@oracle("ConcatFromSequence")
def concat_from_sequence(call: Call) -> Result:
    """The tensors of a sequence one after the other along an axis, or on a new one."""
    value = call.inputs.get("input_sequence")
    if not isinstance(value, SequenceValue):
        raise InvalidCallError("input 'input_sequence' is no sequence")
    grids = [grid_of(item) for item in value.items if isinstance(item, Tensor)]
    if not grids or len(grids) != len(value.items):
        raise InvalidCallError("the sequence holds no tensors")
    axis = call.int_attribute("axis")
    if not _flag(call, "new_axis"):
        return (join(tuple(grids), axis),)
    if any(grid.shape != grids[0].shape for grid in grids):
        raise InvalidCallError("tensors of different shapes do not stack")
    place = normalize_axis(axis, grids[0].rank + 1)
    shape = (*grids[0].shape[:place], 1, *grids[0].shape[place:])
    return (join(tuple(grid.reshaped(shape) for grid in grids), place),)


def _flag(call: Call, name: str) -> bool:
    """An attribute that is 0 or 1."""
    value = call.int_attribute(name)
    if value not in (0, 1):
        raise InvalidCallError(f"attribute '{name}' is {value}, neither 0 nor 1")
    return value == 1
