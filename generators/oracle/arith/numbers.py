"""The oracle's form of an element of a tensor: an exact number.

| element type            | element                                                            |
|-------------------------|--------------------------------------------------------------------|
| int and uint types      | `int`, of any size until it is wrapped or saturated                |
| bool                    | `bool`                                                             |
| string                  | `bytes`                                                            |
| floating-point types    | `Fraction`; or `NAN`, `INF`, `NEG_INF`, `NEG_ZERO`                 |
| complex types           | `Complex` of two of those                                          |

`Fraction(0)` is the positive zero. Python's `==` compares what an element *is* (`NEG_ZERO` is not
`Fraction(0)`, `NAN` equals itself); `equal` and `less` compare as IEEE 754 does.

The arithmetic is exact: nothing is rounded until `rounding.encode` or `rounding.round_to`. Numbers
that are not finite follow IEEE 754-2019: 6.1 (infinities), 6.2 (NaN), 6.3 (the sign of zero in
rounding to nearest), 7.2 and 7.3 (invalid operations, division by zero).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from .rationals import Fraction, Whole


class Special(Enum):
    """The values of a floating-point type beside finite non-zero numbers and +0."""

    NAN = "NaN"
    INF = "inf"
    NEG_INF = "-inf"
    NEG_ZERO = "-0"

    def __repr__(self) -> str:
        """The number as a person writes it."""
        return self.value


NAN = Special.NAN
INF = Special.INF
NEG_INF = Special.NEG_INF
NEG_ZERO = Special.NEG_ZERO
ZERO = Fraction(0)
ONE = Fraction(1)


@dataclass(frozen=True)
class Complex:
    """An element of complex64 or complex128: its real and its imaginary part."""

    #: The real part.
    re: Real
    #: The imaginary part.
    im: Real


Real: TypeAlias = int | Fraction | Special
Number: TypeAlias = int | bytes | Fraction | Special | Complex


def from_float(value: float) -> Real:
    """The number that a Python float holds, exactly; for attributes of type FLOAT."""
    if math.isnan(value):
        return NAN
    if math.isinf(value):
        return INF if value > 0 else NEG_INF
    if value == 0 and math.copysign(1, value) < 0:
        return NEG_ZERO
    return Fraction(value)


# --- kinds of numbers ------------------------------------------------------------------------


def is_nan(x: Number) -> bool:
    """Whether x is NaN; a complex number is NaN if a part of it is."""
    if isinstance(x, Complex):
        return x.re is NAN or x.im is NAN
    return x is NAN


def is_infinite(x: Number) -> bool:
    """Whether x is an infinity of either sign."""
    return x is INF or x is NEG_INF


def is_finite(x: Number) -> bool:
    """Whether x is a finite number: neither NaN nor an infinity."""
    return x is NEG_ZERO or not isinstance(x, Special)


def is_zero(x: Number) -> bool:
    """Whether x is a zero of either sign."""
    return x is NEG_ZERO or x == 0


def is_negative(x: Real) -> bool:
    """Whether the sign bit is set: below zero, -0 or -inf. NaN counts as positive."""
    if isinstance(x, Special):
        return x is NEG_ZERO or x is NEG_INF
    return x < 0


def fraction(x: Real) -> Fraction:
    """A finite number as a Fraction, both zeros as 0; ValueError for NaN and the infinities."""
    if type(x) is Fraction:
        return x
    if isinstance(x, Special):
        if x is NEG_ZERO:
            return ZERO
        raise ValueError(f"{x!r} is no finite number")
    return Fraction(x)


# --- arithmetic ------------------------------------------------------------------------------


def neg(x: Number) -> Number:
    """-x: the opposite sign. NaN stays; an int is negated without wrapping."""
    if isinstance(x, Complex):
        return Complex(_neg(x.re), _neg(x.im))
    return _neg(real(x))


def absolute(x: Real) -> Real:
    """|x|: the number without its sign."""
    return _neg(x) if is_negative(x) else x


def add(x: Number, y: Number) -> Number:
    """The sum x + y, exact. Two zeros make +0 unless both are -0; inf - inf is NaN."""
    if type(x) is Fraction and type(y) is Fraction:
        return x + y
    if isinstance(x, Complex) or isinstance(y, Complex):
        one, other = _complex(x), _complex(y)
        return Complex(_add(one.re, other.re), _add(one.im, other.im))
    return _add(real(x), real(y))


def sub(x: Number, y: Number) -> Number:
    """The difference x - y, exact: x + (-y), so that 0 - 0 is +0 and -0 - 0 is -0."""
    if type(x) is Fraction and type(y) is Fraction and y != 0:
        return x - y
    if isinstance(x, Whole) and isinstance(y, Whole):
        return x - y
    return add(x, neg(y if isinstance(y, Complex) else as_float(real(y))))


def mul(x: Number, y: Number) -> Number:
    """The product x * y, exact. Zeros and infinities have the product's sign; 0 * inf is NaN."""
    if isinstance(x, Complex) or isinstance(y, Complex):
        one, other = _complex(x), _complex(y)
        minus = _neg(_mul(one.im, other.im))
        return Complex(
            _add(_mul(one.re, other.re), minus),
            _add(_mul(one.re, other.im), _mul(one.im, other.re)),
        )
    return _mul(real(x), real(y))


def div(x: Number, y: Number) -> Number:
    """The quotient x / y, exact. x / 0 is an infinity; 0 / 0 and inf / inf are NaN.

    Not for two ints: the operator defines their quotient (`//` rounds down).
    """
    if isinstance(x, Complex) or isinstance(y, Complex):
        return _complex_div(_complex(x), _complex(y))
    if isinstance(x, Whole) and isinstance(y, Whole):
        raise TypeError("div is for floating-point numbers; say how ints divide")
    return _div(real(x), real(y))


def fmod(x: Real, y: Real) -> Real:
    """The remainder of x / y with the sign of x, exact: C's fmod (C17 Annex F.10.7.1)."""
    if x is NAN or y is NAN or is_infinite(x) or is_zero(y):
        return NAN
    if is_infinite(y) or is_zero(x):
        return x
    first, second = fraction(x), fraction(y)
    remainder = abs(first) % abs(second)
    if remainder == 0:
        return NEG_ZERO if first < 0 else ZERO
    return -remainder if first < 0 else remainder


# --- comparison ------------------------------------------------------------------------------


def equal(x: Number, y: Number) -> bool:
    """Whether x == y, as in IEEE 754: NaN equals nothing, -0 equals 0."""
    if isinstance(x, Complex) or isinstance(y, Complex):
        one, other = _complex(x), _complex(y)
        return equal(one.re, other.re) and equal(one.im, other.im)
    if x is NAN or y is NAN:
        return False
    return x == y or (is_zero(x) and is_zero(y))


def less(x: Real, y: Real) -> bool:
    """Whether x < y, as in IEEE 754: false if either is NaN; -0 is not less than 0."""
    if x is NAN or y is NAN or x is INF or y is NEG_INF:
        return False
    if x is NEG_INF or y is INF:
        return True
    return fraction(x) < fraction(y)


def order(x: Real) -> tuple[int, Fraction, int]:
    """A key that sorts numbers with -0 before 0; ValueError for NaN."""
    if isinstance(x, Special):
        if x is NAN:
            raise ValueError("NaN has no place in an order")
        if x is NEG_ZERO:
            return 0, ZERO, 0
        return (1 if x is INF else -1), ZERO, 0
    return 0, fraction(x), 1


# --- rounding to an integer ------------------------------------------------------------------


def floor(x: Real) -> Real:
    """The greatest integer that is not above x; zeros, infinities and NaN stay."""
    return x if isinstance(x, (Special, Whole)) else Fraction(math.floor(x))


def ceil(x: Real) -> Real:
    """The least integer that is not below x; (-1, 0) gives -0."""
    return x if isinstance(x, (Special, Whole)) else _signed(Fraction(math.ceil(x)), x)


def trunc(x: Real) -> Real:
    """The integer next to x towards zero; the sign stays, on zeros too."""
    return x if isinstance(x, (Special, Whole)) else _signed(Fraction(math.trunc(x)), x)


def round_half_even(x: Real) -> Real:
    """The integer nearest to x, the even one of two; the sign stays, on zeros too."""
    return x if isinstance(x, (Special, Whole)) else _signed(Fraction(round(x)), x)


# --- the rules, for two real numbers ---------------------------------------------------------


def _signed(result: Fraction, of: Fraction) -> Real:
    """A result; if it is zero, with the sign of the number that it was made from."""
    return NEG_ZERO if result == 0 and of < 0 else result


def _neg(x: Real) -> Real:
    if isinstance(x, Special):
        opposite: dict[Special, Real] = {INF: NEG_INF, NEG_INF: INF, NEG_ZERO: ZERO, NAN: NAN}
        return opposite[x]
    if isinstance(x, Fraction) and x == 0:
        return NEG_ZERO
    return -x


def _add(x: Real, y: Real) -> Real:
    if not isinstance(x, Special) and not isinstance(y, Special):
        return x + y
    if x is NAN or y is NAN:
        return NAN
    if is_infinite(x):
        return NAN if is_infinite(y) and x is not y else x
    if is_infinite(y):
        return y
    if x is NEG_ZERO:
        return y if y is NEG_ZERO else fraction(y)
    return fraction(x)


def _mul(x: Real, y: Real) -> Real:
    if isinstance(x, Whole) and isinstance(y, Whole):
        return x * y
    if x is NAN or y is NAN:
        return NAN
    negative = is_negative(x) != is_negative(y)
    if is_infinite(x) or is_infinite(y):
        if is_zero(x) or is_zero(y):
            return NAN
        return NEG_INF if negative else INF
    product = fraction(x) * fraction(y)
    return NEG_ZERO if product == 0 and negative else product


def _div(x: Real, y: Real) -> Real:
    if x is NAN or y is NAN:
        return NAN
    negative = is_negative(x) != is_negative(y)
    if is_infinite(x):
        return NAN if is_infinite(y) else (NEG_INF if negative else INF)
    if is_zero(y):
        return NAN if is_zero(x) else (NEG_INF if negative else INF)
    quotient = ZERO if is_infinite(y) else fraction(x) / fraction(y)
    return NEG_ZERO if quotient == 0 and negative else quotient


def _complex_div(x: Complex, y: Complex) -> Complex:
    """The quotient by the conjugate; NaN or inf if the divisor is 0 or a part is not finite."""
    square = _add(_mul(y.re, y.re), _mul(y.im, y.im))
    product = mul(x, Complex(y.re, _neg(y.im)))
    real = _complex(product)
    return Complex(_div(real.re, square), _div(real.im, square))


def real(x: Number) -> Real:
    """A number that is real; TypeError for any other."""
    if isinstance(x, (Complex, bytes)):
        raise TypeError(f"{x!r} is no real number")
    return x


def as_float(x: Real) -> Real:
    """An int as a Fraction, so that it can be rounded and its negative can be -0."""
    return Fraction(x) if isinstance(x, Whole) else x


def _complex(x: Number) -> Complex:
    return x if isinstance(x, Complex) else Complex(real(x), ZERO)
