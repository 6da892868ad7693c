"""Values as bytes: what a vector holds and a harness sends, whatever the element type.

A tensor keeps its elements in the form of ONNX's raw_data (little-endian, 4- and 2-bit elements
packed over the whole tensor, low bits first: onnx.proto, TensorProto.raw_data), because NumPy has
no dtype for a third of the types, no zero-size array with huge dimensions, and converts where
a bit-exact judgement must not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from ..errors import BadInputError
from ..limits import ELEMENTS, LARGEST_DIMENSION, RANK
from ..text import brief
from .elements import element_type

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


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
