"""Element types by their codes: the number behind a code, and the code nearest to a number.

`encode` rounds once. A code is the element's bits as an unsigned integer.

Sources: IEEE 754-2019, 3.4 (formats), 4.3.1 (ties to even), 7.4 (overflow), 7.5 (underflow); onnx
docs "Float stored in 8 bits", "Float stored in 4 bits" and "Float stored in 6 bits"; the Cast page,
the two tables of conversion to float 8; OCP Microscaling Formats 1.0 for E8M0.

Encoding and decoding stay in one module (of more than 400 lines): each is the inverse of the other.
"""

from __future__ import annotations

from enum import Enum
from functools import cache, lru_cache

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.floats import (
    ALL_ONES,
    FINITE,
    FLOAT_FORMATS,
    IEEE,
    NEGATIVE_ZERO,
    FloatFormat,
)

from .numbers import (
    INF,
    NAN,
    NEG_INF,
    NEG_ZERO,
    ZERO,
    Complex,
    Number,
    Real,
    fraction,
    is_infinite,
    is_negative,
    is_zero,
)
from .rationals import Fraction, Whole

_PARTS = {"complex64": "float32", "complex128": "float64"}
# Tables of all codes are made for types with at most this many bits.
_TABLE_BITS = 16


class Rounding(Enum):
    """The direction of rounding for a number between two representable ones."""

    NEAREST_EVEN = "to the nearest, the even one of two"
    NEAREST_AWAY = "to the nearest, the one away from zero of two"
    TOWARD_ZERO = "towards zero"
    AWAY = "away from zero"
    DOWN = "towards -inf"
    UP = "towards +inf"


NEAREST_EVEN = Rounding.NEAREST_EVEN
# What lowers the absolute value, of a number >= 0.
_INWARDS = (Rounding.TOWARD_ZERO, Rounding.DOWN)
# What rounds the absolute value of a number below zero.
_TURNED = {Rounding.DOWN: Rounding.UP, Rounding.UP: Rounding.DOWN}


def float_format(name: str) -> FloatFormat:
    """The format of a floating-point type; TypeError for any other type."""
    try:
        return FLOAT_FORMATS[name]
    except KeyError:
        raise TypeError(f"'{name}' is no floating-point type") from None


def is_float(name: str) -> bool:
    """Whether the element type is a floating-point one, of any width."""
    return name in FLOAT_FORMATS


def zero_of(name: str) -> Number:
    """The zero of an element type: +0, 0, false, or the empty string."""
    kind = element_type(name).kind
    if kind == "string":
        return b""
    if kind == "bool":
        return False
    if kind == "complex":
        return Complex(ZERO, ZERO)
    return ZERO if kind == "float" else 0


# --- codes to numbers ------------------------------------------------------------------------


def decode(name: str, code: int) -> Number:
    """The number that a code stands for; exact.

    Any byte but 0 is True as a bool. A complex code has the real part in its low half.
    """
    kind = element_type(name).kind
    if kind == "float":
        return _decode_float(name, code)
    if kind == "complex":
        part = _PARTS[name]
        width = element_type(part).bits
        real, imaginary = code & ((1 << width) - 1), code >> width
        return Complex(_decode_float(part, real), _decode_float(part, imaginary))
    if kind == "bool":
        return code != 0
    if kind == "string":
        raise TypeError("a string has no code")
    bits = element_type(name).bits
    return code - (1 << bits) if kind == "int" and code >> (bits - 1) else code


def decode_all(name: str, codes: list[int]) -> list[Number]:
    """The numbers of many codes."""
    if element_type(name).kind == "float" and element_type(name).bits <= _TABLE_BITS:
        table = _table(name)
        return [table[code] for code in codes]
    # Of large tensors many elements are alike: each number is made once, and is one object.
    numbers = {code: decode(name, code) for code in set(codes)}
    return [numbers[code] for code in codes]


@cache
def _table(name: str) -> tuple[Real, ...]:
    return tuple(
        _float_of(float_format(name), code) for code in range(1 << element_type(name).bits)
    )


@lru_cache(maxsize=1 << 16)
def _decode_float(name: str, code: int) -> Real:
    return _float_of(float_format(name), code)


def _float_of(form: FloatFormat, code: int) -> Real:
    negative = bool(form.signed and code >> form.magnitude_bits)
    magnitude = code & ((1 << form.magnitude_bits) - 1)
    if magnitude > _greatest_code(form) or (
        form.special == NEGATIVE_ZERO and code and not magnitude
    ):
        if form.special == IEEE and magnitude == _greatest_code(form) + 1:
            return NEG_INF if negative else INF
        return NAN
    field, significand = magnitude >> form.mantissa, magnitude & ((1 << form.mantissa) - 1)
    if field or not form.signed:
        significand += 1 << form.mantissa
    else:
        field = 1
    exponent = field - form.bias - form.mantissa
    value = (
        Fraction(significand << exponent)
        if exponent >= 0
        else Fraction(significand, 1 << -exponent)
    )
    if negative:
        return NEG_ZERO if value == 0 else -value
    return value


def _greatest_code(form: FloatFormat) -> int:
    """The magnitude bits of the greatest finite number."""
    everything = (1 << form.magnitude_bits) - 1
    if form.special == IEEE:
        return everything - (1 << form.mantissa)
    return everything - 1 if form.special == ALL_ONES else everything


# --- numbers to codes ------------------------------------------------------------------------


def encode(
    name: str, number: Number, *, saturate: bool | None = None, rounding: Rounding = NEAREST_EVEN
) -> int:
    """The code of a number in an element type, rounded once.

    Args:
        name: the element type.
        number: the number. For an integer type it must fit; for bool it must be a bool.
        saturate: the result for a number beyond the greatest finite one. True: the greatest, also
            for an infinity. False: an infinity, or NaN if the type has none. None: as False, but as
            True for the types that have neither (float4, float6).
        rounding: the direction for a number between two. A directed rounding towards zero of a
            number beyond the range gives the greatest finite number.

    NaN has the code with the top bit of the significand set and the sign clear, if the type has
    several; a type without NaN uses its greatest number, as ONNX says for float4 and float6. A type
    without -0 uses 0. float8e8m0 has no zero: with `saturate` 0 becomes its least number, else NaN;
    negative numbers have no meaning there and raise ValueError, as does an integer that does not
    fit.
    """
    kind = element_type(name).kind
    if kind == "float":
        if isinstance(number, (Complex, bytes)):
            raise TypeError(f"{number!r} is no {name}")
        return _encode_float(name, number, saturate, rounding)
    if kind == "complex":
        if not isinstance(number, Complex):
            raise TypeError(f"{number!r} is no {name}")
        part = _PARTS[name]
        high = _encode_float(part, number.im, saturate, rounding) << element_type(part).bits
        return high | _encode_float(part, number.re, saturate, rounding)
    if kind == "bool":
        if not isinstance(number, bool):
            raise TypeError(f"{number!r} is no bool")
        return int(number)
    if kind == "string" or not isinstance(number, Whole):
        raise TypeError(f"{number!r} is no {name}")
    if not fits(name, number):
        raise ValueError(f"{number} does not fit {name}: wrap or saturate it")
    return int(number) & ((1 << element_type(name).bits) - 1)


def round_to(
    name: str, number: Number, *, saturate: bool | None = None, rounding: Rounding = NEAREST_EVEN
) -> Number:
    """The number of a floating-point or complex type for this one; see encode."""
    return decode(name, encode(name, number, saturate=saturate, rounding=rounding))


def _encode_float(
    name: str,
    x: Real,
    saturate: bool | None,  # noqa: FBT001  one of three
    rounding: Rounding,
) -> int:
    form = float_format(name)
    if x is NAN:
        return _nan_code(form)
    if not form.signed:
        return _encode_unsigned(form, x, saturate, rounding)
    negative = is_negative(x)
    sign = 1 << form.magnitude_bits if negative else 0
    if is_infinite(x):
        return _beyond(form, sign, saturate)
    of_magnitude = _TURNED.get(rounding, rounding) if negative else rounding
    code = 0 if is_zero(x) else _magnitude_code(form, abs(fraction(x)), of_magnitude)
    if code == 0 and form.special == NEGATIVE_ZERO:
        return 0
    if code > _greatest_code(form):
        if of_magnitude not in _INWARDS:
            return _beyond(form, sign, saturate)
        code = _greatest_code(form)
    return sign | code


def _nan_code(form: FloatFormat) -> int:
    if form.special == IEEE:
        return _greatest_code(form) + 1 + (1 << (form.mantissa - 1))
    if form.special == NEGATIVE_ZERO:
        return 1 << form.magnitude_bits
    return (1 << form.magnitude_bits) - 1  # with FINITE the greatest number


def _beyond(form: FloatFormat, sign: int, saturate: bool | None) -> int:  # noqa: FBT001  one of three
    """The code for a number beyond the greatest one."""
    if saturate or form.special == FINITE:
        return sign | _greatest_code(form)
    if form.special == NEGATIVE_ZERO:
        return _nan_code(form)
    return sign | (_greatest_code(form) + 1)  # infinity, or NaN with all bits set


def _encode_unsigned(
    form: FloatFormat,
    x: Real,
    saturate: bool | None,  # noqa: FBT001  one of three
    rounding: Rounding,
) -> int:
    """The code in a format without sign and zero: E8M0."""
    if is_negative(x):
        raise ValueError(f"{x!r} has no meaning in an unsigned format")
    if x == 0:
        return 0 if saturate else _nan_code(form)
    if x is INF:
        return _beyond(form, 0, saturate)
    value = fraction(x)
    if value < Fraction(1, 1 << form.bias):
        return 0 if saturate else _nan_code(form)
    code = _magnitude_code(form, value, rounding)
    return code if code <= _greatest_code(form) else _beyond(form, 0, saturate)


def _magnitude_code(form: FloatFormat, x: Fraction, rounding: Rounding) -> int:
    """The magnitude bits of a positive number as if the exponent had no upper end."""
    least = 1 - form.bias if form.signed else -form.bias
    exponent = max(exponent_of(x), least)
    significand = int(round_integer(x, exponent - form.mantissa, rounding))
    # If the significand grows by a bit, the addition carries it into the exponent.
    code = ((exponent - least) << form.mantissa) + significand
    return code if form.signed else code - (1 << form.mantissa)


def exponent_of(x: Fraction) -> int:
    """The e with 2**e <= x < 2**(e + 1), for x > 0."""
    numerator, denominator = x.numerator, x.denominator
    exponent = numerator.bit_length() - denominator.bit_length()
    if exponent >= 0:
        return exponent if numerator >= denominator << exponent else exponent - 1
    return exponent if numerator << -exponent >= denominator else exponent - 1


@cache
def power_of_two(exponent: int) -> Fraction:
    """The number 2**exponent."""
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


def round_integer(x: Fraction, exponent: int, rounding: Rounding = NEAREST_EVEN) -> int:
    """A number >= 0 as an integer multiple of 2**exponent."""
    numerator, denominator = x.numerator, x.denominator
    if exponent >= 0:
        denominator <<= exponent
    else:
        numerator <<= -exponent
    whole, rest = divmod(numerator, denominator)
    if rounding in _INWARDS:
        return whole
    if rounding is NEAREST_EVEN:
        return whole + (2 * rest > denominator or (2 * rest == denominator and whole & 1))
    return whole + (2 * rest >= denominator if rounding is Rounding.NEAREST_AWAY else rest > 0)


def round_signed(x: Fraction, rounding: Rounding) -> int:
    """A number of either sign as an integer."""
    whole = round_integer(abs(x), 0, rounding)
    return -whole if x < 0 else whole


def is_power_of_two(x: Fraction) -> bool:
    """Whether the absolute value of a binary fraction is a power of two, or zero."""
    digits = abs(x.numerator * x.denominator)
    return digits & (digits - 1) == 0


# --- the range of a type ---------------------------------------------------------------------


@cache
def greatest(name: str) -> Fraction:
    """The greatest finite number of a floating-point type."""
    form = float_format(name)
    return fraction(_float_of(form, _greatest_code(form)))


@cache
def least_normal(name: str) -> Fraction:
    """The least positive number of a floating-point type that is not subnormal."""
    form = float_format(name)
    return fraction(_float_of(form, 1 << form.mantissa if form.signed else 0))


@cache
def least_subnormal(name: str) -> Fraction:
    """The least positive number of a floating-point type."""
    form = float_format(name)
    return fraction(_float_of(form, 1 if form.signed else 0))


@cache
def unit_roundoff(name: str) -> Fraction:
    """Half the distance from 1 to the next number: the greatest relative error of one rounding."""
    return Fraction(1, 1 << (float_format(name).mantissa + 1))


def ulp(name: str, x: Fraction) -> Fraction:
    """The distance of neighbours in the binade of x; below the least normal, of subnormal numbers.

    Beyond the greatest finite number it is that of the greatest binade.
    """
    return power_of_two(ulp_exponent(name, x))


def ulp_exponent(name: str, x: Fraction) -> int:
    """The exponent e of the ulp of x, 2**e."""
    least, most, mantissa = _exponents(name)
    if not x:
        return least - mantissa
    exponent = exponent_of(abs(x))
    return (least if exponent < least else min(exponent, most)) - mantissa


@cache
def _exponents(name: str) -> tuple[int, int, int]:
    """The exponents of the least normal and of the greatest number; bits of the significand."""
    ends = exponent_of(least_normal(name)), exponent_of(greatest(name))
    return *ends, float_format(name).mantissa


@cache
def overflow(name: str) -> Fraction:
    """The least number that rounds to an infinity, or to a number beyond a type without one."""
    return greatest(name) + ulp(name, greatest(name)) / 2


def limits(name: str) -> tuple[int, int]:
    """The least and the greatest number of an integer type."""
    element = element_type(name)
    if element.kind == "uint":
        return 0, (1 << element.bits) - 1
    if element.kind == "int":
        return -(1 << (element.bits - 1)), (1 << (element.bits - 1)) - 1
    raise TypeError(f"'{name}' is no integer type")


def fits(name: str, value: int) -> bool:
    """Whether an integer type has this number."""
    low, high = limits(name)
    return low <= value <= high


def wrap(name: str, value: int) -> int:
    """The integer modulo 2**bits: higher bits discarded, two's complement."""
    low, high = limits(name)
    return (value - low) % (high - low + 1) + low


def saturate(name: str, value: int) -> int:
    """The integer, or the end of the type's range if it lies beyond."""
    low, high = limits(name)
    return min(max(value, low), high)
