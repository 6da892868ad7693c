"""Failures that are run again, alone in a fresh child, before they count.

A vector may damage the state of a process, so that the next vector fails and is blamed instead; in
another order another vector would be blamed. So the first failure from each cause is confirmed: its
vector is run again alone. If it fails alone too, the cause is believed, and confirmed again only
now and then. If it passes alone, the row says so: a vector that fails only after others. From then
on the backend is not trusted: each failure, and each rejection that would be a pass, is confirmed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from onnx_conformance.core.corpus.vectors import Expect, Vector
from onnx_conformance.core.text import one_line

from ..host.requests import Finished
from ..judging.verdicts import Judgement, Verdict
from ..results.records import Row

if TYPE_CHECKING:
    from ..host.engine import Engine
    from ..host.preparing import Expectation
    from .rows import RowJudge


# Whether a verdict on a vector is listed as expected: then it needs no confirmation.
Listed: TypeAlias = Callable[[str, str], bool]

Cause: TypeAlias = tuple[str, ...]

# Confirmations in one run: each costs the start of a child.
MOST = 1000
# The 1st, 4th, 16th, 64th ... failure from one cause is confirmed.
_FACTOR = 4
# Causes with the same verdict whose first failure is confirmed; after these, every eighth: a
# backend in which 200 operators are wrong does not need 200 more processes to be believed.
_CAUSES = 16
_SAMPLE = 8
_MESSAGE = 300
# Rejections that would be passes, while it is not known whether the process was damaged.
_PASSES: Cause = (Verdict.PASS.value,)
_VARIABLE = re.compile(r"'[^']*'|\"[^\"]*\"|[0-9]+")
_IN_WORDS = (Verdict.REJECTED, Verdict.UNSUPPORTED, Verdict.INCONCLUSIVE, Verdict.ERROR)


@dataclass
class _Failures:
    """The failures from one cause so far."""

    #: How many there were.
    count: int = 0
    #: Which of them is confirmed next.
    next: int = 1
    #: Confirmations that are under way.
    running: int = 0
    #: Judged failures whose rows wait for a confirmation.
    waiting_rows: list[tuple[Finished[Expectation], Judgement]] = field(default_factory=list)


class Doubts:
    """Takes the engine's results, has failures confirmed, and passes them to the row_judge.

    Attributes:
        spoiled: how many vectors had another outcome when they ran alone.
        unconfirmed: how many failures were believed because too many had been run again already.
    """

    def __init__(
        self, engine: Engine[Expectation], row_judge: RowJudge, listed: Listed | None = None
    ) -> None:
        """Confirm what `engine` finds before `row_judge` makes rows from it."""
        self._engine = engine
        self._row_judge = row_judge
        self._listed = listed
        self._failures: dict[Cause, _Failures] = {}
        self._alone: dict[str, tuple[Judgement, Cause]] = {}
        self._confirmations = 0
        self.spoiled = 0
        self.unconfirmed = 0

    def next_batch(
        self, row_judge: RowJudge, listed: Listed | None, *, distrusted: bool = False
    ) -> None:
        """Go on with other vectors; what is known of causes stays.

        `distrusted` says that elsewhere a vector had another outcome alone: each failure is
        confirmed from now on, as after such a vector here.
        """
        self._row_judge = row_judge
        self._listed = listed
        self.spoiled += bool(distrusted and not self.spoiled)

    def rows(self, finished: Finished[Expectation]) -> Iterator[Row]:
        """The rows that can be written now that one more vector has finished."""
        judgement = self._row_judge.judgement(finished)
        if finished.id in self._alone:
            yield from self._confirmed(finished, judgement)
        elif not self._is_doubtful(finished, judgement):
            yield from self._row_judge.rows(finished, judgement)
        else:
            cause = _cause(finished.carried.vector, judgement)
            failures = self._failures_from(cause)
            failures.count += 1
            if self._confirmations >= MOST:
                self.unconfirmed += 1
                yield from self._row_judge.rows(finished, judgement)
            elif self.spoiled or self._is_due(failures, judgement):
                self._confirm(finished, judgement, cause)
            elif failures.running or judgement.verdict is Verdict.PASS:
                failures.waiting_rows.append((finished, judgement))
            else:
                yield from self._row_judge.rows(finished, judgement)

    def rest(self) -> Iterator[Row]:
        """The rows that wait for confirmations that can no longer be made."""
        for failures in self._failures.values():
            for finished, judgement in failures.waiting_rows:
                yield from self._row_judge.rows(finished, judgement)
            failures.waiting_rows.clear()

    def _failures_from(self, cause: Cause) -> _Failures:
        """The record of a cause; a new cause is confirmed by its first or its fourth failure."""
        if cause not in self._failures:
            known = sum(1 for other in self._failures if other[0] == cause[0])
            soon = known < _CAUSES or known % _SAMPLE == 0
            self._failures[cause] = _Failures(next=1 if soon else _FACTOR)
        return self._failures[cause]

    @staticmethod
    def _is_due(failures: _Failures, judgement: Judgement) -> bool:
        """Whether this is the 1st, 4th, 16th ... failure from its cause."""
        due = failures.count == failures.next and judgement.verdict is not Verdict.PASS
        failures.next *= _FACTOR if due else 1
        return due

    def _is_doubtful(self, finished: Finished[Expectation], judgement: Judgement) -> bool:
        if not self._engine.can_run_alone(finished):
            return False
        if judgement.verdict is Verdict.PASS:
            # A rejection that passes waits for confirmations too: it may be an effect of an earlier
            # vector.
            distrusted = self.spoiled or self._alone
            return bool(distrusted) and finished.carried.vector.expect is Expect.REJECTION
        if judgement.verdict is Verdict.BAD_VECTOR:
            return False
        return self._listed is None or not self._listed(finished.id, judgement.verdict.value)

    def _confirm(self, finished: Finished[Expectation], judgement: Judgement, cause: Cause) -> None:
        self._confirmations += 1
        self._failures[cause].running += 1
        self._alone[finished.id] = judgement, cause
        incident = one_line(f"{judgement.verdict.value}: {judgement.message}", _MESSAGE)
        self._engine.run_alone(finished, f"{incident} (after '{finished.after}' in the same child)")

    def _confirmed(self, finished: Finished[Expectation], judgement: Judgement) -> Iterator[Row]:
        first, cause = self._alone.pop(finished.id)
        failures = self._failures[cause]
        failures.running -= 1
        before = finished.doubted
        if before is not None and judgement.verdict is not first.verdict:
            self.spoiled += 1
            judgement = _with_first_outcome(judgement, first, before.after)
        elif before is not None:
            finished = replace(finished, incidents=before.incidents)
        yield from self._row_judge.rows(finished, judgement)
        yield from self._take_up(cause)
        if not self._alone:
            yield from self._take_up(_PASSES)

    def _take_up(self, cause: Cause) -> Iterator[Row]:
        """Believe the failures that waited for this cause's confirmation, or confirm them too."""
        failures = self._failures.get(cause)
        if failures is None or (failures.running and not self.spoiled):
            return
        waiting_rows, failures.waiting_rows = failures.waiting_rows, []
        for finished, judgement in waiting_rows:
            doubtful = self.spoiled and self._engine.can_run_alone(finished)
            if doubtful and self._confirmations < MOST:
                self._confirm(finished, judgement, cause)
            else:
                self.unconfirmed += int(doubtful)
                yield from self._row_judge.rows(finished, judgement)


def judged_rows(
    engine: Engine[Expectation], row_judge: RowJudge, listed: Listed | None = None
) -> Iterator[Row]:
    """The row of each vector, as soon as it is known; failures are confirmed first.

    Args:
        engine: runs the vectors; its notes get what the confirmations show about the whole run.
        row_judge: makes the rows.
        listed: whether a verdict on a vector is expected; None expects none.
    """
    doubts = Doubts(engine, row_judge, listed)
    for finished in engine.run():
        yield from doubts.rows(finished)
    if not engine.stopped:
        yield from doubts.rest()
    if doubts.unconfirmed:
        fact = "failures that were not run again alone: there were too many"
        engine.tally.note(fact, count=doubts.unconfirmed)


def _with_first_outcome(judgement: Judgement, first: Judgement, after: str) -> Judgement:
    """A judgement of the run alone, with the outcome among others added."""
    facts = {
        "verdict": first.verdict.value,
        "message": one_line(first.message, _MESSAGE),
        "after": after,
    }
    return replace(judgement, details={**judgement.details, "in_company": facts})


def _cause(vector: Vector, judgement: Judgement) -> Cause:
    """The key that failures with probably the same cause share.

    It is the backend's message, if there is one, without names and numbers; else the operator. A
    backend that accepts an invalid model gives no message.
    """
    verdict = judgement.verdict
    if verdict is Verdict.PASS:
        return _PASSES
    if verdict in _IN_WORDS:
        words = _VARIABLE.sub("", judgement.message[: 2 * _MESSAGE])
        return verdict.value, judgement.phase or "", words[:_MESSAGE]
    if verdict is Verdict.ACCEPTED_INVALID:
        return (verdict.value,)
    return verdict.value, vector.domain, vector.operator
