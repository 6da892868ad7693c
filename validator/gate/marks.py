"""The gate's outcome for each vector, in the form that reports show.

Reports are made from results files alone. If a gate was applied, its outcome may be given too:
one mark for each vector that is not an ordinary pass.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

Outcome: TypeAlias = Literal["expected", "unexpected", "stale", "flaky"]


@dataclass(frozen=True)
class Mark:
    """The gate's outcome for one vector.

    Attributes:
        outcome: `expected` (listed, and as listed), `unexpected` (not listed, or another kind of
            failure than the listed one), `stale` (listed, and passes) or `flaky` (listed as such).
        reason: the baseline's reason, or why the gate is red.
        where: file and line of the entry, e.g. `baseline.yaml:12`; empty if there is none.
        link: the entry's link; empty if there is none.
    """

    outcome: Outcome
    reason: str = ""
    where: str = ""
    link: str = ""

    @property
    def red(self) -> bool:
        """Whether this vector fails the gate."""
        return self.outcome in ("unexpected", "stale")


Marks: TypeAlias = Mapping[str, Mark]
"""Marks of one backend by vector id."""


class GateMarks(dict[str, Mark]):
    """Marks, and what no vector tells.

    Attributes:
        remark: the sentence that the runtime is another version; empty if it is not.
        alarms: sentences, each of which turns the gate red.
    """

    def __init__(
        self, marks: Marks | None = None, *, remark: str = "", alarms: Sequence[str] = ()
    ) -> None:
        """Marks by vector id, a sentence or an empty text, and further sentences."""
        super().__init__(marks or {})
        self.remark = remark
        self.alarms = tuple(alarms)


def remark_of(marks: Marks) -> str:
    """The sentence to show before all marks; empty if there is none."""
    return marks.remark if isinstance(marks, GateMarks) else ""


def alarms_of(marks: Marks) -> tuple[str, ...]:
    """The sentences that turn the gate red beside the marks."""
    return marks.alarms if isinstance(marks, GateMarks) else ()


_WORDS: Mapping[Outcome, str] = {
    "unexpected": "unexpected",
    "stale": "passing, but listed",
    "expected": "failing as listed",
    "flaky": "listed as flaky",
}


@dataclass(frozen=True)
class RedGroup:
    """Vectors that turn the gate red for one reason; `reason` does not repeat a single id."""

    #: How the vectors disagree with the baseline.
    outcome: Outcome
    #: The baseline's reason, or why the gate is red.
    reason: str
    #: The vectors.
    ids: tuple[str, ...]


def red_groups(marks: Marks) -> list[RedGroup]:
    """The reasons for a red gate, each with its vectors."""
    found: dict[tuple[Outcome, str], list[str]] = {}
    for vector_id, mark in marks.items():
        if mark.red:
            reason = mark.reason.removeprefix(f"{vector_id}: ")
            found.setdefault((mark.outcome, reason), []).append(vector_id)
    return [RedGroup(outcome, reason, tuple(ids)) for (outcome, reason), ids in found.items()]


def gate_words(marks: Marks) -> str:
    """The counts in one line: `7 unexpected, 464 failing as listed`."""
    outcomes = [mark.outcome for mark in marks.values()]
    parts = [
        f"{outcomes.count(outcome):,} {words}"
        for outcome, words in _WORDS.items()
        if outcome in outcomes
    ]
    return ", ".join(parts) or "every vector passes, and nothing is listed"
