"""Values as bytes: what a vector holds and a harness sends, whatever the element type.

A tensor keeps its elements in the form of ONNX's raw_data (little-endian, 4- and 2-bit elements
packed over the whole tensor, low bits first: onnx.proto, TensorProto.raw_data), because NumPy has
no dtype for a third of the types, no zero-size array with huge dimensions, and converts where
a bit-exact judgement must not.
"""

from __future__ import annotations

import base64
import binascii
import math
import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from ..errors import BadInputError
from .elements import element_type, element_type_of_code

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import onnx


@dataclass(frozen=True)
class Tensor:
    """A tensor value.

    Attributes:
        type: name of the element type, e.g. `float32`.
        shape: dimensions; () is a scalar.
        data: the elements in row-major order as raw_data, or a tuple of byte strings for strings.
    """

    type: str
    shape: tuple[int, ...]
    data: bytes | tuple[bytes, ...]

    @property
    def element_count(self) -> int:
        """Product of the dimensions: 1 for a scalar."""
        return math.prod(self.shape)


@dataclass(frozen=True, eq=False)
class Bounded(Tensor):
    """An expected tensor with what may be accepted in its place, element by element.

    `data` holds the representable values nearest to the exact results. Everywhere but where a
    result is judged (`comparing`) it is that tensor, and equal to it: limits are no part of
    equality.

    Attributes:
        limits: (low, high) of each accuracy profile, of the type and shape of this tensor. What a
            profile that is not there accepts, `limits.limits_for` says.
    """

    limits: Mapping[str, tuple[Tensor, Tensor]] = field(default_factory=dict)

    def __eq__(self, other: object) -> bool:
        """Whether the nearest values are the same; a plain tensor may be the other."""
        if not isinstance(other, Tensor):
            return NotImplemented
        return (self.type, self.shape, self.data) == (other.type, other.shape, other.data)

    def __hash__(self) -> int:
        """That of the plain tensor, to which this one is equal."""
        return hash((self.type, self.shape, self.data))


@dataclass(frozen=True)
class SequenceValue:
    """A sequence of values, possibly empty."""

    items: tuple[Value, ...]


@dataclass(frozen=True)
class OptionalValue:
    """An optional value: `value` is None where it is absent."""

    value: Value | None


@dataclass(frozen=True)
class MapValue:
    """A map: `keys` is a one-dimensional tensor, `values` has one entry a key."""

    keys: Tensor
    values: tuple[Value, ...]


@dataclass(frozen=True)
class ForeignValue:
    """What a runtime returned where a value was due, in words: nothing that ONNX knows."""

    description: str


Value: TypeAlias = Tensor | SequenceValue | OptionalValue | MapValue | ForeignValue


@dataclass(frozen=True)
class NamedValue:
    """A value with the name of the graph input or output that it belongs to."""

    name: str
    value: Value


class ContradictoryShapeError(BadInputError):
    """A shape that no tensor has, or that its elements contradict."""


def check_tensor(tensor: Tensor) -> None:
    """Raise BadInputError unless data, shape and type agree with each other.

    Where it is the shape that cannot be, it is a ContradictoryShapeError.
    """
    element = element_type(tensor.type)
    if any(dimension < 0 for dimension in tensor.shape):
        raise ContradictoryShapeError(f"negative dimension in shape {list(tensor.shape)}")
    count = tensor.element_count
    if isinstance(tensor.data, tuple):
        if element.kind != "string":
            raise BadInputError(f"a list of strings given for element type '{tensor.type}'")
        if len(tensor.data) != count:
            raise ContradictoryShapeError(
                f"shape {list(tensor.shape)} needs {count} strings, {len(tensor.data)} given"
            )
        return
    if element.kind == "string":
        raise BadInputError("bytes given for element type 'string', which takes a list")
    needed = element.byte_count(count)
    if len(tensor.data) != needed:
        raise ContradictoryShapeError(
            f"shape {list(tensor.shape)} of {tensor.type} needs {needed} bytes,"
            f" {len(tensor.data)} given"
        )


# --- the protocol's form -------------------------------------------------------------------


def to_wire(value: Value) -> dict[str, Any]:
    """The JSON form of a value in protocol 1 (docs/protocol.md, Values)."""
    if isinstance(value, Tensor):
        data: str | list[str]
        if isinstance(value.data, tuple):
            data = [base64.b64encode(item).decode("ascii") for item in value.data]
        else:
            data = base64.b64encode(value.data).decode("ascii")
        return {"type": value.type, "shape": list(value.shape), "data": data}
    if isinstance(value, SequenceValue):
        return {"sequence": [to_wire(item) for item in value.items]}
    if isinstance(value, ForeignValue):
        return {"foreign": value.description}
    if isinstance(value, OptionalValue):
        return {"optional": None if value.value is None else to_wire(value.value)}
    return {
        "map": {"keys": to_wire(value.keys), "values": [to_wire(item) for item in value.values]}
    }


def from_wire(wire: Any) -> Value:  # noqa: ANN401  whatever a harness sent
    """The value of a protocol 1 message; BadInputError says what is wrong with it."""
    if not isinstance(wire, dict):
        raise BadInputError(f"a value must be an object, not {_brief(wire)}")
    if "sequence" in wire:
        return SequenceValue(tuple(from_wire(item) for item in _list(wire, "sequence")))
    if "optional" in wire:
        return OptionalValue(None if wire["optional"] is None else from_wire(wire["optional"]))
    if "map" in wire:
        inner = wire["map"]
        if not isinstance(inner, dict):
            raise BadInputError(f"'map' must be an object, not {_brief(inner)}")
        keys = from_wire(inner.get("keys"))
        if not isinstance(keys, Tensor):
            raise BadInputError("'keys' of a map must be a tensor")
        return MapValue(keys, tuple(from_wire(item) for item in _list(inner, "values")))
    if "foreign" in wire:
        if not isinstance(wire["foreign"], str):
            raise BadInputError(f"'foreign' must be a text, not {_brief(wire['foreign'])}")
        return ForeignValue(wire["foreign"])
    return _tensor_from_wire(wire)


def _tensor_from_wire(wire: dict[str, Any]) -> Tensor:
    for key in ("type", "shape", "data"):
        if key not in wire:
            raise BadInputError(f"a tensor has no '{key}'")
    name, shape, data = wire["type"], wire["shape"], wire["data"]
    if not isinstance(name, str):
        raise BadInputError(f"'type' must be a string, not {_brief(name)}")
    if not isinstance(shape, list) or not all(type(item) is int for item in shape):
        raise BadInputError(f"'shape' must be a list of integers, not {_brief(shape)}")
    strings = isinstance(data, list)
    decoded = tuple(_unbase64(item) for item in data) if strings else _unbase64(data)
    tensor = Tensor(name, tuple(shape), decoded)
    check_tensor(tensor)
    return tensor


def _unbase64(text: Any) -> bytes:  # noqa: ANN401  whatever a harness sent
    if not isinstance(text, str):
        raise BadInputError(f"'data' must be base64 text, not {_brief(text)}")
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadInputError(f"'data' is not base64: {error}") from None


def _list(wire: dict[str, Any], key: str) -> list[Any]:
    value = wire.get(key)
    if not isinstance(value, list):
        raise BadInputError(f"'{key}' must be a list, not {_brief(value)}")
    return value


def _brief(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


# --- ONNX's form ---------------------------------------------------------------------------


def to_proto(tensor: Tensor, name: str = "") -> onnx.TensorProto:
    """The TensorProto of a tensor: raw_data, or string_data for strings."""
    import onnx

    proto = onnx.TensorProto()
    proto.dims.extend(tensor.shape)
    proto.data_type = element_type(tensor.type).code
    proto.name = name
    if isinstance(tensor.data, tuple):
        proto.string_data.extend(tensor.data)
    else:
        proto.raw_data = tensor.data
    return proto


def from_proto(proto: onnx.TensorProto, folder: Path | None = None) -> Tensor:
    """The tensor in a TensorProto, whichever of its fields holds the data.

    Raises BadInputError where the fields contradict each other.
    """
    element = element_type_of_code(proto.data_type)
    shape = tuple(proto.dims)
    data: bytes | tuple[bytes, ...]
    if element.kind == "string":
        data = tuple(proto.string_data)
    elif proto.HasField("raw_data"):
        data = proto.raw_data
    else:
        data = _typed_field(proto, folder)
    tensor = Tensor(element.name, shape, data)
    check_tensor(tensor)
    return tensor


def _typed_field(proto: onnx.TensorProto, folder: Path | None) -> bytes:
    """Elements kept in float_data, int32_data and the like, as raw_data would hold them.

    Which field holds which types, and that int32_data holds 16-bit and smaller types by their
    bits: onnx.proto, TensorProto. Not by numpy_helper, whose answer changed between versions.
    """
    if proto.data_location == proto.EXTERNAL:
        return _external_data(proto, folder)
    element = element_type_of_code(proto.data_type)
    try:
        if element.name in ("float32", "complex64"):
            return struct.pack(f"<{len(proto.float_data)}f", *proto.float_data)
        if element.name in ("float64", "complex128"):
            return struct.pack(f"<{len(proto.double_data)}d", *proto.double_data)
        if element.name == "int64":
            return struct.pack(f"<{len(proto.int64_data)}q", *proto.int64_data)
        if element.name in ("uint32", "uint64"):
            code = "I" if element.name == "uint32" else "Q"
            return struct.pack(f"<{len(proto.uint64_data)}{code}", *proto.uint64_data)
    except struct.error as error:
        raise BadInputError(f"tensor '{proto.name}' cannot be read: {error}") from None
    # One element each; 4- and 2-bit elements are packed already, one byte each.
    size = max(element.bits, 8) // 8
    mask = (1 << 8 * size) - 1
    return b"".join((item & mask).to_bytes(size, "little") for item in proto.int32_data)


def _external_data(proto: onnx.TensorProto, folder: Path | None) -> bytes:
    import onnx.external_data_helper

    if folder is None:
        raise BadInputError(f"tensor '{proto.name}' keeps its data in another file")
    try:
        onnx.external_data_helper.load_external_data_for_tensor(proto, str(folder))
    except Exception as error:
        raise BadInputError(f"tensor '{proto.name}' cannot be read: {error}") from None
    data: bytes = proto.raw_data
    return data
