"""SplitToSequence and ConcatFromSequence, all versions. Source: their pages."""

from __future__ import annotations

from onnx_conformance.core.values.tensors import SequenceValue, Tensor

from ...arith.grid import grid_of, normalize_axis, tensor_of
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from ..flags import is_one
from ..movement.joining import join, stack
from ..movement.splitting import parts_along
from .sequences import sequence


@oracle("SplitToSequence")
def split_to_sequence(call: Call) -> Result:
    """The parts of a tensor along an axis, which is removed if nothing says how to split."""
    data = call.grid("input")
    axis = normalize_axis(call.int_attribute("axis"), data.rank)
    parts = parts_along(data, axis, _lengths(call, data.shape[axis]))
    if not call.has("split") and not is_one(call, "keepdims"):
        shape = (*data.shape[:axis], *data.shape[axis + 1 :])
        parts = [part.reshaped(shape) for part in parts]
    return (SequenceValue(tuple(tensor_of(part) for part in parts)),)


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
    value = sequence(call)
    grids = [grid_of(item) for item in value.items if isinstance(item, Tensor)]
    if not grids or len(grids) != len(value.items):
        raise InvalidCallError("the sequence holds no tensors")
    axis = call.int_attribute("axis")
    if not is_one(call, "new_axis"):
        return (join(tuple(grids), axis),)
    if any(grid.shape != grids[0].shape for grid in grids):
        raise InvalidCallError("tensors of different shapes do not stack")
    return (stack(grids, axis),)
