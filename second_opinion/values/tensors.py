"""Tensors, sequences, optionals and maps as evaluators see them, and as the corpus has them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from onnx_conformance.core.values.describing import bit_patterns
from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.packing import pack_bits
from onnx_conformance.core.values.tensors import (
    MapValue,
    OptionalValue,
    SequenceValue,
    Tensor,
    Value,
)

from .formats import FLOATS, LD, NARROW, WIDE, Array, decoded, encode, round_to

COMPLEX = {"complex64": np.complex64, "complex128": np.complex128}


class CannotAnswerError(Exception):
    """The evaluator has no opinion of this vector, for the reason in its message."""


@dataclass(frozen=True)
class Arr:
    """A tensor.

    Attributes:
        type: element type, as in ids of vectors.
        data: long double for every float type, complex long double, NumPy's own integers (8 bits
            for 4- and 2-bit types), bool, or objects that are bytes for strings.
        origin: the tensor as the corpus has it, where nothing was computed yet: the bits of a NaN.
    """

    type: str
    data: Array
    origin: Tensor | None = field(default=None, compare=False, repr=False)

    @property
    def shape(self) -> tuple[int, ...]:
        """Its dimensions."""
        return tuple(self.data.shape)

    @property
    def ints(self) -> list[int]:
        """Its elements as a flat list of integers, such as a shape or axes."""
        return [int(item) for item in self.data.reshape(-1)]

    @property
    def item(self) -> Any:  # noqa: ANN401  a number, a bool or bytes
        """Its only element."""
        return self.data.reshape(-1)[0]


@dataclass(frozen=True)
class Seq:
    """A sequence."""

    #: Its items, in order.
    items: tuple[Any, ...]


@dataclass(frozen=True)
class Opt:
    """An optional; one that holds something is not told from what it holds."""

    #: What it holds, or None.
    value: Any = None


@dataclass(frozen=True)
class Mapped:
    """A map, or by another name a dictionary."""

    #: Keys, and the value of each.
    keys: Arr
    values: tuple[Any, ...]


def is_float(name: str) -> bool:
    """Whether a type is one of floating-point numbers."""
    return name in FLOATS


def storage(name: str) -> Any:  # noqa: ANN401  a NumPy dtype
    """The NumPy type that holds elements of a type here."""
    if name in FLOATS:
        return LD
    if name in COMPLEX:
        return np.clongdouble
    if name == "string":
        return object
    if name == "bool":
        return np.bool_
    kind = element_type(name).kind
    return np.dtype(f"{'i' if kind == 'int' else 'u'}{max(element_type(name).bits // 8, 1)}").type


def span(name: str) -> tuple[int, int]:
    """The least and the greatest value of an integer type."""
    element = element_type(name)
    if element.kind == "int":
        return -(1 << (element.bits - 1)), (1 << (element.bits - 1)) - 1
    return 0, (1 << element.bits) - 1


def wrapped(name: str, numbers: Array) -> Array:
    """Python integers modulo the width of an integer type, as that type."""
    low, high = span(name)
    flat = [((int(item) - low) % (high - low + 1)) + low for item in numbers.reshape(-1)]
    return np.array(flat, storage(name)).reshape(numbers.shape)


def fit(name: str, numbers: Any) -> Arr:  # noqa: ANN401  whatever NumPy takes
    """Exact results as a tensor of a type: rounded once, or modulo the width of an integer."""
    data = np.asarray(numbers)
    if name in FLOATS:
        return Arr(name, np.asarray(round_to(name, data)))
    if name in COMPLEX:
        part = "float32" if name == "complex64" else "float64"
        data = data.astype(np.clongdouble)
        made = np.empty(data.shape, np.clongdouble)
        made.real, made.imag = round_to(part, data.real), round_to(part, data.imag)
        return Arr(name, made)
    if name in ("bool", "string"):
        return Arr(name, data.astype(storage(name)))
    if data.dtype == storage(name) and element_type(name).bits >= 8:
        return Arr(name, data)
    return Arr(name, wrapped(name, data.astype(object)))


# --- to and from the corpus --------------------------------------------------------------------


def taken(value: Value | None) -> Any:  # noqa: ANN401  one of the classes above
    """A value of the corpus as evaluators see it."""
    if isinstance(value, Tensor):
        return replace(_array(value), origin=value)
    if isinstance(value, SequenceValue):
        return Seq(tuple(taken(item) for item in value.items))
    if isinstance(value, OptionalValue):
        return Opt() if value.value is None else taken(value.value)
    if isinstance(value, MapValue):
        return Mapped(_array(value.keys), tuple(taken(item) for item in value.values))
    raise CannotAnswerError(f"no value of ONNX: {value}")


def _array(tensor: Tensor) -> Arr:
    name = tensor.type
    shape = tensor.shape
    if isinstance(tensor.data, tuple):
        flat = np.empty(len(tensor.data), object)
        flat[:] = tensor.data
        return Arr(name, _shaped(flat, shape))
    if name in COMPLEX:
        parts = np.frombuffer(tensor.data, np.dtype(COMPLEX[name]).newbyteorder("<"))
        with np.errstate(invalid="ignore"):  # a signaling NaN
            return Arr(name, _shaped(parts.astype(np.clongdouble), shape))
    bits = bit_patterns(tensor)
    if name in NARROW:
        return Arr(name, _shaped(decoded(name, bits), shape))
    if name in WIDE:
        with np.errstate(invalid="ignore"):
            return Arr(name, _shaped(bits.view(WIDE[name]).astype(LD), shape))
    if name == "bool":
        return Arr(name, _shaped(bits != 0, shape))
    element = element_type(name)
    numbers = bits
    if element.kind == "int":
        numbers = bits.view(f"i{bits.dtype.itemsize}")
        if element.bits < 8:
            numbers = numbers - ((numbers >> (element.bits - 1)) << element.bits)
    return Arr(name, _shaped(numbers.astype(storage(name)), shape))


def _shaped(flat: Array, shape: tuple[int, ...]) -> Array:
    try:
        return flat.reshape(shape)
    except ValueError:
        raise CannotAnswerError(f"NumPy has no array of shape {list(shape)}") from None


def given(value: Any) -> Value:  # noqa: ANN401  one of the classes above
    """A value of an evaluator as the corpus has it."""
    if isinstance(value, Arr):
        return _tensor(value)
    if isinstance(value, Seq):
        return SequenceValue(tuple(given(item) for item in value.items))
    if isinstance(value, Mapped):
        return MapValue(_tensor(value.keys), tuple(given(item) for item in value.values))
    if isinstance(value, Opt):
        return OptionalValue(None if value.value is None else given(value.value))
    raise TypeError(f"an evaluator returned {type(value).__name__}")


def _tensor(value: Arr) -> Tensor:
    name, data = value.type, value.data
    shape = tuple(int(item) for item in data.shape)
    if name == "string":
        return Tensor(name, shape, tuple(bytes(item) for item in data.reshape(-1)))
    if name in COMPLEX:
        with np.errstate(all="ignore"):
            return Tensor(name, shape, data.astype(COMPLEX[name]).tobytes())
    if name in WIDE:
        with np.errstate(all="ignore"):
            narrowed = data.astype(WIDE[name])
        if not np.array_equal(narrowed.astype(LD), data, equal_nan=True):
            raise ValueError(f"an evaluator returned what is no value of {name}")
        return Tensor(name, shape, narrowed.tobytes())
    bits = element_type(name).bits
    flat = data.reshape(-1)
    if name in NARROW:
        patterns = encode(name, flat)
    elif bits >= 8:
        if data.dtype != storage(name):
            raise ValueError(f"an evaluator returned {data.dtype} for {name}")
        return Tensor(name, shape, flat.tobytes())
    else:
        patterns = flat.astype(np.int64) & ((1 << bits) - 1)
    return Tensor(name, shape, pack_bits([int(item) for item in patterns], bits))
