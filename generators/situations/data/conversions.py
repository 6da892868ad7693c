"""Values at which a conversion from one element type to another goes wrong.

They depend on both types: on the numbers of the source type, and on the places where the target
type changes its behaviour: its ends, its smallest numbers, and halfway between neighbours. Numbers
of the source type next to such a place show a conversion that rounds twice.

| profile      | elements                                                              |
|--------------|-----------------------------------------------------------------------|
| `into:T`     | those for which the conversion to T is defined                        |
| `ends:T`     | all numbers except NaN, for conversions that clamp to the range of T  |
| `exactly:T`  | those of them that T holds exactly                                    |
| `fractions:T` | floats between the integers of T                                     |
| `beyond:T`   | floats that are outside the range of T, an integer type               |
| `negative:T` | floats below 0                                                        |
| `bits:T`     | those of a source type of the same width, of two for a bool           |
| `digits:T`   | floats whose decimals are long, or need an exponent                   |
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cache

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.floats import FINITE, FLOAT_FORMATS

from ...oracle.arith.numbers import (
    NAN,
    Number,
    Real,
    Special,
    fraction,
    is_finite,
    is_infinite,
    is_negative,
)
from ...oracle.arith.rationals import Fraction, Whole
from ...oracle.arith.rounding import (
    decode,
    encode,
    fits,
    greatest,
    least_normal,
    least_subnormal,
    limits,
    round_to,
)
from ...oracle.operators.conversion.texts import shortest
from .lattices import special_values

_POWERS_OF_TWO = "float8e8m0"
_BITS = "bits"
_TEXTS_OF_FLOATS = (
    *("3.14", "1000", "100.5", "1e-5", "1E8", "0", "-0", "-2.5", "0.1", "1e3", "2.5E-3", "-1e2"),
    *("INF", "+INF", "-INF", "NaN", "inf", "Inf", "+inf", "nan", "NAN", "42", "-7", "0.0"),
)
_TEXTS_OF_INTEGERS = (0, 1, -1, 2, 7, -8, 100, -100, 255, 1000, 65535, -32768)
_PLAIN = (Fraction(1, 10**4), Fraction(10**6))


@cache
def conversion_values(layout: str, source: str, target: str) -> tuple[int | str, ...]:
    """The codes, or the texts, of a profile of this module, each once.

    Raises BadInputError if there are none, as for floats beyond the range of a float type.
    """
    if not is_conversion(layout):
        raise BadInputError(f"unknown data profile '{layout}:{target}'")
    if layout == _BITS:
        return _patterns(source, target)
    if element_type(source).kind == "string":
        return _texts(layout, target)
    found = tuple(dict.fromkeys(_kept(layout, source, target)))
    if not found:
        raise BadInputError(f"no value of {source} is for '{layout}:{target}'")
    return found


def has_conversion_values(layout: str, source: str, target: str) -> bool:
    """Whether there is one of the values of a profile; all of them take a hundred times as long."""
    try:
        if layout in _KEPT and element_type(source).kind != "string":
            return any(True for _ in _kept(layout, source, target))
        return bool(conversion_values(layout, source, target))
    except BadInputError:
        return False


def _kept(layout: str, source: str, target: str) -> Iterator[int]:
    keeps = _KEPT[layout](source, target)
    return (code for code in _candidates(source, target) if keeps(decode(source, code)))


def is_conversion(layout: str) -> bool:
    """Whether the part of a profile before its colon is one of this module's."""
    return layout in _KEPT or layout == _BITS


def _patterns(source: str, target: str) -> tuple[int, ...]:
    """Codes of both types; BadInputError for types of different widths, and for strings."""
    one, other = element_type(source), element_type(target)
    if one.bits != other.bits or not one.bits:
        raise BadInputError(f"{source} and {target} have not the same width")
    return (0, 1) if "bool" in (one.kind, other.kind) else special_values(source)


# --- candidates ------------------------------------------------------------------------------


def _candidates(source: str, target: str) -> Iterator[int]:
    """The lattice of the source type, and its numbers at and next to the places of the target."""
    element = element_type(source)
    if element.kind != "bool" and element.bits <= 8:
        yield from range(1 << element.bits)
        return
    yield from special_values(source)
    if element.kind != "bool":
        for number in _places(target):
            yield from _around(source, number)
            yield from _around(source, -number)


def _places(target: str) -> Iterator[Fraction]:
    """The positive numbers at which the target type changes its behaviour."""
    kind = element_type(target).kind
    if target in FLOAT_FORMATS:
        yield from _float_places(target)
    elif kind in ("int", "uint"):
        low, high = limits(target)
        for number in (high, -low, high - low, 2 * (high - low)):
            yield from (Fraction(number + near) for near in (-2, -1, 0, 1, 2))
        yield from (
            Fraction(number) for number in (3, 5, 16, 37, 100, 1000, 70000, 2**24 + 1, 2**53 + 1)
        )
        yield from (Fraction(number, 4) for number in (1, 2, 3, 5, 6, 10, 14, 401))
        yield high + Fraction(1, 2)


def _float_places(target: str) -> Iterator[Fraction]:
    """Numbers of a float type at its ends, and halfway to their neighbours."""
    last, one = encode(target, greatest(target)), encode(target, Fraction(1))
    normal, least = encode(target, least_normal(target)), encode(target, least_subnormal(target))
    lower = (least, least + 1, normal - 1, normal, one - 1, one, one + 1, one + 2, last - 1)
    for code in lower:
        here, there = _fraction_of(target, code), _fraction_of(target, code + 1)
        yield from (here, (here + there) / 2)
    yield least_subnormal(target) / 2
    top, below = greatest(target), _fraction_of(target, last - 1)
    yield from (top, top + (top - below) / 2, top + (top - below), 2 * top)


def _fraction_of(name: str, code: int) -> Fraction:
    number = decode(name, max(code, 0))
    return number if isinstance(number, Fraction) else Fraction(0)


def _around(source: str, number: Fraction) -> list[int]:
    """The codes of the source type at a number and next to it, as far as they exist."""
    element = element_type(source)
    mask = (1 << element.bits) - 1
    if element.kind in ("int", "uint"):
        whole = round(number)
        near = (whole - 1, whole, whole + 1)
        return [encode(source, value) for value in near if fits(source, value)]
    if source not in FLOAT_FORMATS or (number < 0 and not FLOAT_FORMATS[source].signed):
        return []
    code = encode(source, number)
    if not is_finite(decode(source, code)):
        return []
    near = (code - 1, code, code + 1)
    return [item for item in near if 0 <= item <= mask and is_finite(decode(source, item))]


# --- which of them are kept --------------------------------------------------------------------


def _defined(source: str, target: str) -> Callable[[Number], bool]:
    """Whether a page defines the conversion of a number."""
    kind = element_type(target).kind
    if target == _POWERS_OF_TWO:
        return lambda item: item is NAN or not is_negative(_real(item))
    if kind in ("int", "uint") and element_type(source).kind == "float":
        return lambda item: _is_whole(item) and _in_range(target, item)
    if kind == "string" and element_type(source).kind == "float":
        return lambda item: _is_short(source, item)
    if target in FLOAT_FORMATS and FLOAT_FORMATS[target].special == FINITE:
        return lambda item: item is not NAN
    if source == target == "float8e5m2":
        # The table gives infinities a number, even if the source type is the same.
        return lambda item: not is_infinite(item)
    return lambda _: True


def _exact(source: str, target: str) -> Callable[[Number], bool]:
    """Whether the target holds the number; a bool only 0 and 1."""
    kind = element_type(target).kind
    defined = _defined(source, target)

    def keeps(item: Number) -> bool:
        if item is NAN or not defined(item) or not is_finite(item):
            return False
        if kind == "bool":
            return item in (0, 1)
        if kind in ("int", "uint"):
            return _in_range(target, item)
        return kind == "string" or round_to(target, _as_fraction(item)) == _as_fraction(item)

    return keeps


def _fractional(_: str, target: str) -> Callable[[Number], bool]:
    return lambda item: (
        isinstance(item, Fraction)
        and item.denominator > 1
        and _in_range(target, Fraction(math.floor(item)))
        and _in_range(target, Fraction(math.ceil(item)))
    )


def _outside(_: str, target: str) -> Callable[[Number], bool]:
    return lambda item: not is_finite(item) or not _in_range(target, item)


def _below(*_: str) -> Callable[[Number], bool]:
    return lambda item: item is not NAN and is_negative(_real(item))


def _number(*_: str) -> Callable[[Number], bool]:
    return lambda item: item is not NAN


def _long(source: str, _: str) -> Callable[[Number], bool]:
    return lambda item: is_finite(item) and not _is_short(source, item)


def _is_short(source: str, item: Number) -> bool:
    """Whether a number has only one short decimal: all its digits are needed to identify it."""
    if not isinstance(item, Fraction) or not is_finite(item):
        return False
    low, high = _PLAIN
    value = abs(item)
    return value == 0 or (low <= value < high and Fraction(shortest(source, value)) == value)


def _is_whole(item: Number) -> bool:
    return is_finite(item) and _as_fraction(item).denominator == 1


def _in_range(target: str, item: Number) -> bool:
    low, high = limits(target)
    return low <= _as_fraction(item) <= high


def _as_fraction(item: Number) -> Fraction:
    return fraction(_real(item))


def _real(item: Number) -> Real:
    if not isinstance(item, (Whole, Fraction, Special)):
        raise TypeError(f"{item!r} is no real number")
    return item


_KEPT: dict[str, Callable[[str, str], Callable[[Number], bool]]] = {
    "into": _defined,
    "ends": _number,
    "exactly": _exact,
    "fractions": _fractional,
    "beyond": _outside,
    "negative": _below,
    "digits": _long,
}


# --- texts -----------------------------------------------------------------------------------


def _texts(layout: str, target: str) -> tuple[str, ...]:
    """Strings that stand for a number of the target type."""
    kind = element_type(target).kind
    if kind == "string":
        return ("", "a", "3.14", "1e400", "NaN", "\u00e9", "a\0b")
    if kind == "bool":
        return ("0", "1") if layout == "exactly" else ("0", "1", "2", "0.0", "-1")
    if kind not in ("int", "uint"):
        texts = _TEXTS_OF_FLOATS
        if target == _POWERS_OF_TWO:
            return tuple(text for text in texts if not text.startswith("-"))
        if FLOAT_FORMATS[target].special == FINITE:
            return tuple(text for text in texts if text.lower() != "nan")
        return texts

    low, high = limits(target)
    numbers = (*_TEXTS_OF_INTEGERS, low, low + 1, high - 1, high, 2**24 + 1, 2**53 + 1, -(2**62))
    return tuple(str(number) for number in dict.fromkeys(numbers) if low <= number <= high)
