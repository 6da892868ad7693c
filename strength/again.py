"""Measures an operator again that was measured before: each mutant is asked what killed it first.

A mutant that was killed is killed here by a vector, before the same judge, or the operator is
measured from nothing. One that lived is asked the calls of the corpus that are new, and some of
the others and of those beyond the corpus, other ones whenever something changes; for the rest it
is taken as it was: it is made of the same code, and asked the same calls.

A mutant of a table or constant concerns every call, and where the oracle works long it is asked too
few of them to be killed. Those of these that live are asked every vector, once.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from onnx_conformance.generators.interpreter import installed_signatures
from onnx_conformance.generators.oracle.registry import answers, compute

from .assessing import Fate, Finding, Looking, Question
from .deadlines import deadline
from .draws import trial_for
from .equivalents import arguments_for, key_of
from .evidence import Evidence
from .measuring import Measured, _covers, _findings
from .memory import UNLOADED, Kills, Memory, call_digest, kills_of, vector_digest
from .mutants import all_mutants
from .requirements import AROUND, suspicious

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from onnx_conformance.generators.oracle.registry import Call, Result
    from onnx_conformance.generators.signatures.model import Signature

    from .assessing import Trial
    from .mutants import Mutant

    Answer = Callable[[Call], Result]

# How many calls of the corpus, and beyond it, those that live are asked again, about.
_AGAIN, _BEYOND = 10, 10
# Of how many calls made at random these are some, at most.
_MADE = 300
# What share of the calls may be new, before what is remembered says too little.
_NEW = 0.25
# How many vectors of a requirement are tried on how many mutants to see one kill, and how many
# functions the oracle may call for it; and where the requirement was seen to kill nothing.
_LONG, _SHORT = (60, 400, 3_000_000), (4, 60, 100_000)
_PATIENCE = 3.0
# Of how many mutants that nothing remembered kills all vectors are asked, one or two of each call.
_MOST_LOST, _WITNESSES = 12, 2
_LIVING = (Fate.SURVIVING, Fate.ALIKE)
# How many functions the oracle may call for all vectors that mutants of tables are asked, but
# for those that killed others of them.
_OF_TABLES = 40_000_000


@dataclass(frozen=True)
class Again:
    """What was found, and what is remembered now."""

    measured: Measured
    memory: Memory


def measure_again(
    domain: str, operator: str, vectors: Path, memory: Memory, turn: int
) -> Again | None:
    """Put the mutants of an operator before its vectors, as far as what is remembered asks for.

    Args:
        domain: of the operator; '' is ONNX's own.
        operator: what is measured.
        vectors: the folder that has them.
        memory: what became of the mutants last; the code they are made of is the same.
        turn: says which of the calls that were asked before are asked again.

    Returns None where that is not enough to say what becomes of every mutant.
    """
    versions = installed_signatures().versions(domain, operator)
    evidence = Evidence(vectors, domain, operator)
    by_number = {item.since_version: item for item in versions}
    trial = _trial(trial_for(domain, operator), evidence, by_number, memory, turn)
    mutants = list(all_mutants(domain, operator, versions, trial.recall))
    digests = {id(item): call_digest(item.call) for item in trial.questions}
    steps = _steps(trial.questions, digests.values())
    new = sum(item not in memory.calls for item in digests.values())
    if len(mutants) != len(memory.ours.of) or new > _NEW * len(digests) or not evidence.exhibits:
        return None
    bench = _Bench(evidence, mutants, trial.questions)
    found = bench.killed(memory.ours)
    if found is None:
        return None
    covers = _covers(evidence.exhibits.values(), trial.cases())
    shown = tuple(bench.show(found, covers, memory, hasten=not new))
    alive = [index for index, item in enumerate(found) if item is None]
    for index, finding in zip(alive, _asked(trial, mutants, alive, memory, new), strict=True):
        found[index] = finding
    findings = [item for item in found if item is not None]
    more = bench.tables(findings) if memory.hurried and not memory.tables else {}
    findings = [more.get(index, item) for index, item in enumerate(findings)]
    argued = arguments_for(domain, operator)
    living = {item.name: key_of(item.name) for item in findings if item.fate is not Fate.KILLED}
    measured = Measured(
        name=f"{domain}:{operator}" if domain else operator,
        vectors=len(evidence.exhibits),
        calls=len(digests),
        samples=memory.samples,
        findings=tuple(findings),
        argued={name: argued[key] for name, key in living.items() if key in argued},
        failures=tuple(trial.failures),
        covers=covers,
        hurried=max(0, min(memory.hurried - len(more), len(living))),
    )
    now = replace(
        memory,
        ours=kills_of(findings),
        calls=frozenset(steps),
        steps=steps,
        shown=shown,
        suspicious=tuple(suspicious(measured)),
        hurried=measured.hurried,
        tables=True,
    )
    return Again(measured, now)


def remembered(domain: str, operator: str, vectors: Path, measured: Measured, code: str) -> Again:
    """What is remembered of an operator that was measured from nothing.

    Mutants of its tables that live are asked every vector, if they were not.
    """
    nothing = Memory(code, Kills((), ()), frozenset(), measured.samples)
    versions = installed_signatures().versions(domain, operator)
    by_number = {item.since_version: item for item in versions}
    evidence = Evidence(vectors, domain, operator)
    trial = _trial(trial_for(domain, operator), evidence, by_number, nothing, None)
    steps = _steps(trial.questions, (call_digest(item.call) for item in trial.questions))
    if measured.hurried:
        mutants = list(all_mutants(domain, operator, versions, trial.recall))
        more = _Bench(evidence, mutants, trial.questions).tables(measured.findings)
        findings = [more.get(index, item) for index, item in enumerate(measured.findings)]
        killed = {item.name for item in more.values()}
        measured = replace(
            measured,
            findings=tuple(findings),
            argued={name: why for name, why in measured.argued.items() if name not in killed},
            hurried=max(0, measured.hurried - len(more)),
        )
    memory = replace(
        nothing,
        ours=kills_of(measured.findings),
        calls=frozenset(steps),
        steps=steps,
        suspicious=tuple(suspicious(measured)),
        hurried=measured.hurried,
        tables=True,
    )
    return Again(measured, memory)


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
        known: what became of each mutant before the same tests, if that is known: those that lived
            are not asked again.
    """
    evidence = Evidence(upstream, domain, operator)
    if not evidence.exhibits:
        return Theirs(0, Kills((), ()))
    versions = installed_signatures().versions(domain, operator)
    if known is not None:
        mutants = list(all_mutants(domain, operator, versions, compute))
        found = _Bench(evidence, mutants, ()).killed(known)
        if found is not None:
            findings = [item or Finding("", known.fate(at)) for at, item in enumerate(found)]
            return Theirs(len(evidence.exhibits), kills_of(findings))
    by_number = {item.since_version: item for item in versions}
    trial = trial_for(domain, operator)(evidence, by_number, 0)
    mutants = list(all_mutants(domain, operator, versions, trial.recall))
    # As `measure` does.
    findings, _ = _findings(trial, mutants, 1)
    return Theirs(len(evidence.exhibits), kills_of(findings))


def _trial(
    kind: type[Trial],
    evidence: Evidence,
    versions: Mapping[int, Signature],
    memory: Memory,
    turn: int | None,
) -> Trial:
    """What is asked: of the calls that were asked before some, or none where it is no turn."""
    every = max(1, len(memory.calls) // _AGAIN)

    class Glancing(kind):  # type: ignore[misc, valid-type]  of operators that draw, or of others
        """Works out what makes a difference for those calls only that are asked."""

        def asks(self, call: Call) -> bool:
            """Whether those that live are asked a call of the corpus."""
            digest = call_digest(call)
            if turn is None:
                return False
            if digest is None or digest not in memory.calls:
                return True
            return (int.from_bytes(digest.encode()) + turn) % every == 0

        def _question(self, call: Call, seconds: float) -> Question | None:
            """As ever; of a call that is not asked no more is worked out than its answers."""
            known = None if getattr(self, "_is_beyond", False) else call_digest(call)
            if known is None or known not in memory.steps or self.asks(call):
                asked: Question | None = super()._question(call, seconds)
                return asked
            try:
                with deadline(seconds):
                    permitted = tuple(item.result for item in answers(call))
            except Exception:
                return None  # that it takes too long included
            return Question(call, permitted, memory.steps[known], frozenset())

        def _different(self, question: Question, seconds: float) -> frozenset[int] | None:
            if getattr(self, "_is_beyond", False) or self.asks(question.call):
                found: frozenset[int] | None = super()._different(question, seconds)
                return found
            return frozenset()

        def _answered(self, calls: Iterable[Call]) -> list[Question]:
            self._is_beyond = True
            some = list(calls)
            step = max(1, len(some) // _BEYOND)
            found: list[Question] = super()._answered(some[(turn or 0) % step :: step])
            return found

    # No more than were made before: another call may tell apart what was alike.
    return Glancing(evidence, versions, 0 if turn is None else min(_MADE, memory.samples))


def _asked(
    trial: Trial, mutants: Sequence[Mutant], alive: Sequence[int], memory: Memory, new: int
) -> Iterator[Finding]:
    """What becomes of each that lived."""
    trial.questions = [item for item in trial.questions if trial.asks(item.call)]  # type: ignore[attr-defined]
    some = [mutants[index] for index in alive]
    if new:
        findings, _ = _findings(trial, some, 1, Looking.REQUIREMENTS)
    else:
        findings = [trial.begun(item, Looking.REQUIREMENTS).finding for item in some]
    for index, finding in zip(alive, findings, strict=True):
        if finding.fate in (Fate.KILLED, Fate.SURVIVING):
            yield finding
        else:
            fate = memory.ours.fate(index)
            yield Finding(finding.name, fate, f"as before; {finding.by}" if finding.by else "")


class _Bench:
    """The vectors of an operator, and what they say of its mutants."""

    def __init__(
        self, evidence: Evidence, mutants: Sequence[Mutant], questions: Sequence[Question]
    ) -> None:
        self._evidence = evidence
        self._mutants = mutants
        self._questions = questions
        self._answers: dict[int, Answer | None] = {}
        self._patience: dict[str, float] = {}
        for question in questions:
            for identity in question.vectors:
                known = self._patience.get(identity, 0.0)
                self._patience[identity] = max(known, question.patience)
        self._ids: dict[str, list[str]] = {}
        for identity in evidence.exhibits:
            self._ids.setdefault(vector_digest(identity), []).append(identity)

    def killed(self, kills: Kills) -> list[Finding | None] | None:
        """What becomes of those that were killed, and None for others.

        What nothing kills any more lives, as a vector told it apart; None where that are many.
        """
        found: list[Finding | None] = []
        most, lost = kills.most(), 0
        for index, mutant in enumerate(self._mutants):
            if kills.fate(index) is not Fate.KILLED:
                found.append(None)
                continue
            if self._answer(index) is None:
                found.append(Finding(mutant.name, Fate.KILLED, "it does not even load"))
                continue
            first = kills.by(index)
            by = self._first(index, [first, *most] if first is not None else most)
            if by is None:
                lost += 1
                by = self._any(index) if lost <= _MOST_LOST else None
                if not self._questions or lost > _MOST_LOST:
                    return None
            if by is None:
                found.append(Finding(mutant.name, Fate.SURVIVING, "a vector that is gone"))
            else:
                found.append(Finding(mutant.name, Fate.KILLED, by, (self._case(by),)))
        return found

    def tables(self, findings: Sequence[Finding]) -> dict[int, Finding]:
        """Of the mutants of tables that live, those that some vector kills after all.

        Those first that a call beyond the corpus tells apart; as far as can be afforded.
        """
        living = [
            index
            for index, mutant in enumerate(self._mutants)
            if mutant.file and not mutant.lines and findings[index].fate in _LIVING
        ]
        living.sort(key=lambda index: _LIVING.index(findings[index].fate))
        found: dict[int, Finding] = {}
        left = _OF_TABLES
        for index in living:
            # What kills one entry of a table often kills its neighbours.
            by = self._first(index, (vector_digest(item.by) for item in found.values()))
            for question in self._questions if by is None else ():
                left -= question.effort
                if left < 0:
                    break
                by = self._one_of(index, question.vectors[:_WITNESSES])
                if by is not None:
                    break
            if by is not None:
                name = self._mutants[index].name
                found[index] = Finding(name, Fate.KILLED, by, (self._case(by),))
        return found

    def show(
        self,
        found: list[Finding | None],
        covers: Mapping[str, Sequence[str]],
        memory: Memory,
        *,
        hasten: bool,
    ) -> Iterator[tuple[int, str]]:
        """Add cases to what is found until each requirement is seen to kill, and say which.

        Args:
            found: what became of the mutants; those that were killed get further cases.
            covers: the requirements of the cases that matter.
            memory: what added some last, and which requirements were seen to kill nothing.
            hasten: whether these are not tried again.
        """
        left = {name for names in covers.values() for name in names} - {AROUND}
        left -= set(memory.suspicious if hasten else ())
        for item in found:
            left -= {name for case in (item.cases if item else ()) for name in covers.get(case, ())}
        for index, vector in memory.shown:
            if 0 <= index < len(found) and found[index] is not None:
                for identity in self._ids.get(vector, ()):
                    gained = left & set(covers.get(self._case(identity), ()))
                    if gained and self._convicts(index, identity):
                        left -= gained
                        self._add(found, index, identity)
                        yield index, vector
        for name in sorted(left):
            if name not in left:
                continue
            effort = _SHORT if name in memory.suspicious else _LONG
            pair = self._pair(name, found, covers, effort)
            if pair is not None:
                index, identity = pair
                left -= set(covers.get(self._case(identity), ()))
                self._add(found, index, identity)
                yield index, vector_digest(identity)

    def _pair(
        self,
        name: str,
        found: Sequence[Finding | None],
        covers: Mapping[str, Sequence[str]],
        effort: tuple[int, int, int],
    ) -> tuple[int, str] | None:
        """A mutant and a vector of a requirement that kills it; None where few tries find none."""
        most_vectors, most_mutants, most = effort
        tried, spent = 0, 0
        killed = [
            index
            for index, item in enumerate(found)
            if item is not None and item.fate is Fate.KILLED
        ]
        # What many vectors would kill is likely to be what the most telling vector kills.
        by = Counter(item.by for item in found if item is not None)
        killed.sort(key=lambda index: -by[getattr(found[index], "by", "")])
        for question in self._questions:
            concerned = [
                identity
                for identity in question.vectors
                if name in covers.get(self._case(identity), ())
            ]
            for identity in concerned[:1]:
                tried += 1
                for index in killed[:most_mutants]:
                    if self._convicts(index, identity):
                        return index, identity
                    spent += question.effort
                    if spent > most:
                        return None
            if tried >= most_vectors:
                break
        return None

    def _add(self, found: list[Finding | None], index: int, identity: str) -> None:
        item = found[index]
        if item is not None:
            found[index] = replace(item, cases=tuple(sorted({*item.cases, self._case(identity)})))

    def _first(self, index: int, vectors: Iterable[str]) -> str | None:
        """The first of some vectors that kills a mutant."""
        for digest in dict.fromkeys(vectors):
            for identity in self._ids.get(digest, ()):
                if self._convicts(index, identity):
                    return identity
        return None

    def _any(self, index: int) -> str | None:
        """The first vector of all that kills a mutant, of each call one or two."""
        found = (self._one_of(index, question.vectors[:_WITNESSES]) for question in self._questions)
        return next((identity for identity in found if identity is not None), None)

    def _one_of(self, index: int, vectors: Sequence[str]) -> str | None:
        """The first of some vectors that kills a mutant."""
        return next((identity for identity in vectors if self._convicts(index, identity)), None)

    def _convicts(self, index: int, identity: str) -> bool:
        answer = self._answer(index)
        if answer is None:
            return True
        seconds = self._patience.get(identity, _PATIENCE)
        judgement = self._evidence.verdict(identity, answer, seconds)
        return self._evidence.is_conviction(judgement)

    def _answer(self, index: int) -> Answer | None:
        """What a mutant answers with; None where it does not even load."""
        if index not in self._answers:
            try:
                self._answers[index] = self._mutants[index].make()
            except Exception:
                self._answers[index] = None
        return self._answers[index]

    def _case(self, identity: str) -> str:
        return self._evidence.exhibits[identity].vector.case
