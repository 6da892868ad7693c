"""Lost children whose vectors were all answered, before or when the vector ran alone.

No vector's verdict tells of them: each vector passes alone. Without this count, a backend that dies
on every second vector of a process would be green. A gate permits none, unless it is told how many;
a run without one permits a few, which the machine may have caused.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from onnx_conformance.core.text import one_line, quantity

if TYPE_CHECKING:
    from .records import FooterFacts, LostFacts, Results

# A machine short of memory may kill a process; a sound runtime loses none.
FLOOR = 1
# Beyond that, one of so many vectors.
SHARE = 10_000


def permitted(vectors: int) -> int:
    """How many children a run of so many vectors may lose where no gate is asked for."""
    return max(FLOOR, vectors // SHARE)


@dataclass(frozen=True)
class LostChildren:
    """How many children of a run were lost, and how many leave it green."""

    #: How many children were lost.
    count: int = 0
    #: How many may be lost before the run is red.
    limit: int = FLOOR
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
        most = f"the {self.limit}" if self.limit else "none"
        limit = f", more than {most} that --max-lost-children permits"
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
    return LostChildren(facts.get("count", 0), facts.get("limit", FLOOR), facts.get("example", ""))


def of_shards(shards: Iterable[LostChildren], vectors: int) -> LostChildren:
    """Those of all shards together: cut into more shards, a run may lose no more children."""
    found = tuple(shards)
    example = next((item.example for item in found if item.example), "")
    return LostChildren(sum(item.count for item in found), permitted(vectors), example)


def with_limit(results: Results, limit: int) -> Results:
    """The results with another number of children that may be lost."""
    lost = lost_children(results)
    if not lost.count:
        return results
    footer: FooterFacts = {
        **(results.footer or {}),
        "lost_children": replace(lost, limit=limit).to_json(),
    }
    return replace(results, footer=footer)
