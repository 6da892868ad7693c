"""Makes the corpus operator by operator, in several processes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.listing.model import listed
from onnx_conformance.core.corpus.patterns import IdIndex
from onnx_conformance.core.corpus.vector_files import digest
from onnx_conformance.core.corpus.vectors import relative_directory
from onnx_conformance.core.errors import IncompleteError

from ..planning.core import core_ids
from ..planning.expansion import STANDARD
from ..specs.reading import spec_files
from ..whole_models.reading import model_spec_file, read_model_spec
from .covered.operators import OperatorCoverage, operator_coverage
from .listings import keys_of, remember, stems_for, vector_ids
from .making import CORE, build_all, plan_corpus, requirements_of
from .model_vectors import build_models, core_models, model_coverage, model_ids
from .processes import in_processes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from onnx_conformance.core.corpus.listing.model import Listed
    from onnx_conformance.core.corpus.vectors import Vector

    from ..whole_models.model import ModelSpec


@dataclass(frozen=True)
class Made:
    """A vector with its files.

    Attributes:
        listed: its entry in the manifest.
        files: its files by path in its directory.
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
        coverage: what covers what; None if only a selection was made.
        requirements: their texts, by operator.
    """

    stem: str
    vectors: tuple[Made, ...]
    coverage: OperatorCoverage | None
    requirements: Mapping[str, Any]


def make_operator(
    folder: Path, stem: str, profile: str, selection: tuple[str, ...] = ()
) -> OperatorCorpus:
    """Every vector of one spec, in memory."""
    path = model_spec_file(folder, stem)
    if path is not None:
        return _make_models(read_model_spec(path, spec_files(folder)[0]), stem, profile, selection)
    wider = STANDARD if profile == CORE else profile
    corpus = plan_corpus(folder, wider, selection, (stem,))
    core = core_ids(corpus.plans)
    made = tuple(
        _made(built.vector, built.files, core)
        for built in build_all(corpus)
        if profile != CORE or built.vector.id in core
    )
    (spec,) = corpus.specs
    coverage = None if selection else operator_coverage(spec, corpus.plans)
    return OperatorCorpus(stem, made, coverage, requirements_of(spec))


def _make_models(
    spec: ModelSpec, stem: str, profile: str, selection: tuple[str, ...]
) -> OperatorCorpus:
    """Every vector of a spec of whole models, in memory; they are the same in each profile."""
    wanted = None
    if selection:
        controls = model_ids(spec)
        index = IdIndex(controls)
        taken = {item for pattern in selection for item in index.matching(pattern)}
        wanted = frozenset(taken | {controls[item] or item for item in taken})
    built = tuple(build_models(spec, wanted))
    core = core_models(item.vector for item in built)
    made = tuple(
        _made(item.vector, item.files, core)
        for item in built
        if profile != CORE or item.vector.id in core
    )
    coverage = None if selection else model_coverage(spec, (item.vector for item in built))
    return OperatorCorpus(stem, made, coverage, requirements_of(spec))


def _made(vector: Vector, files: Mapping[str, bytes], core: Collection[str]) -> Made:
    place = relative_directory(vector.kind, vector.id)
    return Made(listed(vector, digest(files)), place, files, vector.id in core)


def make_corpus(
    folder: Path, profile: str = STANDARD, selection: Sequence[str] = (), jobs: int = 1
) -> Iterator[OperatorCorpus]:
    """Every operator in turn, by the names of the specs; `jobs` processes make them.

    The ids of a whole profile are kept for `listings`. If a pattern of the selection matches
    nothing, IncompleteError is raised after everything else is done.
    """
    keys = keys_of(folder)
    kept: dict[str, tuple[str, ...]] = {}
    core: dict[str, tuple[str, ...]] = {}
    taken: set[str] = set()
    stems = stems_for(folder, keys, selection)
    calls = [(folder, stem, profile, tuple(selection)) for stem in stems]
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
