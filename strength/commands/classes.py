"""`python -m strength classes`: mutants that are wrong for one class of element types alone.

A runtime has kernels of its own for strings, for packed types, and so on. So each mutant is put
before the vectors as it would be in such a kernel: wrong where the main input is of the class, and
right everywhere else. Those that the vectors of the rule `classes` kill, and no other vector, are
what the rule is for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import IncompleteError
from onnx_conformance.generators.corpus.lock import lock_beside
from onnx_conformance.generators.oracle.registry import Call, Result
from onnx_conformance.generators.planning.classes import CLASSES
from onnx_conformance.generators.planning.reading import read_specs
from onnx_conformance.generators.planning.type_classes import class_of_type

from ..interfaces import Answer
from ..mutants.mutant import Mutant, all_mutants
from ..names import slug_of, split_name
from ..trying.comparing import differs
from ..trying.drawing import trial_of
from ..trying.judged_vectors import JudgedVectors
from ..trying.question import Question
from .options import ROOT, add_operators, add_samples, add_vectors

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_operators(parser, "an operator, e.g. Squeeze; may be given again")
    add_vectors(parser)
    add_samples(parser)
    parser.add_argument("--killers", action="store_true", help="say which vectors alone kill what")


def execute(arguments: argparse.Namespace) -> int:
    """Measure, and print a line for each operator; the exit code says nothing of what is found."""
    every = []
    for name in arguments.operator:
        found = _Kernels(name, arguments.vectors, arguments.samples).measured()
        every.append(found)
        print(f"{name}: {found.words()}", flush=True)
        for vector, mutants in sorted(found.alone.items()) if arguments.killers else ():
            print(f"    {len(mutants)} {vector}  {mutants[0]}", flush=True)
    if len(every) > 1:
        print(f"all: {sum_of(every).words()}")
    return 0


@dataclass(frozen=True)
class Kills:
    """How many mutants of a class are killed by what stood, by the rule's vectors, or survive.

    Attributes:
        before, after, survive: of each how many.
        vectors: how many vectors of the rule there are.
        alone: the mutants that only vectors of the rule kill, by each that does.
    """

    before: int
    after: int
    survive: int
    vectors: int
    alone: Mapping[str, Sequence[str]]

    def words(self) -> str:
        """In one line."""
        every = self.before + self.after + self.survive
        return (
            f"{self.before} of {every} mutants of a class are killed by what stood,"
            f" {self.after} more by {len(self.alone)} of {self.vectors} vectors of the rule"
        )


def sum_of(each: Sequence[Kills]) -> Kills:
    """What was found of several operators."""
    return Kills(
        sum(item.before for item in each),
        sum(item.after for item in each),
        sum(item.survive for item in each),
        sum(item.vectors for item in each),
        {vector: mutants for item in each for vector, mutants in item.alone.items()},
    )


class _Kernels:
    """The mutants of an operator, each in the kernel of one class of element types."""

    def __init__(self, name: str, vectors: Path, samples: int) -> None:
        domain, operator = split_name(name)
        evidence = JudgedVectors(vectors, domain, operator)
        lock = lock_beside(ROOT / "specs")
        if not evidence.by_id or lock is None:
            raise IncompleteError(f"{vectors} has no vector of {name}")
        slug = slug_of(domain, operator)
        _, (spec,) = read_specs(ROOT / "specs", (slug,))
        self._newest = spec.versions[max(spec.versions)]
        self._added = {
            item.id
            for item in lock.lines([slug])
            if item.rule == CLASSES and item.id in evidence.by_id
        }
        self._trial = trial_of(evidence, samples)

    def measured(self) -> Kills:
        """Each mutant in each class that some vector has."""
        domain, operator = self._trial.evidence.target
        recall = self._trial.recall
        mutants = list(all_mutants(domain, operator, recall))
        asked, beyond = self._by_class(self._trial.questions), self._by_class(self._trial.samples)
        counts: Counter[str] = Counter()
        alone: dict[str, list[str]] = {}
        for kind, mutant in product(asked, mutants):
            of_corpus = [item for item in asked[kind] if item.concerns(mutant)]
            further = [item for item in beyond.get(kind, ()) if item.concerns(mutant)]
            answer = self._in_class(kind, mutant) if of_corpus or further else None
            if answer is None:
                continue
            killers = self._killers(of_corpus, answer)
            if killers - self._added:
                counts["before"] += 1
            elif killers:
                counts["after"] += 1
                for vector in sorted(killers):
                    alone.setdefault(vector, []).append(f"{kind}: {mutant.name}")
            elif any(differs(item, answer, item.patience) for item in further):
                counts["survive"] += 1
        return Kills(counts["before"], counts["after"], counts["survive"], len(self._added), alone)

    def _class_of(self, call: Call) -> str:
        """The class of a call's main type at the newest version; '' of others."""
        text = call.types.get(self._newest.main_variable or "")
        if text is None or call.since_version != self._newest.since_version:
            return ""
        return class_of_type(text)

    def _by_class(self, questions: Sequence[Question]) -> Mapping[str, Sequence[Question]]:
        found: dict[str, list[Question]] = {}
        for question in questions:
            if kind := self._class_of(question.call):
                found.setdefault(kind, []).append(question)
        return found

    def _in_class(self, kind: str, mutant: Mutant) -> Answer | None:
        """What answers as a mutant where the main type is of a class; None if it does not load."""
        try:
            wrong = mutant.make()
        except Exception:
            return None  # any vector notices what does not load

        def answer(call: Call) -> Result:
            return wrong(call) if self._class_of(call) == kind else self._trial.recall(call)

        return answer

    def _killers(self, asked: Sequence[Question], answer: Answer) -> frozenset[str]:
        """The vectors that kill; the first that is not of the rule ends the search."""
        killers: set[str] = set()
        # What stood is asked first: for most mutants that is all that is needed.
        for question in sorted(asked, key=lambda item: self._added.issuperset(item.vectors)):
            if not differs(question, answer, question.patience):
                continue
            for vector in sorted(question.vectors, key=self._added.__contains__):
                if self._trial.evidence.notice(vector, answer, question.patience).noticed:
                    killers.add(vector)
                    if vector not in self._added:
                        return frozenset(killers)
        return frozenset(killers)
