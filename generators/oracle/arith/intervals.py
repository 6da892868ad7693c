"""Sets of numbers between two limits, and the exact images of arithmetic on them.

No error is added here, except that limits may be rounded outwards to a number of bits. Infinities
are numbers, as in IEEE 754: an interval that includes one says that the result may be infinite.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import NamedTuple

from . import elementary
from .numbers import INF, NAN, NEG_INF, NEG_ZERO, ONE, ZERO, Real, Special, fraction
from .rationals import Fraction
from .rounding import Rounding, exponent_of, power_of_two


class Interval(NamedTuple):
    """A set of numbers: all between two limits, and perhaps NaN.

    Zeros have no sign here. Both limits are NaN if only NaN is possible. A tuple, because millions
    are made, and that of a dataclass takes twice the time.

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
        return not self.nan and same(self.low, self.high)

    def __contains__(self, x: Real) -> bool:  # type: ignore[override]  # a set of numbers
        """Whether a number, not NaN, is in it."""
        return self.low is not NAN and key(self.low) <= key(x) <= key(self.high)


_DOWN, _UP = Rounding.DOWN, Rounding.UP
# Python compares a Fraction with an infinite float as it should.
_KEYS: dict[Special, Fraction | float] = {INF: math.inf, NEG_INF: -math.inf, NEG_ZERO: ZERO}
NOTHING_BUT_NAN = Interval(NAN, NAN, nan=True)


def point(x: Real) -> Interval:
    """The interval of one number; zeros lose their sign."""
    if x is NAN:
        return NOTHING_BUT_NAN
    value = x if type(x) is Fraction or x is INF or x is NEG_INF else fraction(x)
    return Interval(value, value)


def hull(*intervals: Interval) -> Interval:
    """The least interval that holds all of them."""
    if all(type(i.low) is Fraction is type(i.high) for i in intervals) and intervals:
        low, high, nan = intervals[0]
        for other in intervals[1:]:
            low = min(low, other.low)  # type: ignore[type-var]  # fractions
            high = max(high, other.high)  # type: ignore[type-var]
            nan = nan or other.nan
        return Interval(low, high, nan)
    ends = [i for i in intervals if i.low is not NAN]
    nan = any(i.nan for i in intervals)
    if not ends:
        return NOTHING_BUT_NAN
    low = min((i.low for i in ends), key=key)
    return Interval(low, max((i.high for i in ends), key=key), nan)


def key(x: Real) -> Fraction | float:
    """A key that sorts numbers; zeros are equal."""
    if type(x) is Fraction:
        return x
    return _KEYS[x] if isinstance(x, Special) else fraction(x)


def same(x: Real, y: Real) -> bool:
    """Whether two numbers are the same one; GMP takes long to see that an infinity is no number."""
    if isinstance(x, Special) or isinstance(y, Special):
        return x is y
    return x == y


def greater(x: Real, y: Real) -> Real:
    """The greater of two numbers, the first of two zeros."""
    if type(x) is Fraction and type(y) is Fraction:
        return max(x, y)
    return max(x, y, key=key)


def lesser(x: Real, y: Real) -> Real:
    """The smaller of two numbers, the first of two zeros."""
    if type(x) is Fraction and type(y) is Fraction:
        return min(x, y)
    return min(x, y, key=key)


def is_finite(x: Interval) -> bool:
    """Whether both limits are finite numbers."""
    return type(x.low) is Fraction and type(x.high) is Fraction


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
        if same(x, ZERO) or same(y, ZERO):
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
    if function is plus and is_finite(x) and is_finite(y):
        return Interval(x.low + y.low, x.high + y.high, x.nan or y.nan)  # type: ignore[operator]
    if x.low is NAN or y.low is NAN:
        return NOTHING_BUT_NAN
    if x.is_point and y.is_point:
        return point(function(x.low, y.low))
    found = [function(a, b) for a, b in product((x.low, x.high), (y.low, y.high))]
    numbers = [end for end in found if end is not NAN]
    if not numbers:
        return NOTHING_BUT_NAN
    nan = x.nan or y.nan or len(numbers) < len(found)
    return Interval(min(numbers, key=key), max(numbers, key=key), nan)


def product_of(x: Interval, y: Interval) -> Interval:
    """The image of x * y."""
    if is_finite(x) and is_finite(y):
        return _finite_product(x, y)
    found = corners(_times, x, y)
    if x.low is NAN or y.low is NAN or (x.is_point and y.is_point):
        return found
    # A zero in one interval may be multiplied by an infinity of the other.
    if (ZERO in x and _reaches_infinity(y)) or (ZERO in y and _reaches_infinity(x)):
        ends = hull(found, point(ZERO))
        return Interval(ends.low, ends.high, nan=True)
    return found


def _finite_product(x: Interval, y: Interval) -> Interval:
    nan = x.nan or y.nan
    low, high, first, last = fraction(x.low), fraction(x.high), fraction(y.low), fraction(y.high)
    if low == high:
        ends = (low * first, low * last)
        return Interval(ends[0], ends[1], nan) if low >= 0 else Interval(ends[1], ends[0], nan)
    if low >= 0 and first >= 0:
        return Interval(low * first, high * last, nan)
    found = (low * first, low * last, high * first, high * last)
    return Interval(min(found), max(found), nan)


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
    if x.low is NAN or y.low is NAN:
        return NOTHING_BUT_NAN
    low, high = choose(x.low, y.low, key=key), choose(x.high, y.high, key=key)
    return Interval(low, high, x.nan or y.nan)


def coarse(x: Interval, bits: int) -> Interval:
    """The limits with no more than so many bits, rounded outwards."""
    if x.low is NAN:
        return x
    low, high, nan = x
    if type(low) is Fraction:
        low = outwards(low, bits, _DOWN)
    if type(high) is Fraction:
        high = outwards(high, bits, _UP)
    return Interval(low, high, nan)


def outwards(x: Fraction, bits: int, direction: Rounding) -> Fraction:
    """A number with no more than so many significant bits, rounded in a direction."""
    numerator, denominator = x.numerator, x.denominator
    if numerator.bit_length() <= bits and denominator & (denominator - 1) == 0:
        return x
    exponent = exponent_of(abs(x)) - bits
    if exponent >= 0:
        denominator <<= exponent
    else:
        numerator <<= -exponent
    whole = numerator // denominator if direction is _DOWN else -(-numerator // denominator)
    return Fraction(whole) * power_of_two(exponent)
