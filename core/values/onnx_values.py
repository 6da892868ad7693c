"""Values in the .pb files of a data set: tensors, sequences, optionals and maps.

The file does not tell which message it holds: that follows from the type that the graph declares
for the input or output (onnx-data.proto; ONNX's own loader decides the same way).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from ..errors import BadInputError
from ..limits import DEPTH
from .elements import element_type, element_type_of_code
from .protos import from_proto, to_proto
from .tensors import ForeignValue, MapValue, OptionalValue, SequenceValue, Tensor, Value, parts_of
from .wire import Budget

if TYPE_CHECKING:
    import onnx


TENSOR = "tensor"
SEQUENCE = "sequence"
OPTIONAL = "optional"
MAP = "map"

_KIND_OF_FIELD = {
    "tensor_type": TENSOR,
    "sequence_type": SEQUENCE,
    "optional_type": OPTIONAL,
    "map_type": MAP,
}
# DataType of SequenceProto and OptionalProto; the names of fields begin with these kinds.
_UNDEFINED = 0
_KIND_OF_CODE = {1: TENSOR, 3: SEQUENCE, 4: MAP, 5: OPTIONAL}
_CODE_OF_KIND = {kind: code for code, kind in _KIND_OF_CODE.items()}


def kind_of(declared: onnx.TypeProto) -> str:
    """`tensor`, `sequence`, `optional` or `map`; BadInputError for a type without a file format."""
    field = declared.WhichOneof("value")
    try:
        return _KIND_OF_FIELD[field]
    except KeyError:
        raise BadInputError(f"values of {field or 'no type'} cannot be read") from None


def type_text(declared: onnx.TypeProto) -> str:
    """A declared type in the spelling of the operator documents, e.g. `seq(float32)`.

    A tensor type is written as its element type alone, like the types of our own vectors.
    """
    kind = kind_of(declared)
    if kind == TENSOR:
        return element_type_of_code(declared.tensor_type.elem_type).name
    if kind == SEQUENCE:
        return f"seq({type_text(declared.sequence_type.elem_type)})"
    if kind == OPTIONAL:
        return f"optional({type_text(declared.optional_type.elem_type)})"
    key = element_type_of_code(declared.map_type.key_type).name
    return f"map({key},{type_text(declared.map_type.value_type)})"


def parse_value(kind: str, content: bytes) -> Value:
    """The value in a file; BadInputError if it cannot be read as this kind."""
    messages, unreadable = _messages()
    if kind not in messages:
        raise BadInputError(f"unknown kind of value {kind!r}")
    proto = messages[kind]()
    try:
        proto.ParseFromString(content)
    except unreadable as error:
        raise BadInputError(f"is not a readable {kind}: {error}") from None
    value: Value = _READERS[kind](proto)
    if kind != TENSOR:
        _check_extent(value, Budget(), 0)
    return value


@cache
def _messages() -> tuple[dict[str, Any], type[Exception]]:
    """The message of each kind of value, and what reading one raises; onnx is imported late."""
    import onnx
    from google.protobuf.message import DecodeError

    return {
        TENSOR: onnx.TensorProto,
        SEQUENCE: onnx.SequenceProto,
        OPTIONAL: onnx.OptionalProto,
        MAP: onnx.MapProto,
    }, DecodeError


def _check_extent(value: Value, budget: Budget, depth: int) -> None:
    """Compare a value with `core.limits`; protobuf itself accepts 100 levels and any number."""
    holds_none = isinstance(value, OptionalValue) and value.value is None
    if isinstance(value, Tensor) or holds_none:
        return
    if depth >= DEPTH:
        raise BadInputError(f"values are nested more than {DEPTH} deep")
    for item in parts_of(value):
        budget.take()
        _check_extent(item, budget, depth + 1)


def _read_sequence(proto: onnx.SequenceProto) -> SequenceValue:
    kind = _KIND_OF_CODE.get(proto.elem_type)
    if kind is None:
        raise BadInputError(f"a sequence of element kind {proto.elem_type} cannot be read")
    return SequenceValue(tuple(map(_READERS[kind], getattr(proto, f"{kind}_values"))))


def _read_optional(proto: onnx.OptionalProto) -> OptionalValue:
    if proto.elem_type == _UNDEFINED:
        return OptionalValue(None)
    kind = _KIND_OF_CODE.get(proto.elem_type)
    if kind is None:
        raise BadInputError(f"an optional of element kind {proto.elem_type} cannot be read")
    name = f"{kind}_value"
    # ONNX's own writer marks an absent optional only by its kind.
    return OptionalValue(_READERS[kind](getattr(proto, name)) if proto.HasField(name) else None)


def _read_map(proto: onnx.MapProto) -> MapValue:
    values = _read_sequence(proto.values).items
    element = element_type_of_code(proto.key_type)
    if element.kind == "string":
        keys = Tensor("string", (len(proto.string_keys),), tuple(proto.string_keys))
    elif element.kind in ("int", "uint"):
        try:
            data = b"".join(
                key.to_bytes(element.bits // 8, "little", signed=element.kind == "int")
                for key in proto.keys
            )
        except OverflowError as error:
            raise BadInputError(f"a key of a map is no {element.name}: {error}") from None
        keys = Tensor(element.name, (len(proto.keys),), data)
    else:
        raise BadInputError(f"a map cannot have keys of type {element.name}")
    if keys.element_count != len(values):
        raise BadInputError(f"a map has {keys.element_count} keys and {len(values)} values")
    return MapValue(keys, values)


_READERS: dict[str, Any] = {
    TENSOR: from_proto,
    SEQUENCE: _read_sequence,
    OPTIONAL: _read_optional,
    MAP: _read_map,
}


def serialize_value(value: Value, name: str = "") -> bytes:
    """The content of a .pb file: always the same bytes for the same value and name."""
    content: bytes = value_proto(value, name).SerializeToString(deterministic=True)
    return content


def value_proto(value: Value, name: str = "") -> Any:  # noqa: ANN401  one of four messages
    """The TensorProto, SequenceProto, OptionalProto or MapProto of a value."""
    if isinstance(value, Tensor):
        return to_proto(value, name)
    if isinstance(value, SequenceValue):
        return _sequence_proto(value, name)
    if isinstance(value, OptionalValue):
        return _optional_proto(value, name)
    if isinstance(value, ForeignValue):
        raise BadInputError(f"{value.description} has no ONNX form")
    return _map_proto(value, name)


def _sequence_proto(value: SequenceValue, name: str) -> onnx.SequenceProto:
    import onnx

    proto = onnx.SequenceProto(name=name)
    # An empty sequence does not tell the kind of its items; ONNX's own writer says tensors.
    kinds = {_kind(item) for item in value.items} or {TENSOR}
    if len(kinds) > 1:
        raise BadInputError(f"sequence '{name}' has items of different kinds")
    kind = kinds.pop()
    proto.elem_type = _CODE_OF_KIND[kind]
    getattr(proto, f"{kind}_values").extend(value_proto(item) for item in value.items)
    return proto


def _optional_proto(value: OptionalValue, name: str) -> onnx.OptionalProto:
    import onnx

    proto = onnx.OptionalProto(name=name)
    proto.elem_type = _UNDEFINED
    if value.value is not None:
        kind = _kind(value.value)
        proto.elem_type = _CODE_OF_KIND[kind]
        getattr(proto, f"{kind}_value").CopyFrom(value_proto(value.value))
    return proto


def _map_proto(value: MapValue, name: str) -> onnx.MapProto:
    import onnx

    proto = onnx.MapProto(name=name)
    element = element_type(value.keys.type)
    proto.key_type = element.code
    if isinstance(value.keys.data, tuple):
        proto.string_keys.extend(value.keys.data)
    else:
        size = element.bits // 8
        signed = element.kind == "int"
        data = value.keys.data
        proto.keys.extend(
            int.from_bytes(data[at : at + size], "little", signed=signed)
            for at in range(0, len(data), size)
        )
    proto.values.CopyFrom(_sequence_proto(SequenceValue(value.values), ""))
    return proto


def _kind(value: Value) -> str:
    if isinstance(value, Tensor):
        return TENSOR
    if isinstance(value, SequenceValue):
        return SEQUENCE
    return OPTIONAL if isinstance(value, OptionalValue) else MAP
