"""The square root of an exact number, correctly rounded."""

from __future__ import annotations

import math

from ..arith.numbers import NAN, NEG_INF, ZERO, Real, Special, fraction, real
from ..arith.rationals import Fraction
from ..arith.rounding import exponent_of, float_format, round_to


def sqrt(name: str, x: Real) -> Real:
    """The square root, correctly rounded into a floating-point type.

    -0 stays, below zero is NaN (IEEE 754-2019, 5.4.1, 6.3 and 7.2).
    """
    if isinstance(x, Special):
        return NAN if x is NEG_INF else x
    if x <= 0:
        return ZERO if x == 0 else NAN
    value = fraction(x)
    # Two bits more than the significand, and one that says whether anything was cut off.
    shift = max(0, float_format(name).mantissa + 4 - exponent_of(value) // 2)
    whole, rest = divmod(value.numerator << (2 * shift), value.denominator)
    root = math.isqrt(whole)
    sticky = int(rest != 0 or root * root != whole)
    rounded = round_to(name, Fraction(2 * root + sticky, 1 << (shift + 1)))
    return real(rounded)
