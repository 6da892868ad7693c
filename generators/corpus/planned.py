"""What a corpus will hold and what it covers, known before any vector is built."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from onnx_conformance.core.errors import BadInputError

from ..planning.expansion import FULL
from ..specs.reading import spec_files
from ..whole_models.reading import model_spec_file, read_model_spec
from .coverage.operators import OperatorCoverage, operator_coverage
from .lock import lock_beside
from .making import plan_corpus
from .model_vectors import model_coverage, model_ids, planned_models
from .processes import in_processes
from .stems import all_stems, require_own_stems, stems_for


def planned_ids(
    specs: Path,
    profile: str,
    selection: Sequence[str] = (),
    jobs: int = 1,
    package: str = "",
) -> tuple[str, ...]:
    """The ids of the vectors of all specs that a pattern may match, operator by operator.

    Where the rules decide they ask the oracle, which takes minutes for all operators. Raises
    BadInputError if a spec is unusable, or if two specs are about one operator. `package` has the
    oracles of somebody's own operators; it is empty for those here.
    """
    stems = stems_for(specs, all_stems(specs), selection)
    require_own_stems(specs)
    calls = [(specs, stem, profile, package) for stem in stems]
    return tuple(item for ids in in_processes(_planned, calls, jobs) for item in ids)


def _planned(specs: Path, stem: str, profile: str, package: str) -> tuple[str, ...]:
    path = model_spec_file(specs, stem)
    if path is None:
        corpus = plan_corpus(specs, profile, (), (stem,), package)
        return tuple(plan.id for plan in corpus.plans)
    spec = read_model_spec(path, spec_files(specs)[0])
    lock = None if profile == FULL else lock_beside(specs)
    if lock is not None:
        return tuple(line.id for line in lock.lines([spec.slug]))
    return tuple(model_ids(spec))


def operator_coverages(specs: Path, jobs: int = 1, package: str = "") -> Iterator[OperatorCoverage]:
    """What the standard corpus covers, operator by operator, in the order of the specs."""
    return in_processes(_coverage, [(specs, stem, package) for stem in all_stems(specs)], jobs)


def _coverage(specs: Path, stem: str, package: str) -> OperatorCoverage:
    path = model_spec_file(specs, stem)
    if path is None:
        corpus = plan_corpus(specs, operators=(stem,), package=package)
        (spec,) = corpus.specs
        if corpus.lost:
            raise BadInputError(corpus.lost[0])
        return operator_coverage(spec, corpus.plans)
    models = read_model_spec(path, spec_files(specs)[0])
    lock = lock_beside(specs)
    if lock is None:
        return model_coverage(models, planned_models(models))
    lines = lock.lines([models.slug])
    return model_coverage(models, ((line.kind, line.facts.since_version) for line in lines))
