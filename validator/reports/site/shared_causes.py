"""Causes that several runtimes have in common: on the first page one line, with their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...results.causes import JUDGED, Cause, severity, words_without_particulars
from ...results.records import Row


@dataclass(frozen=True)
class SharedCause:
    """What looks like one reason, on one runtime or several.

    Attributes:
        cause: its vectors, those of all runtimes, once each; the example is of the runtime on which
            most vectors fail.
        runtimes: how many vectors fail on each runtime, most first.
        rank: how far up the list of a runtime it is, at best.
    """

    cause: Cause
    runtimes: Mapping[str, int]
    rank: int


def shared_causes(names: Sequence[str], failing: Sequence[Sequence[Cause]]) -> list[SharedCause]:
    """The causes of several runtimes, worst first; `failing` are those of each, in its order."""
    found: dict[tuple[str, ...], list[tuple[str, int, Cause]]] = {}
    for name, causes in zip(names, failing, strict=True):
        for rank, cause in enumerate(causes):
            found.setdefault(_key(cause), []).append((name, rank, cause))
    shared = [_shared(alike) for alike in found.values()]
    return sorted(shared, key=lambda item: (severity(item.cause.verdict), -len(item.cause.rows)))


def _key(cause: Cause) -> tuple[str, ...]:
    """Equal where the verdict and its reason are; a wrong result has its operator's reason."""
    row = cause.example
    if cause.verdict not in JUDGED:
        phase = row.phase or ""
        return (cause.verdict, phase, words_without_particulars(row.message, row.operator))
    several = len(cause.operators) > 1
    return (cause.verdict, cause.common, "" if several else row.operator)


def _shared(alike: Sequence[tuple[str, int, Cause]]) -> SharedCause:
    ordered = sorted(alike, key=lambda item: -len(item[2].rows))
    counts: dict[str, int] = {}
    rows: dict[str, Row] = {}
    for name, _, cause in ordered:
        counts[name] = counts.get(name, 0) + len(cause.rows)
        for row in cause.rows:
            rows.setdefault(row.id, row)
    first = ordered[0][2]
    best = min(rank for _, rank, _ in alike)
    return SharedCause(Cause(first.verdict, first.common, tuple(rows.values())), counts, best)
