"""The failures that the author of a backend knows about, and the gate that keeps them honest.

A baseline is a YAML file in the backend's repository (docs/gate.md):

    entries:
      - id: reshape-14/zero_dim/float32      # an id, or a pattern, see `patterns`
        verdict: rejected
        reason: the parser takes no 0 in a constant shape
        link: https://…/issues/12            # optional
        kind: valid                          # optional: of a pattern, only vectors of this kind
        flaky: true                          # optional: may pass as well

Listed vectors are run all the same. What is expected of each is strict, so that a baseline cannot
rot: an entry that fits no vector, a second entry for one vector, a listed vector that passes
(stale) and one that fails in another way are all errors that name the line of the file.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.patterns import IdIndex, PatternError, check_pattern
from onnx_conformance.core.corpus.vectors import KINDS, Kind
from onnx_conformance.core.errors import BadInputError, ExitCode
from onnx_conformance.core.yaml_reading import read_yaml

from ..judging.verdicts import LOST_VERDICTS, Verdict
from ..results.lost_children import LostChildren
from .marks import Mark

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from onnx_conformance.core.corpus.corpus import Entry
    from onnx_conformance.core.yaml_nodes import Node

    from ..results.records import Row
    from .marks import Outcome as MarkOutcome

BASELINE_FORMAT = 1

# A vector that is not what was published is no property of the backend, and passing needs no entry.
VERDICTS = tuple(
    verdict.value for verdict in Verdict if verdict not in (Verdict.PASS, Verdict.BAD_VECTOR)
)


@dataclass(frozen=True)
class BaselineEntry:
    """One entry.

    Attributes:
        pattern: id of a vector, or a pattern of ids.
        kind: kind of the vectors that it is for; None for all of them.
        verdicts: the verdicts that are expected; more than one only where flaky.
        reason: why, in words.
        link: where to read more, or None.
        flaky: whether the vector may pass as well.
        file, line: where the entry begins.
    """

    pattern: str
    verdicts: tuple[str, ...]
    reason: str
    link: str | None
    flaky: bool
    file: str
    line: int
    kind: Kind | None = None

    @property
    def named(self) -> str:
        """The pattern and the kind, as messages name the entry."""
        return f"'{self.pattern}'" + (f" ({self.kind})" if self.kind else "")

    def matching(self, corpus: Mapping[str, Entry], index: IdIndex) -> tuple[str, ...]:
        """The ids that it is for; `index` is that of the corpus."""
        found = index.matching(self.pattern)
        if self.kind is None:
            return found
        return tuple(item for item in found if corpus[item].kind == self.kind)

    @property
    def where(self) -> str:
        """`file:line`, as messages begin."""
        return f"{self.file}:{self.line}"

    @property
    def listed(self) -> str:
        """What the entry says, in words."""
        verdicts = " or ".join(self.verdicts)
        return f"flaky: {verdicts}" if self.flaky else verdicts


@dataclass(frozen=True)
class Baseline:
    """A baseline file."""

    file: str
    entries: tuple[BaselineEntry, ...] = ()


def read_baseline(path: Path) -> Baseline:
    """Read a baseline; BadInputError names file and line of what cannot be meant."""
    return baseline_of(read_yaml(path))


def baseline_of(document: Node) -> Baseline:
    """The baseline in a YAML document."""
    keys = document.mapping(required=("entries",), optional=("format",))
    if "format" in keys:
        keys["format"].integer(BASELINE_FORMAT, BASELINE_FORMAT)
    return Baseline(document.file, tuple(map(_entry, keys["entries"].sequence())))


def _entry(node: Node) -> BaselineEntry:
    keys = node.mapping(required=("id", "verdict", "reason"), optional=("kind", "link", "flaky"))
    flaky = keys["flaky"].boolean() if "flaky" in keys else False
    pattern = keys["id"].string()
    try:
        check_pattern(pattern)
    except PatternError as error:
        raise keys["id"].error(str(error)) from None
    return BaselineEntry(
        pattern=pattern,
        verdicts=_verdicts(keys["verdict"], flaky=flaky),
        reason=keys["reason"].string(),
        link=keys["link"].string() if "link" in keys else None,
        flaky=flaky,
        file=node.file,
        line=node.line,
        kind=Kind(keys["kind"].one_of(KINDS, "kind")) if "kind" in keys else None,
    )


def _verdicts(node: Node, *, flaky: bool) -> tuple[str, ...]:
    several = node.kind == "sequence"
    if several and not flaky:
        raise node.error("several verdicts are for entries with 'flaky: true'; list the one it has")
    nodes = node.sequence() if several else (node,)
    if not nodes:
        raise node.error("a verdict is needed here; the list is empty")
    for item in nodes:
        if item.value == Verdict.PASS:
            raise item.error(
                "'pass' is expected of every vector without an entry"
                + ("; a flaky entry names the failures" if flaky else "; remove the entry")
            )
        if item.value == Verdict.BAD_VECTOR:
            raise item.error("'bad-vector' says that the vector is damaged: nobody can expect that")
    return tuple(item.one_of(VERDICTS, "verdict") for item in nodes)


# --- which entry is for which vector -------------------------------------------------------


@dataclass(frozen=True)
class Expectations:
    """A baseline held against the ids of a corpus.

    Attributes:
        file: the baseline, as messages name it; None where there is none.
        of: the entry of each vector that has one.
    """

    file: str | None
    of: Mapping[str, BaselineEntry]

    def lists(self, vector_id: str, verdict: str) -> bool:
        """Whether a verdict on a vector is one that the baseline lists for it."""
        entry = self.of.get(vector_id)
        return entry is not None and verdict in entry.verdicts

    @property
    def losses(self) -> frozenset[str]:
        """Ids of vectors that are listed as not answered: crashed, timed out and the like."""
        lost = {verdict.value for verdict in LOST_VERDICTS}
        return frozenset(
            vector_id for vector_id, entry in self.of.items() if not lost.isdisjoint(entry.verdicts)
        )


NO_EXPECTATIONS = Expectations(None, {})


def expectations_of(baseline: Baseline, corpus: Mapping[str, Entry]) -> Expectations:
    """Find each entry's vectors among all of the corpus, by id, before anything is run.

    Raises BadInputError where an entry matches no vector or a vector has two entries.
    """
    index = IdIndex(corpus)
    found: dict[str, BaselineEntry] = {}
    for entry in baseline.entries:
        taken = entry.matching(corpus, index)
        if not taken:
            what = f"{entry.kind} vector" if entry.kind else "vector"
            why = "" if index.matching(entry.pattern) else f": {index.explain(entry.pattern)}"
            raise BadInputError(
                f"{entry.where}: '{entry.pattern}' matches no {what} of this corpus{why}"
            )
        for vector_id in taken:
            other = found.setdefault(vector_id, entry)
            if other is not entry:
                raise BadInputError(
                    f"{entry.where}: '{vector_id}' has an entry on line {other.line} already"
                    f" ({other.named}); one vector has one entry"
                )
    return Expectations(baseline.file, found)


# --- the gate ------------------------------------------------------------------------------


class Status(str, Enum):
    """What a verdict means to the gate; `pass`, `known` and `flaky` leave it green."""

    PASS = "pass"  # noqa: S105  not a password
    KNOWN = "known"  # fails as listed
    FLAKY = "flaky"  # listed as flaky: passes, or fails as listed
    UNEXPECTED = "unexpected"  # fails, and is not listed
    FLAKE = "flake"  # did not do the same when it was run again, or alone
    OTHER = "other"  # fails in another way than listed
    STALE = "stale"  # listed, and passes


GREEN = (Status.PASS, Status.KNOWN, Status.FLAKY)


def status_of(row: Row, entry: BaselineEntry | None) -> Status:
    """What a verdict means, given the vector's entry in the baseline, if it has one.

    A vector that did otherwise in company than alone is a flake, whatever it did alone: something
    that runs before it spoils the process, and only an entry that says so makes that green.
    """
    status = _status_of_verdict(row.verdict, entry)
    if "in_company" in row.details and not (entry and entry.flaky):
        return Status.FLAKE
    if status not in GREEN and set(reruns_of(row)) - {row.verdict}:
        return Status.FLAKE
    return status


def _status_of_verdict(verdict: str, entry: BaselineEntry | None) -> Status:
    passes = verdict == Verdict.PASS
    if entry is None:
        return Status.PASS if passes else Status.UNEXPECTED
    if entry.flaky and (passes or verdict in entry.verdicts):
        return Status.FLAKY
    if verdict in entry.verdicts:
        return Status.KNOWN
    return Status.STALE if passes else Status.OTHER


def reruns_of(row: Row) -> tuple[str, ...]:
    """The verdicts that a vector got when it was run again, in order (`run --rerun-failures`)."""
    return tuple(row.details.get("reruns", ()))


@dataclass(frozen=True)
class GateFinding:
    """One thing that turns the gate red.

    Attributes:
        status: why.
        ids: the vectors; several where one entry covers them.
        message: one line that names the line of the baseline, where there is one.
        entry: the entry, or None.
    """

    status: Status
    ids: tuple[str, ...]
    message: str
    entry: BaselineEntry | None = None


@dataclass(frozen=True)
class GateOutcome:
    """The gate's answer.

    Attributes:
        findings: what turns it red: unexpected failures first, then the baseline's faults.
        statuses: the status of each vector that has a verdict.
        missing: planned vectors without a verdict.
        entries: how many entries of the baseline were held against a verdict.
        shortfalls: what else the results lack, in sentences: a shard, any verdict at all.
        lost: the children that the run lost.
        latitude: how many vectors of status `pass` are of kind latitude: reports count them apart.
    """

    findings: tuple[GateFinding, ...]
    statuses: Mapping[str, Status]
    missing: tuple[str, ...]
    entries: int
    shortfalls: tuple[str, ...] = ()
    lost: LostChildren = field(default_factory=LostChildren)
    latitude: int = 0

    def count(self, status: Status) -> int:
        """How many vectors have a status."""
        return sum(found is status for found in self.statuses.values())

    @property
    def exit_code(self) -> ExitCode:
        """5 where anything is missing, 1 where something is red, else 0."""
        if self.missing or self.shortfalls:
            return ExitCode.INCOMPLETE
        return ExitCode.UNEXPECTED if self.findings or self.lost.too_many else ExitCode.OK

    def to_json(self) -> dict[str, Any]:
        """The outcome for the footer of a results file."""
        return {
            "green": self.exit_code == ExitCode.OK,
            "counts": {status.value: self.count(status) for status in Status},
            "missing": len(self.missing),
            "lost_children": self.lost.to_json(),
            "findings": [
                {
                    "status": finding.status.value,
                    "ids": list(finding.ids),
                    "message": finding.message,
                    "line": finding.entry.line if finding.entry else None,
                }
                for finding in self.findings
            ],
        }


def gate(
    rows: Iterable[Row],
    expectations: Expectations,
    planned: Sequence[str],
    shortfalls: Sequence[str] = (),
    lost: LostChildren | None = None,
) -> GateOutcome:
    """Hold the verdicts of a run against the baseline.

    Args:
        rows: the verdicts; of two for one vector the later counts, as after `--resume`.
        expectations: the baseline, resolved; entries outside of `planned` are not evaluated.
        planned: ids of the vectors that were to get a verdict.
        shortfalls: what the results lack, in sentences, as results of which a shard did not come.
        lost: the children that the run lost; None for none.
    """
    by_id = {row.id: row for row in rows}
    statuses = {
        vector_id: status_of(row, expectations.of.get(vector_id))
        for vector_id, row in by_id.items()
    }
    single = []
    by_entry: dict[tuple[Status, BaselineEntry], list[Row]] = {}
    for vector_id, status in statuses.items():
        row = by_id[vector_id]
        if status in (Status.UNEXPECTED, Status.FLAKE):
            single.append(_of_one(row, status, expectations.of.get(vector_id)))
        elif status not in GREEN:
            by_entry.setdefault((status, expectations.of[vector_id]), []).append(row)
    of_entries = [_of_entry(status, entry, rows) for (status, entry), rows in by_entry.items()]
    of_entries.sort(key=lambda finding: finding.entry.line if finding.entry else 0)
    return GateOutcome(
        findings=(*single, *of_entries),
        statuses=statuses,
        missing=tuple(vector_id for vector_id in planned if vector_id not in by_id),
        entries=len({expectations.of[item].line for item in by_id if item in expectations.of}),
        shortfalls=tuple(shortfalls),
        lost=lost or LostChildren(),
        latitude=sum(
            status is Status.PASS and by_id[vector_id].kind == Kind.LATITUDE
            for vector_id, status in statuses.items()
        ),
    )


def _of_one(row: Row, status: Status, entry: BaselineEntry | None) -> GateFinding:
    said = f": {row.message}" if row.message else ""
    message = f"{row.id}: {row.verdict}{said}"
    if status is Status.FLAKE:
        message = f"{row.id}: {_flake(row)}{said}; until it is mended, "
        message += "mark its entry" if entry else "list it"
        message += " with 'flaky: true'"
    if entry:
        message = f"{entry.where}: {message}"
    return GateFinding(status, (row.id,), message, entry)


def _flake(row: Row) -> str:
    """In which way a vector did not do the same each time."""
    company = row.details.get("in_company")
    if not company:
        return f"flakes: {row.verdict}, then {', '.join(reruns_of(row))} when run again"
    return (
        f"{row.verdict} alone in a fresh process, but {company['verdict']} after"
        f" '{company['after']}' in the same one: {company['message']}"
    )


def _of_entry(status: Status, entry: BaselineEntry, rows: Sequence[Row]) -> GateFinding:
    ids = tuple(row.id for row in rows)
    who = f"{entry.named} is listed as {entry.listed}"
    if status is Status.STALE:
        which = _some(ids) if ids != (entry.pattern,) else "it"
        verb = "passes" if len(ids) == 1 else "pass"
        does = f"{which} {verb} now; remove it with `onnx-validate baseline update`"
    else:
        shown = [f"{row.id}: {row.verdict}" for row in rows]
        does = f"got another verdict: {_some(shown)}"
        if rows[0].message:
            which = "; the first says" if len(rows) > 1 else ""
            does += f"{which}: {rows[0].message}"
    return GateFinding(status, ids, f"{entry.where}: {who}, but {does}", entry)


def _some(items: Sequence[str], most: int = 3) -> str:
    more = f" and {len(items) - most} more" if len(items) > most else ""
    return ", ".join(items[:most]) + more


_MARKS: Mapping[Status, MarkOutcome] = {
    Status.KNOWN: "expected",
    Status.FLAKY: "flaky",
    Status.UNEXPECTED: "unexpected",
    Status.FLAKE: "unexpected",
    Status.OTHER: "unexpected",
    Status.STALE: "stale",
}


def marks_of(outcome: GateOutcome, expectations: Expectations) -> dict[str, Mark]:
    """What reports show of the gate: a mark for each vector that is no ordinary pass."""
    red = {vector_id: item.message for item in outcome.findings for vector_id in item.ids}
    marks = {}
    for vector_id, status in outcome.statuses.items():
        if status is not Status.PASS:
            entry = expectations.of.get(vector_id)
            marks[vector_id] = Mark(
                outcome=_MARKS[status],
                # Reports show it beside the id, which it need not repeat.
                reason=red.get(vector_id, entry.reason if entry else "").removeprefix(
                    f"{vector_id}: "
                ),
                where=entry.where if entry else "",
                link=(entry.link or "") if entry else "",
            )
    return marks


def in_words(outcome: GateOutcome) -> str:
    """One line of counts; what turns the gate red comes first."""
    words = (
        (outcome.count(Status.UNEXPECTED), "not expected"),
        (outcome.count(Status.FLAKE), "flake"),
        (outcome.count(Status.OTHER), "fail in another way than listed"),
        (outcome.count(Status.STALE), "pass though listed"),
        (outcome.count(Status.PASS) - outcome.latitude, "pass"),
        (outcome.latitude, "latitude"),
        (outcome.count(Status.KNOWN), "fail as listed"),
        (outcome.count(Status.FLAKY), "listed as flaky"),
    )
    parts = [f"{count} {text}" for count, text in words if count]
    if outcome.missing:
        parts.insert(0, f"{len(outcome.missing)} without a verdict")
    if outcome.lost.too_many:
        parts.insert(0, f"{outcome.lost.count} children lost")
    if outcome.shortfalls:
        parts.insert(0, "incomplete")
    color = "green" if outcome.exit_code == ExitCode.OK else "RED"
    return f"gate {color}: {', '.join(parts) or 'nothing ran'}"
