"""Measures one operator: every mutant before its vectors, in several processes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from onnx_conformance.core.errors import IncompleteError
from onnx_conformance.generators.interpreter import installed_signatures

from ..guarding import Progress, guarded
from ..mutants.equivalents import arguments_for, key_of
from ..mutants.mutant import Mutant, all_mutants
from ..names import name_of
from ..vectors import Loaded
from .drawing import trial_of
from .judged_vectors import JudgedVectors
from .status import Begun, Finding, Looking, Status, percent_of
from .trial import Trial, share_of


@dataclass(frozen=True)
class Measured:
    """What was found of an operator.

    Attributes:
        name: of the operator, with its domain.
        vectors: how many were judged.
        calls: how many different calls they make.
        samples: how many calls beyond them were tried.
        findings: what became of each mutant.
        argued: of survivors, why no vector can kill them, by name.
        failures: (id, message) of vectors that the oracle itself does not pass.
        covers: the requirements of each case that all mutants were tried on.
        upstream_vectors, upstream_killed: of ONNX's own node tests and the same mutants.
        partly_tried: how many survivors were not tried on everything that concerns them.
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
    partly_tried: int = 0

    def count(self, status: Status) -> int:
        """How many mutants have a status; those that are argued away apart."""
        return sum(item.status is status and item.name not in self.argued for item in self.findings)

    @property
    def percent(self) -> float:
        """Killed, of those that can be told apart."""
        return percent_of(self.count(Status.KILLED), self.count(Status.SURVIVED))


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
    name = name_of(domain, operator)
    installed_signatures().versions(domain, operator)  # one that has none is an error
    evidence = JudgedVectors(vectors, domain, operator)
    if not evidence.by_id:
        raise IncompleteError(
            f"{vectors} has no vector of {name}; `onnx-vectors generate --output DIR"
            f" '{operator.lower()}-*/*'` writes those of a spec"
        )
    trial = trial_of(evidence, effort.samples)
    mutants = list(all_mutants(domain, operator, trial.recall))
    findings, partly_tried = findings_of(trial, mutants, effort.jobs, effort.looking)
    theirs, killed = 0, 0
    if upstream is not None:
        other = JudgedVectors(upstream, domain, operator)
        theirs = len(other.by_id)
        if theirs:
            found, _ = findings_of(trial_of(other, 0), mutants, effort.jobs)
            killed = sum(item.status is Status.KILLED for item in found)
    return Measured(
        name=name,
        vectors=len(evidence.by_id),
        calls=len(trial.questions),
        samples=len(trial.samples),
        findings=tuple(findings),
        argued=argued_of(domain, operator, findings),
        failures=tuple(trial.failures),
        covers=covers_of(evidence.by_id.values(), trial.cases()),
        upstream_vectors=theirs,
        upstream_killed=killed,
        partly_tried=partly_tried,
    )


def argued_of(domain: str, operator: str, findings: Iterable[Finding]) -> dict[str, str]:
    """Of survivors, why no vector can kill them, by name."""
    argued = arguments_for(domain, operator)
    names = (item.name for item in findings if item.status is not Status.KILLED)
    return {name: argued[key] for name in names if (key := key_of(name)) in argued}


def covers_of(by_id: Iterable[Loaded], cases: set[str]) -> dict[str, tuple[str, ...]]:
    """The requirements of each of some cases that gets as far as the operator."""
    return {
        item.vector.case: item.vector.covers
        for item in by_id
        if item.calls and item.vector.case in cases
    }


_Task = tuple[int, "Begun | None", int]


def findings_of(
    trial: Trial, mutants: Sequence[Mutant], jobs: int, looking: Looking = Looking.FIRST
) -> tuple[list[Finding], int]:
    """What becomes of each mutant, in their order, and how many could be tried on more.

    All are tried on what is cheap, and what is left over is shared by survivors: each number is
    the same however many processes there are.
    """

    def work(task: _Task, progress: Progress) -> Begun:
        index, begun, most = task
        trial.progress = progress
        if begun is None:
            return trial.begun(mutants[index], looking)
        return trial.continued(mutants[index], begun, looking, most)

    def died(task: _Task, place: tuple[int, int]) -> Begun:
        return trial.ended(mutants[task[0]], place)

    begun = guarded(work, [(index, None, 0) for index in range(len(mutants))], jobs, died)
    for status in (Status.EQUIVALENT, Status.SURVIVED):
        left = [
            index
            for index, item in enumerate(begun)
            if not item.done and item.finding.status is status
        ]
        most = share_of(status, len(left))
        found = guarded(work, [(index, begun[index], most) for index in left], jobs, died)
        for index, item in zip(left, found, strict=True):
            begun[index] = item
    return [item.finding for item in begun], sum(not item.done for item in begun)
