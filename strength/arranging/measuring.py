"""What becomes of the mutants of one operator that arrange: few vectors, calls at random, all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from onnx_conformance.core.errors import IncompleteError
from onnx_conformance.generators.interpreter import installed_signatures
from onnx_conformance.generators.oracle.registry import Call, answers
from onnx_conformance.generators.signatures.model import Signature

from ..deadlines import deadline
from ..guarding import Progress
from ..interfaces import Answer
from ..mutants.mutant import asking
from ..names import name_of
from ..trying.comparing import differs, told
from ..trying.drawing import draws, lawful
from ..trying.judged_vectors import first_reading
from ..trying.question import Question
from ..trying.sampling import sampled_calls
from ..trying.status import Finding, Status
from .arrangements import arrangement_mutants
from .evidence import Asked, Evidence, Remembered, changes, elements_of, in_turn
from .formulas import Formulas

# Of how many vectors every mutant is asked before calls at random say whether it differs at all,
# and how many elements one of these may have; and how many calls at random.
_FEW, _SMALL = 60, 4096
_SAMPLES, _SMALL_SAMPLE = 100, 512
# Seconds of the processor that a mutant may take for a vector, and the oracle for a call at random.
_PATIENCE, _USUAL = 2.0, 0.25
# What is noted of the progress: a vector is asked, or a call at random.
_OF_VECTORS, _AT_RANDOM = 1, 2


@dataclass(frozen=True)
class Arranged:
    """What was found of an operator.

    Attributes:
        name: of the operator, with its domain.
        vectors: how many there are that can tell.
        findings: what became of each mutant.
    """

    name: str
    vectors: int
    findings: tuple[Finding, ...]

    def named(self, status: Status) -> list[str]:
        """The mutants of a status."""
        return [item.name for item in self.findings if item.status is status]


@dataclass(frozen=True)
class _Mutant:
    """A mutant, and for one of a formula its number among these; -1 for others.

    `make` gives what answers, from the oracle's answers.
    """

    name: str
    make: Callable[[Answer], Answer]
    formula: int = -1


class _Trial:
    """The mutants of an operator that live, and what tells them apart."""

    def __init__(
        self, evidence: Evidence, versions: Sequence[Signature], progress: Progress
    ) -> None:
        self._evidence = evidence
        self._versions = {item.since_version: item for item in versions}
        self._progress = progress
        self._formulas = Formulas(*evidence.target)
        self.mutants = [
            *(
                _Mutant(f"arranged: {name}", partial(asking, slip))
                for name, slip in arrangement_mutants(versions)
            ),
            *(_Mutant(item.name, _once(item.make), item.number) for item in self._formulas.mutants),
        ]

    def killed_by(self, asked: Asked, living: Iterable[int]) -> dict[int, str]:
        """Those of some mutants that a vector kills."""

        def kills(answer: Answer) -> bool:
            if not changes(asked, answer, _PATIENCE):
                return False
            return self._evidence.notices(asked, answer, _PATIENCE)

        return dict.fromkeys(
            self._told(living, asked.calls, asked.remembered, kills, _OF_VECTORS), asked.id
        )

    def apart(self, living: Sequence[int], calls: Sequence[Call]) -> dict[int, Call]:
        """Of the mutants that live, those that a call at random tells apart, with the call.

        `calls` are what these are made from.
        """
        if not living or not calls:
            return {}
        small = [call for call in calls if elements_of(call) <= _SMALL_SAMPLE]
        found: dict[int, Call] = {}
        left = list(living)
        for question in _questions(small or calls[:1], self._versions, self._evidence.target):
            tells = partial(differs, question, seconds=_PATIENCE)
            told_apart = self._told(left, [question.call], Remembered(), tells, _AT_RANDOM)
            found.update(dict.fromkeys(told_apart, question.call))
            left = [index for index in left if index not in found]
            if not left:
                break
        return found

    def _told(
        self,
        living: Iterable[int],
        calls: Sequence[Call],
        remembered: Remembered,
        tells: Callable[[Answer], bool],
        stage: int,
    ) -> Iterator[int]:
        """Those of some mutants whose answers tell; of formulas, of those that calls can tell."""
        different: frozenset[int] | None = None
        for index in living:
            mutant = self.mutants[index]
            if mutant.formula >= 0:
                different = self._different(calls) if different is None else different
                if mutant.formula not in different:
                    continue
            self._progress.note(stage, index)
            if tells(mutant.make(remembered.answer)):
                yield index

    def _different(self, calls: Iterable[Call]) -> frozenset[int]:
        found: frozenset[int] = frozenset()
        for call in calls:
            try:
                with deadline(_PATIENCE):
                    found |= self._formulas.different(call, first_reading)
            except Exception:
                found |= self._formulas.seen()  # a refusal, or too long: what was noted so far
        return found


def _once(make: Callable[[], Answer]) -> Callable[[Answer], Answer]:
    """Makes a mutant that asks no oracle, the first time that it is needed."""
    made = cache(make)
    return lambda _oracle: made()


def measure(
    domain: str,
    operator: str,
    folder: Path,
    ended: frozenset[int] = frozenset(),
    progress: Progress | None = None,
) -> Arranged:
    """Put the mutants of an operator before its vectors.

    Args:
        domain: of the operator; '' is ONNX's own.
        operator: what is measured.
        folder: has the vectors.
        ended: the numbers of mutants that end their process.
        progress: where the number of the mutant is noted that is asked.

    Raises IncompleteError where the folder has no vector of it that has a result.
    """
    name = name_of(domain, operator)
    evidence = Evidence(folder, domain, operator)
    if not evidence.entries:
        raise IncompleteError(f"{folder} has no vector of {name} with a result")
    versions = installed_signatures().versions(domain, operator)
    trial = _Trial(evidence, versions, progress or Progress())
    killed: dict[int, str] = dict.fromkeys(ended, "it ends its process")
    living = [index for index in range(len(trial.mutants)) if index not in killed]
    calls: list[Call] = []
    first = evidence.entries[:_FEW]
    rest = list(evidence.entries[_FEW:])
    for asked in in_turn(evidence, first):
        if not living:
            break
        if asked.elements > _SMALL:
            rest.extend(item for item in first if item.id == asked.id)
            continue
        calls += asked.calls
        killed.update(trial.killed_by(asked, living))
        living = [index for index in living if index not in killed]
    apart = trial.apart(living, calls)
    survived = list(apart)
    for asked in in_turn(evidence, rest if survived else ()):
        killed.update(trial.killed_by(asked, survived))
        survived = [index for index in survived if index not in killed]
        if not survived:
            break
    findings = []
    for index, mutant in enumerate(trial.mutants):
        if index in killed:
            findings.append(Finding(mutant.name, Status.KILLED, killed[index]))
        elif index in apart:
            findings.append(Finding(mutant.name, Status.SURVIVED, told(apart[index])))
        else:
            findings.append(Finding(mutant.name, Status.EQUIVALENT))
    return Arranged(name, len(evidence.entries), tuple(findings))


def _questions(
    calls: Sequence[Call], versions: Mapping[int, Signature], target: tuple[str, str]
) -> list[Question]:
    """Calls at random, which the oracle answers soon, with what may be answered."""
    found = []
    for call in sampled_calls(calls, versions, _SAMPLES, "arranged {}.{}".format(*target)):
        permitted = _permitted(call)
        if permitted is None or permitted == (None,):
            continue  # nobody knows, or what every mutant refuses, too, or should have refused
        if draws(*target):
            permitted = tuple(map(lawful, permitted))
        found.append(Question(call, permitted, 0))
    return found


def _permitted(call: Call) -> tuple[Any, ...] | None:
    """What may be answered; None where that takes too long, or no model can make the call."""
    try:
        with deadline(_USUAL):
            return tuple(item.result for item in answers(call))
    except Exception:
        return None
