"""Failures grouped by operator and case, as a list of single vectors would be too long.

A case that fails at one version mostly fails at all versions, so versions share an entry; and cases
that fail on the same backends for the same causes can be put together.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ...gate.marks import Marks
from ...results.causes import causes_of, severity
from ...results.records import Results, Row
from .tally import FAILING, Group, OperatorVersion, group_of, operator_version, rows_to_look_at

# Added to the rank of listed failures, so that all of them come after those that are not listed.
_LISTED = 100


@dataclass(frozen=True)
class BackendFailure:
    """The failures of one backend in a case.

    Attributes:
        backend: position of the backend.
        rows: the failing rows, crashes first; the first is the example that is shown.
        known: how many of them fail as the baseline lists them.
    """

    backend: int
    rows: tuple[Row, ...]
    known: int

    @property
    def groups(self) -> Mapping[str, int]:
        """How many vectors are in each failing group."""
        return Counter(group_of(row).name for row in self.rows)


@dataclass(frozen=True)
class FailingCase:
    """A case of an operator that failed on some backend.

    Attributes:
        operator: its name.
        case: id of the case.
        also: ids of other cases that fail alike, if they were put together.
        covers: ids of the requirements that its failing vectors exercise.
        failures: one for each backend on which it failed.
    """

    operator: str
    case: str
    covers: tuple[str, ...]
    failures: tuple[BackendFailure, ...]
    also: tuple[str, ...] = ()

    @property
    def rows(self) -> tuple[Row, ...]:
        """The failing rows of all backends."""
        return tuple(row for failure in self.failures for row in failure.rows)

    @property
    def versions(self) -> tuple[OperatorVersion, ...]:
        """The operator versions at which it failed, in order."""
        return tuple(sorted(set(map(operator_version, self.rows))))

    @property
    def worst(self) -> Group:
        """The worst group among its failures."""
        names = {group_of(row).name for row in self.rows}
        return next(group for group in FAILING if group.name in names)


def failing_cases(
    results: Sequence[Results], marks: Mapping[str, Marks] | None = None
) -> list[FailingCase]:
    """Every case that failed somewhere: the worst verdicts first, then the most vectors."""
    found: defaultdict[tuple[str, str], dict[int, list[Row]]] = defaultdict(dict)
    for backend, item in enumerate(results):
        for row in rows_to_look_at(item):
            found[row.operator, row.case].setdefault(backend, []).append(row)
    known = [(marks or {}).get(item.header.backend, {}) for item in results]
    cases = [
        FailingCase(
            operator,
            case,
            _each_once(item for rows in by_backend.values() for row in rows for item in row.covers),
            tuple(_failure(number, rows, known[number]) for number, rows in by_backend.items()),
        )
        for (operator, case), by_backend in sorted(found.items())
    ]
    return sorted(cases, key=_rank)


def _each_once(items: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(items))


def _failure(backend: int, rows: Sequence[Row], marks: Marks) -> BackendFailure:
    order = {group.name: number for number, group in enumerate(FAILING)}
    ranked = sorted(
        rows, key=lambda row: (order[group_of(row).name], operator_version(row), row.id)
    )
    known = sum(row.id in marks and not marks[row.id].red for row in rows)
    return BackendFailure(backend, tuple(ranked), known)


def put_together(cases: Sequence[FailingCase], results: Sequence[Results]) -> list[FailingCase]:
    """The cases that fail on the same backends for the same causes as one, in the same order.

    The first of them, which is the worst, gives its name and its examples.
    """
    causes = [_cause_of_rows(item) for item in results]
    found: dict[tuple[object, ...], list[FailingCase]] = {}
    for case in cases:
        failures = frozenset(
            (
                failure.backend,
                frozenset(causes[failure.backend][row.id] for row in failure.rows),
                failure.known == len(failure.rows),
            )
            for failure in case.failures
        )
        found.setdefault((case.operator, failures), []).append(case)
    return sorted(map(_joined, found.values()), key=_rank)


def _cause_of_rows(results: Results) -> dict[str, int]:
    """The number of the cause of each vector that is to be looked at."""
    causes = causes_of(rows_to_look_at(results), results.rows)
    return {row.id: number for number, cause in enumerate(causes) for row in cause.rows}


def _joined(alike: Sequence[FailingCase]) -> FailingCase:
    first, *others = alike
    by_backend: defaultdict[int, list[BackendFailure]] = defaultdict(list)
    for case in alike:
        for failure in case.failures:
            by_backend[failure.backend].append(failure)
    return replace(
        first,
        covers=_each_once(item for case in alike for item in case.covers),
        failures=tuple(
            BackendFailure(
                backend,
                tuple(row for failure in failures for row in failure.rows),
                sum(failure.known for failure in failures),
            )
            for backend, failures in by_backend.items()
        ),
        also=tuple(case.case for case in others),
    )


def _rank(case: FailingCase) -> tuple[int, int]:
    """Sort key: failures that nobody lists and silently wrong results come first."""
    unlisted = any(failure.known < len(failure.rows) for failure in case.failures)
    worst = min(severity(row.verdict) for row in case.rows)
    return (worst if unlisted else worst + _LISTED, -len(case.rows))
