"""Sets of numbers between two limits, and the exact images of arithmetic on them.

No error is added here, except that limits may be rounded outwards to a number of bits. Infinities
are numbers, as in IEEE 754: an interval that includes one says that the result may be infinite.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

from . import elementary
from .numbers import INF, NAN, NEG_INF, NEG_ZERO, ONE, ZERO, Real, Special, fraction, is_nan
from .rounding import Rounding, exponent_of, round_integer

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Interval:
    """A set of numbers: all between two limits, and perhaps NaN.

    Zeros have no sign here. Both limits are NaN if only NaN is possible.

    Attributes:
        low, high: the limits, both included; infinities are numbers here.
        nan: whether NaN is possible too.
    """

    low: Real
    high: Real
    nan: bool = False

    @property
    def is_point(self) -> bool:
        """Whether it consists of one number."""
        return self.low == self.high and not self.nan

    def __contains__(self, x: Real) -> bool:
        """Whether a number, not NaN, is in it."""
        return self.low is not NAN and key(self.low) <= key(x) <= key(self.high)


# Python compares a Fraction with an infinite float as it should.
_KEYS: dict[Special, Fraction | float] = {INF: math.inf, NEG_INF: -math.inf, NEG_ZERO: ZERO}
NOTHING_BUT_NAN = Interval(NAN, NAN, nan=True)


def point(x: Real) -> Interval:
    """The interval of one number; zeros lose their sign."""
    if is_nan(x):
        return NOTHING_BUT_NAN
    value = x if x is INF or x is NEG_INF else fraction(x)
    return Interval(value, value)


def hull(*intervals: Interval) -> Interval:
    """The least interval that holds all of them."""
    ends = [i for i in intervals if i.low is not NAN]
    nan = any(i.nan for i in intervals)
    if not ends:
        return NOTHING_BUT_NAN
    low = min((i.low for i in ends), key=key)
    return Interval(low, max((i.high for i in ends), key=key), nan)


def key(x: Real) -> Fraction | float:
    """A key that sorts numbers; zeros are equal."""
    if isinstance(x, Special):
        return _KEYS[x]
    return fraction(x)


# --- exact images ----------------------------------------------------------------------------


def plus(x: Real, y: Real) -> Real:
    """The sum of two numbers without a signed zero."""
    if isinstance(x, Special) or isinstance(y, Special):
        if isinstance(x, Special) and isinstance(y, Special) and x is not y:
            return NAN
        return x if isinstance(x, Special) else y
    return x + y


def _times(x: Real, y: Real) -> Real:
    if isinstance(x, Special) or isinstance(y, Special):
        signs = key(x) > key(ZERO), key(y) > key(ZERO)
        if ZERO in (x, y):
            return NAN
        return INF if signs[0] == signs[1] else NEG_INF
    return x * y


def minus(x: Real) -> Real:
    """The negative of a number without a signed zero."""
    if isinstance(x, Special):
        return NEG_INF if x is INF else INF
    return -x


def corners(function: Callable[[Real, Real], Real], x: Interval, y: Interval) -> Interval:
    """The image of a function that is monotone in each of its arguments."""
    if NAN in (x.low, y.low):
        return NOTHING_BUT_NAN
    if x.is_point and y.is_point:
        return point(function(x.low, y.low))
    if function is plus and not any(isinstance(e, Special) for e in (x.low, x.high, y.low, y.high)):
        return Interval(plus(x.low, y.low), plus(x.high, y.high), x.nan or y.nan)
    found = [function(a, b) for a, b in product((x.low, x.high), (y.low, y.high))]
    numbers = [end for end in found if end is not NAN]
    if not numbers:
        return NOTHING_BUT_NAN
    nan = x.nan or y.nan or len(numbers) < len(found)
    return Interval(min(numbers, key=key), max(numbers, key=key), nan)


def product_of(x: Interval, y: Interval) -> Interval:
    """The image of x * y."""
    found = corners(_times, x, y)
    if NAN in (x.low, y.low) or (x.is_point and y.is_point):
        return found
    # A zero in one interval may be multiplied by an infinity of the other.
    if (ZERO in x and _reaches_infinity(y)) or (ZERO in y and _reaches_infinity(x)):
        ends = hull(found, point(ZERO))
        return Interval(ends.low, ends.high, nan=True)
    return found


def _reaches_infinity(x: Interval) -> bool:
    return x.low is NEG_INF or x.high is INF


def reciprocal(x: Interval) -> Interval:
    """1 / x; for zero it is an infinity, with the sign of the rest of x if x has one."""
    if x.low is NAN:
        return x
    if key(x.low) < key(ZERO) < key(x.high):
        return Interval(NEG_INF, INF, x.nan)
    negative = key(x.low) < key(ZERO)
    ends = [_inverse(end, negative=negative) for end in (x.high, x.low)]
    return Interval(ends[0], ends[1], x.nan)


def _inverse(x: Real, *, negative: bool) -> Real:
    if isinstance(x, Special):
        return ZERO
    if x == 0:
        return NEG_INF if negative else INF
    return 1 / fraction(x)


def power(x: Real, exponent: int) -> Real:
    """A number to the power of a whole number that is not negative."""
    if exponent == 0:
        return ONE
    if isinstance(x, Special):
        return NEG_INF if x is NEG_INF and exponent % 2 else INF
    return fraction(x) ** exponent


def root(x: Real, bits: int) -> Interval:
    """The square root of a number that is not negative."""
    if isinstance(x, Special):
        return point(x)
    value = fraction(x)
    shift = max(0, bits - exponent_of(value) // 2) if value else 0
    whole, rest = divmod(value.numerator << (2 * shift), value.denominator)
    root = math.isqrt(whole)
    exact = rest == 0 and root * root == whole
    low = Fraction(root, 1 << shift)
    return Interval(low, low if exact else Fraction(root + 1, 1 << shift))


def image(function: str, x: Real, bits: int) -> Interval:
    """The value of an elementary function at a number."""
    exact = elementary.exact_value(function, x)
    if exact is not None:
        return point(exact)
    found = elementary.enclosure(function, x, bits)
    return Interval(found.low, found.high)


def chosen(choose: Callable[..., Real], x: Interval, y: Interval) -> Interval:
    """The image of the greater or the smaller of two numbers."""
    if NAN in (x.low, y.low):
        return NOTHING_BUT_NAN
    low, high = choose(x.low, y.low, key=key), choose(x.high, y.high, key=key)
    return Interval(low, high, x.nan or y.nan)


def coarse(x: Interval, bits: int) -> Interval:
    """The limits with no more than so many bits, rounded outwards."""
    if x.low is NAN:
        return x
    low, high = x.low, x.high
    if isinstance(low, Fraction):
        low = outwards(low, bits, Rounding.DOWN)
    if isinstance(high, Fraction):
        high = outwards(high, bits, Rounding.UP)
    return Interval(low, high, x.nan)


def outwards(x: Fraction, bits: int, direction: Rounding) -> Fraction:
    """A number with no more than so many significant bits, rounded in a direction."""
    if x == 0 or (x.numerator.bit_length() <= bits and x.denominator & (x.denominator - 1) == 0):
        return x
    exponent = exponent_of(abs(x)) - bits
    if x < 0:
        away = Rounding.UP if direction is Rounding.DOWN else Rounding.DOWN
        return -_scaled(round_integer(-x, exponent, away), exponent)
    return _scaled(round_integer(x, exponent, direction), exponent)


def _scaled(whole: int, exponent: int) -> Fraction:
    return Fraction(whole << exponent) if exponent >= 0 else Fraction(whole, 1 << -exponent)
