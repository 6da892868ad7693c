"""The two profiles of accuracy, and the error of one step of floating-point arithmetic.

| profile | who keeps it                                                                         |
|---------|--------------------------------------------------------------------------------------|
| ieee    | a CPU: the operations of IEEE 754-2019, 5.4.1, are correctly rounded, subnormals kept |
| gpu     | OpenCL C 3.0, 7.4, full profile: division and square root have errors, subnormal     |
|         | inputs and results may be flushed to zero, a sum may be kept in its own type         |

Sums: N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, 3.1 and 4.2: in any
order, with or without fused products, a sum is off by at most ((1 + u)^n - 1) times the sum of the
absolute terms, where n counts the roundings that a term can meet. Tighter limits, such as 4 sqrt(n)
u, hold with a high probability for random data alone: a sum of a million times 0.1f breaks them.
"""

from __future__ import annotations

import math
from functools import cache

from ..arith.numbers import INF, NEG_INF, NEG_ZERO, ZERO, Number, Real, fraction
from ..arith.rationals import Fraction, Whole
from ..arith.rounding import (
    Rounding,
    float_format,
    greatest,
    least_normal,
    least_subnormal,
    overflow,
    power_of_two,
    ulp_exponent,
    unit_roundoff,
)

IEEE = "ieee"
GPU = "gpu"
PROFILES = (IEEE, GPU)
# Steps without errors: they give the exact value of a formula.
REAL = "real"

HALF = Fraction(1, 2)
_DOWN = Rounding.DOWN
_GPU_ULPS = {"div": Fraction(5, 2), "sqrt": Fraction(3)}
_GPU_HALF_ULPS = {"div": Fraction(5, 2), "sqrt": Fraction(3, 2)}


@cache
def gpu_ulps(step: str, name: str) -> Fraction:
    """The error of a step of arithmetic in profile gpu, in ulps: `div`, `sqrt` or another one."""
    width = float_format(name).width
    if width == 64:  # OpenCL requires correct rounding of double
        return HALF
    return (_GPU_ULPS if width == 32 else _GPU_HALF_ULPS).get(step, HALF)


def accumulator(name: str, profile: str = IEEE) -> str:
    """The type in which a sum of elements is kept: at least float32, except in profile gpu."""
    return "float32" if profile != GPU and float_format(name).width < 32 else name


def accumulated_error(
    kept_in: str,
    magnitude: Fraction,
    count: int,
    *,
    profile: str = IEEE,
    largest: Fraction = Fraction(1),
) -> Fraction:
    """How far a sum may be off before it is rounded to the type of the result.

    Args:
        kept_in: the type of partial sums; see `accumulator`.
        magnitude: the sum of the absolute terms.
        count: how many terms there are; two further roundings are permitted.
        profile: IEEE or GPU.
        largest: in a sum of products, the largest absolute factor: a factor that is flushed to
            zero changes its product by no more than that times the least normal number.
    """
    relative = _relative_error(kept_in, count)
    lost = least_subnormal(kept_in) / 2
    if profile == GPU:
        lost = 2 * least_normal(kept_in) * max(largest, Fraction(1))
    return relative * magnitude + count * lost


@cache
def _relative_error(kept_in: str, count: int) -> Fraction:
    roundings = (count + 2) * unit_roundoff(kept_in)
    if roundings <= 1:
        return roundings / (1 - roundings / 2)  # above e^n - 1
    return Fraction(math.expm1(float(roundings))) * Fraction(1001, 1000)


def moved(
    name: str, end: Real, ulps: Fraction, direction: Rounding, floor: Fraction = ZERO
) -> Real:
    """The end of an interval of exact values, moved by the error that a step may have.

    It is moved by this many ulps of the end, or by the floor if that is more; to an infinity if the
    type overflows. Half an ulp is a rounding to nearest, in this type or in a wider one: an end
    that the type holds does not move, and no end moves beyond its neighbour in the type.
    """
    if end is INF or end is NEG_INF:
        return end
    value = fraction(end)
    down = direction is _DOWN
    exponent = ulp_exponent(name, value)
    if floor == 0 and ulps <= HALF:
        found = _half_moved(value, ulps, exponent, down=down)
        if found is value and abs(value) < overflow(name):
            return value
        if abs(found) <= greatest(name):
            return found
        if abs(value) < overflow(name):
            return _within_range(name, value, found)
    else:
        error = max(ulps * power_of_two(exponent), floor)
        found = value - error if down else value + error
    if (-found if down else found) >= overflow(name):
        return NEG_INF if down else INF
    return found


def _half_moved(value: Fraction, ulps: Fraction, exponent: int, *, down: bool) -> Fraction:
    """The value moved by at most half an ulp, 2**exponent, and not beyond a multiple of it."""
    numerator, denominator = value.numerator, value.denominator
    if exponent >= 0:
        denominator <<= exponent
    else:
        numerator <<= -exponent
    whole, rest = divmod(numerator, denominator)
    if not rest:
        return value
    gap = rest if down else denominator - rest
    if ulps is HALF:  # as it nearly always is
        near, step = 2 * gap <= denominator, power_of_two(exponent - 1)
    else:
        near, step = gap <= ulps * denominator, ulps * power_of_two(exponent)
    if near:
        return (whole if down else whole + 1) * power_of_two(exponent)
    return value - step if down else value + step


def _within_range(name: str, value: Fraction, found: Fraction) -> Fraction:
    """The end of a rounding to nearest of a value that does not overflow: it is finite."""
    most = max(greatest(name), abs(value))
    return min(max(found, -most), most)


def is_subnormal(name: str, x: Number) -> bool:
    """Whether x is a finite number below the least normal one of a type, and not zero."""
    return isinstance(x, (Whole, Fraction)) and 0 < abs(fraction(x)) < least_normal(name)


def flushed_zero(x: Real) -> Real:
    """The zero that a subnormal number is flushed to, with its sign."""
    return NEG_ZERO if isinstance(x, (Whole, Fraction)) and x < 0 else ZERO
