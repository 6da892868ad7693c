"""Few combinations with every pair of values: covering arrays, the same on every machine.

Combinations are chosen, not enumerated: three parameters with four values each have 64
combinations, and 16 of them contain every pair of values. Faults that need three values at once are
rare (Kuhn, Wallace and Gallo, "Software fault interactions and implications for software testing",
IEEE TSE 30(6), 2004).
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, product
from typing import TypeVar

T = TypeVar("T")


def covering(
    parameters: Mapping[str, Sequence[T]],
    permitted: Callable[[Mapping[str, T]], bool] = lambda _: True,
) -> tuple[dict[str, T], ...]:
    """Rows that contain every pair of values of two parameters that some permitted row contains.

    Greedy and without randomness: the next row is the one with most pairs that are still missing;
    of several, the first in the order of the product. A new value may change the rows, so ids are
    made of the values of a row, never of its place.

    Args:
        parameters: values by parameter; a parameter without values makes no row.
        permitted: tells whether a row may be chosen.
    """
    names = tuple(parameters)
    rows = [
        row
        for values in product(*(range(len(parameters[name])) for name in names))
        if permitted(row := {n: parameters[n][v] for n, v in zip(names, values, strict=True)})
    ]
    pairs = [_pairs(names, row) for row in rows]
    missing = {pair for held in pairs for pair in held}
    chosen: list[dict[str, T]] = []
    # Gains only decrease, so a gain that is up to date and first in order is the greatest.
    waiting = [(-len(held), place) for place, held in enumerate(pairs)]
    heapq.heapify(waiting)
    while missing:
        count, place = heapq.heappop(waiting)
        adds = len(missing & pairs[place])
        if adds == -count:
            missing -= pairs[place]
            chosen.append(rows[place])
        elif adds:
            heapq.heappush(waiting, (-adds, place))
    return tuple(chosen)


def _pairs(names: tuple[str, ...], row: Mapping[str, T]) -> frozenset[tuple[str, str, str, str]]:
    """The pairs of values in a row; a lone parameter is paired with itself."""
    if len(names) == 1:
        return frozenset({(names[0], repr(row[names[0]]), "", "")})
    return frozenset(
        (first, repr(row[first]), second, repr(row[second]))
        for first, second in combinations(names, 2)
    )
