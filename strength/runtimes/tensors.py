"""Tensors as wrong runtimes see them: elements as bit patterns or byte strings."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.packing import pack, unpack_bits
from onnx_conformance.core.values.tensors import Tensor, Value

Values: TypeAlias = Sequence[Value | None]

# A larger tensor is left as it is: no wrong runtime needs it to be noticed.
_MOST_ELEMENTS = 4096


def bits_of(tensor: Tensor) -> int:
    """Bits of an element, 0 for a string."""
    return 0 if isinstance(tensor.data, tuple) else element_type(tensor.type).bits


def kind_of(tensor: Tensor) -> str:
    """The kind of an element type, such as `int` and `float`."""
    return element_type(tensor.type).kind


def elements(tensor: Tensor) -> list[Any]:
    """The elements: bit patterns, or byte strings."""
    if isinstance(tensor.data, tuple):
        return list(tensor.data)
    return unpack_bits(tensor.data, bits_of(tensor), tensor.element_count)


def filled(tensor: Tensor, items: Sequence[Any], shape: tuple[int, ...] | None = None) -> Tensor:
    """A tensor of the same type with other elements."""
    shape = tensor.shape if shape is None else shape
    if isinstance(tensor.data, tuple):
        return Tensor(tensor.type, shape, tuple(items))
    return Tensor(tensor.type, shape, pack(element_type(tensor.type), items))


def zero_of(tensor: Tensor) -> int | bytes:
    """The element that memory nobody has written to would hold."""
    return b"" if isinstance(tensor.data, tuple) else 0


def changed(values: Values, change: Callable[[Tensor], Value]) -> list[Value | None]:
    """Tensors changed, others as they are."""
    return [change(item) if isinstance(item, Tensor) else item for item in values]


def each(change: Callable[[Any], Any], *types: str) -> Callable[[Tensor], Tensor]:
    """A change of each element of tensors of some types."""

    def change_tensor(tensor: Tensor) -> Tensor:
        if tensor.type not in types or tensor.element_count > _MOST_ELEMENTS:
            return tensor
        return filled(tensor, [change(item) for item in elements(tensor)])

    return change_tensor


def integers(value: Value | None) -> tuple[int, ...]:
    """The elements of an int64 tensor; none of anything else."""
    if not isinstance(value, Tensor) or value.type != "int64" or not isinstance(value.data, bytes):
        return ()
    return struct.unpack(f"<{value.element_count}q", value.data)


def int64(values: Iterable[int], shape: tuple[int, ...] | None = None) -> Tensor:
    """An int64 tensor, cut to 64 bits; a vector unless it has another shape."""
    wrapped = [wrap(item, 64) for item in values]
    dims = (len(wrapped),) if shape is None else shape
    return Tensor("int64", dims, struct.pack(f"<{len(wrapped)}q", *wrapped))


def wrap(number: int, bits: int) -> int:
    """A number as a signed integer of some bits holds it after overflow."""
    half = 1 << bits - 1
    return (number + half) % (2 * half) - half


def in_float32(number: int) -> int:
    """An integer that was kept in a float32."""
    return int(struct.unpack("<f", struct.pack("<f", number))[0])


def floats(value: Tensor) -> tuple[float, ...]:
    """The elements of a float32 tensor."""
    return struct.unpack(f"<{value.element_count}f", raw(value))


def raw(tensor: Tensor) -> bytes:
    """The bytes of a tensor that is not of strings."""
    if isinstance(tensor.data, bytes):
        return tensor.data
    raise TypeError("strings have no raw data")


def shapes_of(values: Iterable[Value | None]) -> tuple[Any, ...]:
    """The types and shapes of tensors, None for what is none."""
    return tuple((it.type, it.shape) if isinstance(it, Tensor) else None for it in values)


def has_type(values: Iterable[Value | None], name: str) -> bool:
    """Whether a tensor among some values has a type."""
    return any(isinstance(item, Tensor) and item.type == name for item in values)


def int64_in_double(item: int) -> int:
    """The bits of an int64 after its number was a double."""
    signed = item - 2**64 if item >= 2**63 else item
    return min(int(float(signed)), 2**63 - 1) % 2**64


def flushed_float16(item: int) -> int:
    """The bits of a float16, 0 with its sign where it is subnormal."""
    return item & 0x8000 if item & 0x7C00 == 0 else item


#: An int64 that was kept in 32 bits.
in_32_bits = each(lambda item: wrap(item, 32) % 2**64, "int64")
