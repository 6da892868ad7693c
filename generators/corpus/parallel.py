"""Makes the corpus operator by operator, in several processes, and holds it to the lock."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.cluster.options import Where
from onnx_conformance.core.corpus.listing.model import Listed, listed
from onnx_conformance.core.corpus.listing.sizes import listed_size
from onnx_conformance.core.corpus.patterns import IdIndex
from onnx_conformance.core.corpus.vector_files import digest
from onnx_conformance.core.corpus.vectors import Vector, relative_directory
from onnx_conformance.core.errors import IncompleteError

from ..planning.excerpt import excerpt_ids
from ..planning.expansion import FULL, STANDARD, may_match
from ..planning.locked import WHAT_TO_DO, unlisted_cases
from ..specs.model import Spec
from ..specs.reading import spec_files
from ..specs.rulings import read_rulings
from ..whole_models.model import ModelSpec
from ..whole_models.reading import model_spec_file, read_model_spec
from .admission.proposals import (
    Proposal,
    Request,
    known_of,
    model_proposals,
    proposals_of,
    proposed_plans,
)
from .clustered import on_cluster
from .coverage.operators import operator_coverage
from .coverage.wide import wide_gaps, width_of
from .lock import chosen, listed_in_excerpt, lock_beside
from .made import Made, OperatorCorpus
from .making import EXCERPT, build_all, plan_corpus, requirements_of
from .model_vectors import build_models, excerpt_models, model_coverage, model_ids
from .processes import in_processes
from .stems import all_stems, stems_for

if TYPE_CHECKING:
    from .keeping.kept import Kept


def make_operator(  # noqa: PLR0913  three have defaults
    folder: Path,
    stem: str,
    profile: str,
    selection: tuple[str, ...] = (),
    *,
    propose: bool = False,
    package: str = "",
) -> OperatorCorpus:
    """Every vector of one spec, in memory; with `propose` also what the rules would add.

    `package` has the oracles of somebody's own operators; it is empty for those here.
    """
    path = model_spec_file(folder, stem)
    if path is not None:
        models = _make_models(folder, path, profile, selection)
        if not propose:
            return models
        known = known_of(folder, models.slug)
        return replace(models, proposals=model_proposals(folder, path, known))
    wider = STANDARD if profile == EXCERPT else profile
    corpus = plan_corpus(folder, wider, selection, (stem,), package)
    (spec,) = corpus.specs
    excerpt = excerpt_ids(corpus.plans, listed_in_excerpt(folder, spec.slug))
    lines = {line.id: line for line in corpus.lines or ()}
    made: list[Made] = []
    widths: dict[str, float] = {}
    for built in build_all(corpus):
        if profile != EXCERPT or built.vector.id in excerpt:
            made.append(_made(built.vector, built.files, excerpt, lines))
            if width := width_of(built.vector, built.data_sets):
                widths[built.vector.id] = width
    coverage = None
    if not selection:
        coverage = operator_coverage(spec, corpus.plans)
        if profile == STANDARD:
            gaps = wide_gaps(spec.path, spec.wide, widths)
            coverage = replace(coverage, gaps=(*coverage.gaps, *gaps))
    unlisted = () if selection or corpus.lines is None else _unlisted(folder, spec, lines)
    proposals: tuple[Proposal, ...] = ()
    if propose:
        known = known_of(folder, spec.slug)
        request = Request(folder, stem, package=package)
        proposals = proposals_of(proposed_plans(request, known, corpus.situations)[2])
    words = requirements_of(spec)
    lost = corpus.lost
    return OperatorCorpus(stem, spec.slug, tuple(made), coverage, words, unlisted, lost, proposals)


def _unlisted(folder: Path, spec: Spec, ids: Iterable[str]) -> tuple[str, ...]:
    """A line for each case without a vector in the lock, but for those that were declined."""
    listed = {item.split("/")[1] for item in ids}
    operator_versions = [f"{spec.slug}-{number}" for number in spec.versions]
    declined = [item for ruling in read_rulings(folder).declined for item in ruling.ids]
    return tuple(
        unlisted_cases(
            spec,
            lambda case: (
                case in listed or any(may_match(name, case, declined) for name in operator_versions)
            ),
        )
    )


def _make_models(
    folder: Path, path: Path, profile: str, selection: tuple[str, ...]
) -> OperatorCorpus:
    """Every vector of a spec of whole models, in memory; they are the same in each profile."""
    spec = read_model_spec(path, spec_files(folder)[0])
    lock = None if profile == FULL else lock_beside(folder)
    if lock is not None:
        lines = {line.id: line for line in chosen(lock.lines([spec.slug]), selection)}
        wanted: frozenset[str] | None = frozenset(lines)
    else:
        lines = {}
        wanted = _wanted(spec, selection)
    built = tuple(build_models(spec, wanted, {name: lines[name].facts.opset for name in lines}))
    vectors = [item.vector for item in built]
    excerpt = excerpt_models(vectors)
    made = tuple(
        _made(item.vector, item.files, excerpt, lines)
        for item in built
        if profile != EXCERPT or item.vector.id in excerpt
    )
    coverage = (
        None
        if selection
        else model_coverage(spec, ((item.kind, item.since_version) for item in vectors))
    )
    have = {item.id for item in vectors}
    lost = tuple(
        f"{name}: {spec.path} has no such model; {WHAT_TO_DO}" for name in lines if name not in have
    )
    return OperatorCorpus(path.stem, spec.slug, made, coverage, requirements_of(spec), lost=lost)


def _wanted(spec: ModelSpec, selection: Sequence[str]) -> frozenset[str] | None:
    """The ids that patterns match, and their controls; None for all."""
    if not selection:
        return None
    controls = model_ids(spec)
    index = IdIndex(controls)
    taken = {item for pattern in selection for item in index.matching(pattern)}
    return frozenset(taken | {controls[item] or item for item in taken})


def _made(
    vector: Vector,
    files: Mapping[str, bytes],
    excerpt: Collection[str],
    lines: Mapping[str, Listed],
) -> Made:
    """A vector beside its line in the lock, if it has one: that says since when it stands."""
    place = relative_directory(vector.kind, vector.id)
    found = listed(vector, digest(files), listed_size(files))
    line = lines.get(vector.id)
    if line is None:
        return Made(found, place, files, vector.id in excerpt)
    differs = (line.digest, line.kind, line.facts.size) != (
        found.digest,
        found.kind,
        found.facts.size,
    )
    found = replace(found, since=line.since, rule=line.rule, was=line.was)
    return Made(found, place, files, vector.id in excerpt, differs)


def make_corpus(  # noqa: PLR0913  seven have defaults
    folder: Path,
    profile: str = STANDARD,
    selection: Sequence[str] = (),
    jobs: int = 1,
    *,
    propose: bool = False,
    kept: Kept | None = None,
    package: str = "",
    cluster: Where | None = None,
) -> Iterator[OperatorCorpus]:
    """Every operator in turn, by the names of the specs; `jobs` processes make them, or a cluster.

    With `propose` each has what the rules propose beyond the lock, if there is one. With `kept`,
    which is for a whole profile, only those are made of which something changed since. `package`
    has the oracles of somebody's own operators; it is empty for those here.

    If a pattern of the selection matches nothing, IncompleteError is raised: before anything is
    made where the corpus is listed, and else after everything else is done.
    """
    lock = None if profile == FULL else lock_beside(folder)
    if lock is not None:
        require_matched(selection, lock.ids())
    ids: list[str] = []
    stems = stems_for(folder, all_stems(folder), selection)
    keeper = None if selection else kept
    here = () if keeper is None else {stem for stem in stems if keeper.has(stem)}
    make = partial(make_operator, propose=propose and lock is not None, package=package)
    where = folder if cluster is None else folder.resolve()
    calls = [(where, stem, profile, tuple(selection)) for stem in stems if stem not in here]
    made = (
        in_processes(make, calls, jobs)
        if cluster is None
        else on_cluster(make, calls, where, cluster)
    )
    with contextlib.closing(made):
        for stem in stems:
            if keeper is not None and stem in here:
                operator = keeper.operator(stem)
            else:
                operator = next(made)
                if keeper is not None:
                    keeper.keep(operator)
            ids += [item.listed.id for item in operator.vectors]
            if operator.vectors or operator.lost or operator.unlisted:
                yield operator
    if lock is None:
        require_matched(selection, ids)


def require_matched(selection: Iterable[str], ids: Iterable[str]) -> None:
    """Raise IncompleteError for the first pattern that matches none of the ids."""
    index = IdIndex(ids)
    for pattern in selection:
        if not index.matching(pattern):
            raise IncompleteError(index.explain(pattern))
