"""What the verdict on a vector means to the gate, given its entry in the baseline."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from ..judging.verdicts import Verdict
from ..results.records import Row

if TYPE_CHECKING:
    from .entries import BaselineEntry


class Status(str, Enum):
    """What a verdict means to the gate; `pass`, `known`, `flaky` and `new` leave it green."""

    PASS = "pass"  # noqa: S105  not a password
    KNOWN = "known"  # fails as listed
    FLAKY = "flaky"  # listed as flaky: passes, or fails as listed
    UNEXPECTED = "unexpected"  # fails, and is not listed
    FLAKE = "flake"  # gave another result when it was run again, or alone
    OTHER = "other"  # fails in another way than the entry says
    STALE = "stale"  # listed, and passes
    NEW = "new"  # is not as listed, and is newer than the corpus that the baseline is of


GREEN = (Status.PASS, Status.KNOWN, Status.FLAKY, Status.NEW)


def status_of(row: Row, entry: BaselineEntry | None) -> Status:
    """What a verdict means, given the vector's entry in the baseline, if it has one.

    A vector that gave one result among others and another one alone is a flake, whatever the
    second was: some vector before it affects the process, and only an entry that says `flaky`
    makes that green.
    """
    status = _status_of_verdict(row.verdict, entry)
    if row.tells("in_company") and not (entry and entry.flaky):
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
    return tuple(row.details["reruns"]) if row.tells("reruns") else ()
