"""The operators that make, change and read sequences. Source: their pages.

A sequence holds values of one type; its tensors may differ in shape.
"""

from __future__ import annotations

from onnx_conformance.core.values.tensors import SequenceValue, Tensor, Value

from ...arith.grid import scalar
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen

# TensorProto.DataType: float32, and all from it up to complex128.
_FLOAT = 1
_CODES_OF_SEQUENCES = range(1, 16)


@oracle("SequenceConstruct")
def construct(call: Call) -> Result:
    """A sequence of the inputs, which are of one type."""
    inputs = call.inputs.get("inputs", ())
    if not isinstance(inputs, tuple):
        raise TypeError("the inputs are variadic")
    return (SequenceValue(_alike(inputs)),)


@oracle("SequenceEmpty")
def empty(call: Call) -> Result:
    """An empty sequence; `dtype` is the code of an element type that sequences can have."""
    code = call.int_attribute("dtype", _FLOAT)
    if code not in _CODES_OF_SEQUENCES:
        raise InvalidCallError(f"no sequence is of element type {code}")
    return (SequenceValue(()),)


@oracle("SequenceLength")
def length(call: Call) -> Result:
    """How many values a sequence holds, as an int64 scalar."""
    return (scalar("int64", len(sequence(call).items)),)


@oracle("SequenceAt")
def at(call: Call) -> Result:
    """The value at a position in [-n, n - 1]; negative ones count from the back."""
    items = sequence(call).items
    return (items[_position(call, len(items), len(items) - 1)],)


@oracle("SequenceErase")
def erase(call: Call) -> Result:
    """The sequence without the value at a position in [-n, n - 1], by default the last."""
    items = sequence(call).items
    place = _position(call, len(items), len(items) - 1) if call.has("position") else len(items) - 1
    if place < 0:
        raise InvalidCallError("an empty sequence has nothing to erase")
    return (SequenceValue((*items[:place], *items[place + 1 :])),)


@oracle("SequenceInsert")
def insert(call: Call) -> Result:
    """The sequence with `tensor` before the value at a position in [-n, n], by default at the end.

    A negative position counts from the back, where n is the number of values before.
    """
    items, tensor = sequence(call).items, call.tensor("tensor")
    place = _position(call, len(items), len(items)) if call.has("position") else len(items)
    return (SequenceValue(_alike((*items[:place], tensor, *items[place:]))),)


def _alike(items: tuple[Value, ...]) -> tuple[Value, ...]:
    types = {item.type if isinstance(item, Tensor) else type(item).__name__ for item in items}
    if len(types) > 1:
        raise InvalidCallError(f"a sequence of {' and '.join(sorted(types))}")
    return items


def sequence(call: Call) -> SequenceValue:
    """The input `input_sequence`; InvalidCallError where it is no sequence."""
    value = call.inputs.get("input_sequence")
    if not isinstance(value, SequenceValue):
        raise InvalidCallError("input 'input_sequence' is no sequence")
    return value


def _position(call: Call, count: int, last: int) -> int:
    """The position counted from the front; InvalidCallError outside [-count, last]."""
    shape = call.tensor("position").shape
    if shape == (1,):
        refuse_if_chosen(call, "position-of-one-element", "taken")
    elif shape != ():
        raise InvalidCallError("the position is no scalar")
    position = call.integer("position")
    if not -count <= position <= last:
        raise InvalidCallError(f"position {position} is outside [{-count}, {last}]")
    return position + count if position < 0 else position
