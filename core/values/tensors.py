"""Values as bytes: the contents of vectors and of a harness's messages, for every element type.

A tensor keeps its elements in the form of ONNX's raw_data (little-endian, 4- and 2-bit elements
packed over the whole tensor, low bits first: onnx.proto, TensorProto.raw_data). NumPy arrays would
not do: NumPy has no dtype for a third of the types, no zero-size array with huge dimensions, and
converts values where a bit-exact judgement must not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ..errors import BadInputError
from ..limits import ELEMENTS, LARGEST_DIMENSION, RANK
from ..text import brief
from .elements import element_type

_SHOWN_DIMENSIONS = 16


@dataclass(frozen=True)
class Tensor:
    """A tensor value.

    Attributes:
        type: name of the element type, e.g. `float32`.
        shape: dimensions; () is a scalar.
        data: the elements in row-major order as raw_data; for strings a tuple of byte strings.
    """

    type: str
    shape: tuple[int, ...]
    data: bytes | tuple[bytes, ...]

    @property
    def element_count(self) -> int:
        """Product of the dimensions: 1 for a scalar."""
        return math.prod(self.shape)


@dataclass(frozen=True, eq=False)
class Expected(Tensor):
    """A tensor with more about what may be accepted in its place, which only judging looks at.

    It equals a plain tensor of the same elements, and has its hash.
    """

    def __eq__(self, other: object) -> bool:
        """Whether type, shape and elements are the same."""
        if not isinstance(other, Tensor):
            return NotImplemented
        return (self.type, self.shape, self.data) == (other.type, other.shape, other.data)

    def __hash__(self) -> int:
        """The hash of the plain tensor."""
        return hash((self.type, self.shape, self.data))


@dataclass(frozen=True, eq=False)
class Bounded(Expected):
    """An expected tensor with limits on what may be accepted in its place, element by element.

    `data` holds the representable values nearest to the exact results. Only judging (`comparing`)
    looks at the limits; everywhere else this is an ordinary tensor, and equality ignores them.

    Attributes:
        limits: (low, high) of each accuracy profile, of the type and shape of this tensor;
            `limits.limits_for` says what a profile that is not there accepts.
        rules: how the limits were derived, as in data.json; empty if unknown.
    """

    limits: Mapping[str, tuple[Tensor, Tensor]] = field(default_factory=dict)
    rules: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, eq=False)
class Drawn(Expected):
    """An expected tensor that is only an example: any tensor that keeps the laws is right.

    `data` is one draw that keeps the laws. Only judging looks at the laws; everywhere else this is
    an ordinary tensor, and equality ignores them.

    Attributes:
        laws: the laws, as in data.json (see `laws`).
    """

    laws: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, eq=False)
class Sampled(Expected):
    """An expected tensor of which some elements are compared, and all others may be anything.

    `data` has zeros, or whatever else, for the others. Only judging looks at the positions;
    everywhere else this is an ordinary tensor, and equality ignores them.

    Attributes:
        positions: row-major positions of the elements that are compared, each once, in order.
        compared: these elements, in one dimension; a Bounded tensor where they have limits.
    """

    positions: tuple[int, ...] = ()
    compared: Tensor = field(default_factory=lambda: Tensor("float32", (0,), b""))


@dataclass(frozen=True)
class SequenceValue:
    """A sequence of values, possibly empty."""

    #: The values, in order.
    items: tuple[Value, ...]


@dataclass(frozen=True)
class OptionalValue:
    """An optional value: `value` is None if it is absent."""

    #: The value inside; None if it is absent.
    value: Value | None


@dataclass(frozen=True)
class MapValue:
    """A map: `keys` is a one-dimensional tensor, `values` has one item for each key."""

    #: The keys: one dimension, integers or strings.
    keys: Tensor
    #: The value of each key, in the order of the keys.
    values: tuple[Value, ...]


@dataclass(frozen=True)
class ForeignValue:
    """Something that a runtime returned and that is no value of ONNX, described in words."""

    #: What it is, in words.
    description: str


Value: TypeAlias = Tensor | SequenceValue | OptionalValue | MapValue | ForeignValue


def parts_of(value: Value) -> tuple[Value, ...]:
    """The values that a sequence, a map or an optional holds; none in a tensor."""
    if isinstance(value, SequenceValue):
        return value.items
    if isinstance(value, OptionalValue):
        return () if value.value is None else (value.value,)
    return value.values if isinstance(value, MapValue) else ()


@dataclass(frozen=True)
class NamedValue:
    """A value with the name of the graph input or output that it belongs to."""

    #: Of the graph input or output.
    name: str
    #: What is fed, expected or returned there.
    value: Value


class ContradictoryShapeError(BadInputError):
    """A shape that no tensor can have, or that its elements contradict."""


def check_tensor(tensor: Tensor) -> None:
    """Raise BadInputError unless data, shape and type agree with each other.

    If the shape is the impossible part, it is a ContradictoryShapeError. A tensor with more
    dimensions or elements than `core.limits` permits is refused before anything is computed from
    it.
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

    Each dimension is an int64 and not negative (onnx.proto, TensorProto.dims); `core.limits` says
    how many dimensions and elements there may be.
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
        # Stop early: the product of all dimensions may have thousands of digits, and takes seconds.
        count = min(count * dimension, ELEMENTS + 1)
    if count > ELEMENTS:
        raise ContradictoryShapeError(
            f"shape {shape_words(shape)} has more elements than an int64 counts"
        )


def shape_words(shape: Sequence[int]) -> str:
    """A shape for a message, shortened if it is long: `[2, 3]`."""
    if len(shape) <= _SHOWN_DIMENSIONS:
        return brief(list(shape))
    first = ", ".join(brief(item) for item in shape[:_SHOWN_DIMENSIONS])
    return f"[{first}, … {len(shape):,} dimensions]"
