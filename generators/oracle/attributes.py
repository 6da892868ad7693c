"""Attributes that are a finite number, one of some words, or the code of an element type."""

from __future__ import annotations

from collections.abc import Iterable

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import ElementType, element_type_of_code

from .arith.numbers import fraction, from_float, is_finite
from .arith.rationals import Fraction
from .errors import InvalidCallError
from .registry import Call

FLOATS = ("float16", "float32", "float64", "bfloat16")
_WIDTHS = (8, 16, 32, 64)


def finite(call: Call, name: str, default: float | None = None) -> Fraction:
    """A number, exactly; InvalidCallError for NaN and the infinities."""
    value = from_float(call.float_attribute(name, default))
    if not is_finite(value):
        raise InvalidCallError(f"{name} is no finite number")
    return fraction(value)


def word(call: Call, name: str, words: Iterable[str], default: str | None = None) -> str:
    """One of the words that a page lists; InvalidCallError for any other."""
    value = call.string_attribute(name, default)
    if value not in words:
        raise InvalidCallError(f"{name} '{value}' is none of {', '.join(words)}")
    return value


def named_type(call: Call, name: str, default: int | None = None) -> ElementType:
    """The element type that has this code; InvalidCallError where none has."""
    try:
        return element_type_of_code(call.int_attribute(name, default))
    except BadInputError as error:
        raise InvalidCallError(str(error)) from None


def float_type(call: Call, name: str) -> str:
    """The element type of this code, one of FLOATS; InvalidCallError for any other code."""
    found = named_type(call, name).name
    if found not in FLOATS:
        raise InvalidCallError(f"{name} is {found}, none of {', '.join(FLOATS)}")
    return found


def number_type(call: Call, name: str, default: int | None = None) -> str:
    """The same, or an integer type of whole bytes."""
    found = named_type(call, name, default)
    whole = found.kind in ("int", "uint") and found.bits in _WIDTHS
    if found.name not in FLOATS and not whole:
        raise InvalidCallError(f"no output of type {found.name}")
    return found.name
