"""What becomes of a mutant: killed by a vector, told apart by another call only, or equivalent."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from time import process_time
from typing import Any

from onnx_conformance.generators.oracle.errors import InvalidCallError
from onnx_conformance.generators.oracle.registry import Call, Result
from onnx_conformance.generators.signatures.model import Signature

from ..deadlines import deadline
from ..guarding import Progress
from ..interfaces import Answer, Evidence, Oracle
from ..mutants.mutant import Mutant
from .comparing import differs, same_results, told
from .judged_vectors import first_reading, key_of
from .question import EVERYTHING, Budget, Plan, Question, affordable, in_order, numbered
from .sampling import sampled_calls
from .status import NOT_LOADED, Begun, Finding, Looking, Status
from .tracing import counted

# Seconds of the processor that an oracle may take for a call of the sample, and for one of the
# corpus; and a mutant for any.
_USUAL, _LONGEST = 0.5, 10.0
# How many functions the oracle may call for the sample, and how many calls the sample has whatever
# they take, but for costly ones: not seconds, so that a busy machine tries what an idle one
# does.
_MOST_STEPS, _FEWEST = 400_000, 150
_MOST_COSTLY_STEPS, _FEWEST_COSTLY = 1_500_000, 30
# The same for what every mutant is tried on, of the corpus and of the sample, the cheapest first.
_TRIED_FIRST = 40_000
# The same for what all survivors are tried on besides, and what each of them may be of it; and for
# all that the sample tells apart, before they are said to survive.
_BESIDES, _MOST_BESIDES = 60_000_000, 3_000_000
_AT_LAST = 30_000_000
# The same for finding all cases that kill it, once it is killed.
_MOST_REPEATED = 250_000
# Seconds that a call may take while it is watched what makes a difference, those that are spent
# on what mutants have in the place of an expression, and how often it is tried again: an expression
# that may not be worked out twice is known by the next time.
_WATCHED = 10.0
_SHARE, _ALWAYS, _WORTH = 4, 0.005, 0.5
_ATTEMPTS = 5
# How many mutants each requirement is seen to kill before no more are looked for.
_ENOUGH = 3
# Vectors of one call that are put before the judge: they differ in form only.
_WITNESSES = 2
# What a trial notes of its progress: a call of the corpus is tried, or one beyond it.
_OF_CORPUS, _BEYOND = 1, 2


class Trial:
    """The evidence against mutants of one operator."""

    def __init__(
        self,
        evidence: Evidence,
        versions: Mapping[int, Signature],
        samples: int = 1000,
        plan: Plan = EVERYTHING,
    ) -> None:
        """Note the questions of the vectors, and ask as many beyond them as are needed.

        `failures` has the vectors that do not pass with the oracle itself.
        """
        self.evidence = evidence
        self.plan = plan
        domain, operator = evidence.target
        self._oracle = evidence.oracle
        self._watched = self._oracle.watched()
        self._asked: dict[Any, Question | None] = {}
        self.failures = evidence.record(self._ask)
        self.questions = self._questions()
        calls = [item.call for item in self.questions]
        self.questions = numbered(self.questions, self._requirements)
        self._usual = {id(item) for item in affordable(self.questions, _MOST_REPEATED)}
        self._kills: Counter[str] = Counter()
        self.progress = Progress()
        # Whether what was recalled last had to be worked out.
        self._worked = False
        sampled = sampled_calls(calls, versions, samples, f"{domain}.{operator}")
        self.samples = numbered(self._answered(sampled), lambda _question: frozenset())
        self._known = {
            id(item.call): item.permitted[0] for item in (*self.questions, *self.samples)
        }

    def begun(self, mutant: Mutant, looking: Looking = Looking.FIRST) -> Begun:
        """What becomes of a mutant that is tried on what is cheap, and how far that went."""
        if not any(item.concerns(mutant) for item in (*self.questions, *self.samples)):
            reached = mutant.number in self._watched.recorder.reached
            status = Status.EQUIVALENT if reached else Status.NOT_COVERED
            return Begun(Finding(mutant.name, status))
        begun = Begun(Finding(mutant.name, Status.EQUIVALENT), done=False)
        return self.continued(mutant, begun, looking, _TRIED_FIRST)

    def continued(self, mutant: Mutant, begun: Begun, looking: Looking, most: int) -> Begun:
        """What becomes of a mutant that survived so far where it is tried on.

        Args:
            mutant: what is tried.
            begun: how far it came.
            looking: what is looked for.
            most: how many functions the oracle calls for what it is tried on of the corpus, about,
                and of the sample again.
        """
        answer = _made(mutant)
        if answer is None:
            return Begun(Finding(mutant.name, Status.KILLED, NOT_LOADED))
        concerned = [item for item in self.questions if item.concerns(mutant)]
        concerned_beyond = [item for item in self.samples if item.concerns(mutant)]
        tried, sampled = set(begun.tried), set(begun.sampled)
        apart, by = begun.finding.status is Status.SURVIVED, begun.finding.by
        budget = Budget(most, self._is_recalled if mutant.number < 0 else None)
        killers = self._killers(in_order(concerned, tried, budget), answer, looking, budget)
        if not killers and not apart:
            budget = Budget(most, self._is_recalled if mutant.number < 0 else None)
            telling = self._telling(in_order(concerned_beyond, sampled, budget), answer, budget)
            if telling is not None:
                apart, by = True, told(telling.call)
        if killers:
            cases = sorted({self._case(item) for item in killers})
            return Begun(Finding(mutant.name, Status.KILLED, killers[0], tuple(cases)))
        done = len(tried) == len(concerned) and (apart or len(sampled) == len(concerned_beyond))
        reached = frozenset(tried), frozenset(sampled), done
        if apart:
            return Begun(Finding(mutant.name, Status.SURVIVED, by), *reached)
        by = f"{len(sampled)} calls beyond the corpus"
        if not done:
            many = f"{len(tried)} of {len(concerned)} calls"
            by = f"{many} and {len(sampled)} of {len(concerned_beyond)} beyond them"
        return Begun(Finding(mutant.name, Status.EQUIVALENT, by), *reached)

    def ended(self, mutant: Mutant, place: tuple[int, int]) -> Begun:
        """What becomes of a mutant that ended its process, by the call that it was tried on last.

        A runtime that ends is noticed by any vector; one that ends where it is made does not load.
        """
        stage, number = place
        if stage == _BEYOND:
            call = next(item.call for item in self.samples if item.number == number)
            return Begun(Finding(mutant.name, Status.SURVIVED, f"it ends at {told(call)}"))
        if stage == _OF_CORPUS:
            question = next(item for item in self.questions if item.number == number)
            by = question.vectors[0]
            return Begun(Finding(mutant.name, Status.KILLED, by, (self._case(by),)))
        return Begun(Finding(mutant.name, Status.KILLED, NOT_LOADED))

    def _telling(
        self, questions: Iterable[Question], answer: Answer, budget: Budget
    ) -> Question | None:
        """The first call that tells an answer apart; None where none that is paid for does."""
        for question in questions:
            self.progress.note(_BEYOND, question.number)
            if differs(question, answer, question.patience):
                return question
            budget.pay(question)
        return None

    def _requirements(self, question: Question) -> frozenset[str]:
        """What the vectors of a question are for."""
        vectors = [self.evidence.by_id[identity].vector for identity in question.vectors]
        return frozenset(requirement for item in vectors for requirement in item.covers)

    def cases(self) -> set[str]:
        """The cases that every mutant is tried on where all that kill it are looked for."""
        usual = [item for item in self.questions if id(item) in self._usual]
        return {self._case(identity) for item in usual for identity in item.vectors}

    def recall(self, call: Call) -> Result:
        """The oracle's answer, remembered for the calls of the corpus and the sample.

        Of what is open the first reading, which is the first to be worked out.
        """
        if id(call) not in self._known:
            self._worked = True
            return self._oracle.compute(call)
        result = self._known[id(call)]
        if result is None:
            raise InvalidCallError("refused")
        return result

    def _is_recalled(self) -> bool:
        """Whether nothing was worked out since this was asked last, but recalled."""
        recalled, self._worked = not self._worked, False
        return recalled

    def _killers(
        self, questions: Iterable[Question], answer: Answer, looking: Looking, budget: Budget
    ) -> list[str]:
        """The vectors that catch: the first, and others that show what is still looked for."""
        found: list[str] = []
        known: set[str] = set()
        slow = 0
        for question in questions:
            asking = question.vectors
            if found:
                asking = [item for item in asking if self._shows(item, looking) - known]
            usual = (
                not found or id(question) in self._usual
            )  # what is costly is tried until one kills
            self.progress.note(_OF_CORPUS, question.number)
            is_other = bool(asking) and usual and differs(question, answer, question.doubt)
            budget.pay(question)
            for identity in asking[:_WITNESSES] if is_other else ():
                notice = self.evidence.notice(identity, answer, question.patience)
                slow += notice.late
                if notice.noticed:
                    found.append(identity)
                    budget.left = sys.maxsize  # the others are limited to what is usual
                    known |= self._shows(identity, looking)
                    self._kills.update(self.evidence.by_id[identity].vector.covers)
                    break
            if slow or (found and looking is Looking.FIRST):
                break  # an endless loop is an endless loop
        return found

    def _shows(self, identity: str, looking: Looking) -> set[str]:
        """What a vector that kills shows: its case, or what that covers and few kills show yet."""
        vector = self.evidence.by_id[identity].vector
        if looking is Looking.CASES:
            return {vector.case}
        return {item for item in vector.covers if self._kills[item] < _ENOUGH}

    def _ask(self, call: Call) -> Result:
        """The oracle's answer to a call of the corpus, worked out once."""
        key = key_of(call)
        if call.readings or not self.evidence.noting:
            return self._oracle.compute(call)  # of a subgraph: by itself it is no question
        if key not in self._asked:
            self._asked[key] = self._question(call, _LONGEST)
        question = self._asked[key]
        if question is None:
            return self._oracle.compute(call)
        result = question.permitted[0]
        if result is None:
            raise InvalidCallError("refused")
        return result

    def _questions(self) -> list[Question]:
        """Each call once, the vectors of plain form first."""
        found: dict[int, Question] = {}
        ordered = sorted(
            self.evidence.by_id.items(),
            key=lambda item: (item[1].vector.form != "static", item[0]),
        )
        for identity, loaded in ordered:
            for call in loaded.calls:
                question = self._asked.get(key_of(call))
                if question is not None:
                    found.setdefault(id(question), question).vectors.append(identity)
        return list(found.values())

    def _question(self, call: Call, seconds: float, *, beyond: bool = False) -> Question | None:
        """A call with its answers; None where the oracle takes longer, or has none.

        Of one that is not tried no more is worked out than its answers.
        """
        known = None if beyond else self.plan.steps(call)
        if known is not None:
            permitted = _permitted(self._oracle, call, seconds)
            return None if permitted is None else Question(call, permitted, known, frozenset())
        begun = process_time()
        try:
            with deadline(seconds), counted() as trace:
                permitted = tuple(self._oracle.permitted(call))
        except Exception:
            return None  # too long, or a call that no model can make, of which nobody knows
        question = Question(call, permitted, trace.steps)
        if not beyond and not self.plan.tries(call):
            return replace(question, different=frozenset())
        taken = process_time() - begun
        seconds = min(_SHARE * taken + _ALWAYS, _WORTH)
        return replace(question, different=self._different(question, seconds))

    def _different(self, question: Question, seconds: float) -> frozenset[int] | None:
        """The mutants that can make a difference; None where that cannot be found out."""
        recorder = self._watched.recorder
        for _ in range(_ATTEMPTS):
            self.evidence.noting = False
            self._watched.begin(seconds)
            try:
                with deadline(_WATCHED):
                    result: Result | None = first_reading(self._watched.answer, question.call)
            except InvalidCallError:
                result = None
            except Exception:
                if not recorder.spoiled:
                    return None
            finally:
                recorder.end()
                self.evidence.noting = True
            if not recorder.spoiled:
                known = same_results(question, question.permitted[0], result)
                return frozenset(recorder.different) if known else None
        return None

    def _answered(self, calls: Sequence[Call]) -> list[Question]:
        """The calls that the oracle answers, until it has worked enough."""
        questions: list[Question] = []
        steps = 0
        for call in self.plan.beyond(calls):
            question = self._question(call, _USUAL, beyond=True)
            if question is not None:
                questions.append(question)
                steps += question.steps
            if steps > _MOST_STEPS and len(questions) >= _FEWEST:
                break
            if steps > _MOST_COSTLY_STEPS and len(questions) >= _FEWEST_COSTLY:
                break
        return questions

    def _case(self, identity: str) -> str:
        return self.evidence.by_id[identity].vector.case


def share_of(status: Status, many: int) -> int:
    """On how much each of so many mutants is tried besides what is cheap, by what they survived."""
    if status is Status.SURVIVED:
        return _AT_LAST // max(1, many)
    return min(_BESIDES // max(1, many), _MOST_BESIDES)


def _permitted(oracle: Oracle, call: Call, seconds: float) -> tuple[Result | None, ...] | None:
    try:
        with deadline(seconds):
            return tuple(oracle.permitted(call))
    except Exception:
        return None  # that it takes too long included


def _made(mutant: Mutant) -> Answer | None:
    try:
        return mutant.make()
    except Exception:
        return None
