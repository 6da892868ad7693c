"""Pow, all versions. Source: its page, Summary; Broadcasting.md; IEEE 754-2019, 9.2.1 (pow).

Since version 12 the exponent has a type of its own, and both may be integers. The result has the
type of the base.
"""

from __future__ import annotations

import math

from ...accuracy.bounds import power_value
from ...arith import elementary
from ...arith.grid import combine
from ...arith.numbers import Real, Special, fraction
from ...arith.rounding import fits, is_float, limits, wrap
from ...registry import Call, Result, oracle, refuse_if_chosen
from .arithmetic import operands

# Two to a greater exponent exceeds every type.
_LONGEST_EXPONENT = 64


@oracle("Pow")
def power(call: Call) -> Result:
    """X ** Y, element by element."""
    base, exponent = operands(call, "X", "Y")
    name = base.type
    if is_float(name):
        return (combine(name, lambda x, y: power_value(name, x, y), base, exponent),)
    return (combine(name, lambda x, y: _whole(call, name, x, y), base, exponent),)


def _whole(call: Call, name: str, x: int, y: Real) -> int:
    """A power of an integer as an integer: exact; what happens to a fraction is left open."""
    if not isinstance(y, Special) and fraction(y).denominator == 1:
        return _to_an_integer(call, name, x, int(fraction(y)))
    exact = elementary.exact_power(x, y)
    if exact is None:
        exponent = fraction(y)
        exact = elementary.resolve(
            "float64", lambda bits: elementary.power_enclosure(fraction(x), exponent, bits)
        )
    if isinstance(exact, Special) or not fits(name, math.trunc(fraction(exact))):
        return no_integer(call, name)
    whole = math.trunc(fraction(exact))
    if fraction(exact) == whole:
        return whole
    if call.choose("fraction-of-a-power", "truncated", "nearest") == "truncated":
        return whole
    return round(fraction(exact))


def _to_an_integer(call: Call, name: str, x: int, y: int) -> int:
    """An integer to the power of a whole number; a negative exponent mostly gives a fraction."""
    if y < 0:
        refuse_if_chosen(call, "negative-exponent", "truncated")
        if x == 0:
            return no_integer(call, name)
        return int(x ** (2 + y % 2)) if abs(x) == 1 else 0
    if abs(x) <= 1:  # for exponents of any size
        return int(x ** min(y, 2 + y % 2))
    if y <= _LONGEST_EXPONENT and fits(name, x**y):
        return int(x**y)
    low, high = limits(name)
    if call.choose("integer-overflow", "wraps", "saturates") == "wraps":
        return wrap(name, pow(x, y, high - low + 1))
    return low if x < 0 and y % 2 else high


def no_integer(call: Call, name: str) -> int:
    """What an integer type has in the place of a number that is infinite or none."""
    return limits(name)[0] if call.choose("no-integer", "least", "zero") == "least" else 0
