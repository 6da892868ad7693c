"""Cast, CastLike and BitCast."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import numpy as np

from onnx_conformance.core.values.elements import element_type

from ...graphs.call import Call
from ...graphs.registry import evaluates
from ...values.formats import (
    LD,
    NARROW,
    Array,
    has_infinities,
    has_nan,
    largest,
    round_to,
)
from ...values.tensors import COMPLEX, Arr, CannotAnswerError, fit, given, is_float, span, taken
from ..products.matrices import from_fraction
from ..shared import text, type_of_code

_NUMBER = re.compile(r"\s*([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?\s*")


@evaluates("Cast", "CastLike")
def cast(call: Call) -> Arr:
    """`Cast` by the rules and tables of its document."""
    if call.operator == "CastLike":
        name = call.arr(1).type
    elif call.version < 6:
        name = _NAMES.get(text(call.attr("to")), text(call.attr("to")).lower())
    else:
        name = type_of_code(call.attr("to"))
    return converted(
        call.arr(0), name, bool(call.attr("saturate", 1)), text(call.attr("round_mode", b"up"))
    )


_NAMES = {"FLOAT": "float32", "DOUBLE": "float64"}


def converted(value: Arr, name: str, saturate: bool = True, mode: str = "up") -> Arr:  # noqa: FBT001, FBT002
    """A tensor as another type."""
    source, data = value.type, value.data
    if source == name:
        return value
    if name == "string":
        return Arr(name, _map(lambda item: _written(source, item), data))
    if source == "string":
        return _from_text(data, name, saturate, mode)
    if name in COMPLEX or source in COMPLEX:
        raise CannotAnswerError("a cast of complex numbers")
    if is_float(name):
        return _to_float(data.astype(LD), name, saturate, mode)
    if name == "bool":
        return Arr(name, data != 0)
    if is_float(source):
        return _to_whole(data, name)
    return fit(name, data.astype(object))


def _map(function: Any, data: Array) -> Array:  # noqa: ANN401  a function
    made = np.empty(data.size, object)
    for place, item in enumerate(data.reshape(-1)):
        made[place] = function(item)
    return made.reshape(data.shape)


def _to_whole(data: Array, name: str) -> Arr:
    low, high = span(name)
    whole = np.trunc(data)
    if not (np.isfinite(data) & (whole >= low) & (whole <= high)).all():
        raise CannotAnswerError(f"a number beyond {name}, of which the document says nothing")
    return fit(name, _map(int, whole))


def _to_float(data: Array, name: str, saturate: bool, mode: str) -> Arr:  # noqa: FBT001
    if name == "float8e8m0":
        return Arr(name, _scale(data, saturate, mode))
    if name not in NARROW or element_type(name).bits > 8:
        return fit(name, data)
    top = largest(name)
    rounded = round_to(name, data)
    beyond = np.isinf(rounded) | (np.isnan(rounded) & ~np.isnan(data)) | np.isinf(data)
    if not has_nan(name):
        # Types without a NaN: their largest value, whatever `saturate` says.
        if np.isnan(data).any():
            raise CannotAnswerError(f"a NaN as {name}")
        return Arr(name, np.where(np.isinf(data), np.copysign(top, data), rounded))
    if saturate:
        rounded = np.where(beyond, np.copysign(top, data), rounded)
    elif not has_infinities(name):
        rounded = np.where(beyond, LD(np.nan), rounded)
    if name.endswith("fnuz"):  # without a negative zero
        rounded = np.where(rounded == 0, LD(0), rounded)
    return Arr(name, rounded)


def _scale(data: Array, saturate: bool, mode: str) -> Array:  # noqa: FBT001
    """A power of two (E8M0): rounded up, down, or to the nearest with ties up."""
    if (np.signbit(data) & ~np.isnan(data)).any():
        raise CannotAnswerError("a negative number as float8e8m0")
    least, most = LD(2) ** -127, LD(2) ** 127
    fraction, exponent = np.frexp(data)
    below = np.ldexp(LD(1), exponent - 1)
    exact = fraction == LD(0.5)
    if mode == "up":
        found = np.where(exact, below, 2 * below)
    elif mode == "down":
        found = below
    else:
        found = np.where(fraction >= LD(0.75), 2 * below, below)
    small = (data < least) | (data == 0)
    large = (data > most) | np.isinf(data)
    if saturate:
        found = np.where(large, most, np.where(small, least, found))
    else:
        found = np.where(large | small, LD(np.nan), found)
    return np.where(np.isnan(data), LD(np.nan), found)


def _from_text(data: Array, name: str, saturate: bool, mode: str) -> Arr:  # noqa: FBT001
    if name == "bool":
        raise CannotAnswerError("a text as bool")
    if is_float(name):
        return _to_float(_map(_number, data).astype(LD), name, saturate, mode)
    whole = _map(lambda item: _whole(item, name), data)
    return fit(name, whole)


def _number(item: bytes) -> Any:  # noqa: ANN401  a long double
    words = item.decode("utf-8", "replace").strip()
    special = {"INF": np.inf, "+INF": np.inf, "-INF": -np.inf, "NAN": np.nan}.get(words.upper())
    if special is not None:
        return LD(special)
    number = _fraction(words)
    size = from_fraction(abs(number)) if number else LD(0)
    return -size if words.startswith("-") else size


def _fraction(words: str) -> Fraction:
    found = _NUMBER.fullmatch(words)
    if found is None or not (found[2] or found[3]):
        raise CannotAnswerError(f"'{words}' is no number")
    digits, after, power = found[2] or "0", found[3] or "", int(found[4] or 0)
    number = Fraction(int(digits + after)) * Fraction(10) ** (power - len(after))
    return -number if found[1] == "-" else number


def _whole(item: bytes, name: str) -> int:
    number = _fraction(item.decode("utf-8", "replace").strip())
    low, high = span(name)
    whole = int(number)
    if not low <= whole <= high:
        raise CannotAnswerError(f"a text beyond {name}")
    return whole


def _written(source: str, item: Any) -> bytes:  # noqa: ANN401  an element
    """Plain notation; of a float the fewest digits that give it back."""
    if source == "bool":
        return b"1" if item else b"0"
    if not is_float(source):
        return str(int(item)).encode()
    if np.isnan(item):
        return b"NaN"
    if np.isinf(item):
        return b"INF" if item > 0 else b"-INF"
    narrow: Any = {"float64": np.float64, "float32": np.float32, "float16": np.float16}.get(source)
    if narrow is None:
        raise CannotAnswerError(f"{source} as a text")
    return np.format_float_positional(narrow(item), trim="-").encode()


@evaluates("BitCast")
def bit_cast(call: Call) -> Arr:
    """`BitCast`: the same bits as another type."""
    from onnx_conformance.core.values.tensors import Tensor

    name = type_of_code(call.attr("to"))
    tensor = call.arr(0).origin
    if tensor is None:
        made = given(call.arr(0))
        if not isinstance(made, Tensor) or bool(np.isnan(call.data(0).astype(LD)).any()):
            raise CannotAnswerError("the bits of a NaN are not kept through other operators")
        tensor = made
    if element_type(name).bits != element_type(call.type).bits:
        raise CannotAnswerError("types of another width")
    result = taken(Tensor(name, tensor.shape, tensor.data))
    if not isinstance(result, Arr):
        raise CannotAnswerError("no tensor")
    return result
