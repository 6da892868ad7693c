"""Weighted averages of elements of a tensor, as near as the weights are known."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

from ...arith.bounds import dot_bound, enclosed_all
from ...arith.grid import AnyOf
from ...arith.intervals import Interval
from ...arith.numbers import NAN, ONE, ZERO, Number, add, fraction, is_finite, is_nan, mul
from ...arith.profiles import GPU, REAL
from ...arith.rounding import fits, is_float, limits, round_to, wrap
from .taps import Tap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...arith.grid import Item
    from ...arith.steps import Steps

# In profile gpu a division may be off by five times as much as a rounding.
_GPU_ERRORS = 5


def joint(axes: Sequence[Sequence[Tap]], steps: Sequence[int]) -> list[Tap]:
    """The taps of several axes as taps at places of elements; their weights multiply."""
    found = []
    for one in product(*axes):
        weight = math.prod((tap.weight for tap in one), start=ONE)
        most = math.prod((abs(tap.weight) + tap.error for tap in one), start=ONE)
        place = sum(tap.index * step for tap, step in zip(one, steps, strict=True))
        found.append(Tap(place, weight, most - abs(weight)))
    return found


def average(name: str, items: Sequence[Any], taps: Sequence[Tap]) -> Item:
    """The sum of elements, each with its weight.

    An integer that is not exactly an average may be either neighbour of it: the page says that an
    average is computed, not how it becomes an integer. An element that is not finite and has no
    weight may be multiplied by zero, or be left out.
    """
    if not all(is_finite(item) for item in items):
        return _special(name, items, taps)
    taken = [(x, tap) for x, tap in zip(items, taps, strict=True) if tap.weight or tap.error]
    items, taps = [x for x, _ in taken], [tap for _, tap in taken]
    terms = [fraction(item) * tap.weight for item, tap in taken]
    exact = sum(terms, ZERO)
    error = sum((abs(fraction(item)) * tap.error for item, tap in taken), ZERO)
    if not is_float(name):
        return _integer(name, exact, error)
    if not error:
        magnitude = sum(map(abs, terms), ZERO)
        shift = max((term.denominator for term in terms), default=1)
        return dot_bound(name, exact, magnitude, max(len(terms), 1), quantum=Fraction(1, shift))

    def formula(steps: Steps) -> list[Interval]:
        more = {REAL: 0, GPU: _GPU_ERRORS}.get(steps.profile, 1)
        weights = [
            Interval(tap.weight - more * tap.error, tap.weight + more * tap.error) for tap in taps
        ]
        return [steps.dot(weights, [steps.exactly(item) for item in items])]

    (found,) = enclosed_all(name, formula)
    return found


def _integer(name: str, exact: Fraction, error: Fraction) -> Item:
    found = range(math.floor(exact - error), math.ceil(exact + error) + 1)
    low, high = limits(name)
    numbers = dict.fromkeys(
        taken
        for one in found
        for taken in ((one,) if fits(name, one) else (min(max(one, low), high), wrap(name, one)))
    )
    return AnyOf(tuple(numbers)) if len(numbers) > 1 else next(iter(numbers))


def _special(name: str, items: Sequence[Any], taps: Sequence[Tap]) -> Item:
    """A sum with infinities or NaN in it, by IEEE 754's rules."""
    total: Number = ZERO
    for item, tap in zip(items, taps, strict=True):
        if not is_finite(item) and tap.weight:
            total = add(total, mul(tap.weight, item))
    idle = any(not is_finite(x) and not tap.weight for x, tap in zip(items, taps, strict=True))
    if not is_finite(total):
        return AnyOf((total, NAN)) if idle and not is_nan(total) else total
    rest = [(x, tap) for x, tap in zip(items, taps, strict=True) if tap.weight]
    plain = round_to(name, sum((fraction(x) * tap.weight for x, tap in rest), ZERO))
    return AnyOf((plain, NAN))
