"""The limits of one element: joining what a rule permits into an element of a grid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TypeAlias

from ..arith.grid import Enclosed, Item
from ..arith.intervals import key
from ..arith.numbers import (
    INF,
    NAN,
    NEG_INF,
    NEG_ZERO,
    ZERO,
    Real,
    Special,
    fraction,
    is_zero,
    order,
)
from ..arith.rationals import Fraction
from ..arith.rounding import Rounding
from ..arith.rules import Rule
from .profiles import flushed_zero, is_subnormal, moved

# The lowest and the highest number.
Ends: TypeAlias = tuple[Real, Real]


def around(name: str, exact: Real, ulps: Fraction, floor: Fraction = ZERO) -> Ends:
    """The limits of an exact value with an error; NaN, infinities and zeros have no error."""
    if isinstance(exact, Special) or exact == 0:
        return exact, exact
    return (
        _sign_kept(moved(name, exact, ulps, Rounding.DOWN, floor), exact),
        _sign_kept(moved(name, exact, ulps, Rounding.UP, floor), exact),
    )


def _sign_kept(end: Real, exact: Real) -> Real:
    """A limit of zero with the sign of the value: an underflowing result keeps its sign."""
    return NEG_ZERO if is_zero(end) and fraction(exact) < 0 else end


def perhaps_flushed(name: str, inputs: Sequence[Real]) -> Iterator[tuple[Real, ...]]:
    """The inputs, and the inputs with some subnormal ones flushed to zero."""
    ways = [(x, flushed_zero(x)) if is_subnormal(name, x) else (x,) for x in inputs]
    return product(*ways)


def joined(nearest: Real, ends: Sequence[Ends]) -> Ends:
    """The limits that include all given ones and the nearest value; none of them may be NaN."""
    ordered = [nearest, *(end for pair in ends for end in pair if end is not NAN)]
    return min(ordered, key=order), max(ordered, key=order)


def joined_gpu(name: str, nearest: Real, ends: Sequence[Ends]) -> Ends:
    """The same for profile gpu: with zeros of both signs if they include subnormal numbers."""
    low, high = joined(nearest, ends)
    if is_subnormal(name, low) and key(low) > key(ZERO):
        low = NEG_ZERO
    if is_subnormal(name, high) and key(high) < key(ZERO):
        high = ZERO
    return low, high


def item_of(value: Real, ieee: Ends, gpu: Ends, rule: Rule | None = None) -> Item:
    """The element: a plain number if both profiles accept only that.

    Args:
        value: the exact number.
        ieee: the limits of profile ieee.
        gpu: the limits of profile gpu.
        rule: the origin of the limits.
    """
    if ieee == gpu and ieee[0] == ieee[1]:
        return ieee[0]
    low = min(ieee[0], gpu[0], key=order)
    return Enclosed(value, ieee[0], ieee[1], low, max(ieee[1], gpu[1], key=order), rule)


def any_number(value: Real, rule: Rule | None = None) -> Enclosed:
    """An element that may be any number, and NaN, which limits of both infinities accept.

    Args:
        value: the number that stands for it in a tensor, not NaN.
        rule: the origin of the limits.
    """
    return Enclosed(value, NEG_INF, INF, NEG_INF, INF, rule)


def is_any_number(item: Item) -> bool:
    """Whether an element may be any number and NaN."""
    return isinstance(item, Enclosed) and item.low is NEG_INF and item.high is INF
