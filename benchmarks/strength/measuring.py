"""Measures one operator: every mutant before its vectors, in several processes."""

from __future__ import annotations

import multiprocessing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import IncompleteError
from onnx_conformance.generators.interpreter import installed_signatures

from .assessing import Fate, Looking
from .draws import trial_for
from .equivalents import arguments_for, key_of
from .evidence import Evidence
from .mutants import all_mutants

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from .assessing import Finding, Trial
    from .evidence import Exhibit
    from .mutants import Mutant

_CHUNK = 8


@dataclass(frozen=True)
class Measured:
    """What was found of an operator.

    Attributes:
        name: of the operator, with its domain.
        vectors: how many were judged.
        calls: how many different calls they make.
        samples: how many calls beyond them were tried.
        findings: what became of each mutant.
        argued: of mutants that live, why no vector can kill them, by name.
        failures: (id, message) of vectors that the oracle itself does not pass.
        covers: the requirements of each case that all mutants were tried on.
        upstream_vectors, upstream_killed: of ONNX's own node tests and the same mutants.
    """

    name: str
    vectors: int
    calls: int
    samples: int
    findings: tuple[Finding, ...]
    argued: Mapping[str, str]
    failures: tuple[tuple[str, str], ...]
    covers: Mapping[str, tuple[str, ...]]
    upstream_vectors: int = 0
    upstream_killed: int = 0

    def count(self, fate: Fate) -> int:
        """How many mutants have a fate; those that are argued away apart."""
        return sum(item.fate is fate and item.name not in self.argued for item in self.findings)

    @property
    def percent(self) -> float:
        """Killed, of those that can be told apart; 100 where there are none."""
        killed, living = self.count(Fate.KILLED), self.count(Fate.SURVIVING)
        return 100.0 * killed / (killed + living) if killed + living else 100.0


@dataclass(frozen=True)
class Effort:
    """How much is done.

    Attributes:
        jobs: processes.
        samples: calls beyond the corpus that are tried on what survives.
        looking: how long to look for vectors that kill a mutant.
    """

    jobs: int = 1
    samples: int = 1000
    looking: Looking = Looking.FIRST


def measure(
    domain: str,
    operator: str,
    vectors: Path,
    effort: Effort = Effort(),
    upstream: Path | None = None,
) -> Measured:
    """Put every mutant of an operator before its vectors.

    Args:
        domain: of the operator; '' is ONNX's own.
        operator: what is measured.
        vectors: the folder that has them.
        effort: how much is done.
        upstream: ONNX's own node tests as `onnx-vectors import onnx` writes them.

    Raises BadInputError for an operator that is unknown or has no oracle, and IncompleteError
    where the folder has no vector of it.
    """
    versions = installed_signatures().versions(domain, operator)
    name = f"{domain}:{operator}" if domain else operator
    evidence = Evidence(vectors, domain, operator)
    if not evidence.exhibits:
        raise IncompleteError(
            f"{vectors} has no vector of {name}; `onnx-vectors generate --output DIR"
            f" '{operator.lower()}-*/*'` writes those of a spec"
        )
    by_number = {item.since_version: item for item in versions}
    kind = trial_for(domain, operator)
    trial = kind(evidence, by_number, effort.samples)
    mutants = list(all_mutants(domain, operator, versions, trial.recall))
    findings = _findings(trial, mutants, effort.jobs, effort.looking)
    argued = arguments_for(domain, operator)
    living = {item.name: key_of(item.name) for item in findings if item.fate is not Fate.KILLED}
    theirs, killed = 0, 0
    if upstream is not None:
        other = Evidence(upstream, domain, operator)
        theirs = len(other.exhibits)
        if theirs:
            found = _findings(kind(other, by_number, 0), mutants, effort.jobs)
            killed = sum(item.fate is Fate.KILLED for item in found)
    return Measured(
        name=name,
        vectors=len(evidence.exhibits),
        calls=len(trial.questions),
        samples=len(trial.samples),
        findings=tuple(findings),
        argued={name: argued[key] for name, key in living.items() if key in argued},
        failures=tuple(trial.failures),
        covers=_covers(evidence.exhibits.values(), trial.cases()),
        upstream_vectors=theirs,
        upstream_killed=killed,
    )


def _covers(exhibits: Iterable[Exhibit], cases: set[str]) -> dict[str, tuple[str, ...]]:
    """The requirements of each of some cases that gets as far as the operator."""
    return {
        item.vector.case: item.vector.covers
        for item in exhibits
        if item.calls and item.vector.case in cases
    }


@dataclass
class _Shared:
    """What the processes of a pool inherit by fork: neither a mutant nor a trial can be sent."""

    trial: Trial | None = None
    mutants: Sequence[Mutant] = ()
    looking: Looking = Looking.FIRST


_SHARED = _Shared()


def _findings(
    trial: Trial, mutants: Sequence[Mutant], jobs: int, looking: Looking = Looking.FIRST
) -> list[Finding]:
    """What becomes of each mutant, in their order."""
    if jobs < 2 or len(mutants) < _CHUNK:
        return [trial.finding(mutant, looking) for mutant in mutants]
    _SHARED.trial, _SHARED.mutants, _SHARED.looking = trial, mutants, looking
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        return pool.map(_finding, range(len(mutants)), chunksize=_CHUNK)


def _finding(index: int) -> Finding:
    if _SHARED.trial is None:
        raise RuntimeError("a process without a trial")
    return _SHARED.trial.finding(_SHARED.mutants[index], _SHARED.looking)
