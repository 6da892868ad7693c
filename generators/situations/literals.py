"""Elements as a spec writes them, as bit patterns of an element type."""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.packing import pack
from onnx_conformance.core.values.tensors import Tensor

from .element_values import derived_tensor

if TYPE_CHECKING:
    from ..specs.model import Literal

LARGEST_DERIVED = 2**16  # bytes: a vector is smaller (corpus_making.LARGEST_VECTOR)
_FLOAT_FORMATS = {"float16": "<e", "float32": "<f", "float64": "<d"}


def tensor_of(literal: Literal, type_name: str, seed: str) -> Tensor:
    """The tensor that a literal stands for; elements that are not given derive from `seed`.

    Raises BadInputError where a value is not one of the element type.
    """
    type_name = literal.type or type_name
    element = element_type(type_name)
    if literal.values is None:
        if element.byte_count(math.prod(literal.shape)) > LARGEST_DERIVED:
            raise BadInputError(
                f"{math.prod(literal.shape)} elements of {type_name} are more than a vector holds"
            )
        return derived_tensor(type_name, literal.shape, seed)
    if element.kind == "string":
        return Tensor(type_name, literal.shape, tuple(_string(item) for item in literal.values))
    patterns = [_pattern(item, type_name) for item in literal.values]
    return Tensor(type_name, literal.shape, pack(element, patterns))


def _string(value: float | str | bool) -> bytes:  # noqa: FBT001  an element
    if not isinstance(value, str):
        raise BadInputError(f"{value} is not a text; put it in quotes")
    return value.encode()


def _pattern(value: float | str | bool, type_name: str) -> int:  # noqa: FBT001  an element
    element = element_type(type_name)
    if element.kind == "bool" and isinstance(value, bool):
        return int(value)
    if isinstance(value, (str, bool)):
        raise BadInputError(f"{value!r} is not a value of {type_name}")
    if type_name in _FLOAT_FORMATS:
        try:
            return int.from_bytes(struct.pack(_FLOAT_FORMATS[type_name], value), "little")
        except (OverflowError, struct.error):  # the latter for an int beyond float64
            raise BadInputError(f"{value} is beyond {type_name}") from None
    if element.kind not in {"int", "uint"} or not isinstance(value, int):
        raise BadInputError(f"{value} cannot be written as a value of {type_name}")
    signed = element.kind == "int"
    low = -(1 << element.bits - 1) if signed else 0
    high = (1 << element.bits - signed) - 1
    if not low <= value <= high:
        raise BadInputError(f"{value} is outside {type_name}")
    return value & ((1 << element.bits) - 1)
