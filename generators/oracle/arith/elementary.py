"""Elementary functions: rigorous enclosures of their exact values, and the errors permitted.

The values come from MPFR, which rounds correctly in a direction at any precision; why MPFR:
docs/decisions/2026-11-22-mpfr-for-elementary-functions.md. Special values follow Annex F of C17
(F.10), to which IEEE 754-2019, 9.2.1, and OpenCL C 3.0, 7.5.1, agree.

The limits are OpenCL's, plus one ulp. No ONNX document gives any; OpenCL's are those that vendors
of CPUs and GPUs test their libraries against: OpenCL C 3.0, 7.4, table "ULP values for single
precision" (full profile), which is the same for double precision except for the correctly rounded
sqrt and division; and the table of cl_khr_fp16. bfloat16, which OpenCL does not have, uses half's.
One ulp is added because common runtimes need it: see
docs/decisions/2026-11-22-how-near-is-near-enough.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from .numbers import (
    INF,
    NAN,
    NEG_INF,
    NEG_ZERO,
    ONE,
    ZERO,
    Real,
    Special,
    fraction,
    is_infinite,
    is_negative,
    is_zero,
)
from .rationals import Fraction
from .rounding import encode, exponent_of, float_format, power_of_two, unit_roundoff

# Bits of the first attempt, and bits after which an enclosure that still straddles two roundings is
# left: then the exact value is a tie, which these functions only have at exact results.
FIRST_BITS = 160
LAST_BITS = 5120
# exp(x) is beyond every format for |x| above this; MPFR would give numbers of a billion bits.
_EXPONENT_END = 1 << 15
# No format has a number as great as two to this power, or as small as its reciprocal.
_FORMATS_END = 1 << 11
# Enough to know a logarithm to far less than half of it.
_LOGARITHM_BITS = 64


@dataclass(frozen=True)
class Enclosure:
    """A real number known to lie between two rational ones, both included.

    Attributes:
        low, high: the limits. Either may be an infinity of its sign if the number is finite but
            greater than every floating-point format permits.
    """

    low: Real
    high: Real


# The error that OpenCL permits, in ulps of the exact result: for float32 and float64, and for types
# of 16 bits and fewer.
ULPS = {
    "acos": (4, 2),
    "acosh": (4, 2),
    "asin": (4, 2),
    "asinh": (4, 2),
    "atan": (5, 2),
    "atanh": (5, 2),
    "cos": (4, 2),
    "cosh": (4, 2),
    "erf": (16, 4),
    "exp": (3, 2),
    "expm1": (3, 2),
    "log": (3, 2),
    "pow": (16, 4),
    "sin": (4, 2),
    "sinh": (4, 2),
    "tan": (5, 2.5),
    "tanh": (5, 2),
}
FUNCTIONS = tuple(name for name in ULPS if name != "pow")


# The error that good implementations have beyond that: NumPy's log of float32 is 3.83 ulp off,
# onnxruntime's asin 4.46.
_MARGIN = 1
# Ulps of 1 that the sin, cos and tanh of float64 in onnxruntime are off: up to 3.7.
_DOUBLE_FLOOR = 4


def ulps_of(function: str, name: str) -> Fraction:
    """The error in ulps of the exact value that a function may have in a floating-point type."""
    single, half = ULPS[function]
    return Fraction(_MARGIN + (single if float_format(name).width >= 32 else half))


def floor_of(function: str, name: str, x: Fraction) -> Fraction:
    """The absolute error that a function of x may have in any case.

    For tanh half an ulp of 1, as in TOSA: (e^x - e^-x) / (e^x + e^-x) cannot be better near 0. For
    sin and cos an ulp of 1, or of x if that is less: TOSA lets the error grow with x, and near a
    multiple of pi even good implementations are many ulps of the result off. More in float64.
    """
    if function == "tanh":
        unit = unit_roundoff(name)
        return 2 * _DOUBLE_FLOOR * unit if name == "float64" else unit
    if function in ("sin", "cos"):
        unit = 2 * unit_roundoff(name) * min(abs(x), ONE)
        return _DOUBLE_FLOOR * unit if name == "float64" else unit
    return ZERO


# --- special values --------------------------------------------------------------------------

_ODD = frozenset(["sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "erf"])
# The values of the functions at infinities, if exact. At infinities atan has values no type holds.
_AT_INFINITY: dict[str, tuple[Real, Real]] = {
    "acos": (NAN, NAN),
    "acosh": (INF, NAN),
    "asin": (NAN, NAN),
    "asinh": (INF, NEG_INF),
    "atanh": (NAN, NAN),
    "cos": (NAN, NAN),
    "cosh": (INF, INF),
    "erf": (ONE, -ONE),
    "exp": (INF, ZERO),
    "expm1": (INF, -ONE),
    "log": (INF, NAN),
    "sin": (NAN, NAN),
    "sinh": (INF, NEG_INF),
    "tan": (NAN, NAN),
    "tanh": (ONE, -ONE),
}
_AT_ONE: dict[str, Real] = {"acos": ZERO, "acosh": ZERO, "log": ZERO, "atanh": INF}


def exact_value(function: str, x: Real) -> Real | None:
    """The exact value of a function at x by Annex F; None if it is irrational."""
    if x is NAN:
        return NAN
    if x is INF or x is NEG_INF:
        return None if function == "atan" else _AT_INFINITY[function][x is NEG_INF]
    if is_zero(x):
        return _at_zero(function, x)
    value = fraction(x)
    if value == 1 and function in _AT_ONE:
        return _AT_ONE[function]
    if value == -1 and function == "atanh":
        return NEG_INF
    return NAN if _outside_domain(function, value) else None


def _at_zero(function: str, x: Real) -> Real | None:
    if function in _ODD or function == "expm1":
        return x
    if function == "acosh":
        return NAN
    return {"log": NEG_INF, "acos": None}.get(function, ONE)


def _outside_domain(function: str, x: Fraction) -> bool:
    if function in ("acos", "asin", "atanh"):
        return abs(x) > 1
    return (function == "log" and x < 0) or (function == "acosh" and x < 1)


def exact_power(x: Real, y: Real) -> Real | None:
    """The power x ** y if Annex F (F.10.4.4) gives it; None for x > 0 and finite y, x not 1.

    For a finite x < 0 and a whole y it is None as well: the sign is then that of (-1) ** y.
    """
    if is_zero(y) or (not isinstance(x, Special) and x == 1):
        return ONE
    if x is NAN or y is NAN:
        return NAN
    return _to_infinity(x, positive=y is INF) if is_infinite(y) else _to_finite(x, fraction(y))


def _to_finite(x: Real, exponent: Fraction) -> Real | None:
    """The power of x to a finite exponent that is not 0; x is neither 1 nor NaN."""
    odd = exponent.denominator == 1 and exponent.numerator % 2 == 1
    if is_zero(x) or is_infinite(x):
        large = is_zero(x) == (exponent < 0)
        if is_negative(x) and odd:
            return NEG_INF if large else NEG_ZERO
        return INF if large else ZERO
    if is_negative(x) and exponent.denominator != 1:
        return NAN
    return None


def _to_infinity(x: Real, *, positive: bool) -> Real:
    """The power of x to an infinity; x is not 1."""
    if not is_infinite(x) and abs(fraction(x)) == 1:
        return ONE
    return INF if (is_infinite(x) or abs(fraction(x)) > 1) == positive else ZERO


# --- enclosures ------------------------------------------------------------------------------


def enclosure(function: str, x: Real, bits: int = FIRST_BITS) -> Enclosure:
    """The value of a function at x in its domain, to about `bits` bits.

    x is a finite number, or an infinity for atan. Both limits are equal if the value is exact.
    ValueError if `exact_value` has the result (NaN or an infinity).
    """
    exact = exact_value(function, x)
    if exact is not None:
        if isinstance(exact, Special) and exact is not NEG_ZERO:
            raise ValueError(f"{function}({x!r}) is {exact!r}")
        return Enclosure(fraction(exact), fraction(exact))
    if is_infinite(x):
        half_pi = _enclosed(lambda context: context.div_2exp(context.const_pi(), 1), bits)
        return half_pi if x is INF else Enclosure(_minus(half_pi.high), _minus(half_pi.low))
    value = fraction(x)
    if function in ("exp", "sinh", "cosh") and abs(value) > _EXPONENT_END:
        return _beyond(function, value)
    if function == "expm1" and value > _EXPONENT_END:
        return _beyond(function, value)
    low, high = _dyadic(value, bits)
    at_low = _enclosed(_call(function, low), bits)
    if low == high:
        return at_low
    return _between(function, low, high, at_low, _enclosed(_call(function, high), bits))


def power_enclosure(x: Fraction, y: Fraction, bits: int = FIRST_BITS) -> Enclosure:
    """The power x ** y, for binary fractions x and y with `exact_power` None."""
    if x < 0:
        found = power_enclosure(-x, y, bits)
        return found if y.numerator % 2 == 0 else Enclosure(_minus(found.high), _minus(found.low))
    # x may be so near to 1 that its exponent says nothing, and y so great that this is far from it.
    logarithm = _enclosed(lambda context: context.log2(_mpfr(x)), _LOGARITHM_BITS)
    exponent = fraction(logarithm.low) * y
    if exponent > 2 * _FORMATS_END:
        return Enclosure(power_of_two(_FORMATS_END), INF)
    if exponent < -2 * _FORMATS_END:
        return Enclosure(ZERO, power_of_two(-_FORMATS_END))
    return _enclosed(lambda context: context.pow(_mpfr(x), _mpfr(y)), bits)


def resolve(name: str, function: Callable[[int], Enclosure]) -> Real:
    """A number that rounds to a floating-point type as the exact value does.

    `function` gives an enclosure for a number of bits; precision grows until both its limits round
    to the same number of the type (Ziv's strategy). At LAST_BITS only an exact tie, or a zero that
    is not known to be one, is still open: then the middle is returned.
    """
    bits = FIRST_BITS
    while True:
        found = function(bits)
        if found.low == found.high:
            return found.low
        if rounds_to_one(name, found.low, found.high) or bits >= LAST_BITS:
            if isinstance(found.low, Special) or isinstance(found.high, Special):
                return (
                    found.high if isinstance(found.low, Fraction) and found.low > 0 else found.low
                )
            return (fraction(found.low) + fraction(found.high)) / 2
        bits *= 2


def rounds_to_one(name: str, low: Real, high: Real) -> bool:
    """Whether two numbers round to the same number of a type; the sign of zero does not count."""
    zeros = {encode(name, ZERO), encode(name, NEG_ZERO)}
    codes = {encode(name, low), encode(name, high)}
    return len(codes) == 1 or codes == zeros


def _beyond(function: str, x: Fraction) -> Enclosure:
    """exp, expm1, sinh or cosh of a number at which its value exceeds every format."""
    huge = Fraction(1 << _EXPONENT_END)
    if function == "exp" and x < 0:
        return Enclosure(ZERO, 1 / huge)
    if function == "sinh" and x < 0:
        return Enclosure(NEG_INF, -huge)
    return Enclosure(huge, INF)


def _between(
    function: str, low: Fraction, high: Fraction, at_low: Enclosure, at_high: Enclosure
) -> Enclosure:
    """The value at a number between two very near ones, from the values at both."""
    ends = [fraction(end) for end in (at_low.low, at_low.high, at_high.low, at_high.high)]
    # If the function turns between them, its extreme differs from the ends by at most their
    # distance: sin, cos and cosh (near 0) have slopes below 1 there, the others are monotone.
    slack = high - low if function in ("sin", "cos", "cosh") else ZERO
    return Enclosure(min(ends) - slack, max(ends) + slack)


def _dyadic(x: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """The nearest binary fractions below and above x; both are x if it is one."""
    if x.denominator & (x.denominator - 1) == 0:
        return x, x
    shift = bits + 32 - exponent_of(abs(x))
    shift = max(shift, bits)
    below = (x.numerator << shift) // x.denominator
    return Fraction(below, 1 << shift), Fraction(below + 1, 1 << shift)


def _call(function: str, x: Fraction) -> Callable[[Any], Any]:
    return lambda context: getattr(context, function)(_mpfr(x))


def _enclosed(compute: Callable[[Any], Any], bits: int) -> Enclosure:
    """MPFR's result rounded down, and one step of its precision above it."""
    import gmpy2

    context = _context(bits)
    context.clear_flags()
    result = compute(context)
    if not gmpy2.is_finite(result):
        raise ArithmeticError(f"MPFR gave {result}")
    numerator, denominator = result.as_integer_ratio()
    low = Fraction(int(numerator), int(denominator))
    if not context.inexact:
        return Enclosure(low, low)
    if low == 0:
        raise ArithmeticError("MPFR ran out of exponents")
    exponent = gmpy2.get_exp(result) - bits
    step = Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)
    return Enclosure(low, low + step)


@cache
def _context(bits: int) -> Any:  # noqa: ANN401  gmpy2 is imported where it is used
    import gmpy2

    return gmpy2.context(precision=bits, round=gmpy2.RoundDown)


def _mpfr(x: Fraction) -> Any:  # noqa: ANN401  as above
    """A binary fraction, exactly."""
    import gmpy2

    bits = max(x.numerator.bit_length(), 2)
    whole = gmpy2.mpfr(x.numerator, bits)
    return _context(bits).div_2exp(whole, x.denominator.bit_length() - 1)


def _minus(x: Real) -> Real:
    return NEG_INF if x is INF else -fraction(x)
