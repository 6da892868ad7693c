"""The files of a corpus as a whole, collected while its operators are made."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.requirements import REQUIREMENTS_FILE

from .making import CORE, as_json, manifests
from .published import STANDARD_FOLDER, below

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from onnx_conformance.core.corpus.listing.model import Listed

    from ..specs.model import CorpusFacts
    from .covered.operators import OperatorCoverage
    from .parallel import Made, OperatorCorpus


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
    #: The vectors of the core.
    core: tuple[Listed, ...]

    @cached_property
    def _manifests(self) -> dict[str, bytes]:
        return manifests(self.facts, self.profile, self.listed)

    def files(self) -> dict[str, bytes]:
        """The corpus's own files, by path below its folder."""
        return {REQUIREMENTS_FILE: as_json(self.requirements), **self._manifests}

    def core_files(self) -> dict[str, bytes]:
        """The core's own files; the manifests of this corpus are in a folder beside them."""
        return {
            REQUIREMENTS_FILE: as_json(self.requirements),
            **manifests(self.facts, CORE, self.core),
            **below(STANDARD_FOLDER, self._manifests),
        }


def collect(
    operators: Iterable[OperatorCorpus],
    facts: CorpusFacts,
    profile: str,
    visit: Callable[[Made], None],
) -> Collected:
    """Collect all operators; `visit` is called with each vector while its files are in memory."""
    words: dict[str, Any] = {}
    covered: list[OperatorCoverage] = []
    listed: list[Listed] = []
    core: list[Listed] = []
    for operator in operators:
        words.update(operator.requirements)
        if operator.coverage is not None:
            covered.append(operator.coverage)
        for made in operator.vectors:
            visit(made)
            listed.append(made.listed)
            if made.core:
                core.append(made.listed)
    return Collected(facts, profile, words, tuple(covered), tuple(listed), tuple(core))
