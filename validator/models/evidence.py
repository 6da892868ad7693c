"""What a runtime made of the vectors that concern a use: one status, with its reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.core.words import Word

from ..judging.verdicts import Verdict
from ..results.causes import Cause, causes_of
from ..results.records import Results, Row

if TYPE_CHECKING:
    from onnx_conformance.core.models.uses import Use

    from .coverage import Coverage


class Status(Word):
    """What is known of a use on a runtime, the worst first."""

    FAIL = "fail"
    UNSUPPORTED = "unsupported"
    INCONCLUSIVE = "inconclusive"
    NOT_COVERED = "not covered"
    NOT_RUN = "not run"
    PASS = "pass"  # noqa: S105  not a password


STATUSES = tuple(Status)
_NEUTRAL = frozenset({Verdict.PASS, Verdict.UNSUPPORTED, Verdict.INCONCLUSIVE})


@dataclass(frozen=True)
class Runtime:
    """A column: a runtime with all of its rows.

    Attributes:
        name: of the backend.
        version: as its harness reported it.
        corpora: the versions of the corpora that it was run on.
        rows: by id.
        own: rows of vectors that were cut from models, by their case.
    """

    name: str
    version: str
    corpora: tuple[str, ...]
    rows: Mapping[str, Row]
    own: Mapping[str, tuple[Row, ...]]


@dataclass(frozen=True)
class Evidence:
    """What a runtime made of the vectors of one use.

    Attributes:
        status: in a word.
        own: whether vectors that were cut from the model decide, and not those of the corpus.
        rows: the rows that decide.
        causes: of the failures among them, the worst first.
        taken: the readings of open questions that it took, with how often.
    """

    status: Status
    own: bool
    rows: tuple[Row, ...]
    causes: tuple[Cause, ...]
    taken: Mapping[str, int]

    @property
    def counts(self) -> Mapping[str, int]:
        """How many rows have each verdict."""
        return Counter(row.verdict.value for row in self.rows)


def runtimes_of(runs: Iterable[Results]) -> tuple[Runtime, ...]:
    """The runtimes of some runs; several runs of one runtime and version are one column."""
    grouped: dict[tuple[str, str], list[Results]] = {}
    for run in runs:
        version = str(run.header.describe.get("version", ""))
        grouped.setdefault((run.header.backend, version), []).append(run)
    found = []
    for (name, version), members in grouped.items():
        rows = {row.id: row for run in members for row in run.rows}
        own: dict[str, tuple[Row, ...]] = {}
        for row in rows.values():
            if row.case.startswith("use_"):
                own[row.case] = (*own.get(row.case, ()), row)
        corpora = dict.fromkeys(str(run.header.corpus.get("version", "")) for run in members)
        found.append(Runtime(name, version, tuple(corpora), rows, own))
    return tuple(found)


def evidence_of(runtime: Runtime, use: Use, coverage: Coverage) -> Evidence:
    """What a runtime made of a use: of its own vectors if it ran any, else of the corpus's."""
    own = runtime.own.get(use.case, ())
    rows: Sequence[Row] = own or [
        runtime.rows[item] for item in coverage.same if item in runtime.rows
    ]
    rows = [row for row in rows if row.kind is not Kind.INVALID]
    status = _status(rows, covered=bool(coverage.same) or bool(own))
    failing = [row for row in rows if row.verdict not in _NEUTRAL]
    shown = failing or [row for row in rows if row.verdict == Verdict.UNSUPPORTED]
    taken = Counter(row.taken for row in rows if row.taken and row.passed)
    return Evidence(
        status, bool(own), tuple(rows), causes_of(shown, rows), dict(taken.most_common())
    )


def _status(rows: Sequence[Row], *, covered: bool) -> Status:
    if not rows:
        return Status.NOT_RUN if covered else Status.NOT_COVERED
    verdicts = {row.verdict for row in rows}
    if not verdicts <= _NEUTRAL:
        return Status.FAIL
    if Verdict.PASS in verdicts:
        return Status.PASS
    return Status.UNSUPPORTED if Verdict.UNSUPPORTED in verdicts else Status.INCONCLUSIVE
