"""How long vectors take, by an earlier results file, and parts that take equally long."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...results.records import Results

# What a vector costs beside the time of the backend: reading, judging, recording (seconds).
OVERHEAD = 0.0005
# A vector that was never run takes this long (seconds), where nothing is known at all.
_UNKNOWN = 0.005


@dataclass(frozen=True)
class Times:
    """Seconds of vectors.

    Attributes:
        of: by id, from the request to the reply.
        of_version: the median of an operator version, for vectors that are not in `of`.
        usual: the median of all.
    """

    of: Mapping[str, float] = field(default_factory=dict)
    of_version: Mapping[str, float] = field(default_factory=dict)
    usual: float = _UNKNOWN

    def seconds(self, vector_id: str) -> float:
        """What a vector is expected to take, with what it costs beside its backend."""
        known = self.of.get(vector_id)
        if known is None:
            known = self.of_version.get(vector_id.partition("/")[0], self.usual)
        return OVERHEAD + max(0.0, known)


def times_of(results: Iterable[Results]) -> Times:
    """The times in results files; of several the last counts."""
    of = {row.id: row.seconds for item in results for row in item.rows}
    by_version: dict[str, list[float]] = defaultdict(list)
    for vector_id, seconds in of.items():
        by_version[vector_id.partition("/")[0]].append(seconds)
    medians = {version: median(seconds) for version, seconds in by_version.items()}
    return Times(of, medians, median(of.values()) if of else _UNKNOWN)


def together(ids: Sequence[str], control_of: Mapping[str, str]) -> list[tuple[str, ...]]:
    """The vectors in groups that are not parted: a control comes before those that need it.

    A control that is not among `ids` is in no group.
    """
    groups: dict[str, list[str]] = {}
    there = set(ids)
    for vector_id in ids:
        control = control_of.get(vector_id)
        key = control if control in there else vector_id
        assert key is not None  # noqa: S101  for mypy: `in there` says so
        group = groups.setdefault(key, [])
        if vector_id == key:
            group.insert(0, vector_id)
        else:
            group.append(vector_id)
    return [tuple(group) for group in groups.values()]


def equal_parts(
    groups: Iterable[tuple[str, ...]], times: Times, parts: int
) -> list[tuple[str, ...]]:
    """Groups in parts that take nearly equally long: the longest first, to the part with least.

    The same for the same arguments on every machine. A part keeps the order of the groups.
    """
    given = list(groups)
    cost = [sum(map(times.seconds, group)) for group in given]
    order = sorted(range(len(given)), key=lambda index: (-cost[index], given[index]))
    loads = [(0.0, number) for number in range(parts)]
    taken: list[list[int]] = [[] for _ in range(parts)]
    for index in order:
        load, number = heapq.heappop(loads)
        taken[number].append(index)
        heapq.heappush(loads, (load + cost[index], number))
    return [tuple(item for index in sorted(part) for item in given[index]) for part in taken]
