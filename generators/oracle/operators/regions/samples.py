"""Values that are sampled between the elements of a channel, and their mean and maximum."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...accuracy.bounds import dot_bound, enclosed
from ...accuracy.profiles import GPU, REAL
from ...accuracy.steps import Steps
from ...arith.grid import AnyOf, Item
from ...arith.intervals import Interval
from ...arith.numbers import NAN, ZERO, Number, add, div, fraction, is_finite, is_nan, mul
from ...arith.rationals import Fraction
from ...arith.rounding import round_to

Terms = Sequence[tuple[Interval, Interval]]

# In profile gpu an operation may be off by five times as much as a rounding.
_GPU_ERRORS = 5


@dataclass(frozen=True)
class Weighted:
    """An element beside a place, with its weight.

    Attributes:
        value: the element.
        weight: what it is multiplied by.
        error: how far off a runtime's weight may be; 0 where it is found without rounding.
    """

    value: Any
    weight: Fraction
    error: Fraction


def mean(name: str, samples: Sequence[Sequence[Weighted]]) -> Item:
    """The mean of one sample or more, each a sum of elements with weights."""
    count = len(samples)
    parts = [part for sample in samples for part in sample]
    if not all(is_finite(part.value) for part in parts):
        return _special(name, parts, count)
    terms = [fraction(part.value) * part.weight for part in parts]
    if not any(part.error for part in parts):
        grain = count * math.lcm(*(term.denominator for term in terms))
        magnitude = sum(map(abs, terms), ZERO) / count
        exact = sum(terms, ZERO) / count
        quantum = Fraction(1, grain)
        return dot_bound(name, exact, magnitude, len(terms) + 2, quantum=quantum, divisor=count)

    def formula(steps: Steps, pairs: Sequence[Terms]) -> Interval:
        flat = [pair for terms in pairs for pair in terms]
        total = steps.dot([weight for weight, _ in flat], [value for _, value in flat])
        return steps.div(total, count)

    return _enclosed(name, samples, formula)


def greatest(name: str, samples: Sequence[Sequence[Weighted]]) -> Item:
    """The greatest sample; each is a sum of finite elements with weights."""
    parts = [part for sample in samples for part in sample]
    if not any(part.error for part in parts):
        totals = [
            sum((fraction(part.value) * part.weight for part in sample), ZERO) for sample in samples
        ]
        return dot_bound(name, max(totals), abs(max(totals)), 1)

    def formula(steps: Steps, pairs: Sequence[Terms]) -> Interval:
        return steps.greatest(
            [
                steps.dot([weight for weight, _ in terms], [value for _, value in terms])
                for terms in pairs
            ]
        )

    return _enclosed(name, samples, formula)


def _enclosed(
    name: str,
    samples: Sequence[Sequence[Weighted]],
    formula: Callable[[Steps, Sequence[Terms]], Interval],
) -> Item:
    """A formula of samples, with weights as near as a runtime may have them."""

    def over(steps: Steps) -> Interval:
        more = {REAL: 0, GPU: _GPU_ERRORS}.get(steps.profile, 1)
        pairs = [
            [
                (
                    Interval(part.weight - more * part.error, part.weight + more * part.error),
                    steps.exactly(part.value),
                )
                for part in sample
            ]
            for sample in samples
        ]
        return formula(steps, pairs)

    return enclosed(name, over)


def _special(name: str, parts: Sequence[Weighted], count: int) -> Item:
    """The mean by IEEE 754's rules; an infinity without weight may count or not."""
    total: Number = ZERO
    for part in parts:
        if part.weight:
            total = add(total, mul(part.value, part.weight))
    exact = round_to(name, div(total, Fraction(count)))
    idle = any(not is_finite(part.value) and not part.weight for part in parts)
    return AnyOf((exact, NAN)) if idle and not is_nan(exact) else exact
