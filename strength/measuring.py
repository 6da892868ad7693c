"""Measures one operator: every mutant before its vectors, in several processes."""

from __future__ import annotations

import multiprocessing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import IncompleteError
from onnx_conformance.generators.interpreter import installed_signatures

from .assessing import Fate, Looking, share_of
from .draws import trial_for
from .equivalents import arguments_for, key_of
from .evidence import Evidence
from .mutants import all_mutants

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from .assessing import Begun, Finding, Trial
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
        hurried: how many mutants live that were not asked everything that concerns them.
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
    hurried: int = 0

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
    findings, hurried = _findings(trial, mutants, effort.jobs, effort.looking)
    argued = arguments_for(domain, operator)
    living = {item.name: key_of(item.name) for item in findings if item.fate is not Fate.KILLED}
    theirs, killed = 0, 0
    if upstream is not None:
        other = Evidence(upstream, domain, operator)
        theirs = len(other.exhibits)
        if theirs:
            found, _ = _findings(kind(other, by_number, 0), mutants, effort.jobs)
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
        hurried=hurried,
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
) -> tuple[list[Finding], int]:
    """What becomes of each mutant, in their order, and how many could be asked more.

    All are asked what is cheap, and what is left over is shared by those that live: each number is
    the same however many processes there are.
    """
    _SHARED.trial, _SHARED.mutants, _SHARED.looking = trial, mutants, looking
    begun = _mapped([(index, None, 0) for index in range(len(mutants))], jobs)
    for fate in (Fate.ALIKE, Fate.SURVIVING):
        left = [
            index for index, item in enumerate(begun) if not item.done and item.finding.fate is fate
        ]
        most = share_of(fate, len(left))
        found = _mapped([(index, begun[index], most) for index in left], jobs)
        for index, item in zip(left, found, strict=True):
            begun[index] = item
    return [item.finding for item in begun], sum(not item.done for item in begun)


def _mapped(tasks: Sequence[tuple[int, Begun | None, int]], jobs: int) -> list[Begun]:
    if jobs < 2 or len(tasks) < _CHUNK:
        return [_begun(task) for task in tasks]
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        return pool.map(_begun, tasks, chunksize=_CHUNK)


def _begun(task: tuple[int, Begun | None, int]) -> Begun:
    if _SHARED.trial is None:
        raise RuntimeError("a process without a trial")
    index, begun, most = task
    mutant = _SHARED.mutants[index]
    if begun is None:
        return _SHARED.trial.begun(mutant, _SHARED.looking)
    return _SHARED.trial.continued(mutant, begun, _SHARED.looking, most)
