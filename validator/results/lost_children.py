"""Children that were lost though each of their vectors was answered, before or when it ran alone.

No vector has a verdict that says so: each passes by itself. A backend that dies on every second
vector of a process would be green. A few may be the machine's doing; beyond a limit the run is
red, whatever its verdicts say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from onnx_conformance.core.text import one_line, quantity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .records import LostFacts, Results

# A machine that is short of memory may end a process or two; a runtime that is well ends none.
LIMIT = 3


@dataclass(frozen=True)
class LostChildren:
    """How many children of a run were lost, and how many leave it green."""

    count: int = 0
    limit: int = LIMIT
    example: str = ""

    @property
    def too_many(self) -> bool:
        """Whether they turn the run red."""
        return self.count > self.limit

    @property
    def words(self) -> str:
        """One sentence for a person; empty where none was lost."""
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
    """What a results file says of lost children; none where it says nothing."""
    facts = (results.footer or {}).get("lost_children") or {}
    return LostChildren(facts.get("count", 0), facts.get("limit", LIMIT), facts.get("example", ""))


def of_shards(shards: Iterable[LostChildren]) -> LostChildren:
    """Those of the shard in which most were lost beyond its limit: each was a run by itself."""
    return max(shards, key=lambda item: (item.count - item.limit, item.count))
