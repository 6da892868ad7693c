"""Cast and CastLike, all versions: elements in another element type.

Source: the Cast page, Summary, its two tables for float 8 and the one for E8M0, and Attributes;
the pages "Float stored in 4 bits" and "Float stored in 6 bits" for the types without NaN and
infinity. Before version 6 `to` is the name of a DataType; strings exist since version 9, rules for
numbers out of range since 13, `saturate` since 19 and `round_mode` since 24.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from onnx_conformance.core.values.elements import (
    ELEMENT_TYPES,
    element_type,
)

from ...arith.grid import EITHER_ZERO, AnyOf, Grid, Item
from ...arith.numbers import (
    INF,
    NAN,
    NEG_ZERO,
    Real,
    as_float,
    fraction,
    is_finite,
    is_infinite,
    is_negative,
    is_zero,
    trunc,
)
from ...arith.rationals import Fraction
from ...arith.rounding import (
    Rounding,
    fits,
    greatest,
    least_subnormal,
    limits,
    overflow,
    round_signed,
    round_to,
    saturate,
    wrap,
)
from ...attributes import named_type, word
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle
from .texts import numbers_in, texts_of

_NAMED_TYPES = 6
_RULES_FOR_RANGES = 13
_INFINITY_SATURATES = 24
_POWERS_OF_TWO = "float8e8m0"
_WITHOUT_NAN = ("float4e2m1", "float6e2m3", "float6e3m2")
_ROUNDINGS = {
    "up": Rounding.AWAY,
    "down": Rounding.TOWARD_ZERO,
    "nearest": Rounding.NEAREST_AWAY,
}
FRACTIONS = {
    "truncated": Rounding.TOWARD_ZERO,
    "nearest-even": Rounding.NEAREST_EVEN,
    "nearest-away": Rounding.NEAREST_AWAY,
}


@oracle("Cast")
def cast(call: Call) -> Result:
    """The input's elements in the type that `to` says."""
    return (converted(call, call.grid("input"), _target(call)),)


@oracle("CastLike")
def cast_like(call: Call) -> Result:
    """The input's elements in the type of the second input, whose elements do not matter."""
    target = call.tensor("target_type").type
    rounds = target == _POWERS_OF_TWO and call.string_attribute("round_mode", "up") != "up"
    # The attribute is on the page; the function body of the same page has a Cast without it.
    if rounds and call.choose("round-mode-of-the-body", "as-told", "dropped") == "dropped":
        call = replace(call, attributes={**call.attributes, "round_mode": "up"})
    return (converted(call, call.grid("input"), target),)


def _target(call: Call) -> str:
    if call.since_version < _NAMED_TYPES:
        name = call.string_attribute("to").upper()
        found = [item.name for item in ELEMENT_TYPES if item.onnx_name.upper() == name]
        if not found:
            raise InvalidCallError(f"'{name}' is no element type")
        return found[0]
    return named_type(call, "to").name


def converted(call: Call, grid: Grid, target: str) -> Grid:
    """The elements of a grid in another type, as `saturate` and `round_mode` of the call say."""
    kind = element_type(target).kind
    if "complex" in (kind, element_type(grid.type).kind):
        raise InvalidCallError("complex numbers cannot be converted")
    if grid.type == target:
        return grid
    if kind == "string":
        return Grid(target, grid.shape, texts_of(call, grid))
    items = grid.items
    if element_type(grid.type).kind == "string":
        items = numbers_in(call, items, kind)
    convert = _converter(call, target)
    if (grid.type, kind) == (_POWERS_OF_TWO, "bool"):
        convert = _power_of_two_to_bool
    return Grid(target, grid.shape, [convert(item) for item in items])


def _converter(call: Call, target: str) -> Callable[[Real], Item]:
    """The function that converts a number to the target type."""
    kind = element_type(target).kind
    if kind == "bool":
        return lambda item: not is_zero(item)
    if kind in ("int", "uint"):
        return lambda item: _to_integer(call, target, item)
    if target == _POWERS_OF_TWO:
        return lambda item: _power_of_two(call, as_float(item))
    if target.endswith("fnuz") and call.since_version < _INFINITY_SATURATES:
        return lambda item: _to_early_fnuz(call, target, as_float(item))
    return lambda item: to_float(call, target, as_float(item))


def to_float(call: Call, target: str, item: Real) -> Item:
    """A number in a floating-point type other than float8e8m0, as `saturate` of the call says."""
    if target.startswith("float8"):
        return _to_float8(call, target, item)
    if target in _WITHOUT_NAN:
        return _to_narrow(call, target, item)
    return _to_wide(call, target, item)


# --- floating-point types --------------------------------------------------------------------


def _to_wide(call: Call, target: str, item: Real) -> Item:
    """The nearest number, an infinity beyond the range; float4 has its greatest number there."""
    if call.since_version < _RULES_FOR_RANGES and is_finite(item):
        beyond = abs(fraction(item)) >= overflow(target)
        if beyond and _before_the_rules(call) == "nearest-end":
            return -greatest(target) if is_negative(item) else greatest(target)
    return round_to(target, item)


def _to_float8(call: Call, target: str, item: Real) -> Item:
    clamp = call.int_attribute("saturate", 1) != 0
    if clamp and target.endswith("fnuz") and call.since_version < _INFINITY_SATURATES:
        # The tables of versions 19 to 23 have NaN for an infinity here, unlike for other types.
        return NAN if is_infinite(item) else round_to(target, item, saturate=True)
    return round_to(target, item, saturate=clamp)


def _to_early_fnuz(call: Call, target: str, item: Real) -> Item:
    """A number in a FNUZ type, which by the table has NaN for an infinity even where it saturates.

    ONNX's own node tests of these versions have the greatest number there (onnx/onnx#6220).
    """
    if not is_infinite(item) or call.int_attribute("saturate", 1) == 0:
        return to_float(call, target, item)
    if call.choose("infinity-in-fnuz-before-24", "not-a-number", "greatest") == "not-a-number":
        return NAN
    return -greatest(target) if is_negative(item) else greatest(target)


def _to_narrow(call: Call, target: str, item: Real) -> Item:
    """A number in float4 or float6, which have no NaN; the page on float 6 has 0 for -0.

    For NaN the pages give the greatest number, and ONNX's own node tests -0.
    """
    if item is NAN:
        chosen = call.choose("nan-without-code", "greatest", "minus-zero")
        return greatest(target) if chosen == "greatest" else NEG_ZERO
    result = round_to(target, item)
    both_zeros = target.startswith("float6") and result is NEG_ZERO
    return EITHER_ZERO if both_zeros else result


def _power_of_two_to_bool(item: Real) -> Item:
    """float8e8m0 is never 0; but the table has the code of its least number for 0."""
    return AnyOf((True, False)) if item == least_subnormal(_POWERS_OF_TWO) else True


def _power_of_two(call: Call, item: Real) -> Item:
    """A number in float8e8m0; the least number of its range is above 0."""
    rounding = _ROUNDINGS[word(call, "round_mode", _ROUNDINGS, "up")]
    if item is NAN:
        return NAN
    least, most = least_subnormal(_POWERS_OF_TWO), greatest(_POWERS_OF_TWO)
    if is_negative(item):
        return (
            NAN
            if call.choose("negative-to-e8m0", "not-a-number", "least") == "not-a-number"
            else least
        )
    above = item is INF or fraction(item) > most
    if not above and fraction(item) >= least:
        return round_to(_POWERS_OF_TWO, item, rounding=rounding)
    end = most if above else least
    if call.int_attribute("saturate", 1):
        return end
    # The table has NaN for numbers beyond the range: for x, or for what x is rounded to.
    if item is INF or is_zero(item) or not _rounds_to_the_end(fraction(item), rounding):
        return NAN
    return NAN if call.choose("e8m0-not-saturated", "value", "rounded") == "value" else end


def _rounds_to_the_end(number: Fraction, rounding: Rounding) -> bool:
    """Whether a number beyond the range of float8e8m0 is rounded to an end of it.

    To the nearest, its neighbours are those of a type of powers of two without ends.
    """
    least, most = least_subnormal(_POWERS_OF_TWO), greatest(_POWERS_OF_TWO)
    if number > most:
        limit = {Rounding.TOWARD_ZERO: 2 * most, Rounding.AWAY: most}
        return number < limit.get(rounding, most * 3 / 2)
    limit = {Rounding.AWAY: Fraction(0), Rounding.TOWARD_ZERO: least}
    return number >= limit.get(rounding, least * 3 / 4)


# --- integers --------------------------------------------------------------------------------


def _to_integer(call: Call, target: str, item: Real) -> Item:
    """An integer loses its higher bits; a whole float in range keeps its value.

    No page defines the result for a fraction, or for a float out of range.
    """
    if isinstance(item, int):
        value = int(item)
        if call.since_version < _RULES_FOR_RANGES and not fits(target, value):
            ends = _before_the_rules(call) == "nearest-end"
            return saturate(target, value) if ends else wrap(target, value)
        return wrap(target, value)
    low, high = limits(target)
    if not is_finite(item) or not low <= fraction(item) <= high:
        return _beyond(call, target, item)
    number = fraction(item)
    if number.denominator == 1:
        return int(number)
    rounding = FRACTIONS[call.choose("fraction-to-integer", *FRACTIONS)]
    return wrap(target, round_signed(number, rounding))


def _beyond(call: Call, target: str, item: Real) -> Item:
    """A float out of an integer's range is undefined: the results of implementations."""
    if call.choose("float-beyond-integer", "lower-bits", "nearest-end") == "nearest-end":
        return limits(target)[0 if is_negative(item) else 1]
    return wrap(target, int(fraction(trunc(item)))) if is_finite(item) else 0


def _before_the_rules(call: Call) -> str:
    return call.choose("out-of-range-before-13", "as-since-13", "nearest-end")
