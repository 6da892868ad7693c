"""Which call is drawn next: the time, or the number of calls, is shared between operators."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from onnx_conformance.core.exploring.ids import ExploredId

# Of the calls of an operator, so many of each of so many are of its newest version.
_NEWEST = 2


class Schedule:
    """Gives ids, one after the other.

    With a number of calls the operators take turns, and the ids are the same everywhere; with a
    time, the operator that had the least of it is next.
    """

    def __init__(
        self, subjects: Mapping[str, Sequence[str]], letters: Mapping[str, str], seed: int
    ) -> None:
        """Share between some operators.

        Args:
            subjects: the versions of each operator, the newest first.
            letters: the drawers of each operator, by their letters, which take turns.
            seed: of all calls.
        """
        self._subjects = {name: tuple(items) for name, items in subjects.items() if items}
        self._letters = letters
        self._seed = seed
        self._drawn: Counter[str] = Counter()
        self._indices: Counter[tuple[str, str]] = Counter()
        self._seconds: dict[str, float] = defaultdict(float)
        self._open: Counter[str] = Counter()
        self._given_up: set[str] = set()

    @property
    def operators(self) -> tuple[str, ...]:
        """The operators that still take part."""
        return tuple(name for name in self._subjects if name not in self._given_up)

    def in_turn(self) -> ExploredId | None:
        """The next id where operators take turns; None if none is left."""
        names = self.operators
        if not names:
            return None
        return self._id(min(names, key=lambda name: self._drawn[name]))

    def by_time(self) -> ExploredId | None:
        """The next id of the operator that had the least time, counting what is under way."""
        names = self.operators
        if not names:
            return None
        return self._id(min(names, key=self._spent))

    def _spent(self, name: str) -> tuple[float, int]:
        done = self._drawn[name] - self._open[name]
        each = self._seconds[name] / done if done else 0.05
        return self._seconds[name] + each * self._open[name], self._drawn[name]

    def _id(self, name: str) -> ExploredId:
        count = self._drawn[name]
        self._drawn[name] += 1
        self._open[name] += 1
        letters = self._letters[name]
        letter = letters[count % len(letters)]
        subjects, turn = self._subjects[name], count // len(letters)
        older = subjects[1:]
        newest = not older or turn % _NEWEST == 0
        subject = subjects[0] if newest else older[turn // _NEWEST % len(older)]
        index = self._indices[subject, letter]
        self._indices[subject, letter] += 1
        return ExploredId(subject, letter, self._seed, index)

    def took(self, name: str, seconds: float) -> None:
        """Count the time that a call of an operator took."""
        self._seconds[name] += seconds

    def finished(self, name: str) -> None:
        """A call of an operator is done with."""
        self._open[name] -= 1

    def give_up(self, name: str) -> None:
        """Draw nothing more of an operator."""
        self._given_up.add(name)


def operator_in(explored_id: str) -> str:
    """The operator of a call, as in ids: `conv` of `explore/conv-22/s7f3a.121`."""
    return explored_id.split("/")[1].rpartition("-")[0]
