"""Failures put together by case: what a person reads, where a list of vectors would be a wall."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .tally import FAILING, group_of, operator_version

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..results import Results, Row
    from .marks import Marks
    from .tally import Group, OperatorVersion


@dataclass(frozen=True)
class BackendFailure:
    """What one backend does with a case.

    Attributes:
        backend: position of the backend.
        groups: how many vectors are in each failing group.
        rows: the failing rows, crashes first; the first stands for all.
        known: how many of them a baseline lists as they are.
    """

    backend: int
    groups: Mapping[str, int]
    rows: tuple[Row, ...]
    known: int


@dataclass(frozen=True)
class FailingCase:
    """A case of an operator version that failed somewhere.

    Attributes:
        version: the operator version.
        case: id of the case.
        covers: ids of the requirements that its failing vectors exercise.
        failures: one for each backend on which it failed.
    """

    version: OperatorVersion
    case: str
    covers: tuple[str, ...]
    failures: tuple[BackendFailure, ...]

    @property
    def worst(self) -> Group:
        """The gravest group among its failures."""
        names = {name for failure in self.failures for name in failure.groups}
        return next(group for group in FAILING if group.name in names)


def failing_cases(
    results: Sequence[Results], marks: Mapping[str, Marks] | None = None
) -> list[FailingCase]:
    """Every case that failed somewhere, by operator version and case."""
    found: dict[tuple[OperatorVersion, str], dict[int, list[Row]]] = {}
    failing = {group.name for group in FAILING}
    for backend, item in enumerate(results):
        for row in item.rows:
            if group_of(row).name in failing:
                key = (operator_version(row), row.case)
                found.setdefault(key, {}).setdefault(backend, []).append(row)
    return [
        FailingCase(version, case, _covers(by_backend), _failures(results, by_backend, marks or {}))
        for (version, case), by_backend in sorted(found.items())
    ]


def _covers(by_backend: Mapping[int, Sequence[Row]]) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(item for rows in by_backend.values() for row in rows for item in row.covers)
    )


def _failures(
    results: Sequence[Results],
    by_backend: Mapping[int, Sequence[Row]],
    marks: Mapping[str, Marks],
) -> tuple[BackendFailure, ...]:
    order = {group.name: number for number, group in enumerate(FAILING)}
    failures = []
    for backend, rows in by_backend.items():
        known = marks.get(results[backend].header.backend, {})
        ranked = sorted(rows, key=lambda row: (order[group_of(row).name], row.id))
        failures.append(
            BackendFailure(
                backend=backend,
                groups=Counter(group_of(row).name for row in ranked),
                rows=tuple(ranked),
                known=sum(row.id in known and not known[row.id].red for row in ranked),
            )
        )
    return tuple(failures)


def words_of(requirements: Mapping[str, Any], operator: str, requirement: str) -> Mapping[str, Any]:
    """The words behind a requirement, {text, document, part, url}; empty where they are unknown."""
    of_operator = requirements.get(operator)
    if of_operator is None:
        lowered = {str(key).lower(): value for key, value in requirements.items()}
        of_operator = lowered.get(operator.lower(), {})
    words = of_operator.get(requirement, {}) if isinstance(of_operator, dict) else {}
    return words if isinstance(words, dict) else {}
