"""Weighted averages of elements of a tensor, as near as the weights are known."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.values.elements import element_type

from ...accuracy.bounds import dot_bound, enclosed_all
from ...accuracy.profiles import GPU, REAL
from ...arith.grid import AnyOf, value_of
from ...arith.intervals import Interval
from ...arith.numbers import (
    NAN,
    ONE,
    ZERO,
    Complex,
    Number,
    Real,
    add,
    fraction,
    is_finite,
    is_nan,
    mul,
)
from ...arith.rationals import Fraction
from ...arith.rounding import fits, is_float, limits, round_to, unit_roundoff, wrap
from .coordinates import WORKING
from .taps import Tap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...accuracy.steps import Steps
    from ...arith.grid import Item

# In profile gpu a division may be off by five times as much as a rounding.
_GPU_ERRORS = 5
# A weight is a product of one for each axis, or the sum along an axis is rounded before the next.
_PASSES = 2
# The element type of the parts of a complex number.
_PARTS = {"complex64": "float32", "complex128": "float64"}


def joint(axes: Sequence[Sequence[Tap]], steps: Sequence[int]) -> list[Tap]:
    """The taps of several axes as taps at places of elements; their weights multiply."""
    found = [(0, ONE, ONE)]
    for taps, step in zip(axes, steps, strict=True):
        if len(taps) == 1 and taps[0].weight == 1 and not taps[0].error:
            place = taps[0].index * step
            found = [(before + place, weight, most) for before, weight, most in found]
            continue
        ends = [(tap.index * step, tap.weight, abs(tap.weight) + tap.error) for tap in taps]
        found = [
            (before + place, weight * factor, most * end)
            for before, weight, most in found
            for place, factor, end in ends
        ]
    return [Tap(place, weight, most - abs(weight)) for place, weight, most in found]


def average(name: str, items: Sequence[Any], taps: Sequence[Tap]) -> Item:
    """The sum of elements, each with its weight.

    An integer that is not exactly an average may be either neighbour of it: the page says that an
    average is computed, not how it becomes an integer. An element that is not finite and has no
    weight may be multiplied by zero, or be left out.
    """
    if element_type(name).kind == "complex":
        return Complex(*(_part(name, items, taps, side) for side in ("re", "im")))
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
        count = len(terms) + _PASSES if len(terms) > 1 else 1
        return dot_bound(name, exact, magnitude, count, quantum=Fraction(1, shift))

    return weighted(name, items, taps, unit_roundoff(WORKING))


def weighted(name: str, items: Sequence[Any], taps: Sequence[Tap], unit: Fraction) -> Item:
    """The sum of finite elements, each with a weight that is known to so many units of it."""

    def formula(steps: Steps) -> list[Interval]:
        more = {REAL: 0, GPU: _GPU_ERRORS}.get(steps.profile, 1)
        errors = [more * (tap.error + _PASSES * unit * abs(tap.weight)) for tap in taps]
        weights = [
            Interval(tap.weight - error, tap.weight + error)
            for tap, error in zip(taps, errors, strict=True)
        ]
        return [steps.dot(weights, [steps.exactly(item) for item in items])]

    (found,) = enclosed_all(name, formula)
    return found


def _part(name: str, items: Sequence[Complex], taps: Sequence[Tap], side: str) -> Real:
    """The average of the real or of the imaginary parts."""
    found = value_of(average(_PARTS[name], [getattr(item, side) for item in items], taps))
    if isinstance(found, (Complex, bytes)):
        raise TypeError(f"{found!r} is no real number")
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
