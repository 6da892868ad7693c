"""Numbers as strings and strings as numbers, for Cast and CastLike.

Source: the Cast page, Summary, second paragraph. Left open there: the spelling of numbers that are
not finite, how many digits a number has, and the result for a text that is not a number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from onnx_conformance.core.values.elements import element_type

from ...arith.grid import AnyOf, Grid, Item
from ...arith.numbers import (
    INF,
    NAN,
    NEG_INF,
    NEG_ZERO,
    Real,
    fraction,
    is_finite,
    is_negative,
    is_zero,
)
from ...arith.rationals import Fraction
from ...arith.rounding import encode, exponent_of
from ...errors import InvalidCallError
from ...registry import Call

_NUMERAL = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_WHOLE = re.compile(rb"[+-]?[0-9]+")
_WORDS: dict[bytes, Real] = {b"nan": NAN, b"inf": INF, b"+inf": INF, b"-inf": NEG_INF}
_MINUS_INFINITY = b"-INF"
_SPECIALS: dict[str, dict[object, bytes]] = {
    "reserved": {NAN: b"NaN", INF: b"INF", NEG_INF: b"-INF"},
    "lower-case": {NAN: b"nan", INF: b"inf", NEG_INF: b"-inf"},
}
_TRUTHS = {
    "digit": (b"0", b"1"),
    "word": (b"False", b"True"),
    "lower-case-word": (b"false", b"true"),
}
_DIGITS = {"six": 6, "eight": 8, "seventeen": 17}


# --- to numbers ------------------------------------------------------------------------------


def numbers_in(call: Call, texts: Sequence[bytes], kind: str) -> list[Real]:
    """The numbers in strings, for a target type of this kind (`float`, `int`, `uint`, `bool`).

    InvalidCallError under the reading that refuses texts that are not numbers.
    """
    if kind == "bool":
        return [_truth(call, text) for text in texts]
    return [_number_in(call, text, whole=kind != "float") for text in texts]


def _number_in(call: Call, text: bytes, *, whole: bool) -> Real:
    word = _WORDS.get(text.lower())
    if word is not None:
        if word is NEG_INF and text != _MINUS_INFINITY:
            # The rule on letter case names INF, +INF and NaN alone.
            _refuse(call, "lower-case-minus-infinity", "minus-infinity", text)
        return word
    if not _NUMERAL.fullmatch(text):
        _refuse(call, "text-of-no-number", "zero", text)
        return Fraction(0)
    value = Fraction(text.decode())
    if whole and not _WHOLE.fullmatch(text):
        _refuse(call, "float-text-to-integer", "truncated", text)
        return Fraction(int(value))
    return NEG_ZERO if value == 0 and text.startswith(b"-") else value


def _refuse(call: Call, question: str, otherwise: str, text: bytes) -> None:
    if call.choose(question, otherwise, "rejected") == "rejected":
        raise InvalidCallError(f"{question}: {text!r}")


def _truth(call: Call, text: bytes) -> Real:
    chosen = call.choose("text-to-bool", "number", "word", "not-empty")
    if chosen == "not-empty":
        return int(bool(text))
    if chosen == "word":
        return int(text.lower() in (b"true", b"1"))
    if not _NUMERAL.fullmatch(text):
        raise InvalidCallError(f"{text!r} is no number")
    return int(Fraction(text.decode()) != 0)


# --- to strings ------------------------------------------------------------------------------


def texts_of(call: Call, grid: Grid) -> list[Item]:
    """Numbers as strings: digits without an exponent, with the choices that are left open."""
    kind = element_type(grid.type).kind
    if kind == "bool":
        spelled = _TRUTHS[call.choose("spelling-of-bool", *_TRUTHS)]
        return [spelled[bool(item)] for item in grid.items]
    if kind in ("int", "uint"):
        return [str(item).encode() for item in grid.items]
    return [_text(call, grid.type, item) for item in grid.items]


def _text(call: Call, name: str, item: Real) -> Item:
    """A number of a floating-point type: any decimal that the page does not exclude."""
    if not is_finite(item):
        return _SPECIALS[call.choose("spelling-of-specials", *_SPECIALS)][item]
    if item is NEG_ZERO:
        return AnyOf((b"-0", b"-0.0", b"0", b"0.0"))
    value = abs(fraction(item))
    digits = "0.0" if is_zero(item) else shortest(name, value)
    if Fraction(digits) != value:
        chosen = call.choose("digits-of-a-text", "shortest", *_DIGITS)
        digits = digits if chosen == "shortest" else decimal(value, _DIGITS[chosen])
    text = ("-" if is_negative(item) else "") + digits
    if text.endswith(".0"):
        return AnyOf((text.removesuffix(".0").encode(), text.encode()))
    return text.encode()


def shortest(name: str, value: Fraction) -> str:
    """The decimal with the fewest digits that rounds to a positive number of a float type.

    Of several, the nearest. Always with a point: `3.0`.
    """
    code = encode(name, value)
    for count in range(1, 800):
        text = decimal(value, count)
        if encode(name, Fraction(text)) == code:
            return text
    raise ValueError(f"no decimal gives {value} back")


def decimal(value: Fraction, count: int) -> str:
    """The decimal of a positive number with at most `count` digits that count, without an exponent.

    Rounded to nearest; always with a point, without zeros behind the last digit but one: `3.0`.
    """
    exponent = exponent_of(value) * 30103 // 100000 - 1  # log10(2), from below
    while Fraction(10) ** exponent <= value:
        exponent += 1
    place = exponent - count  # the last digit counts 10**place
    digits = str(round(value / Fraction(10) ** place))
    if place >= 0:
        return digits + "0" * place + ".0"
    digits = digits.rjust(1 - place, "0")
    whole, part = digits[:place], digits[place:].rstrip("0")
    return f"{whole}.{part or '0'}"
