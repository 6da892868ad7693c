"""The gate: compares verdicts with a baseline, and decides what each means."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.core.errors import ExitCode

from ..results.causes import Cause, causes_of
from ..results.claimed import profile_in_header
from ..results.lost_children import LostChildren, lost_children
from ..results.records import Results, Row
from .about import (
    CLAIMS_LESS,
    as_of_baseline,
    claims_less,
    of_another_selection,
    selection_of,
    sunk,
)
from .entries import BaselineEntry
from .findings import GateFinding, of_entry, of_one
from .made_with import OtherRuntime, Runtime, other_runtime, runtime_of
from .marks import GateMarks, Mark
from .marks import Outcome as MarkOutcome
from .status import GREEN, Status

if TYPE_CHECKING:
    from .expectations import Expectations

# --- the gate ------------------------------------------------------------------------------


_RED = (
    (Status.UNEXPECTED, "not expected"),
    (Status.FLAKE, "flake"),
    (Status.OTHER, "fail in another way than listed"),
    (Status.STALE, "pass though listed"),
)


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
        alarms: what else turns it red, in sentences: far fewer vectors pass than before.
        remarks: what a reader must know, in sentences, that turns nothing red.
        newer: the release of each vector with a verdict that is newer than the baseline's corpus.
    """

    findings: tuple[GateFinding, ...]
    statuses: Mapping[str, Status]
    missing: tuple[str, ...]
    entries: int
    shortfalls: tuple[str, ...] = ()
    lost: LostChildren = field(default_factory=LostChildren)
    latitude: int = 0
    other: OtherRuntime | None = None
    alarms: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    newer: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def failing_newer(self) -> frozenset[str]:
        """Ids of newer vectors that would turn the gate red if they were not newer."""
        return frozenset(item for item in self.newer if self.statuses[item] is Status.NEW)

    def unlisted(self, results: Results) -> tuple[Cause, ...]:
        """The failures that are not listed, by cause."""
        ids = {item.ids[0] for item in self.findings if item.status is Status.UNEXPECTED}
        return causes_of([row for row in results.rows if row.id in ids], results.rows)

    @property
    def of_entries(self) -> list[GateFinding]:
        """What else turns the gate red: entries that do not fit, and flakes."""
        return [item for item in self.findings if item.status is not Status.UNEXPECTED]

    def count(self, status: Status) -> int:
        """How many vectors have a status."""
        return sum(found is status for found in self.statuses.values())

    @property
    def exit_code(self) -> ExitCode:
        """5 if anything is missing, 1 if something is red, else 0."""
        if self.missing or self.shortfalls:
            return ExitCode.INCOMPLETE
        red = self.findings or self.alarms or self.lost.too_many
        return ExitCode.UNEXPECTED if red else ExitCode.OK

    @property
    def said_first(self) -> tuple[str, ...]:
        """Sentences that turn nothing red: that this is another version, and the remarks."""
        return (*([self.of_other] if self.other else []), *self.remarks)

    @property
    def of_other(self) -> str:
        """The sentence that this is another runtime, or another version of it."""
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
            "alarms": list(self.alarms),
            "remark": "; ".join(self.said_first),
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
    alarms: Sequence[str] = (),
    remarks: Sequence[str] = (),
) -> GateOutcome:
    """Compare the verdicts of a run with the baseline.

    Args:
        rows: the verdicts; if a vector has two, the later one counts, as after `--resume`.
        expectations: the baseline, resolved; entries outside of `planned` are not evaluated.
        planned: ids of the vectors that should have a verdict.
        shortfalls: what the results lack, in sentences, e.g. a missing shard.
        lost: the children that the run lost; None for none.
        ran: the runtime that was run, if its harness reports a version.
        alarms: what turns the gate red beside the verdicts, in sentences.
        remarks: what a reader must know beside them, in sentences.
    """
    by_id = {row.id: row for row in rows}
    statuses = {vector_id: expectations.status(row) for vector_id, row in by_id.items()}
    single = []
    by_entry: dict[tuple[Status, BaselineEntry], list[Row]] = {}
    for vector_id, status in statuses.items():
        row = by_id[vector_id]
        if status in (Status.UNEXPECTED, Status.FLAKE):
            single.append(of_one(row, status, expectations.of.get(vector_id)))
        elif status not in GREEN:
            by_entry.setdefault((status, expectations.of[vector_id]), []).append(row)
    of_entries = [of_entry(status, entry, rows) for (status, entry), rows in by_entry.items()]
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
        alarms=tuple(alarms),
        remarks=tuple(remarks),
        newer={item: expectations.newer[item] for item in by_id if item in expectations.newer},
    )


def gate_of(
    results: Results, expectations: Expectations, shortfalls: Sequence[str] = ()
) -> GateOutcome:
    """Compare the results of one backend, from one file or several, with the baseline.

    `shortfalls` are sentences on what the results lack.
    """
    alarms: list[str] = []
    remarks = list(expectations.withdrawn)
    if expectations.file is not None and results.rows:
        about = expectations.about
        selection = as_of_baseline(selection_of(results.header), about)
        rows = [row for row in results.rows if row.id not in expectations.newer]
        flaky = sum(not row.passed and _is_flaky(row, expectations) for row in rows)
        passed = sum(row.passed for row in rows)
        alarms = [
            claims_less(about, profile_in_header(results.header)),
            sunk(about, selection, passed, flaky, whole=_is_whole(results)),
        ]
        remarks.append(of_another_selection(about, selection))
    return gate(
        results.rows,
        expectations,
        results.header.planned,
        shortfalls,
        lost_children(results),
        ran=runtime_of(results.header.describe),
        alarms=[alarm for alarm in alarms if alarm],
        remarks=[remark for remark in remarks if remark],
    )


def _is_flaky(row: Row, expectations: Expectations) -> bool:
    entry = expectations.of.get(row.id)
    return entry is not None and entry.flaky


def _is_whole(results: Results) -> bool:
    """Whether results are of all that was selected: of no shard, or of all shards."""
    extra = results.header.extra
    merged = len(extra.get("files", ())) > 1
    return not extra.get("missing_shards") and (merged or not extra.get("shard"))


_MARKS: Mapping[Status, MarkOutcome] = {
    Status.KNOWN: "expected",
    Status.FLAKY: "flaky",
    Status.UNEXPECTED: "unexpected",
    Status.FLAKE: "unexpected",
    Status.OTHER: "unexpected",
    Status.STALE: "stale",
    Status.NEW: "expected",
}


def marks_of(outcome: GateOutcome, expectations: Expectations) -> GateMarks:
    """The marks that reports show: one for each vector that is not an ordinary pass."""
    red = {vector_id: item.message for item in outcome.findings for vector_id in item.ids}
    lost = (outcome.lost.words,) if outcome.lost.too_many else ()
    marks = GateMarks(
        remark="; ".join(outcome.said_first),
        alarms=(*outcome.alarms, *outcome.shortfalls, *lost),
    )
    for vector_id, status in outcome.statuses.items():
        if status is not Status.PASS:
            entry = expectations.of.get(vector_id)
            why = entry.reason if entry else ""
            if status is Status.NEW:
                why = f"new in corpus {outcome.newer[vector_id]}, which the baseline is older than"
            marks[vector_id] = Mark(
                outcome=_MARKS[status],
                # Reports show the reason beside the id, so it need not repeat the id.
                reason=red.get(vector_id, why).removeprefix(f"{vector_id}: "),
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
        (len(outcome.failing_newer), "new and not listed"),
    )
    parts = [f"{count} {text}" for count, text in words if count]
    if outcome.missing:
        parts.insert(0, f"{len(outcome.missing)} without a verdict")
    if outcome.alarms:
        less = [alarm.startswith(CLAIMS_LESS) for alarm in outcome.alarms]
        parts[:0] = ["less is claimed"] * any(less) + ["too few pass"] * (not all(less))
    if outcome.lost.too_many:
        parts.insert(0, f"{outcome.lost.count} children lost")
    if outcome.shortfalls:
        parts.insert(0, "incomplete")
    color = "green" if outcome.exit_code == ExitCode.OK else "RED"
    return f"gate {color}: {', '.join(parts) or 'nothing ran'}"
