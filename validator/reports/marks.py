"""What a baseline makes of the verdicts, as far as reports show it.

Reports are made from results files alone; where a gate was applied, its outcome may be given
beside them: one mark for each vector that is anything but an ordinary pass.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from ..baseline import GREEN, Status

if TYPE_CHECKING:
    from ..baseline import Expectations, GateOutcome


@dataclass(frozen=True)
class Mark:
    """The gate's word on one vector.

    Attributes:
        status: what the verdict means to the gate.
        reason: the baseline's words; where the gate is red, why.
        where: file and line of the entry, e.g. `baseline.yaml:12`; empty without one.
        link: the entry's link; empty without one.
    """

    status: Status
    reason: str = ""
    where: str = ""
    link: str = ""

    @property
    def red(self) -> bool:
        """Whether this vector fails the gate."""
        return self.status not in GREEN


Marks: TypeAlias = Mapping[str, Mark]
"""Marks of one backend by vector id."""


def marks_of(outcome: GateOutcome, expectations: Expectations) -> dict[str, Mark]:
    """The marks of a gated run: every vector that is listed or turns the gate red."""
    why = {item: finding.message for finding in outcome.findings for item in finding.ids}
    marks = {}
    for vector_id, status in outcome.statuses.items():
        entry = expectations.of.get(vector_id)
        if entry is not None:
            reason = why.get(vector_id, entry.reason)
            marks[vector_id] = Mark(status, reason, entry.where, entry.link or "")
        elif status is not Status.PASS:
            marks[vector_id] = Mark(status, why.get(vector_id, ""))
    return marks
