"""Measures an operator that was measured before: what killed a mutant then is tried first.

A mutant that was killed is killed here by a vector, before the same judge, or the operator is
measured from nothing. A survivor is tried on the calls of the corpus that are new, and some of
the others and of those beyond the corpus, other ones whenever something changes; for the rest it
is taken as it was: it is made of the same code, and tried on the same calls.

A mutant of a table or constant concerns every call, and where the oracle works long it is tried on
too few of them to be killed. Survivors of these are tried on every vector when an operator is
measured from nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from onnx_conformance.generators.oracle.registry import Call, compute

from ..guarding import guarded_once
from ..mutants.mutant import Mutant, all_mutants
from ..names import name_of
from ..records.history import UNLOADED, History, Kills, call_digest, kills_of
from ..trying.drawing import trial_of
from ..trying.judged_vectors import JudgedVectors
from ..trying.measuring import Measured, argued_of, covers_of, findings_of
from ..trying.question import Plan, Question
from ..trying.requirements import suspicious
from ..trying.status import Finding, Looking, Status
from ..trying.trial import Trial
from .bench import Bench

# On about how many known calls of the corpus, and beyond it, survivors are tried once more.
_KNOWN, _BEYOND = 10, 10
# Of how many calls made at random these are some, at most.
_MADE = 300
# What share of the calls may be new, before what is remembered says too little.
_NEW = 0.25


@dataclass(frozen=True)
class Renewed:
    """What was found, and what is remembered now."""

    measured: Measured
    history: History


def measure_incrementally(
    domain: str, operator: str, vectors: Path, history: History, turn: int
) -> Renewed | None:
    """Put the mutants of an operator before its vectors, as far as what is remembered asks for.

    Args:
        domain: of the operator; '' is ONNX's own.
        operator: what is measured.
        vectors: the folder that has them.
        history: what became of the mutants last; the code they are made of is the same.
        turn: says which of the calls that were tried before are tried once more.

    Returns None where that is not enough to say what becomes of every mutant.
    """
    evidence = JudgedVectors(vectors, domain, operator)
    trial = _trial(evidence, history, turn)
    mutants = list(all_mutants(domain, operator, trial.recall))
    digests = {id(item): call_digest(item.call) for item in trial.questions}
    steps = _steps(trial.questions, digests.values())
    new = sum(item not in history.steps for item in digests.values())
    if len(mutants) != len(history.ours.of) or new > _NEW * len(digests) or not evidence.by_id:
        return None
    bench = Bench(evidence, mutants, trial.questions)
    found = bench.killed(history.ours)
    if found is None:
        return None
    covers = covers_of(evidence.by_id.values(), trial.cases())
    shown = tuple(bench.show(found, covers, history, hasten=not new))
    left = [index for index, item in enumerate(found) if item is None]
    for index, finding in zip(left, _tried(trial, mutants, left, history, new), strict=True):
        found[index] = finding
    findings = [item for item in found if item is not None]
    survived = sum(item.status is not Status.KILLED for item in findings)
    measured = Measured(
        name=name_of(domain, operator),
        vectors=len(evidence.by_id),
        calls=len(digests),
        samples=history.samples,
        findings=tuple(findings),
        argued=argued_of(domain, operator, findings),
        failures=tuple(trial.failures),
        covers=covers,
        partly_tried=max(0, min(history.partly_tried, survived)),
    )
    now = replace(
        history,
        ours=kills_of(findings),
        steps=steps,
        shown=shown,
        suspicious=tuple(suspicious(measured)),
        partly_tried=measured.partly_tried,
    )
    return Renewed(measured, now)


def remembered(domain: str, operator: str, vectors: Path, measured: Measured, code: str) -> Renewed:
    """What is remembered of an operator that was measured from nothing.

    Surviving mutants of its tables are tried on every vector, if they were not.
    """
    nothing = History(code, Kills((), ()), {}, measured.samples)
    evidence = JudgedVectors(vectors, domain, operator)
    trial = _trial(evidence, nothing, None)
    steps = _steps(trial.questions, (call_digest(item.call) for item in trial.questions))
    if measured.partly_tried:
        mutants = list(all_mutants(domain, operator, trial.recall))
        bench = Bench(evidence, mutants, trial.questions)
        more = guarded_once(lambda: bench.tables(measured.findings)) or {}
        findings = [more.get(index, item) for index, item in enumerate(measured.findings)]
        killed = {item.name for item in more.values()}
        measured = replace(
            measured,
            findings=tuple(findings),
            argued={name: why for name, why in measured.argued.items() if name not in killed},
            partly_tried=max(0, measured.partly_tried - len(more)),
        )
    history = replace(
        nothing,
        ours=kills_of(measured.findings),
        steps=steps,
        suspicious=tuple(suspicious(measured)),
        partly_tried=measured.partly_tried,
    )
    return Renewed(measured, history)


def _steps(questions: Iterable[Question], digests: Iterable[str | None]) -> dict[str, int]:
    """How many functions the oracle calls for each call that can be told from others."""
    pairs = zip(digests, questions, strict=True)
    return {digest: item.steps for digest, item in pairs if digest is not None}


@dataclass(frozen=True)
class Theirs:
    """What ONNX's own node tests of an operator kill of its mutants.

    Attributes:
        vectors: how many there are.
        kills: what became of each mutant.
    """

    vectors: int
    kills: Kills

    @property
    def killed(self) -> int:
        """How many they kill."""
        return sum(place >= 0 or place == UNLOADED for place in self.kills.of)


def theirs(domain: str, operator: str, upstream: Path, known: Kills | None) -> Theirs:
    """Put the mutants of an operator before ONNX's own node tests.

    Args:
        domain: of the operator.
        operator: what is measured.
        upstream: the tests, as `onnx-vectors import onnx` writes them.
        known: what became of each mutant before the same tests, if that is known: those that
            survived are not tried once more.
    """
    evidence = JudgedVectors(upstream, domain, operator)
    if not evidence.by_id:
        return Theirs(0, Kills((), ()))
    if known is not None:
        mutants = list(all_mutants(domain, operator, compute))
        bench = Bench(evidence, mutants, ())
        found = guarded_once(lambda: bench.killed(known))
        if found is not None:
            findings = [item or Finding("", known.status(at)) for at, item in enumerate(found)]
            return Theirs(len(evidence.by_id), kills_of(findings))
    trial = trial_of(evidence, 0)
    mutants = list(all_mutants(domain, operator, trial.recall))
    # As `measure` does.
    findings, _ = findings_of(trial, mutants, 1)
    return Theirs(len(evidence.by_id), kills_of(findings))


class _Glance(Plan):
    """Of the calls that were tried before some are tried again, or none where it is no turn."""

    def __init__(self, history: History, turn: int | None) -> None:
        """What was tried is in the history."""
        self._history = history
        self._turn = turn
        self._every = max(1, len(history.steps) // _KNOWN)

    def tries(self, call: Call) -> bool:
        """What is new is tried, and of the rest another part at each turn."""
        if self._turn is None:
            return False
        digest = call_digest(call)
        if digest is None or digest not in self._history.steps:
            return True
        return (int.from_bytes(digest.encode()) + self._turn) % self._every == 0

    def steps(self, call: Call) -> int | None:
        """What the oracle took for it, if it is known and the call is not tried."""
        digest = call_digest(call)
        return None if digest is None or self.tries(call) else self._history.steps.get(digest)

    def beyond(self, calls: Sequence[Call]) -> Sequence[Call]:
        """A few of those beyond the corpus, others at each turn."""
        step = max(1, len(calls) // _BEYOND)
        return calls[(self._turn or 0) % step :: step]


def _trial(evidence: JudgedVectors, history: History, turn: int | None) -> Trial:
    # No more than were made before: another call may tell apart what was equivalent.
    samples = 0 if turn is None else min(_MADE, history.samples)
    return trial_of(evidence, samples, _Glance(history, turn))


def _tried(
    trial: Trial, mutants: Sequence[Mutant], left: Sequence[int], history: History, new: int
) -> Iterator[Finding]:
    """What becomes of each that survived."""
    trial.questions = [item for item in trial.questions if trial.plan.tries(item.call)]
    some = [mutants[index] for index in left]
    if new:
        findings, _ = findings_of(trial, some, 1, Looking.REQUIREMENTS)
    else:
        findings = [trial.begun(item, Looking.REQUIREMENTS).finding for item in some]
    for index, finding in zip(left, findings, strict=True):
        if finding.status in (Status.KILLED, Status.SURVIVED):
            yield finding
        else:
            status = history.ours.status(index)
            yield Finding(finding.name, status, f"as before; {finding.by}" if finding.by else "")
