"""Mod, all versions. Source: its page, Summary and Attributes; Broadcasting.md.

Which numbers a version takes with which `fmod`: versions 10 and 13 take floats with 1 alone,
version 13 says that integers go with 0 alone, and version 28 takes all with both.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from ...arith.grid import AnyOf, Item, combine
from ...arith.numbers import (
    NAN,
    NEG_ZERO,
    ZERO,
    Number,
    Real,
    fmod,
    fraction,
    is_finite,
    is_infinite,
    is_nan,
    is_negative,
    is_zero,
    real,
)
from ...arith.rationals import Fraction
from ...arith.rounding import is_float, round_to
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from ..flags import is_one, is_set

Whole = Callable[[Fraction], int]

# The versions since which the page says so.
_PAIRED_WITH_TYPES = 13
_FLOATS_WITH_BOTH = 28


@oracle("Mod")
def remainder(call: Call) -> Result:
    """The remainder of A divided by B: with the sign of B, or with fmod that of A."""
    one, other = call.grid("A"), call.grid("B")
    truncated = _truncated(call, one.type)
    if is_float(one.type):
        name = one.type
        return (combine(name, lambda x, y: _of_floats(call, name, x, y, truncated), one, other),)
    return (combine(one.type, lambda x, y: _of_integers(call, x, y, truncated), one, other),)


def _truncated(call: Call, name: str) -> bool:
    """Whether the quotient is truncated: attribute fmod, checked against the type."""
    read = is_one if call.since_version >= _PAIRED_WITH_TYPES else is_set
    truncated = read(call, "fmod", 0)
    if call.since_version >= _FLOATS_WITH_BOTH:
        return truncated
    if is_float(name) and not truncated:
        raise InvalidCallError("floats are divided with fmod 1")
    if not is_float(name) and truncated and call.since_version >= _PAIRED_WITH_TYPES:
        refuse_if_chosen(call, "integers-with-fmod", "truncated")
    return truncated


def _of_integers(call: Call, x: int, y: int, truncated: bool) -> int:  # noqa: FBT001  as the attribute
    if y == 0:
        reading = call.choose("division-by-zero", "zero", "dividend", "rejected")
        if reading == "rejected":
            raise InvalidCallError("an integer is divided by zero")
        return 0 if reading == "zero" else x
    if x == 0 and call.since_version < _PAIRED_WITH_TYPES:
        # The page of version 10 leaves the remainder of 0 to the platform.
        call.choose("remainder-of-zero", "zero", "platform")
    if truncated:
        return int(math.copysign(1, x)) * (abs(x) % abs(y))
    return x % y


def _of_floats(call: Call, name: str, x: Real, y: Real, truncated: bool) -> Item:  # noqa: FBT001  as the attribute
    if is_nan(x) or is_nan(y) or is_infinite(x) or is_zero(y):
        return NAN
    if truncated:
        if x is NEG_ZERO and not is_negative(y):
            return AnyOf((NEG_ZERO, ZERO))
        return _perhaps_by_steps(call, name, (x, y), fmod(x, y), math.trunc)
    if is_zero(x):
        return NEG_ZERO if is_negative(y) else ZERO
    if is_infinite(y):
        return x if is_negative(x) == is_negative(y) else y
    first, second = fraction(x), fraction(y)
    rest = first - math.floor(first / second) * second
    exact = rest or (NEG_ZERO if second < 0 else ZERO)
    return _perhaps_by_steps(call, name, (x, y), round_to(name, exact), math.floor)


def _perhaps_by_steps(
    call: Call, name: str, operands: tuple[Real, Real], value: Number, whole: Whole
) -> Item:
    """The remainder; since version 28 perhaps computed from a rounded quotient.

    The page has a formula there, A - floor(A / B) * B, and no longer says that it is exact.
    """
    if call.since_version < _FLOATS_WITH_BOTH or not all(map(is_finite, operands)):
        return value
    x, y = map(fraction, operands)
    quotient = round_to(name, x / y)
    if not is_finite(quotient):
        stepped: Number = NAN
    else:
        product = round_to(name, whole(fraction(real(quotient))) * y)
        stepped = NAN if is_infinite(product) else round_to(name, x - fraction(real(product)))
    if stepped == value or (is_zero(stepped) and is_zero(value)):
        return value
    reading = call.choose("rounded-quotient", "exact", "in-steps")
    return value if reading == "exact" else stepped
