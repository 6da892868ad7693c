"""Cast and CastLike, all versions: elements in another element type.

Source: the Cast page, Summary, its two tables for float 8 and the one for E8M0, and Attributes.
Before version 6 `to` is the name of a DataType; strings are there since version 9, `saturate` since
19 and `round_mode` since 24.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import (
    ELEMENT_TYPES,
    element_type,
    element_type_of_code,
)

from ...arith.grid import AnyOf, Grid
from ...arith.numbers import (
    INF,
    NAN,
    NEG_INF,
    NEG_ZERO,
    ZERO,
    Complex,
    fraction,
    is_finite,
    is_infinite,
    is_negative,
    is_zero,
    trunc,
)
from ...arith.rounding import Rounding, encode, fits, limits, round_to, saturate, wrap
from ...errors import InvalidCallError
from ...registry import oracle

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...arith.grid import Item
    from ...arith.numbers import Number, Real
    from ...registry import Call, Result

_NAMED_TYPES = 6
_INFINITY_SATURATES = 24
_POWERS_OF_TWO = "float8e8m0"
_ROUNDINGS = {
    "up": Rounding.AWAY,
    "down": Rounding.TOWARD_ZERO,
    "nearest": Rounding.NEAREST_AWAY,
}
_NUMERAL = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
# What several spellings are in use for, the first by choice.
_SPELLINGS: dict[object, tuple[bytes, ...]] = {
    True: (b"1", b"True", b"true"),
    False: (b"0", b"False", b"false"),
    NAN: (b"NaN", b"nan"),
    INF: (b"INF", b"inf", b"+INF"),
    NEG_INF: (b"-INF", b"-inf"),
}
_WORDS: dict[bytes, Real] = {b"nan": NAN, b"inf": INF, b"+inf": INF, b"-inf": NEG_INF}


@oracle("Cast")
def cast(call: Call) -> Result:
    """The input's elements in the type that `to` says."""
    return (_converted(call, call.grid("input"), _target(call)),)


@oracle("CastLike")
def cast_like(call: Call) -> Result:
    """The input's elements in the type of the second input, whose elements do not matter."""
    return (_converted(call, call.grid("input"), call.tensor("target_type").type),)


def _target(call: Call) -> str:
    if call.since_version < _NAMED_TYPES:
        name = call.string_attribute("to").upper()
        found = [item.name for item in ELEMENT_TYPES if item.onnx_name.upper() == name]
        if not found:
            raise InvalidCallError(f"'{name}' is no element type")
        return found[0]
    try:
        return element_type_of_code(call.int_attribute("to")).name
    except BadInputError as error:
        raise InvalidCallError(str(error)) from None


def _converted(call: Call, grid: Grid, target: str) -> Grid:
    if grid.type == target:
        return grid
    source, kind = element_type(grid.type), element_type(target).kind
    if kind == "string":
        return grid.map(lambda item: text_of(grid.type, item), target)
    convert = _converter(call, target)
    if source.kind == "string":
        return grid.map(lambda item: convert(number_in(item)), target)
    return grid.map(convert, target)


def _converter(call: Call, target: str) -> Callable[[Real], Item]:
    """How a number becomes one of the target type."""
    kind = element_type(target).kind
    if kind == "bool":
        return lambda item: not is_zero(item)
    if kind in ("int", "uint"):
        return lambda item: to_integer(target, item)
    clamp = None
    if target.startswith("float8"):
        clamp = call.int_attribute("saturate", 1) != 0
    if clamp and target.endswith("fnuz") and call.since_version < _INFINITY_SATURATES:
        # The tables of versions 19 to 23 have NaN for an infinity here, unlike for other types.
        return lambda item: (
            NAN if is_infinite(item) else round_to(target, _number(item), saturate=True)
        )
    if target != _POWERS_OF_TWO:
        return lambda item: round_to(target, _number(item), saturate=clamp)
    rounding = _ROUNDINGS.get(call.string_attribute("round_mode", "up"))
    if rounding is None:
        raise InvalidCallError(f"round_mode is none of {', '.join(_ROUNDINGS)}")
    return lambda item: _power_of_two(_number(item), rounding, clamp=bool(clamp))


def to_integer(target: str, item: Real) -> Item:
    """A number in an integer type: an integer loses its higher bits, a float its fraction.

    A float outside the range is undefined: the lower bits, the nearest end, either end and 0,
    which are what processors give, are permitted.
    """
    if isinstance(item, int):
        return wrap(target, int(item))
    low, high = limits(target)
    if not is_finite(item):
        return AnyOf((high, low, 0) if item is INF else (low, high, 0))
    value = int(fraction(trunc(item)))
    if fits(target, value):
        return value
    return AnyOf((wrap(target, value), saturate(target, value), low, high, 0))


def _power_of_two(item: Real, rounding: Rounding, *, clamp: bool) -> Item:
    """A number in float8e8m0; for what is negative nothing is specified: NaN or the least."""
    if is_negative(item):
        return AnyOf((NAN, round_to(_POWERS_OF_TWO, ZERO, saturate=True)))
    return round_to(_POWERS_OF_TWO, item, saturate=clamp, rounding=rounding)


def _number(item: Real) -> Real:
    """A bool as 0 or 1, an integer as a Fraction, so that it can be rounded."""
    return Fraction(int(item)) if isinstance(item, int) else item


# --- strings ---------------------------------------------------------------------------------


def number_in(text: bytes) -> Real:
    """The number that a string stands for: plain or with an exponent, or a word for a special one.

    InvalidCallError for other strings, for which nothing is defined.
    """
    word = _WORDS.get(text.lower())
    if word is not None:
        return word
    if not _NUMERAL.fullmatch(text):
        raise InvalidCallError(f"{text!r} is no number")
    value = Fraction(text.decode())
    return NEG_ZERO if value == 0 and text.startswith(b"-") else value


def text_of(name: str, item: Number) -> Item:
    """A number as a string: digits without an exponent; what else a document leaves to choose.

    A float has the fewest digits that give it back. For bools and the words for what is no finite
    number, several spellings are permitted.
    """
    if isinstance(item, bool):
        return AnyOf(_SPELLINGS[item])
    if isinstance(item, int):
        return str(item).encode()
    if isinstance(item, (bytes, Complex)):
        raise TypeError(f"{item!r} is no real number")
    if not is_finite(item):
        return AnyOf(_SPELLINGS[item])
    digits = "0.0" if is_zero(item) else shortest(name, abs(fraction(item)))
    sign = "-" if is_negative(item) else ""
    if digits.endswith(".0"):
        return AnyOf(((sign + digits).encode(), (sign + digits[:-2]).encode()))
    return (sign + digits).encode()


def shortest(name: str, value: Fraction) -> str:
    """The decimal with the fewest digits that rounds to a positive number of a float type.

    Of several the nearest. Always with a point: `3.0`.
    """
    exponent = len(str(value.numerator)) - len(str(value.denominator))
    while Fraction(10) ** exponent <= value:
        exponent += 1
    code = encode(name, value)
    for count in range(1, 800):
        place = exponent - count  # the last digit counts 10**place
        step = Fraction(10) ** place
        digits = round(value / step)
        if encode(name, digits * step) == code:
            break
    else:
        raise ValueError(f"no decimal gives {value} back")
    text = str(digits)
    if place >= 0:
        return text + "0" * place + ".0"
    text = text.rjust(1 - place, "0")
    whole, part = text[:place], text[place:].rstrip("0")
    return f"{whole}.{part or '0'}"
