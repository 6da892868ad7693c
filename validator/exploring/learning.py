"""What is known of the backend: vectors that it passes, and what it does not have."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

from ..judging.verdicts import Verdict
from ..results.records import Row

# A trait is lacked after so many calls that are not supported, and none that was answered.
_ENOUGH = 3
_UNANSWERED = (Verdict.UNSUPPORTED, Verdict.INCONCLUSIVE)


class Learning:
    """Remembers verdicts.

    Attributes:
        rows: the rows of vectors of the corpus that do not pass, by id.
        listed: the ids that a baseline lists: all others pass; None without a baseline.
    """

    def __init__(self, known: Mapping[str, Row] | None = None) -> None:
        """Begin with the rows of an earlier run of the corpus, if there are any."""
        self.rows: dict[str, Row] = {}
        self.listed: frozenset[str] | None = None
        self._passes: dict[str, bool] = {}
        self._lacking: dict[str, set[str]] = defaultdict(set)
        self._refused: Counter[tuple[str, str]] = Counter()
        self._answered: set[tuple[str, str]] = set()
        for row in (known or {}).values():
            self.base(row)

    def base(self, row: Row) -> None:
        """Take in the row of a vector of the corpus."""
        self._passes[row.id] = row.passed
        if not row.passed:
            self.rows[row.id] = row

    def passes(self, vector_id: str) -> bool | None:
        """Whether the backend passes a vector of the corpus; None if it was not asked."""
        if vector_id not in self._passes and self.listed is not None:
            return vector_id not in self.listed
        return self._passes.get(vector_id)

    def no_base(self, vector_id: str) -> None:
        """Nothing can be begun with this vector."""
        self._passes[vector_id] = False

    @property
    def passing(self) -> int:
        """How many vectors of the corpus the backend is known to pass."""
        return sum(self._passes.values())

    def call(self, operator: str, traits: tuple[str, ...], row: Row) -> None:
        """Take in the row of a drawn call."""
        for trait in traits:
            if row.verdict not in _UNANSWERED:
                self._answered.add((operator, trait))
                self._lacking[operator].discard(trait)
            elif (operator, trait) not in self._answered:
                self._refused[operator, trait] += 1
                if self._refused[operator, trait] >= _ENOUGH:
                    self._lacking[operator].add(trait)

    def lack(self, operator: str, trait: str) -> None:
        """Draw nothing more with a trait of an operator."""
        self._lacking[operator].add(trait)

    def avoid(self, operator: str) -> frozenset[str]:
        """The traits that are not drawn of an operator."""
        return frozenset(self._lacking.get(operator, ()))
