"""Reads and changes a serialized ModelProto without the onnx package.

It knows only the wire format of Protocol Buffers (field number, wire type, payload) and the few
field numbers of onnx.proto that an adaptation needs. Fields that are not changed keep their bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Union

from .element_types import DATA_TYPES

if TYPE_CHECKING:
    from .values import Tensor

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5

# Field numbers of onnx.proto.
_MODEL_IR_VERSION = 1
_MODEL_GRAPH = 7
_MODEL_OPSET = 8
_OPSET_DOMAIN, _OPSET_VERSION = 1, 2
_GRAPH_INITIALIZER, _GRAPH_INPUT, _GRAPH_OUTPUT = 5, 11, 12
_VALUE_NAME, _VALUE_TYPE = 1, 2
_TYPE_TENSOR, _TYPE_ELEMENT, _TYPE_SHAPE = 1, 1, 2
_SHAPE_DIMENSION, _DIMENSION_VALUE = 1, 1
_TENSOR_DIMS, _TENSOR_TYPE, _TENSOR_STRINGS, _TENSOR_NAME, _TENSOR_RAW = 1, 2, 6, 8, 9

# The IR version since which an initializer need not be a graph input.
_FREE_INITIALIZERS = 4


class Field(NamedTuple):
    """One field of a message: an integer for a varint, bytes for everything else."""

    number: int
    wire_type: int
    payload: Union[int, bytes]  # noqa: UP007  evaluated by NamedTuple on Python 3.8


def fields(message: bytes) -> Iterator[Field]:
    """The fields of a serialized message, in order; ValueError if it is not a message."""
    position = 0
    while position < len(message):
        key, position = _varint(message, position)
        number, wire_type = key >> 3, key & 7
        if wire_type == VARINT:
            value, position = _varint(message, position)
            yield Field(number, wire_type, value)
            continue
        if wire_type == LENGTH:
            size, position = _varint(message, position)
        elif wire_type in (FIXED64, FIXED32):
            size = 8 if wire_type == FIXED64 else 4
        else:
            raise ValueError(f"wire type {wire_type} at byte {position}")
        if position + size > len(message):
            raise ValueError(f"field {number} ends beyond the message")
        yield Field(number, wire_type, message[position : position + size])
        position += size


def message_of(items: Iterable[Field]) -> bytes:
    """The serialized message made of some fields."""
    parts = []
    for number, wire_type, payload in items:
        parts.append(_varint_bytes(number << 3 | wire_type))
        if isinstance(payload, int):
            parts.append(_varint_bytes(payload))
        else:
            if wire_type == LENGTH:
                parts.append(_varint_bytes(len(payload)))
            parts.append(payload)
    return b"".join(parts)


def _varint(message: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if position >= len(message) or shift > 63:
            raise ValueError("a number without an end")
        byte = message[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7


def _varint_bytes(value: int) -> bytes:
    value &= (1 << 64) - 1  # negative numbers are written as their two's complement
    result = bytearray()
    while value > 0x7F:
        result.append(value & 0x7F | 0x80)
        value >>= 7
    result.append(value)
    return bytes(result)


# --- what is in a model --------------------------------------------------------------------


def input_names(model: bytes) -> list[str]:
    """The graph inputs that must be fed: those without an initializer."""
    graph = _graph(model)
    initialized = {
        _string(item.payload, _TENSOR_NAME) for item in graph if item.number == _GRAPH_INITIALIZER
    }
    names = [_string(item.payload, _VALUE_NAME) for item in graph if item.number == _GRAPH_INPUT]
    return [name for name in names if name not in initialized]


def output_names(model: bytes) -> list[str]:
    """The graph outputs, in order."""
    return [
        _string(item.payload, _VALUE_NAME) for item in _graph(model) if item.number == _GRAPH_OUTPUT
    ]


def opset(model: bytes) -> int:
    """The opset of ONNX's own operators that a model imports; 0 if it imports none."""
    for item in fields(model):
        if item.number == _MODEL_OPSET and isinstance(item.payload, bytes):
            parts = {part.number: part.payload for part in fields(item.payload)}
            if parts.get(_OPSET_DOMAIN, b"") in (b"", b"ai.onnx"):
                version = parts.get(_OPSET_VERSION, 0)
                return version if isinstance(version, int) else 0
    return 0


# --- changes -------------------------------------------------------------------------------


def freeze(model: bytes, values: Mapping[str, Tensor]) -> bytes:
    """The model with some graph inputs turned into initializers that hold `values`.

    An initializer with the same name (the input's default) is replaced. Before IR version 4 every
    initializer had to be a graph input too (onnx docs/IR.md): there it stays an input.
    """
    keeps_inputs = _ir_version(model) < _FREE_INITIALIZERS

    def change(graph: Sequence[Field]) -> list[Field]:
        kept = [
            item
            for item in graph
            if _name_in_graph(item) not in values or (keeps_inputs and item.number == _GRAPH_INPUT)
        ]
        added = [
            Field(_GRAPH_INITIALIZER, LENGTH, tensor_proto(name, tensor))
            for name, tensor in values.items()
        ]
        return kept + added

    return _with_graph(model, change)


def with_static_inputs(model: bytes, shapes: Mapping[str, Sequence[int]]) -> bytes:
    """The model with the declared shape of some graph inputs replaced by static dimensions."""

    def change(graph: Sequence[Field]) -> list[Field]:
        return [
            Field(_GRAPH_INPUT, LENGTH, _with_shape(item.payload, shapes))
            if item.number == _GRAPH_INPUT and isinstance(item.payload, bytes)
            else item
            for item in graph
        ]

    return _with_graph(model, change)


def _name_in_graph(item: Field) -> str | None:
    """The name of a graph input or initializer; None for the graph's other fields."""
    if item.number == _GRAPH_INPUT:
        return _string(item.payload, _VALUE_NAME)
    if item.number == _GRAPH_INITIALIZER:
        return _string(item.payload, _TENSOR_NAME)
    return None


def tensor_proto(name: str, tensor: Tensor) -> bytes:
    """A serialized TensorProto."""
    items = [Field(_TENSOR_DIMS, VARINT, dimension) for dimension in tensor.shape]
    items.append(Field(_TENSOR_TYPE, VARINT, DATA_TYPES[tensor.type]))
    if isinstance(tensor.data, bytes):
        items.append(Field(_TENSOR_RAW, LENGTH, tensor.data))
    else:
        items.extend(Field(_TENSOR_STRINGS, LENGTH, item) for item in tensor.data)
    items.append(Field(_TENSOR_NAME, LENGTH, name.encode()))
    return message_of(items)


def _with_shape(value_info: bytes, shapes: Mapping[str, Sequence[int]]) -> bytes:
    name = _string(value_info, _VALUE_NAME)
    if name not in shapes:
        return value_info
    dimensions = message_of(
        Field(_SHAPE_DIMENSION, LENGTH, message_of([Field(_DIMENSION_VALUE, VARINT, dimension)]))
        for dimension in shapes[name]
    )

    def reshaped(tensor_type: bytes) -> bytes:
        kept = [item for item in fields(tensor_type) if item.number != _TYPE_SHAPE]
        return message_of([*kept, Field(_TYPE_SHAPE, LENGTH, dimensions)])

    def retyped(type_proto: bytes) -> bytes:
        return message_of(_mapped(type_proto, _TYPE_TENSOR, reshaped))

    return message_of(_mapped(value_info, _VALUE_TYPE, retyped))


def _mapped(message: bytes, number: int, change: Callable[[bytes], bytes]) -> Iterator[Field]:
    for item in fields(message):
        if item.number == number and isinstance(item.payload, bytes):
            yield Field(number, LENGTH, change(item.payload))
        else:
            yield item


def _ir_version(model: bytes) -> int:
    for item in fields(model):
        if item.number == _MODEL_IR_VERSION and isinstance(item.payload, int):
            return item.payload
    return 0


def _graph(model: bytes) -> list[Field]:
    """The fields of the graph; a message in several pieces is joined first."""
    return [
        field
        for item in fields(model)
        if item.number == _MODEL_GRAPH and isinstance(item.payload, bytes)
        for field in fields(item.payload)
    ]


def _with_graph(model: bytes, change: Callable[[Sequence[Field]], list[Field]]) -> bytes:
    kept = [item for item in fields(model) if item.number != _MODEL_GRAPH]
    graph = message_of(change(_graph(model)))
    return message_of([*kept, Field(_MODEL_GRAPH, LENGTH, graph)])


def _string(message: Union[int, bytes], number: int) -> str:  # noqa: UP007  as in Field
    if isinstance(message, bytes):
        for item in fields(message):
            if item.number == number and isinstance(item.payload, bytes):
                return item.payload.decode("utf-8", "replace")
    return ""
