"""The files of a corpus as a whole, collected while its operators are made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from onnx_conformance.core.corpus.listing.model import Listed
from onnx_conformance.core.corpus.requirements import REQUIREMENTS_FILE

from ..planning.locked import WHAT_TO_DO
from ..specs.model import CorpusFacts
from .admission.proposals import Proposal
from .coverage.operators import OperatorCoverage
from .lock import Lock
from .made import Made, OperatorCorpus, require_as_listed
from .making import EXCERPT, as_json, manifests
from .published import STANDARD_FOLDER, below


@dataclass
class Collected:
    """The parts of a whole corpus other than its vectors' files."""

    #: Facts about the corpus.
    facts: CorpusFacts
    #: Its profile: which of all possible vectors it has.
    profile: str
    #: The lock, if this is all that it lists.
    lock: Lock | None = None
    #: The texts of the requirements, by operator.
    requirements: dict[str, Any] = field(default_factory=dict)
    #: What covers what, for each operator with all its vectors made.
    coverage: list[OperatorCoverage] = field(default_factory=list)
    #: Every vector.
    listed: list[Listed] = field(default_factory=list)
    #: The vectors of the excerpt.
    excerpt: list[Listed] = field(default_factory=list)
    #: The vectors that the lock lists otherwise than they come out; nothing of them is written.
    differing: list[Listed] = field(default_factory=list)
    #: Cases without any vector in the lock, a line for each.
    unlisted: list[str] = field(default_factory=list)
    #: Vectors that the lock lists and no spec has, a line for each.
    lost: list[str] = field(default_factory=list)
    #: What the rules propose beyond the lock, if that was asked for.
    proposals: list[Proposal] = field(default_factory=list)

    @cached_property
    def _manifests(self) -> dict[str, bytes]:
        if self.lock is not None:
            return self.lock.files()
        return manifests(self.facts, self.profile, self.listed)

    def require_as_listed(self) -> None:
        """Raise BadInputError if these are not the vectors that the lock lists."""
        require_as_listed([item.id for item in self.differing], self.lost, self.unlisted)

    def files(self) -> dict[str, bytes]:
        """The corpus's own files, by path below its folder."""
        return {REQUIREMENTS_FILE: as_json(self.requirements), **self._manifests}

    def excerpt_files(self) -> dict[str, bytes]:
        """The excerpt's own files; without a lock also the manifests that become it."""
        own = {
            REQUIREMENTS_FILE: as_json(self.requirements),
            **manifests(self.facts, EXCERPT, self.excerpt),
        }
        return own if self.lock else {**own, **below(STANDARD_FOLDER, self._manifests)}


def collect(
    operators: Iterable[OperatorCorpus],
    facts: CorpusFacts,
    profile: str,
    visit: Callable[[Made], None],
    lock: Lock | None = None,
) -> Collected:
    """Collect all operators; `visit` is called with each vector while its files are in memory.

    `lock` lists these vectors and no others; None if the rules decide, or for a selection. A vector
    that differs from its line in a lock is not visited.
    """
    found = Collected(facts, profile, lock)
    seen: set[str] = set()
    for operator in operators:
        found.requirements.update(operator.requirements)
        if operator.coverage is not None:
            found.coverage.append(operator.coverage)
        found.unlisted += operator.unlisted
        found.lost += operator.lost
        found.proposals += operator.proposals
        seen.add(operator.slug)
        for made in operator.vectors:
            if made.differs:
                found.differing.append(made.listed)
                continue
            visit(made)
            found.listed.append(made.listed)
            if made.excerpt:
                found.excerpt.append(made.listed)
    found.lost += _without_spec(lock, seen)
    return found


def _without_spec(lock: Lock | None, seen: set[str]) -> Iterator[str]:
    """A line for each operator version of the lock whose operator has no spec."""
    for name in () if lock is None else lock.operator_versions:
        slug = name.rpartition("-")[0]
        if lock is not None and lock.count(name) and slug not in seen:
            yield f"{name}: the lock lists it, and no spec is about {slug}; {WHAT_TO_DO}"
