"""The files of a corpus as a whole, collected while its operators are made."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.requirements import REQUIREMENTS_FILE

from ..planning.locked import WHAT_TO_DO
from .made import require_as_listed
from .making import EXCERPT, as_json, manifests
from .published import STANDARD_FOLDER, below

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from onnx_conformance.core.corpus.listing.model import Listed

    from ..specs.model import CorpusFacts
    from .admission.proposals import Proposal
    from .coverage.operators import OperatorCoverage
    from .lock import Lock
    from .made import Made, OperatorCorpus


@dataclass(frozen=True)
class Collected:
    """The parts of a whole corpus other than its vectors' files."""

    #: Facts about the corpus.
    facts: CorpusFacts
    #: Its profile: which of all possible vectors it has.
    profile: str
    #: The texts of the requirements, by operator.
    requirements: Mapping[str, Any]
    #: What covers what, for each operator with all its vectors made.
    coverage: tuple[OperatorCoverage, ...]
    #: Every vector.
    listed: tuple[Listed, ...]
    #: The vectors of the excerpt.
    excerpt: tuple[Listed, ...]
    #: The vectors that the lock lists otherwise than they come out; nothing of them is written.
    differing: tuple[Listed, ...] = ()
    #: Cases without any vector in the lock, a line for each.
    unlisted: tuple[str, ...] = ()
    #: Vectors that the lock lists and no spec has, a line for each.
    lost: tuple[str, ...] = ()
    #: What the rules propose beyond the lock, if that was asked for.
    proposals: tuple[Proposal, ...] = ()
    #: The lock, if this is all that it lists.
    lock: Lock | None = None

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
    words: dict[str, Any] = {}
    covered: list[OperatorCoverage] = []
    listed: list[Listed] = []
    excerpt: list[Listed] = []
    differing: list[Listed] = []
    unlisted: list[str] = []
    lost: list[str] = []
    seen: set[str] = set()
    proposals: list[Proposal] = []
    for operator in operators:
        words.update(operator.requirements)
        if operator.coverage is not None:
            covered.append(operator.coverage)
        unlisted += operator.unlisted
        lost += operator.lost
        proposals += operator.proposals
        seen.add(operator.slug)
        for made in operator.vectors:
            if made.differs:
                differing.append(made.listed)
                continue
            visit(made)
            listed.append(made.listed)
            if made.excerpt:
                excerpt.append(made.listed)
    return Collected(
        facts,
        profile,
        words,
        tuple(covered),
        tuple(listed),
        tuple(excerpt),
        tuple(differing),
        tuple(unlisted),
        (*lost, *_without_spec(lock, seen)),
        tuple(proposals),
        lock,
    )


def _without_spec(lock: Lock | None, seen: set[str]) -> Iterator[str]:
    """A line for each operator version of the lock whose operator has no spec."""
    for name in () if lock is None else lock.operator_versions:
        slug = name.rpartition("-")[0]
        if lock is not None and lock.count(name) and slug not in seen:
            yield f"{name}: the lock lists it, and no spec is about {slug}; {WHAT_TO_DO}"
