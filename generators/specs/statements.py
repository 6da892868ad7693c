"""The statements of an operator's document: what it requires, and what it leaves open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Requirement:
    """One statement of the operator's document, in our words."""

    #: The id by which cases refer to it; permanent.
    id: str
    #: The statement.
    text: str
    #: The first operator version for which it holds.
    since: int
    #: The last one; None if it still holds.
    until: int | None
    #: The page that states it, e.g. `Shape-25`.
    document: str
    #: The part of the page, e.g. `Summary`.
    part: str
    #: Why no case covers it; None if a case does.
    uncovered: str | None = None
    #: If the page was changed without a new version: what it said before, and the release of ONNX
    #: that changed it. A runtime from before that release may still do what it said.
    errata: str | None = None

    def holds_at(self, since_version: int) -> bool:
        """Whether it is a requirement of this operator version."""
        return self.since <= since_version and (self.until is None or since_version <= self.until)


@dataclass(frozen=True)
class OpenQuestion:
    """A point that the document leaves open: each reading of the oracle is permitted."""

    #: Its id in the oracle.
    id: str
    #: What is open, in our words.
    text: str
    #: The page that leaves it open.
    document: str
    #: The part of the page.
    part: str
    #: Why each reading is possible, by the name that the oracle uses; `rejected` permits a refusal,
    #: `anything` any value of the type and shape that the other readings have.
    readings: Mapping[str, str]
    #: Its line in the spec.
    line: int
