"""ConstantOfShape, all versions: one value everywhere. Source: its page."""

from __future__ import annotations

from onnx_conformance.core.values.tensors import Tensor

from ...arith.grid import filled, grid_of
from ...arith.numbers import ZERO
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen


@oracle("ConstantOfShape")
def constant_of_shape(call: Call) -> Result:
    """The element of `value`, or 0 as float32, in the shape that the input says."""
    if call.tensor("input").type != "int64":
        raise InvalidCallError(f"the shape is {call.tensor('input').type}, not int64")
    if len(call.tensor("input").shape) != 1:
        raise InvalidCallError("the shape is not one-dimensional")
    shape = call.integers("input")
    if any(dimension < 0 for dimension in shape):
        raise InvalidCallError(f"a dimension of {list(shape)} is below 0")
    value = call.attributes.get("value")
    if value is None:
        return (filled("float32", shape, ZERO),)
    if not isinstance(value, Tensor):
        raise InvalidCallError("attribute 'value' is no tensor")
    if value.element_count != 1:
        raise InvalidCallError(f"attribute 'value' has {value.element_count} elements, not one")
    if value.shape != (1,):
        refuse_if_chosen(call, "value-of-another-rank", "taken")
    grid = grid_of(value)
    return (filled(grid.type, shape, grid.items[0]),)
