"""Calls with what may be answered, and the order in which mutants are tried on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.values.tensors import Tensor

if TYPE_CHECKING:
    from onnx_conformance.generators.oracle.registry import Call, Result

    from ..mutants.mutant import Mutant

# Seconds of the processor that a mutant may take for any call, for the cheapest, and what the work
# of the oracle adds.
_PATIENCE = 3.0
_LEAST_PATIENCE, _STEPS_A_SECOND = 0.3, 20_000
# The same before the judge is called, which has the last word.
_LEAST_DOUBT, _STEPS_BEFORE_DOUBT = 0.05, 100_000
# How many questions are chosen for what they have that others have not.
_VARIED = 150


@dataclass(frozen=True)
class Question:
    """A call with what may be answered.

    Attributes:
        permitted: a result for each reading, None where the call is invalid.
        different: numbers of the mutants that can make a difference; None where nobody knows.
        steps: how many functions the oracle calls for it.
        vectors: ids of those that ask it.
        number, turn: its place among those of the corpus, or beyond it, where the cheapest come
            first, and where the most varied do.
        nearest: of each grid in the results, by its identity, the elements as its type has them;
            filled where it is needed.
    """

    call: Call
    permitted: tuple[Result | None, ...]
    steps: int
    different: frozenset[int] | None = None
    vectors: list[str] = field(default_factory=list)
    number: int = 0
    turn: int = 0
    nearest: dict[int, Sequence[Any]] = field(default_factory=dict)

    @property
    def effort(self) -> int:
        """How many functions an oracle calls for one reading of it."""
        return self.steps // max(1, len(self.permitted))

    @property
    def patience(self) -> float:
        """Seconds of the processor that a mutant may take for it: far more than the oracle does."""
        return min(_LEAST_PATIENCE + self.effort / _STEPS_A_SECOND, _PATIENCE)

    @property
    def doubt(self) -> float:
        """Seconds after which a mutant may be one that does not end."""
        return min(_LEAST_DOUBT + self.effort / _STEPS_BEFORE_DOUBT, _PATIENCE)

    def concerns(self, mutant: Mutant) -> bool:
        """Whether what a mutant changes makes a difference on the way to the oracle's answer."""
        return not mutant.in_call or self.different is None or mutant.number in self.different


class Plan:
    """Which calls are tried on mutants: all of them."""

    def tries(self, _call: Call) -> bool:
        """Whether a call of the corpus is tried."""
        return True

    def steps(self, _call: Call) -> int | None:
        """How many functions the oracle calls for one that is not, if that is known."""
        return None

    def beyond(self, calls: Sequence[Call]) -> Sequence[Call]:
        """The calls beyond the corpus that are tried, of those that were made."""
        return calls


#: No call is left out.
EVERYTHING = Plan()


def affordable(questions: Sequence[Question], most: int) -> list[Question]:
    """The first questions, as many as take no more steps than these together."""
    found: list[Question] = []
    steps = 0
    for question in questions:
        steps += question.steps
        if found and steps > most:
            break
        found.append(question)
    return found


@dataclass
class Budget:
    """On how much a mutant may still be tried.

    Attributes:
        left: so many functions may the oracle call for it.
        is_free: of a mutant that asks the oracle, whether an answer was recalled, which shows
            when it was asked only.
    """

    left: int
    is_free: Callable[[], bool] | None

    def allows(self, question: Question) -> bool:
        """Whether there is enough for a question."""
        return self.left >= (question.effort if self.is_free is None else 0)

    def pay(self, question: Question) -> None:
        """Take out what a question took."""
        if self.is_free is None or not self.is_free():
            self.left -= question.effort


def in_order(questions: Sequence[Question], tried: set[int], budget: Budget) -> Iterator[Question]:
    """The questions that are paid for, and one whatever it takes; their numbers are noted.

    The cheapest first, later the most varied: what is cheap differs in little.
    """
    left = [item for item in questions if item.number not in tried]
    if tried:
        left.sort(key=lambda item: item.turn)
    for question in left:
        if not tried or budget.allows(question):
            tried.add(question.number)
            yield question


def numbered(
    questions: Sequence[Question], more: Callable[[Question], frozenset[Any]]
) -> list[Question]:
    """The cheapest first, which may be enough; `more` is what a question is like, but its call."""
    ordered = sorted(questions, key=lambda item: item.steps)
    traits = [_traits(item.call) | more(item) for item in ordered]
    turns = turns_of([item.effort for item in ordered], traits)
    return [replace(item, number=number, turn=turns[number]) for number, item in enumerate(ordered)]


def turns_of(efforts: Sequence[int], traits: Sequence[frozenset[Any]]) -> list[int]:
    """The turn of each question: first those with the most that none before had, for their effort.

    Once all there is was had, that begins anew.
    """
    left = list(range(len(efforts)))
    turns = [0] * len(efforts)
    seen: set[Any] = set()
    worth = [(effort + 99) ** 0.5 for effort in efforts]
    for turn in range(len(efforts)):
        if turn >= _VARIED:
            best = left[0]
        else:
            best = max(left, key=lambda item: len(traits[item] - seen) / worth[item])
            if traits[best] <= seen:
                seen = set()
                best = max(left, key=lambda item: len(traits[item]) / worth[item])
        left.remove(best)
        seen |= traits[best]
        turns[best] = turn
    return turns


def _traits(call: Call) -> frozenset[Any]:
    """What a call is like, apart from its numbers."""
    found: set[Any] = {("version", call.since_version), *call.types.items()}
    for name, content in call.attributes.items():
        shown = isinstance(content, (int, float, str, tuple))
        found.add(("attribute", name, str(content) if shown else type(content).__name__))
    for name, value in call.inputs.items():
        found.add(("input", name))
        if isinstance(value, Tensor):
            found |= {("rank", name, len(value.shape)), ("empty", name, 0 in value.shape)}
    return frozenset(found)
