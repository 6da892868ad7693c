"""Makes the corpus operator by operator, in several processes, and holds it to the lock."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from onnx_conformance.core.corpus.listing.model import listed
from onnx_conformance.core.corpus.listing.sizes import listed_size
from onnx_conformance.core.corpus.patterns import IdIndex
from onnx_conformance.core.corpus.vector_files import digest
from onnx_conformance.core.corpus.vectors import relative_directory
from onnx_conformance.core.errors import BadInputError, IncompleteError

from ..planning.excerpt import excerpt_ids
from ..planning.expansion import FULL, STANDARD, may_match
from ..planning.locked import WHAT_TO_DO, unlisted_cases
from ..specs.reading import spec_files
from ..specs.rulings import RULINGS_FILE, read_rulings
from ..whole_models.reading import model_spec_file, read_model_spec
from .admission.proposals import (
    Request,
    known_of,
    model_proposals,
    proposals_of,
    proposed_plans,
)
from .coverage.operators import OperatorCoverage, operator_coverage
from .coverage.wide import wide_gaps, width_of
from .lock import chosen, listed_in_excerpt, lock_beside
from .making import EXCERPT, build_all, plan_corpus, requirements_of
from .model_vectors import build_models, excerpt_models, model_coverage, model_ids
from .processes import in_processes
from .stems import all_stems, stems_for

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from onnx_conformance.core.corpus.listing.model import Listed
    from onnx_conformance.core.corpus.vectors import Vector

    from ..specs.model import Spec
    from ..whole_models.model import ModelSpec
    from .admission.proposals import Proposal

T = TypeVar("T")

_NAMED = 3  # ids that a message names


@dataclass(frozen=True)
class Made:
    """A vector with its files.

    Attributes:
        listed: its entry in the manifest.
        files: its files by path in its directory.
        place: its directory below the corpus's root.
        excerpt: whether it belongs to the excerpt.
        differs: whether the lock lists it with another digest or kind; `listed` then says what it
            is now.
    """

    listed: Listed
    place: str
    files: Mapping[str, bytes]
    excerpt: bool
    differs: bool = False


@dataclass(frozen=True)
class OperatorCorpus:
    """The vectors of one spec.

    Attributes:
        stem: name of the spec's file without its ending.
        slug: what the ids of its vectors begin with.
        vectors: all of them, or those of a selection and their controls.
        coverage: what covers what; None if only a selection was made.
        requirements: their texts, by operator.
        unlisted: a line for each case without any vector in the lock; empty for a selection.
        lost: a line for each vector that the lock lists and the spec does not have.
        proposals: what the rules propose beyond the lock, if that was asked for.
        kept: whether it was made by an earlier call.
    """

    stem: str
    slug: str
    vectors: tuple[Made, ...]
    coverage: OperatorCoverage | None
    requirements: Mapping[str, Any]
    unlisted: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    kept: bool = False

    def require_as_listed(self) -> None:
        """Raise BadInputError if these are not the vectors that the lock lists."""
        differing = [made.listed.id for made in self.vectors if made.differs]
        require_as_listed(differing, self.lost, self.unlisted)


class Keeper(Protocol):
    """Keeps what was made of each spec, as `keeping.kept.Kept`."""

    def operator(self, stem: str) -> OperatorCorpus | None:
        """What was made of a spec; None if it has to be made."""

    def make(self, stem: str) -> OperatorCorpus:
        """Make it and keep it."""

    def keep(self, operator: OperatorCorpus) -> None:
        """Keep what was made elsewhere."""


class Elsewhere(Protocol):
    """Calls a function on other machines, as `clustered.OnCluster`."""

    def results(
        self, function: Callable[..., T], calls: Sequence[tuple[object, ...]], specs: Path
    ) -> Iterator[T]:
        """The results for each tuple of arguments, in their order, by who has the same specs."""


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
    kept: Keeper | None = None,
    package: str = "",
    cluster: Elsewhere | None = None,
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
    make = partial(make_operator, propose=propose and lock is not None, package=package)
    where = folder if cluster is None else folder.resolve()

    def made(names: Sequence[str]) -> Iterator[OperatorCorpus]:
        calls = [(where, stem, profile, tuple(selection)) for stem in names]
        if cluster is not None:
            return cluster.results(make, calls, where)
        return in_processes(make, calls, jobs)

    if kept is None or selection:
        operators = made(stems)
    elif cluster is None:
        operators = _made_or_kept(
            kept, stems, lambda names: in_processes(kept.make, [(name,) for name in names], jobs)
        )
    else:
        operators = _made_or_kept(kept, stems, lambda names: _keeping(kept, made(names)))
    for operator in operators:
        ids += [made.listed.id for made in operator.vectors]
        if operator.vectors or operator.lost or operator.unlisted:
            yield operator
    if lock is None:
        require_matched(selection, ids)


def _made_or_kept(
    kept: Keeper,
    stems: Sequence[str],
    make: Callable[[Sequence[str]], Iterator[OperatorCorpus]],
) -> Iterator[OperatorCorpus]:
    found = {stem: kept.operator(stem) for stem in stems}
    made = make([stem for stem in stems if found[stem] is None])
    for stem in stems:
        operator = found.pop(stem)
        yield next(made) if operator is None else operator
    for _ in made:  # none is left: lets the processes end
        raise AssertionError("more was made than was asked for")


def _keeping(kept: Keeper, operators: Iterable[OperatorCorpus]) -> Iterator[OperatorCorpus]:
    for operator in operators:
        kept.keep(operator)
        yield operator


def require_matched(selection: Iterable[str], ids: Iterable[str]) -> None:
    """Raise IncompleteError for the first pattern that matches none of the ids."""
    index = IdIndex(ids)
    for pattern in selection:
        if not index.matching(pattern):
            raise IncompleteError(index.explain(pattern))


def require_as_listed(
    differing: Sequence[str], lost: Sequence[str], unlisted: Sequence[str]
) -> None:
    """Raise BadInputError if what was made is not what the lock lists.

    Args:
        differing: the ids of vectors that come out otherwise.
        lost: a line for each vector that no spec has.
        unlisted: a line for each case that the lock does not have.
    """
    if differing:
        raise BadInputError(
            f"{len(differing)} vectors come out otherwise than the lock lists them:"
            f" {', '.join(differing[:_NAMED])}; if that is meant, rule on it below `corrected:` of"
            f" specs/{RULINGS_FILE} (no need where they are in no release yet), and run"
            " `onnx-vectors admit --write`"
        )
    if lost:
        raise BadInputError(_first_of(lost))
    if unlisted:
        raise BadInputError(
            f"{_first_of(unlisted)}; `onnx-vectors admit` shows what the rules propose,"
            " and `--write` admits it"
        )


def _first_of(lines: Sequence[str]) -> str:
    more = f" (and {len(lines) - 1} more)" if len(lines) > 1 else ""
    return f"{lines[0]}{more}"
