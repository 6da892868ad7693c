"""What turns the gate red, each in one line for a person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..results.records import Row
from .status import Status, reruns_of

if TYPE_CHECKING:
    from .entries import BaselineEntry


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


def of_one(row: Row, status: Status, entry: BaselineEntry | None) -> GateFinding:
    """The finding on one vector that is not listed, or that flakes."""
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
    company = row.details["in_company"] if row.tells("in_company") else None
    if not company:
        return f"flakes: {row.verdict}, then {', '.join(reruns_of(row))} when run again"
    return (
        f"{row.verdict} alone in a fresh process, but {company['verdict']} after"
        f" '{company['after']}' in the same one: {company['message']}"
    )


def of_entry(status: Status, entry: BaselineEntry, rows: Sequence[Row]) -> GateFinding:
    """The finding on an entry: these of its vectors pass, or fail in another way."""
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
