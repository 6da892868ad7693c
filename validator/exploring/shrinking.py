"""The simplest call that shows the same: the same operator, verdict and message.

Each step takes the first of the simpler calls, in their order, that still shows it, so that one
failure has one simplest call wherever it is made simpler, as long as the backend does the same.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from onnx_conformance.core.exploring.explorer import Explored, Refusal
from onnx_conformance.core.exploring.ids import STEPS, parse_id

from ..judging.verdicts import LOST_VERDICTS, Verdict
from ..results.records import Row
from .causes import Failure
from .schedule import operator_in
from .signatures import signature_of
from .supplying.makers import Makers, Task

if TYPE_CHECKING:
    from .running import Judging

# Calls that are tried together; the first of them that shows the same is taken.
_BATCH = 8
# Calls that are tried for one failure, and for one that ends a child each time.
_MOST, _MOST_LOST = 400, 48


@dataclass(frozen=True)
class Shrinker:
    """Makes failures simpler, with the processes and the backend that found them."""

    makers: Makers
    runner: Judging

    def simplest(self, failure: Failure, seconds: float) -> Failure:
        """The simplest call that shows the same, which was then run alone in a fresh child.

        A failure that does not show again among others is returned as it is, and said not to be
        one alone.
        """
        end = time.monotonic() + seconds
        if failure.row.verdict == Verdict.TIMED_OUT or not self.runner.may_repeat(failure.row.id):
            return failure  # each try would take as long again
        again = self.runner.at_once([failure.explored]).get(failure.row.id)
        if again is None or signature_of(again) != failure.signature:
            return replace(failure, alone=False)
        most = _MOST_LOST if failure.row.verdict in LOST_VERDICTS else _MOST
        found = self._smaller(failure, most, end)
        row = self.runner.alone(found.explored)
        alone = None if row is None else signature_of(row) == failure.signature
        if row is not None and alone:
            return replace(found, row=row, alone=True)
        return replace(found, alone=alone)

    def _smaller(self, failure: Failure, most: int, end: float) -> Failure:
        """Take simpler calls until a whole round shows nothing more, or enough is tried."""
        tried, progress = 0, True
        while progress:
            place, progress, ended = 0, False, False
            while not ended:
                if tried >= most or time.monotonic() > end or _steps(failure) >= STEPS:
                    return failure
                calls, ended = self._drawn(failure, place)
                tried += len(calls)
                taken = self._first(failure, calls)
                if taken is None:
                    place += _BATCH
                else:
                    # What comes before it in the new list is like what was tried already.
                    (place, failure), progress, ended = taken, True, False
        return failure

    def _drawn(self, failure: Failure, place: int) -> tuple[dict[int, Explored], bool]:
        """Simpler calls by their numbers, from one on; and whether there are no more."""
        name = parse_id(failure.explored.id)
        numbers = {str(name.simpler(place + index)): place + index for index in range(_BATCH)}
        tasks = [Task(item, key=operator_in(item)) for item in numbers]
        found = self.makers.all_of(tasks)
        ended = any(item.refusal is Refusal.NOTHING for item in found.values())
        valid = {numbers[key]: item for key, item in found.items() if item.files is not None}
        return dict(sorted(valid.items())), ended

    def _first(self, failure: Failure, calls: dict[int, Explored]) -> tuple[int, Failure] | None:
        """The first of some calls that shows the same, with its number."""
        rows = self.runner.at_once(calls.values())
        for number, explored in calls.items():
            row: Row | None = rows.get(explored.id)
            if row is not None and signature_of(row) == failure.signature:
                return number, replace(failure, row=row, explored=explored)
        return None


def _steps(failure: Failure) -> int:
    """How often a call was made simpler."""
    return len(parse_id(failure.explored.id).steps)
