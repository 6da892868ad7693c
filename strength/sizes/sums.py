"""Sums in which terms are left out or added twice: below the oracles, so of every operator.

Oracles add in four places: `Scaled.total` and `Scaled.dot` of exact numbers, `Steps.sum` and
`Steps.dot` of intervals. A fault says how often each of so many terms is added.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from onnx_conformance.generators.oracle.accuracy import steps, sums

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Weights: TypeAlias = Callable[[int], "Sequence[int] | None"]

#: Terms from which a runtime has two threads add them.
THREADED = 1_024
#: Terms that a block of a reduction has.
BLOCK = 256


@dataclass
class Added:
    """What was seen of the sums of a run: how many terms the longest had, and what was changed."""

    longest: int = 0
    changed: bool = False


def first_terms(most: int) -> Weights:
    """The terms beyond some are not added."""
    return lambda count: [1] * most + [0] * (count - most) if count > most else None


def no_tail(width: int) -> Weights:
    """The terms at the end that do not fill a vector of this width are not added."""

    def weights(count: int) -> Sequence[int] | None:
        tail = count % width
        return [1] * (count - tail) + [0] * tail if tail and count > width else None

    return weights


def last_block_twice(count: int) -> Sequence[int] | None:
    """The last block of 256 terms, or what is left for it, is added twice."""
    if count <= BLOCK:
        return None
    last = count % BLOCK or BLOCK
    return [1] * (count - last) + [2] * last


def second_thread_twice(count: int) -> Sequence[int] | None:
    """The partial sum of the second of two threads is added twice."""
    if count < THREADED:
        return None
    half = count // 2
    return [1] * half + [2] * (count - half)


def unchanged(_count: int) -> None:
    """Every term is added once: a right runtime."""


@contextlib.contextmanager
def adding(weights: Weights) -> Iterator[Added]:
    """Let all oracles add each term as often as is said; yields what was seen."""
    seen = Added()
    originals = [
        (sums.Scaled, "total", _spoiled_total(sums.Scaled.total, weights, seen)),
        (sums.Scaled, "dot", _spoiled_dot(sums.Scaled.dot, weights, seen)),
        (steps.Steps, "sum", _spoiled_sum(steps.Steps.sum, weights, seen)),
        (steps.Steps, "dot", _spoiled_products(steps.Steps.dot, weights, seen)),
    ]
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in originals]
    try:
        for owner, name, changed in originals:
            setattr(owner, name, changed)
        yield seen
    finally:
        for owner, name, original in before:
            setattr(owner, name, original)


def _weighted(terms: Sequence[Any], weights: Weights, seen: Added) -> list[int] | None:
    """Which terms are added, each as often as it is; None where nothing changes."""
    seen.longest = max(seen.longest, len(terms))
    found = weights(len(terms))
    if found is None:
        return None
    seen.changed = True
    return [place for place, times in enumerate(found) for _ in range(times)]


def _spoiled_total(original: Any, weights: Weights, seen: Added) -> Any:  # noqa: ANN401  a method
    def total(one: sums.Scaled) -> Any:  # noqa: ANN401  two numbers
        places = _weighted(one.integers, weights, seen)
        return original(one if places is None else _taken(one, places))

    return total


def _spoiled_dot(original: Any, weights: Weights, seen: Added) -> Any:  # noqa: ANN401  a method
    def dot(one: sums.Scaled, other: sums.Scaled) -> Any:  # noqa: ANN401  two numbers
        places = _weighted(one.integers, weights, seen)
        if places is None:
            return original(one, other)
        return original(_taken(one, places), _taken(other, places))

    return dot


def _taken(one: sums.Scaled, places: Sequence[int]) -> sums.Scaled:
    return sums.Scaled(tuple(one.integers[place] for place in places), one.shift)


def _spoiled_sum(original: Any, weights: Weights, seen: Added) -> Any:  # noqa: ANN401  a method
    def total(self: steps.Steps, terms: Sequence[Any]) -> Any:  # noqa: ANN401  an interval
        places = _weighted(terms, weights, seen)
        return original(self, terms if places is None else [terms[place] for place in places])

    return total


def _spoiled_products(original: Any, weights: Weights, seen: Added) -> Any:  # noqa: ANN401  a method
    def dot(self: steps.Steps, x: Sequence[Any], y: Sequence[Any]) -> Any:  # noqa: ANN401  an interval
        places = _weighted(x, weights, seen)
        if places is None:
            return original(self, x, y)
        return original(self, [x[place] for place in places], [y[place] for place in places])

    return dot
