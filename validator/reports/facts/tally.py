"""Counts of verdicts: each vector is in one group, and groups are counted by operator version.

Every planned vector is in exactly one group, so that the columns of every report add up to the
total and nothing is hidden in a percentage. Only `pass` is a pass. A permitted result of a latitude
vector has a column of its own: the document leaves the result open, so it speaks neither for the
runtime nor against it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple, cast

from onnx_conformance.core.corpus.vectors import Expect

from ...judging.verdicts import Verdict
from ...results.changes import NO_VERDICT
from ...results.records import Results, Row


@dataclass(frozen=True, eq=False)
class Group:
    """One column of a report; all of them are defined here and compared by identity.

    Attributes:
        name: heading of the column, also the key in machine-readable reports.
        symbol: one character that tells the group apart without colour.
        meaning: one sentence for the legend.
        verdicts: the verdicts that are counted in it.
        always: whether the column is shown even if it is empty.
    """

    name: str
    symbol: str
    meaning: str
    verdicts: tuple[str, ...]
    always: bool = True


PASS = Group("pass", "✓", "did what the document requires", (Verdict.PASS,))
FAIL = Group(
    "fail",
    "✗",
    "departs from the document: a wrong output, a valid model rejected or an invalid one accepted",
    (
        Verdict.WRONG_COUNT,
        Verdict.WRONG_TYPE,
        Verdict.WRONG_SHAPE,
        Verdict.WRONG_VALUE,
        Verdict.REJECTED,
        Verdict.ACCEPTED_INVALID,
    ),
)
CRASHED = Group(
    "crashed",
    "‼",
    "the process died, hung past its deadline or broke the protocol",
    (Verdict.CRASHED, Verdict.TIMED_OUT, Verdict.PROTOCOL_ERROR),
)
UNSUPPORTED = Group(
    "unsupported",
    "○",
    "the runtime does not implement it or its API cannot carry it; not a success",
    (Verdict.UNSUPPORTED,),
)
INCONCLUSIVE = Group(
    "inconclusive",
    "?",
    "an invalid model was not accepted, which proves nothing: its valid control did not pass, or"
    " the backend does not support it",
    (Verdict.INCONCLUSIVE,),
)
LATITUDE = Group(
    "latitude",
    "≈",
    "the document leaves the result open, and a permitted one came; neither for nor against",
    (),
)
# Not a verdict of the results file: what its `pass` means where no value was judged (`as_seen`).
_ACCEPTED = "accepted"
ACCEPTED = Group(
    "accepted",
    "◌",
    "took a valid model, and judges validity alone: no value was seen, so none was right",
    (_ACCEPTED,),
    always=False,
)
UNJUDGED = Group(
    "unjudged",
    "!",
    "nothing is known: the harness failed, the vector was damaged or no verdict was written",
    (Verdict.ERROR, Verdict.BAD_VECTOR, NO_VERDICT),
    always=False,
)

GROUPS = (PASS, FAIL, CRASHED, UNSUPPORTED, INCONCLUSIVE, LATITUDE, ACCEPTED, UNJUDGED)

# The groups that a reader has to look at, worst first.
FAILING = (CRASHED, FAIL, UNJUDGED)

# Most rows of a million have one of these, and need nobody's eyes.
_CALM = frozenset(
    (*PASS.verdicts, *UNSUPPORTED.verdicts, *INCONCLUSIVE.verdicts, *ACCEPTED.verdicts)
)

_GROUP_OF = {verdict: group for group in GROUPS for verdict in group.verdicts}


def group_of(row: Row) -> Group:
    """The column that a row counts in; `unjudged` if nothing is known."""
    return group_named(row.verdict, row.expect)


@lru_cache(maxsize=1024)  # there are a dozen pairs, and a million rows that have one
def group_named(verdict: str, expect: str) -> Group:
    """The column of a verdict, given what the vector expects."""
    if expect == Expect.ANY and verdict == Verdict.PASS:
        return LATITUDE
    return _GROUP_OF.get(verdict, UNJUDGED)


@dataclass(frozen=True)
class Tally:
    """Counts of some vectors, by group and by verdict."""

    #: How many vectors are in each group of verdicts.
    groups: Counter[str]
    #: How many vectors have each verdict.
    verdicts: Counter[str]

    @property
    def total(self) -> int:
        """How many vectors were counted."""
        return sum(self.groups.values())

    def of(self, group: Group) -> int:
        """How many vectors are in a group."""
        return self.groups[group.name]

    def kinds(self, group: Group) -> list[tuple[str, int]]:
        """The verdicts within a group that occur, most frequent first."""
        found = [(name, self.verdicts[name]) for name in group.verdicts if self.verdicts[name]]
        return sorted(found, key=lambda item: -item[1])


class OperatorVersion(NamedTuple):
    """An operator version: sorts by name, then by number.

    It is a tuple because a million rows are grouped by it.
    """

    operator: str
    since_version: int

    def __str__(self) -> str:
        """`Reshape-14`."""
        return f"{self.operator}-{self.since_version}"


def operator_version(row: Row) -> OperatorVersion:
    """The operator version that a row belongs to."""
    return OperatorVersion(row.operator, row.since_version)


def _tally(outcomes: Mapping[tuple[Verdict, Expect], int], missing: int) -> Tally:
    # Looked up once for each kind of row: there are a dozen kinds, and a million rows.
    groups: Counter[str] = Counter()
    verdicts: Counter[str] = Counter()
    for (verdict, expect), count in outcomes.items():
        groups[group_named(verdict, expect).name] += count
        verdicts[verdict] += count
    if missing:
        groups[UNJUDGED.name] += missing
        verdicts[NO_VERDICT] += missing
    return Tally(groups, verdicts)


def rows_by_version(results: Results) -> dict[OperatorVersion, list[Row]]:
    """The rows of each operator version."""
    rows: dict[OperatorVersion, list[Row]] = {}
    for row in results.rows:
        rows.setdefault(operator_version(row), []).append(row)
    return rows


def missing_by_version(results: Results) -> dict[OperatorVersion, list[str]]:
    """Planned vectors without a verdict, with operators spelled as in the rows."""
    if not results.missing:
        return {}
    versions = {_prefix(row.id): operator_version(row) for row in results.rows}
    spelled = (*results.header.requirements, *(row.operator for row in results.rows))
    names = {operator.lower(): operator for operator in spelled}
    missing: dict[OperatorVersion, list[str]] = {}
    for vector_id in results.missing:
        prefix = _prefix(vector_id)
        version = versions.get(prefix) or _version_of(prefix, names)
        missing.setdefault(version, []).append(vector_id)
    return missing


def _prefix(vector_id: str) -> str:
    return vector_id.split("/", 1)[0]


def _version_of(prefix: str, names: dict[str, str]) -> OperatorVersion:
    name, _, number = prefix.rpartition("-")
    if name and number.isdecimal():
        return OperatorVersion(names.get(name, name), int(number))
    return OperatorVersion(prefix, 0)


_ROUGHLY = attrgetter("operator", "since_version", "verdict", "expect")


def tally_by_version(results: Results) -> dict[OperatorVersion, Tally]:
    """Counts of each operator version, in order, with planned vectors that have no verdict."""
    outcomes: dict[OperatorVersion, dict[tuple[Verdict, Expect], int]] = {}
    for (operator, version, verdict, expect), count in Counter(map(_ROUGHLY, results.rows)).items():
        of_version = outcomes.setdefault(OperatorVersion(operator, version), {})
        of_version[verdict, expect] = count
    missing = missing_by_version(results)
    return {
        version: _tally(outcomes.get(version, {}), len(missing.get(version, ())))
        for version in sorted(outcomes.keys() | missing.keys())
    }


def tally_by_operator(results: Results) -> dict[str, Tally]:
    """Counts of each operator over all its versions, in order; '' is of models of several nodes."""
    found: dict[str, Tally] = {}
    for version, item in tally_by_version(results).items():
        known = found.setdefault(version.operator, Tally(Counter(), Counter()))
        known.groups.update(item.groups)
        known.verdicts.update(item.verdicts)
    return found


def worst_operators(results: Results) -> tuple[int, dict[str, Tally]]:
    """How many operators there are, and the counts of those that do not pass, the worst first.

    Failures and crashes come before what is not supported, and many before few.
    """
    by_operator = tally_by_operator(results)
    bad = {name: sum(map(item.of, FAILING)) for name, item in by_operator.items()}
    unknown = {
        name: item.of(UNSUPPORTED) + item.of(INCONCLUSIVE) for name, item in by_operator.items()
    }
    failing = [name for name in by_operator if bad[name] or unknown[name]]
    failing.sort(key=lambda name: (-bad[name], -unknown[name], name))
    return len(by_operator), {name: by_operator[name] for name in failing}


def total_tally(results: Results) -> Tally:
    """Counts of a whole results file."""
    return _tally(results.outcomes, len(results.missing))


def as_seen(results: Results) -> Results:
    """Results as pages show them: who judges validity alone has accepted a model, and passed none.

    Invalid models that it refused are passes: there is nothing more to see of them.
    """
    if results.header.describe.get("judges") != "validity":
        return results
    accepted = cast("Verdict", _ACCEPTED)
    rows = tuple(
        row.with_verdict(accepted) if row.passed and row.expect != Expect.REJECTION else row
        for row in results.rows
    )
    return replace(results, rows=rows)


def shown_groups(tallies: Sequence[Tally]) -> list[Group]:
    """The columns to show: all except empty ones that are not always shown."""
    return [group for group in GROUPS if group.always or any(item.of(group) for item in tallies)]


def rows_to_look_at(results: Results) -> list[Row]:
    """The rows whose group is in `FAILING`, as they come."""
    return [row for row in results.rows if row.verdict not in _CALM]


def failing_rows(results: Results) -> list[Row]:
    """The rows that a reader has to look at: crashes first, then failures, each in id order."""
    order = {group.name: index for index, group in enumerate(FAILING)}
    return sorted(
        rows_to_look_at(results), key=lambda row: (order[group_of(row).name], _natural(row))
    )


def _natural(row: Row) -> tuple[str, int, str]:
    return (row.operator, row.since_version, row.id)
