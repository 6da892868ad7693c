"""What is counted of a run beside the verdicts, wherever its vectors are run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from onnx_conformance.core.text import one_line


@dataclass
class Tally:
    """Counts, and facts that belong to no vector.

    Attributes:
        answered: number of vectors that the backend answered.
        lost: number of vectors that crashed, timed out, broke the protocol or errored.
        lost_children: number of children that ended, hung or broke the protocol although every
            vector sent to them was answered, before or when it ran alone.
        first_lost: the first of them, in words.
        notes: facts about the run, with how often each occurred.
        examples: the first occurrence of some of the notes.
    """

    answered: int = 0
    lost: int = 0
    lost_children: int = 0
    first_lost: str = ""
    notes: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)

    def note(self, fact: str, example: str = "", count: int = 1) -> None:
        """Count a fact that belongs to no vector; the first example of each is kept."""
        self.notes[fact] += count
        if example:
            self.examples.setdefault(fact, example)

    def since(self, before: Tally) -> Tally:
        """What was counted after `before`, an earlier copy of this."""
        lost_children = self.lost_children - before.lost_children
        return Tally(
            self.answered - before.answered,
            self.lost - before.lost,
            lost_children,
            self.first_lost if lost_children else "",
            self.notes - before.notes,
            dict(self.examples),
        )

    def add(self, other: Tally) -> None:
        """Count what others counted, whose words may be of any length."""
        self.answered += other.answered
        self.lost += other.lost
        self.lost_children += other.lost_children
        self.first_lost = self.first_lost or one_line(other.first_lost, 600)
        for fact, count in other.notes.items():
            example = other.examples.get(fact, "")
            self.note(one_line(fact, 300), one_line(example, 600), count)
