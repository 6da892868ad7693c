"""What becomes of a mutant, in a word, and how it is found out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

#: What killed a mutant that no vector was needed for.
NOT_LOADED = "it does not even load"


class Looking(Enum):
    """How long to look for vectors that kill a mutant."""

    FIRST = "until one does"
    REQUIREMENTS = "until one does, and of each requirement that has few kills yet one of it, too"
    CASES = "until one of each case does"


class Status(Enum):
    """What became of a mutant."""

    KILLED = "killed"
    SURVIVED = "survived"
    EQUIVALENT = "equivalent"
    NOT_COVERED = "not covered"


def percent_of(killed: int, survived: int) -> float:
    """Killed, of those that can be told apart; 100 where there are none."""
    apart = killed + survived
    return 100.0 * killed / apart if apart else 100.0


@dataclass(frozen=True)
class Finding:
    """What became of one mutant.

    Attributes:
        name: of the mutant.
        status: in a word.
        by: the vector that kills it, or the call that would.
        cases: ids of the cases that kill it, where all were looked for.
    """

    name: str
    status: Status
    by: str = ""
    cases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Begun:
    """What became of a mutant that was tried on some of what concerns it.

    Attributes:
        finding: so far.
        tried, sampled: the numbers of the calls of the corpus and beyond it that were tried.
        done: whether no more can come of it.
    """

    finding: Finding
    tried: frozenset[int] = frozenset()
    sampled: frozenset[int] = frozenset()
    done: bool = True
