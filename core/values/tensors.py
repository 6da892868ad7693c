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
from ..limits import DEPTH, ELEMENTS, LARGEST_DIMENSION, LINE, RANK, STRINGS, VALUES
from ..text import brief, cut
from .elements import element_type, element_type_of_code

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import onnx

_SHOWN_DIMENSIONS = 16


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
        rules: what the limits were derived by, as data.json says it; empty where nobody knows.
    """

    limits: Mapping[str, tuple[Tensor, Tensor]] = field(default_factory=dict)
    rules: tuple[Mapping[str, Any], ...] = ()

    def __eq__(self, other: object) -> bool:
        """Whether the nearest values are the same; a plain tensor may be the other."""
        if not isinstance(other, Tensor):
            return NotImplemented
        return (self.type, self.shape, self.data) == (other.type, other.shape, other.data)

    def __hash__(self) -> int:
        """That of the plain tensor, to which this one is equal."""
        return hash((self.type, self.shape, self.data))


@dataclass(frozen=True, eq=False)
class Drawn(Tensor):
    """An expected tensor that stands for others: what holds for all of them are its laws.

    `data` is one draw that keeps the laws. Everywhere but where a result is judged it is that
    tensor, and equal to it.

    Attributes:
        laws: what must hold, as data.json says it (`laws`).
    """

    laws: tuple[Mapping[str, Any], ...] = ()

    def __eq__(self, other: object) -> bool:
        """Whether the draws are the same; a plain tensor may be the other."""
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

    Where it is the shape that cannot be, it is a ContradictoryShapeError. What has more dimensions
    or elements than `core.limits` permits is refused before anything is computed from it.
    """
    element = element_type(tensor.type)
    check_shape(tensor.shape)
    count = tensor.element_count
    if isinstance(tensor.data, tuple):
        if element.kind != "string":
            raise BadInputError(f"a list of strings given for element type '{tensor.type}'")
        if len(tensor.data) != count:
            raise ContradictoryShapeError(
                f"shape {shape_words(tensor.shape)} needs {count} strings, {len(tensor.data)} given"
            )
        return
    if element.kind == "string":
        raise BadInputError("bytes given for element type 'string', which takes a list")
    needed = element.byte_count(count)
    if len(tensor.data) != needed:
        raise ContradictoryShapeError(
            f"shape {shape_words(tensor.shape)} of {tensor.type} needs {needed} bytes,"
            f" {len(tensor.data)} given"
        )


def check_shape(shape: Sequence[int]) -> None:
    """Raise ContradictoryShapeError unless a shape is one that a tensor can have.

    Each dimension is an int64 and not negative (onnx.proto, TensorProto.dims); how many there may
    be, and how many elements, `core.limits` says.
    """
    if len(shape) > RANK:
        raise ContradictoryShapeError(
            f"a shape of {len(shape):,} dimensions; {RANK:,} are taken at most"
        )
    count = 1
    for dimension in shape:
        if dimension < 0:
            raise ContradictoryShapeError(f"negative dimension in shape {shape_words(shape)}")
        if dimension > LARGEST_DIMENSION:
            raise ContradictoryShapeError(f"a dimension beyond int64 in shape {shape_words(shape)}")
        # Not all dimensions multiplied: a number of thousands of digits takes seconds.
        count = min(count * dimension, ELEMENTS + 1)
    if count > ELEMENTS:
        raise ContradictoryShapeError(
            f"shape {shape_words(shape)} has more elements than an int64 counts"
        )


def shape_words(shape: Sequence[int]) -> str:
    """A shape for a message, cut where it is long: `[2, 3]`."""
    if len(shape) <= _SHOWN_DIMENSIONS:
        return brief(list(shape))
    first = ", ".join(brief(item) for item in shape[:_SHOWN_DIMENSIONS])
    return f"[{first}, … {len(shape):,} dimensions]"


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


@dataclass
class Budget:
    """How many values may still be read, of all that a message or a file holds together."""

    values: int = VALUES
    strings: int = STRINGS

    def take(self, strings: int = 0) -> None:
        """Count one more value with its strings; BadInputError where there are too many."""
        self.values -= 1
        self.strings -= strings
        if self.values < 0:
            raise BadInputError(f"more than {VALUES:,} values are not taken")
        if self.strings < 0:
            raise BadInputError(f"more than {STRINGS:,} strings are not taken")


def from_wire(wire: Any, budget: Budget | None = None) -> Value:  # noqa: ANN401  from a harness
    """The value of a protocol 1 message; BadInputError says what is wrong with it.

    Args:
        wire: what the JSON says.
        budget: what may still be read; None permits what a message alone may hold.
    """
    return _from_wire(wire, budget or Budget(), 0)


def _from_wire(wire: Any, budget: Budget, depth: int) -> Value:  # noqa: ANN401  from a harness
    if not isinstance(wire, dict):
        raise BadInputError(f"a value must be an object, not {_brief(wire)}")
    kinds = [kind for kind in _KINDS if kind in wire]
    if not kinds:
        return _tensor_from_wire(wire, budget)
    if len(kinds) > 1 or "data" in wire:
        raise BadInputError(f"a value is of one kind, not {_brief(sorted(wire))}")
    budget.take()
    if depth >= DEPTH:
        raise BadInputError(f"values are nested more than {DEPTH} deep")
    inner, depth = wire[kinds[0]], depth + 1
    if kinds[0] == "sequence":
        items = _list(inner, "sequence")
        return SequenceValue(tuple(_from_wire(item, budget, depth) for item in items))
    if kinds[0] == "optional":
        return OptionalValue(None if inner is None else _from_wire(inner, budget, depth))
    if kinds[0] == "map":
        return _map_from_wire(inner, budget, depth)
    if not isinstance(inner, str):
        raise BadInputError(f"'foreign' must be a text, not {_brief(inner)}")
    return ForeignValue(cut(inner, LINE))


def _map_from_wire(inner: Any, budget: Budget, depth: int) -> MapValue:  # noqa: ANN401  from a harness
    if not isinstance(inner, dict):
        raise BadInputError(f"'map' must be an object, not {_brief(inner)}")
    keys = _from_wire(inner.get("keys"), budget, depth)
    if not isinstance(keys, Tensor):
        raise BadInputError("'keys' of a map must be a tensor")
    values = _list(inner.get("values"), "values")
    return MapValue(keys, tuple(_from_wire(item, budget, depth) for item in values))


_KINDS = ("sequence", "optional", "map", "foreign")


def _tensor_from_wire(wire: dict[str, Any], budget: Budget) -> Tensor:
    for key in ("type", "shape", "data"):
        if key not in wire:
            raise BadInputError(f"a tensor has no '{key}'")
    name, shape, data = wire["type"], wire["shape"], wire["data"]
    if not isinstance(name, str):
        raise BadInputError(f"'type' must be a string, not {_brief(name)}")
    if not isinstance(shape, list) or not all(type(item) is int for item in shape):
        raise BadInputError(f"'shape' must be a list of integers, not {_brief(shape)}")
    check_shape(shape)
    if isinstance(data, list):
        budget.take(len(data))
        decoded: bytes | tuple[bytes, ...] = tuple(_unbase64(item) for item in data)
    else:
        budget.take()
        decoded = _unbase64(data)
    tensor = Tensor(name, tuple(shape), decoded)
    check_tensor(tensor)
    return tensor


def _unbase64(text: Any) -> bytes:  # noqa: ANN401  whatever a harness sent
    if not isinstance(text, str):
        raise BadInputError(f"'data' must be base64 text, not {_brief(text)}")
    try:
        decoded = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadInputError(f"'data' is not base64: {error}") from None
    if len(text) != (len(decoded) + 2) // 3 * 4:  # Python takes any padding at the end
        raise BadInputError("'data' is not base64: excess padding")
    return decoded


def _list(value: Any, key: str) -> list[Any]:  # noqa: ANN401  whatever a harness sent
    if not isinstance(value, list):
        raise BadInputError(f"'{key}' must be a list, not {_brief(value)}")
    return value


def _brief(value: object) -> str:
    return brief(value, 60)


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
