"""The gate: compares verdicts with a baseline, and decides what each means."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.core.errors import ExitCode

from ..judging.verdicts import Verdict
from ..results.lost_children import LostChildren
from .made_with import other_runtime
from .marks import GateMarks, Mark

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..results.records import Row
    from .entries import BaselineEntry, Expectations
    from .made_with import OtherRuntime, Runtime
    from .marks import Outcome as MarkOutcome

# --- the gate ------------------------------------------------------------------------------


class Status(str, Enum):
    """What a verdict means to the gate; `pass`, `known` and `flaky` leave it green."""

    PASS = "pass"  # noqa: S105  not a password
    KNOWN = "known"  # fails as listed
    FLAKY = "flaky"  # listed as flaky: passes, or fails as listed
    UNEXPECTED = "unexpected"  # fails, and is not listed
    FLAKE = "flake"  # gave another result when it was run again, or alone
    OTHER = "other"  # fails in another way than the entry says
    STALE = "stale"  # listed, and passes


GREEN = (Status.PASS, Status.KNOWN, Status.FLAKY)
_RED = (
    (Status.UNEXPECTED, "not expected"),
    (Status.FLAKE, "flake"),
    (Status.OTHER, "fail in another way than listed"),
    (Status.STALE, "pass though listed"),
)


def status_of(row: Row, entry: BaselineEntry | None) -> Status:
    """What a verdict means, given the vector's entry in the baseline, if it has one.

    A vector that gave one result among others and another one alone is a flake, whatever the
    second was: some vector before it affects the process, and only an entry that says `flaky`
    makes that green.
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
        message: one line; it names the line of the baseline if there is one.
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
        findings: what turns it red: unexpected failures first, then errors in the baseline.
        statuses: the status of each vector that has a verdict.
        missing: planned vectors without a verdict.
        entries: how many entries of the baseline were compared with a verdict.
        shortfalls: what else the results lack, in sentences: a shard, or any verdict at all.
        lost: the children that the run lost.
        latitude: how many vectors with status `pass` have the kind latitude: reports show their
            number separately.
        other: set if the results are of another runtime, or version, than the baseline says.
    """

    findings: tuple[GateFinding, ...]
    statuses: Mapping[str, Status]
    missing: tuple[str, ...]
    entries: int
    shortfalls: tuple[str, ...] = ()
    lost: LostChildren = field(default_factory=LostChildren)
    latitude: int = 0
    other: OtherRuntime | None = None

    def count(self, status: Status) -> int:
        """How many vectors have a status."""
        return sum(found is status for found in self.statuses.values())

    @property
    def exit_code(self) -> ExitCode:
        """5 if anything is missing, 1 if something is red, else 0."""
        if self.missing or self.shortfalls:
            return ExitCode.INCOMPLETE
        return ExitCode.UNEXPECTED if self.findings or self.lost.too_many else ExitCode.OK

    @property
    def remark(self) -> str:
        """The sentence to read first: that this is another version; else empty."""
        if self.other is None:
            return ""
        red = [f"{self.count(status)} {text}" for status, text in _RED if self.count(status)]
        return self.other.words(", ".join(red) or "all are as listed")

    def to_json(self) -> dict[str, Any]:
        """The outcome for the footer of a results file."""
        return {
            "green": self.exit_code == ExitCode.OK,
            "counts": {status.value: self.count(status) for status in Status},
            "missing": len(self.missing),
            "lost_children": self.lost.to_json(),
            "remark": self.remark,
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


def gate(  # noqa: PLR0913  what a verdict on a run depends on
    rows: Iterable[Row],
    expectations: Expectations,
    planned: Sequence[str],
    shortfalls: Sequence[str] = (),
    lost: LostChildren | None = None,
    *,
    ran: Runtime | None = None,
) -> GateOutcome:
    """Compare the verdicts of a run with the baseline.

    Args:
        rows: the verdicts; if a vector has two, the later one counts, as after `--resume`.
        expectations: the baseline, resolved; entries outside of `planned` are not evaluated.
        planned: ids of the vectors that should have a verdict.
        shortfalls: what the results lack, in sentences, e.g. a missing shard.
        lost: the children that the run lost; None for none.
        ran: the runtime that was run, if its harness reports a version.
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
        entries=len({expectations.of[item].where for item in by_id if item in expectations.of}),
        shortfalls=tuple(shortfalls),
        lost=lost or LostChildren(),
        latitude=sum(
            status is Status.PASS and by_id[vector_id].kind == Kind.LATITUDE
            for vector_id, status in statuses.items()
        ),
        other=other_runtime(expectations.made_with, ran, expectations.file),
    )


def _of_one(row: Row, status: Status, entry: BaselineEntry | None) -> GateFinding:
    remark = f": {row.message}" if row.message else ""
    message = f"{row.id}: {row.verdict}{remark}"
    if status is Status.FLAKE:
        message = f"{row.id}: {_flake(row)}{remark}; until it is mended, "
        message += "mark its entry" if entry else "list it"
        message += " with 'flaky: true'"
    if entry:
        message = f"{entry.where}: {message}"
    return GateFinding(status, (row.id,), message, entry)


def _flake(row: Row) -> str:
    """A sentence on how the results of a vector differed between runs."""
    company = row.details.get("in_company")
    if not company:
        return f"flakes: {row.verdict}, then {', '.join(reruns_of(row))} when run again"
    return (
        f"{row.verdict} alone in a fresh process, but {company['verdict']} after"
        f" '{company['after']}' in the same one: {company['message']}"
    )


def _of_entry(status: Status, entry: BaselineEntry, rows: Sequence[Row]) -> GateFinding:
    ids = tuple(row.id for row in rows)
    if status is Status.STALE:
        which = _some(ids) if ids != entry.patterns else "it" if len(ids) == 1 else "they"
        verb = "passes" if len(ids) == 1 else "pass"
        does = f"{which} {verb} now; remove it with `onnx-validate baseline update`"
    else:
        shown = [f"{row.id}: {row.verdict}" for row in rows]
        does = f"got another verdict: {_some(shown)}"
        if rows[0].message:
            which = "; the first says" if len(rows) > 1 else ""
            does += f"{which}: {rows[0].message}"
    return GateFinding(status, ids, f"{entry.where}: {entry.said}, but {does}", entry)


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


def marks_of(outcome: GateOutcome, expectations: Expectations) -> GateMarks:
    """The marks that reports show: one for each vector that is not an ordinary pass."""
    red = {vector_id: item.message for item in outcome.findings for vector_id in item.ids}
    marks = GateMarks(remark=outcome.remark)
    for vector_id, status in outcome.statuses.items():
        if status is not Status.PASS:
            entry = expectations.of.get(vector_id)
            marks[vector_id] = Mark(
                outcome=_MARKS[status],
                # Reports show the reason beside the id, so it need not repeat the id.
                reason=red.get(vector_id, entry.reason if entry else "").removeprefix(
                    f"{vector_id}: "
                ),
                where=entry.where if entry else "",
                link=(entry.link or "") if entry else "",
            )
    return marks


def in_words(outcome: GateOutcome) -> str:
    """One line of counts; those that turn the gate red come first."""
    words = (
        *((outcome.count(status), text) for status, text in _RED),
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
