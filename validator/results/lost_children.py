"""Lost children whose vectors were all answered, before or when the vector ran alone.

No vector's verdict tells of them: each vector passes alone. Without this count, a backend that dies
on every second vector of a process would be green. The machine may cause a few; above a limit the
run is red, whatever its verdicts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from onnx_conformance.core.text import one_line, quantity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .records import LostFacts, Results

# A machine short of memory may kill a process or two; a sound runtime loses none.
LIMIT = 3


@dataclass(frozen=True)
class LostChildren:
    """How many children of a run were lost, and how many leave it green."""

    #: How many children were lost.
    count: int = 0
    #: How many may be lost before the run is red.
    limit: int = LIMIT
    #: The first of them, in words; empty if there is none.
    example: str = ""

    @property
    def too_many(self) -> bool:
        """Whether they turn the run red."""
        return self.count > self.limit

    @property
    def words(self) -> str:
        """One sentence for a person; empty if none was lost."""
        if not self.count:
            return ""
        lost = f"{quantity(self.count, 'child', 'children')} of the backend"
        was = "was" if self.count == 1 else "were"
        first = f"; the first: {one_line(self.example, 300)}" if self.example else ""
        limit = f", more than the {self.limit} that --max-lost-children permits"
        return (
            f"{lost} {was} lost between vectors, or with a vector that was answered when it ran"
            f" alone{limit if self.too_many else ''}{first}"
        )

    def to_json(self) -> LostFacts:
        """For the footer of a results file."""
        return {"count": self.count, "limit": self.limit, "example": one_line(self.example, 300)}


def lost_children(results: Results) -> LostChildren:
    """The lost children that a results file reports; none if it reports none."""
    facts = (results.footer or {}).get("lost_children") or {}
    return LostChildren(facts.get("count", 0), facts.get("limit", LIMIT), facts.get("example", ""))


def of_shards(shards: Iterable[LostChildren]) -> LostChildren:
    """Those of the shard that exceeded its limit most: each shard was a run with its own limit."""
    return max(shards, key=lambda item: (item.count - item.limit, item.count))
