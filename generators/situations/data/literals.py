"""Converts values of a spec into bit patterns of an element type, and containers."""

from __future__ import annotations

import math
import struct

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.floats import FLOAT_FORMATS
from onnx_conformance.core.values.packing import pack
from onnx_conformance.core.values.tensors import (
    MapValue,
    OptionalValue,
    SequenceValue,
    Tensor,
    Value,
)

from ...oracle.arith.numbers import from_float, is_finite
from ...oracle.arith.rounding import decode, encode, fits
from ...specs.model import AnyLiteral, Literal, MapLiteral, OptionalLiteral, SequenceLiteral
from ..type_texts import inner_type, map_types
from .element_values import derived_tensor
from .profiles import own_shape, profile_tensor

LARGEST_DERIVED = 2**22  # bytes of a tensor; what a vector may have: corpus.making
_STRUCT_FORMATS = {"float16": "<e", "float32": "<f", "float64": "<d"}


def value_of(literal: AnyLiteral, type_text: str, seed: str) -> Value:
    """The value of a literal; elements that are not given are derived from `seed`.

    Args:
        literal: the literal in the spec.
        type_text: its type: an element type for a tensor, `seq(float32)` and the like.
        seed: the seed of derived elements.

    Raises:
        BadInputError: a value does not belong to its type.
    """
    if isinstance(literal, Literal):
        return tensor_of(literal, type_text, seed)
    if isinstance(literal, SequenceLiteral):
        inside = inner_type(type_text, "seq")
        return SequenceValue(
            tuple(
                value_of(item, inside, f"{seed}:{index}")
                for index, item in enumerate(literal.items)
            )
        )
    if isinstance(literal, OptionalLiteral):
        inside = inner_type(type_text, "optional")
        content = None if literal.value is None else value_of(literal.value, inside, seed)
        return OptionalValue(content)
    return _map_of(literal, type_text, seed)


def _map_of(literal: MapLiteral, type_text: str, seed: str) -> MapValue:
    """A map with scalars as values: the operators with maps as inputs have such maps."""
    key_type, value_type = map_types(type_text)
    keys = tensor_of(literal.keys, key_type, f"{seed}:keys")
    flat = literal.values.values or ()
    if len(flat) != keys.element_count:
        raise BadInputError(f"a map has {keys.element_count} keys and {len(flat)} values")
    scalars = tuple(tensor_of(Literal((), (item,)), value_type, seed) for item in flat)
    return MapValue(keys, scalars)


def tensor_of(literal: Literal, type_name: str, seed: str) -> Tensor:
    """The tensor of a literal; elements that are not given are derived from `seed`.

    Raises BadInputError if a value does not belong to the element type.
    """
    type_name = literal.type or type_name
    element = element_type(type_name)
    if literal.values is None:
        shape = own_shape(literal.profile, type_name, literal.shape)
        if element.byte_count(math.prod(shape)) > LARGEST_DERIVED:
            raise BadInputError(
                f"{math.prod(shape)} elements of {type_name} are more than a vector holds"
            )
        if literal.profile is None:
            return derived_tensor(type_name, shape, seed)
        return profile_tensor(literal.profile, type_name, shape, seed)
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
    if type_name in _STRUCT_FORMATS:
        try:
            return int.from_bytes(struct.pack(_STRUCT_FORMATS[type_name], value), "little")
        except (OverflowError, struct.error):  # the latter for an int beyond float64
            raise BadInputError(f"{value} is beyond {type_name}") from None
    if type_name in FLOAT_FORMATS:
        return _narrow_float(value, type_name)
    if element.kind == "complex":
        part, half = ("float32", 32) if element.bits == 64 else ("float64", 64)
        return _pattern(value, part) | _pattern(0.0, part) << half
    if element.kind not in {"int", "uint"} or not isinstance(value, int):
        raise BadInputError(f"{value} cannot be written as a value of {type_name}")
    if not fits(type_name, value):
        raise BadInputError(f"{value} is outside {type_name}")
    return value & ((1 << element.bits) - 1)


def _narrow_float(value: float, type_name: str) -> int:
    """A number that the type holds exactly: a literal that would be rounded is an error."""
    number = from_float(float(value))
    try:
        code = encode(type_name, number)
    except ValueError:  # a sign in a type that has none
        raise BadInputError(f"{value} is no value of {type_name}") from None
    if is_finite(number) and decode(type_name, code) != number:
        raise BadInputError(f"{value} is no value of {type_name}")
    return code
