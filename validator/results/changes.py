"""What changed between two runs, vector by vector.

| change    | old                | new                                        |
|-----------|--------------------|--------------------------------------------|
| broken    | passed             | does not pass                              |
| fixed     | did not pass       | passes                                     |
| changed   | did not pass       | does not pass, with another verdict; or    |
|           | took one permitted | another permitted result of a latitude one |
| added     | was not planned    | is planned                                 |
| withdrawn | was planned        | is not planned                             |

`pass` is the verdict, a permitted result of a latitude vector included. A planned vector that
has no row did not pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from .merging import natural_order, same_corpus

if TYPE_CHECKING:
    from .records import Results, Row

Change: TypeAlias = Literal["broken", "fixed", "changed", "added", "withdrawn"]
CHANGES: tuple[Change, ...] = ("broken", "fixed", "changed", "added", "withdrawn")
NO_VERDICT: Literal["no-verdict"] = "no-verdict"


@dataclass(frozen=True)
class VectorChange:
    """One vector that differs; `old` or `new` is None where the run has no row of it."""

    id: str
    change: Change
    old: Row | None
    new: Row | None


@dataclass(frozen=True)
class RunChanges:
    """Two runs compared, vector by vector.

    Attributes:
        old, new: the runs.
        differences: what differs, in the order of CHANGES and then of ids.
        same: how many vectors both planned and got the same.
    """

    old: Results
    new: Results
    differences: tuple[VectorChange, ...]
    same: int

    def of(self, change: Change) -> tuple[VectorChange, ...]:
        """The differences of one kind."""
        return tuple(item for item in self.differences if item.change == change)

    @property
    def same_corpus(self) -> bool:
        """Whether both ran on the same vectors."""
        return same_corpus(self.old.header, self.new.header)


def changes_between(old: Results, new: Results) -> RunChanges:
    """Compare two runs, vector by vector."""
    before, after = _rows(old), _rows(new)
    found = []
    same = 0
    for vector_id in before.keys() | after.keys():
        change = _change(vector_id, before, after)
        if change is None:
            same += 1
        else:
            found.append(
                VectorChange(vector_id, change, before.get(vector_id), after.get(vector_id))
            )
    found.sort(key=lambda item: (CHANGES.index(item.change), natural_order(item.id)))
    return RunChanges(old, new, tuple(found), same)


def _rows(results: Results) -> dict[str, Row | None]:
    return {**dict.fromkeys(results.header.planned), **{row.id: row for row in results.rows}}


def _change(
    vector_id: str, before: dict[str, Row | None], after: dict[str, Row | None]
) -> Change | None:
    if vector_id not in before:
        return "added"
    if vector_id not in after:
        return "withdrawn"
    old, new = before[vector_id], after[vector_id]
    passed, passes = old is not None and old.passed, new is not None and new.passed
    if passed != passes:
        return "fixed" if passes else "broken"
    return "changed" if _kind(old) != _kind(new) else None


def verdict_of(row: Row | None) -> str:
    """The verdict, or `no-verdict` where the run has no row of a vector."""
    return NO_VERDICT if row is None else row.verdict


def _kind(row: Row | None) -> tuple[str, str | None]:
    if row is None:
        return (NO_VERDICT, None)
    # Where a passing runtime rejects an invalid model is its own affair; where a failing one
    # rejects a valid model tells another story at another phase.
    return (row.verdict, row.taken if row.passed else row.phase)
