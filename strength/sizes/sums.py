"""Sums in which terms are left out or added twice: below the oracles, so of every operator.

Oracles add exact numbers in `Scaled.total` and `Scaled.dot`, and intervals in `sum` and `dot` of
`Steps` and of `Remembering`, which adds equal terms at once. A fault says how often each of so many
terms is added.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from onnx_conformance.generators.oracle.accuracy import remembering, steps, sums

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
    wrong = _Wrong(weights, seen)
    before = [(owner, name, getattr(owner, name)) for owner, name in _ADDERS]
    try:
        for owner, name, original in before:
            setattr(owner, name, wrong.of(original, numbers=owner is sums.Scaled))
        yield seen
    finally:
        for owner, name, original in before:
            setattr(owner, name, original)


#: Where sums are, each with the methods that add.
_ADDERS: tuple[tuple[Any, str], ...] = tuple(
    (owner, name)
    for owner, names in (
        (sums.Scaled, ("total", "dot")),
        (steps.Steps, ("sum", "dot")),
        (remembering.Remembering, ("sum", "dot")),
    )
    for name in names
)


class _Wrong:
    """Makes methods that add as often as is said of those that add once."""

    def __init__(self, weights: Weights, seen: Added) -> None:
        self._weights = weights
        self._seen = seen
        # One sum may be handed on to another method: its terms are left out there no second time.
        self._within = False

    def of(self, original: Callable[..., Any], *, numbers: bool) -> Callable[..., Any]:
        """A method in the place of another, of `Scaled` numbers or of `Steps`."""

        def added(one: Any, *lists: Any) -> Any:  # noqa: ANN401  as what it stands for
            terms = (one, *lists) if numbers else lists
            places = None if self._within else self._places(terms[0], numbers=numbers)
            if places is None:
                return original(one, *lists)
            taken = [_taken(item, places) if numbers else _picked(item, places) for item in terms]
            self._within = True
            try:
                return original(*taken) if numbers else original(one, *taken)
            finally:
                self._within = False

        return added

    def _places(self, terms: Any, *, numbers: bool) -> list[int] | None:  # noqa: ANN401  either
        """Which terms are added, each as often as it is; None where nothing changes."""
        count = len(terms.integers if numbers else terms)
        self._seen.longest = max(self._seen.longest, count)
        found = self._weights(count)
        if found is None:
            return None
        self._seen.changed = True
        return [place for place, times in enumerate(found) for _ in range(times)]


def _taken(one: sums.Scaled, places: Sequence[int]) -> sums.Scaled:
    return sums.Scaled(_picked(one.integers, places), one.shift)


def _picked(terms: Sequence[Any], places: Sequence[int]) -> tuple[Any, ...]:
    return tuple(terms[place] for place in places)
