"""Weighted averages of elements of a tensor, as near as the weights are known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from onnx_conformance.core.values.elements import element_type

from ...accuracy.bounds import dot_bound, enclosed, or_nan
from ...accuracy.profiles import GPU, REAL
from ...accuracy.steps import Steps
from ...arith.grid import AnyOf, Enclosed, Item, any_of, value_of
from ...arith.intervals import Interval
from ...arith.numbers import (
    NAN,
    NEG_ZERO,
    ONE,
    ZERO,
    Complex,
    Number,
    Real,
    add,
    equal,
    fraction,
    is_finite,
    is_nan,
    mul,
)
from ...arith.rationals import Fraction
from ...arith.rounding import (
    is_float,
    least_normal,
    least_subnormal,
    round_to,
    saturate,
    unit_roundoff,
    wrap,
)
from ...errors import UnansweredError
from .coordinates import WORKING
from .taps import Tap

# In profile gpu a division may be off by five times as much as a rounding.
_GPU_ERRORS = 5
# A weight is a product of one for each axis, or the sum along an axis is rounded before the next.
_PASSES = 2
# The element type of the parts of a complex number.
_PARTS = {"complex64": "float32", "complex128": "float64"}


def joint(axes: Sequence[Sequence[Tap]], steps: Sequence[int]) -> list[Tap]:
    """The taps of several axes as taps at places of elements; their weights multiply."""
    found = [(0, ONE, ONE, False)]
    for taps, step in zip(axes, steps, strict=True):
        if len(taps) == 1 and taps[0].weight == 1 and not taps[0].error:
            place = taps[0].index * step
            found = [(before + place, *rest) for before, *rest in found]  # type: ignore[misc]
            continue
        ends = [
            (tap.index * step, tap.weight, abs(tap.weight) + tap.error, tap.beyond) for tap in taps
        ]
        found = [
            (before + place, weight * factor, most * end, one or other)
            for before, weight, most, one in found
            for place, factor, end, other in ends
        ]
    return [Tap(place, weight, most - abs(weight), beyond) for place, weight, most, beyond in found]


def average(name: str, items: Sequence[Any], taps: Sequence[Tap]) -> Item:
    """The sum of elements, each with its weight.

    An integer that is not exactly an average may be either neighbour of it: the page says that an
    average is computed, not how it becomes an integer. An element that is not finite and has no
    weight may be multiplied by zero, or be left out.
    """
    if element_type(name).kind == "complex":
        return _complex(name, items, taps)
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
        alone = len(terms) == 1 and taps[0].weight.numerator == 1
        count = 1 if alone else len(terms) + _PASSES
        found = dot_bound(name, exact, magnitude, count, quantum=Fraction(1, shift))
        return _lost_in_halves(name, found)

    return weighted(name, items, taps, unit_roundoff(WORKING))


def weighted(name: str, items: Sequence[Any], taps: Sequence[Tap], unit: Fraction) -> Item:
    """The sum of finite elements, each with a weight that is known to so many units of it."""

    def formula(steps: Steps, *given: Interval) -> Interval:
        more = {REAL: 0, GPU: _GPU_ERRORS}.get(steps.profile, 1)
        errors = [more * (tap.error + _PASSES * unit * abs(tap.weight)) for tap in taps]
        weights = [
            Interval(tap.weight - error, tap.weight + error)
            for tap, error in zip(taps, errors, strict=True)
        ]
        return steps.dot(weights, given)

    return enclosed(name, formula, *items)


def _lost_in_halves(name: str, item: Item) -> Item:
    """An element that stands for two neighbours may be added up of its halves.

    They are exact but where they are subnormal, as half of the least one is.
    """
    if not isinstance(item, Enclosed) or not item.value:
        return item
    if abs(fraction(item.value)) >= (1 << _PASSES) * least_normal(name):  # type: ignore[arg-type]
        return item
    lost = _PASSES * least_subnormal(name)
    low, high = fraction(item.low) - lost, fraction(item.high) + lost  # type: ignore[arg-type]
    return replace(item, low=low or NEG_ZERO, high=high or ZERO)


def _complex(name: str, items: Sequence[Complex], taps: Sequence[Tap]) -> Item:
    """The averages of the real and of the imaginary parts.

    UnansweredError where one rounds: the limits of an element are of real numbers.
    """
    parts = [
        _ways(average(_PARTS[name], [getattr(item, side) for item in items], taps))
        for side in ("re", "im")
    ]
    ways = dict.fromkeys(Complex(re, im) for re, im in product(*parts))
    if any(NAN in part for part in parts):
        # The product with a complex number whose imaginary part is zero has NaN in both.
        ways[Complex(NAN, NAN)] = None
    return any_of(ways)


def _ways(item: Item) -> tuple[Real, ...]:
    """What a part of a complex number may be."""
    if isinstance(item, AnyOf):
        return item.numbers  # type: ignore[return-value]  # of parts, which are real
    if isinstance(item, Enclosed) and not equal(item.low, item.high):
        raise UnansweredError("an average of complex numbers is rounded, and has no limits")
    return (value_of(item),)  # type: ignore[return-value]


def _integer(name: str, exact: Fraction, error: Fraction) -> Item:
    found = range(math.floor(exact - error), math.ceil(exact + error) + 1)
    return any_of(way for one in found for way in (saturate(name, one), wrap(name, one)))


def _special(name: str, items: Sequence[Any], taps: Sequence[Tap]) -> Item:
    """A sum with infinities or NaN in it, by IEEE 754's rules."""
    total: Number = ZERO
    for item, tap in zip(items, taps, strict=True):
        if not is_finite(item) and tap.weight:
            total = add(total, mul(tap.weight, item))
    idle = any(not is_finite(x) and not tap.weight for x, tap in zip(items, taps, strict=True))
    if not is_finite(total):
        return AnyOf((total, NAN)) if idle and not is_nan(total) else total
    rest = [(x, tap) for x, tap in zip(items, taps, strict=True) if is_finite(x)]
    found = average(name, [x for x, _ in rest], [tap for _, tap in rest])
    near = [
        x
        for x, tap in zip(items, taps, strict=True)
        if not is_finite(x) and tap.error and not tap.beyond
    ]
    if isinstance(found, Enclosed) and not near and not equal(found.low, found.high):
        return or_nan(found)
    # A weight that is zero but for a rounding has either sign.
    ways = [mul(sign, x) for x in near for sign in (ONE, -ONE)]
    return any_of((round_to(name, value_of(found)), NAN, *ways))
