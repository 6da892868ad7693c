"""Products of many elements, and the results that a runtime may get in any order."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ..arith.grid import AnyOf, Enclosed, Item
from ..arith.numbers import (
    INF,
    NAN,
    NEG_INF,
    NEG_ZERO,
    ONE,
    ZERO,
    Number,
    Real,
    fraction,
    is_finite,
    mul,
    real,
)
from ..arith.rationals import Fraction
from ..arith.rounding import (
    Rounding,
    least_normal,
    least_subnormal,
    overflow,
    round_to,
    unit_roundoff,
)
from ..arith.rules import rule
from .ends import item_of, joined, joined_gpu
from .profiles import HALF, IEEE, PROFILES, accumulator, moved


def product_bound(name: str, exact: Fraction, count: int, kept_in: str | None = None) -> Item:
    """A product of `count` factors in any order; each rounding is a relative error.

    `kept_in` is the type of partial products, if that is not the accumulator of a reduction. The
    rule is TOSA's for REDUCE_PRODUCT. It does not cover partial products that underflow or overflow
    when the result does not: see product_value.
    """
    nearest = real(round_to(name, exact))
    why = rule("product", count=count, kept_in=kept_in or accumulator(name), gpu_kept_in=name)
    if exact == 0:
        return item_of(exact, (NEG_ZERO, ZERO), (NEG_ZERO, ZERO), why)
    ends = []
    for profile in PROFILES:
        unit = unit_roundoff(kept_in or accumulator(name, profile))
        error = abs(exact) * ((1 + unit) ** count - 1) + count * least_subnormal(name)
        error = error if count > 1 else ZERO
        ends.append(
            (
                moved(name, exact - error, HALF, Rounding.DOWN),
                moved(name, exact + error, HALF, Rounding.UP),
            )
        )
    return item_of(exact, joined(nearest, ends[:1]), joined_gpu(name, nearest, ends[1:]), why)


def product_value(name: str, factors: Sequence[Real], kept_in: str | None = None) -> Item:
    """The product of elements of a type in any order, 1 without elements; see product_bound.

    Infinities and NaN are multiplied by IEEE 754's rules. If some order of the factors has a
    partial product outside the range of its type, the infinity or the zero is permitted too; if a
    zero or an infinity is among the factors, or if both may occur, NaN is permitted too, as the
    product of both.
    """
    if not all(is_finite(factor) for factor in factors):
        total: Number = ONE
        for factor in factors:
            total = mul(total, factor)
        vanishing = [fraction(x) for x in factors if is_finite(x) and 0 < abs(fraction(x)) < 1]
        if total in {INF, NEG_INF} and _is_under(vanishing, kept_in or accumulator(name, IEEE)):
            return AnyOf((total, NAN))  # a partial product of the others may be 0
        return round_to(name, total)
    numbers = [fraction(factor) for factor in factors]
    if len(numbers) == 1:
        return factors[0]
    item = product_bound(name, prod(numbers, start=ONE), len(numbers), kept_in)
    return _of_any_order(name, item, numbers, kept_in or accumulator(name, IEEE))


def _of_any_order(name: str, item: Item, factors: Sequence[Fraction], kept_in: str) -> Item:
    """The element with the results of partial products outside the range of the type."""
    great = prod((abs(x) for x in factors if abs(x) > 1), start=ONE)
    over = great >= overflow(kept_in)
    under = _is_under([x for x in factors if 0 < abs(x) < 1], kept_in)
    exact = prod(factors, start=ONE)
    if exact == 0:
        return AnyOf((ZERO, NEG_ZERO, NAN)) if over else item
    if not over and not under:
        return item
    why = rule("product", count=len(factors), kept_in=kept_in, gpu_kept_in=name)
    if isinstance(item, Enclosed):
        low, high = item.gpu_low, item.gpu_high
    else:
        low = high = round_to(name, exact)
    if over and under:
        low, high = NEG_INF, INF  # NaN, too: one partial product may be infinite, another 0
    elif exact > 0:
        low, high = ZERO if under else low, INF if over else high
    else:
        low, high = NEG_INF if over else low, NEG_ZERO if under else high
    return Enclosed(exact, low, high, low, high, why)


def _is_under(small: Sequence[Fraction], kept_in: str) -> bool:
    """Whether the product of factors below 1 is below the normal numbers of a type."""
    return prod(map(abs, small), start=ONE) < least_normal(kept_in)
