"""The corpus operator by operator, in as many processes as there are processors."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.manifests import listed
from onnx_conformance.core.corpus.patterns import IdIndex
from onnx_conformance.core.corpus.vector_files import digest
from onnx_conformance.core.corpus.vectors import relative_directory
from onnx_conformance.core.errors import IncompleteError

from ..planning.core import core_ids
from ..planning.expansion import STANDARD
from .covered.operators import OperatorCoverage, operator_coverage
from .listings import keys_of, remember, vector_ids
from .making import CORE, build_all, plan_corpus, requirements_of
from .processes import in_processes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from onnx_conformance.core.corpus.manifests import Listed


@dataclass(frozen=True)
class Made:
    """A vector with its files.

    Attributes:
        place: its directory below the corpus's root.
        core: whether it belongs to the core.
    """

    listed: Listed
    place: str
    files: Mapping[str, bytes]
    core: bool


@dataclass(frozen=True)
class OperatorCorpus:
    """The vectors of one spec.

    Attributes:
        stem: name of the spec's file without its ending.
        vectors: all of them, or those of a selection and their controls.
        coverage: what covers what; None where a selection was made.
        requirements: in words, by operator.
    """

    stem: str
    vectors: tuple[Made, ...]
    coverage: OperatorCoverage | None
    requirements: Mapping[str, Any]


def make_operator(
    folder: Path, stem: str, profile: str, selection: tuple[str, ...] = ()
) -> OperatorCorpus:
    """Every vector of one spec, in memory."""
    wider = STANDARD if profile == CORE else profile
    corpus = plan_corpus(folder, wider, selection, (stem,))
    core = core_ids(corpus.plans)
    made = []
    for built in build_all(corpus):
        vector = built.vector
        if profile != CORE or vector.id in core:
            place = relative_directory(vector.kind, vector.id)
            line = listed(vector, digest(built.files))
            made.append(Made(line, place, built.files, vector.id in core))
    (spec,) = corpus.specs
    coverage = None if selection else operator_coverage(spec, corpus.plans)
    return OperatorCorpus(stem, tuple(made), coverage, requirements_of(spec))


def make_corpus(
    folder: Path, profile: str = STANDARD, selection: Sequence[str] = (), jobs: int = 1
) -> Iterator[OperatorCorpus]:
    """Every operator in turn, by the names of the specs; `jobs` processes make them.

    The ids of a whole profile are kept for `listings`. Raises IncompleteError, when all else is
    done, where a pattern of the selection takes nothing.
    """
    keys = keys_of(folder)
    kept: dict[str, tuple[str, ...]] = {}
    core: dict[str, tuple[str, ...]] = {}
    taken: set[str] = set()
    calls = [(folder, stem, profile, tuple(selection)) for stem in keys]
    for operator in in_processes(make_operator, calls, jobs):
        ids = tuple(made.listed.id for made in operator.vectors)
        if selection:
            index = IdIndex(ids)
            taken |= {pattern for pattern in selection if index.matching(pattern)}
        kept[operator.stem] = ids
        core[operator.stem] = tuple(made.listed.id for made in operator.vectors if made.core)
        if operator.vectors:
            yield operator
    if not selection:
        remember(folder, keys, {profile: kept, **({CORE: core} if profile == STANDARD else {})})
    for pattern in selection:
        if pattern not in taken:
            listed = vector_ids(folder, STANDARD, jobs)
            raise IncompleteError(IdIndex(chain(*listed.values())).explain(pattern))
