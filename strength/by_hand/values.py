"""Tensors as the backends here see them: elements as integers or byte strings.

A tensor is the validator's own record of type, dimensions and raw bytes; what is computed with it
is written here.
"""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING

from onnx_conformance.core.values.elements import ElementType, element_type
from onnx_conformance.core.values.packing import pack, unpack_bits
from onnx_conformance.core.values.tensors import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

INT64_MIN = -(2**63)
INT64_MAX = 2**63 - 1


def integers(tensor: Tensor) -> tuple[int, ...]:
    """The elements of an int64 tensor."""
    data = raw(tensor)
    return struct.unpack(f"<{len(data) // 8}q", data)


def int64(values: Sequence[int], dims: tuple[int, ...] | None = None) -> Tensor:
    """A one-dimensional int64 tensor, or one with these dimensions."""
    shape = (len(values),) if dims is None else dims
    return Tensor("int64", shape, struct.pack(f"<{len(values)}q", *values))


def raw(tensor: Tensor) -> bytes:
    """The bytes of a tensor that is not of strings."""
    if isinstance(tensor.data, bytes):
        return tensor.data
    raise TypeError("strings have no raw data")


def count_of(dims: Iterable[int]) -> int:
    """The product of dimensions: 1 for a scalar."""
    return math.prod(dims)


def element(tensor: Tensor) -> ElementType:
    """The element type of a tensor."""
    return element_type(tensor.type)


def patterns(tensor: Tensor) -> list[int]:
    """The bit patterns of the elements: little-endian, narrow types with the first in low bits."""
    return unpack_bits(raw(tensor), element(tensor).bits, count_of(tensor.shape))


def of_patterns(type_name: str, dims: tuple[int, ...], codes: Sequence[int]) -> Tensor:
    """The tensor of bit patterns."""
    return Tensor(type_name, dims, pack(element_type(type_name), codes))


def cells(tensor: Tensor) -> list[int] | list[bytes]:
    """The elements, whatever their type: bit patterns, or byte strings."""
    return list(tensor.data) if isinstance(tensor.data, tuple) else patterns(tensor)


def of_cells(
    type_name: str, dims: tuple[int, ...], items: Sequence[int] | Sequence[bytes]
) -> Tensor:
    """The tensor of elements as `cells` gives them."""
    if type_name == "string":
        return Tensor(type_name, dims, tuple(item for item in items if isinstance(item, bytes)))
    return of_patterns(type_name, dims, [item for item in items if isinstance(item, int)])


def mapped(tensor: Tensor, change: Callable[[int], int]) -> Tensor:
    """Every bit pattern changed."""
    return of_patterns(tensor.type, tensor.shape, [change(code) for code in patterns(tensor)])


def signed(code: int, bits: int) -> int:
    """A bit pattern read as two's complement."""
    return code - (1 << bits) if code >> (bits - 1) & 1 else code


def wrapped(value: int, bits: int) -> int:
    """A number as a signed integer of `bits` bits holds it after overflow."""
    return signed(value & ((1 << bits) - 1), bits)


def through_float32(value: int) -> int:
    """An integer that was kept in a float32."""
    return int(struct.unpack("<f", struct.pack("<f", value))[0])


def through_float64(value: int) -> int:
    """An integer that was kept in a float64 and cast back, as x86 does beyond int64."""
    result = int(float(value))
    return result if INT64_MIN <= result <= INT64_MAX else INT64_MIN
