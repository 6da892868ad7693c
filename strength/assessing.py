"""What becomes of a mutant: killed by a vector, told apart beyond the corpus only, or alike."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field, replace
from enum import Enum
from time import process_time
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.oracle.arith.grid import AnyOf, Enclosed, Grid, grid_of, tensor_of
from onnx_conformance.generators.oracle.arith.numbers import NAN, NEG_ZERO, Complex, Special, order
from onnx_conformance.generators.oracle.errors import InvalidCallError
from onnx_conformance.generators.oracle.registry import answers, compute

from .deadlines import TookTooLongError, deadline
from .evidence import first_reading
from .mutants import Prober, source_files
from .sampling import sampled_calls
from .tracing import counted, traced

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from onnx_conformance.generators.oracle.registry import Call, Result
    from onnx_conformance.generators.signatures.model import Signature

    from .evidence import Evidence
    from .mutants import Mutant

    Answer = Callable[[Call], Result]

# Seconds of the processor that an oracle may take for a call of the sample, and for one of the
# corpus; and a mutant for any.
_USUAL, _LONGEST = 0.5, 10.0
_PATIENCE = 3.0
_LEAST_PATIENCE, _STEPS_A_SECOND = 0.3, 20_000
# The same before the judge is asked, who has the last word.
_LEAST_DOUBT, _STEPS_BEFORE_DOUBT = 0.05, 100_000
# How many functions the oracle may call for the sample, and how many calls the sample has whatever
# they take, but for dear ones: not seconds, so that a busy machine tries the same calls as an idle
# one.
_MOST_STEPS, _FEWEST = 400_000, 150
_MOST_DEAR_STEPS, _FEWEST_DEAR = 1_500_000, 30
# The same for what every mutant is asked of the corpus and of the sample, the cheapest first.
_ASKED_FIRST = 40_000
# The same for what all that live are asked besides, and what each of them may be of it; and for
# all that the sample tells apart, before they are said to live.
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
# How many questions are chosen for what they have that others have not.
_VARIED = 150
# Vectors of one call that are put before the judge: they differ in form only.
_WITNESSES = 2


class Looking(Enum):
    """How long to look for vectors that kill a mutant."""

    FIRST = "until one does"
    REQUIREMENTS = "until one does, and of each requirement that has few kills yet one of it, too"
    CASES = "until one of each case does"


class Fate(Enum):
    """What became of a mutant."""

    KILLED = "killed"
    SURVIVING = "surviving"
    ALIKE = "alike"
    UNREACHED = "unreached"


@dataclass(frozen=True)
class Finding:
    """What became of one mutant.

    Attributes:
        name: of the mutant.
        fate: in a word.
        by: the vector that kills it, or the call that would.
        cases: ids of the cases that kill it, where all were asked for.
    """

    name: str
    fate: Fate
    by: str = ""
    cases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Begun:
    """What became of a mutant that was asked some of what concerns it.

    Attributes:
        finding: so far.
        asked, sampled: the numbers of the calls of the corpus and beyond it that were tried.
        done: whether no more can come of it.
    """

    finding: Finding
    asked: frozenset[int] = frozenset()
    sampled: frozenset[int] = frozenset()
    done: bool = True


@dataclass(frozen=True)
class Question:
    """A call with what may be answered.

    Attributes:
        permitted: a result for each reading, None where the call is invalid.
        different: numbers of the mutants that can make a difference; None where nobody knows.
        lines: of each file of the oracle, those that run, where `different` is None.
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
    lines: Mapping[str, frozenset[int]] = field(default_factory=dict)
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
        if not mutant.lines:
            return True
        if self.different is not None:
            return mutant.number in self.different
        return self.reaches(mutant)

    def reaches(self, mutant: Mutant) -> bool:
        """Whether what a mutant changes is among the lines that run, where they are known."""
        return not self.lines.get(mutant.file, frozenset()).isdisjoint(mutant.lines)


class Trial:
    """The evidence against mutants of one operator."""

    def __init__(
        self, evidence: Evidence, versions: Mapping[int, Signature], samples: int = 1000
    ) -> None:
        """Note the questions of the vectors, and ask as many beyond them as are needed.

        `failures` has the vectors that do not pass with the oracle itself.
        """
        self.evidence = evidence
        domain, operator = evidence.target
        self._files = source_files(operator, domain)
        self._prober = Prober(domain, operator)
        self._asked: dict[Any, Question | None] = {}
        self.failures = evidence.record(self._ask)
        self.questions = self._questions()
        calls = [item.call for item in self.questions]
        self.questions = _numbered(self.questions, self._requirements)
        self._usual = {id(item) for item in _affordable(self.questions, _MOST_REPEATED)}
        self._kills: Counter[str] = Counter()
        # Whether what was recalled last had to be worked out.
        self._worked = False
        sampled = sampled_calls(calls, versions, samples, f"{domain}.{operator}")
        self.samples = _numbered(self._answered(sampled), lambda _question: frozenset())
        self._known = {
            id(item.call): item.permitted[0] for item in (*self.questions, *self.samples)
        }

    def begun(self, mutant: Mutant, looking: Looking = Looking.FIRST) -> Begun:
        """What becomes of a mutant that is asked what is cheap, and how far that went."""
        if not any(item.concerns(mutant) for item in (*self.questions, *self.samples)):
            fate = Fate.ALIKE if self._reaches(mutant) else Fate.UNREACHED
            return Begun(Finding(mutant.name, fate))
        begun = Begun(Finding(mutant.name, Fate.ALIKE), done=False)
        return self.continued(mutant, begun, looking, _ASKED_FIRST)

    def continued(self, mutant: Mutant, begun: Begun, looking: Looking, most: int) -> Begun:
        """What becomes of a mutant that lives so far where it is asked on.

        Args:
            mutant: what is asked.
            begun: how far it came.
            looking: what is looked for.
            most: how many functions the oracle calls for what it is asked of the corpus, about,
                and of the sample again.
        """
        answer = _made(mutant)
        if answer is None:
            return Begun(Finding(mutant.name, Fate.KILLED, "it does not even load"))
        concerned = [item for item in self.questions if item.concerns(mutant)]
        concerned_beyond = [item for item in self.samples if item.concerns(mutant)]
        asked, sampled = set(begun.asked), set(begun.sampled)
        apart, by = begun.finding.fate is Fate.SURVIVING, begun.finding.by
        purse = _Purse(most, self._is_recalled if mutant.number < 0 else None)
        killers = self._killers(_order(concerned, asked, purse), answer, looking, purse)
        if not killers and not apart:
            purse = _Purse(most, self._is_recalled if mutant.number < 0 else None)
            telling = _telling(_order(concerned_beyond, sampled, purse), answer, purse)
            if telling is not None:
                apart, by = True, told(telling.call)
        if killers:
            cases = sorted({self._case(item) for item in killers})
            return Begun(Finding(mutant.name, Fate.KILLED, killers[0], tuple(cases)))
        done = len(asked) == len(concerned) and (apart or len(sampled) == len(concerned_beyond))
        reached = frozenset(asked), frozenset(sampled), done
        if apart:
            return Begun(Finding(mutant.name, Fate.SURVIVING, by), *reached)
        by = f"{len(sampled)} calls beyond the corpus"
        if not done:
            many = f"{len(asked)} of {len(concerned)} calls"
            by = f"{many} and {len(sampled)} of {len(concerned_beyond)} beyond them"
        return Begun(Finding(mutant.name, Fate.ALIKE, by), *reached)

    def _requirements(self, question: Question) -> frozenset[str]:
        """What the vectors of a question are for."""
        vectors = [self.evidence.exhibits[identity].vector for identity in question.vectors]
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
            return compute(call)
        result = self._known[id(call)]
        if result is None:
            raise InvalidCallError("refused")
        return result

    def _is_recalled(self) -> bool:
        """Whether nothing was worked out since this was asked last, but recalled."""
        recalled, self._worked = not self._worked, False
        return recalled

    def _killers(
        self, questions: Iterable[Question], answer: Answer, looking: Looking, purse: _Purse
    ) -> list[str]:
        """The vectors that catch: the first, and others that show what is still asked for."""
        found: list[str] = []
        known: set[str] = set()
        slow = 0
        for question in questions:
            asking = question.vectors
            if found:
                asking = [item for item in asking if self._shows(item, looking) - known]
            usual = (
                not found or id(question) in self._usual
            )  # what is dear is asked until one kills
            differs = bool(asking) and usual and _differs(question, answer, question.doubt)
            purse.pay(question)
            for identity in asking[:_WITNESSES] if differs else ():
                judgement = self.evidence.verdict(identity, answer, question.patience)
                slow += judgement.verdict.value == "timed-out"
                if self.evidence.is_conviction(judgement):
                    found.append(identity)
                    purse.left = sys.maxsize  # the others are limited to what is usual
                    known |= self._shows(identity, looking)
                    self._kills.update(self.evidence.exhibits[identity].vector.covers)
                    break
            if slow or (found and looking is Looking.FIRST):
                break  # an endless loop is an endless loop
        return found

    def _shows(self, identity: str, looking: Looking) -> set[str]:
        """What a vector that kills shows: its case, or what that covers and few kills show yet."""
        vector = self.evidence.exhibits[identity].vector
        if looking is Looking.CASES:
            return {vector.case}
        return {item for item in vector.covers if self._kills[item] < _ENOUGH}

    def _ask(self, call: Call) -> Result:
        """The oracle's answer to a call of the corpus, worked out once."""
        key = _key(call)
        if call.readings or not self.evidence.noting:
            return compute(call)  # of a subgraph: by itself it is no question
        if key not in self._asked:
            self._asked[key] = self._question(call, _LONGEST)
        question = self._asked[key]
        if question is None:
            return compute(call)
        result = question.permitted[0]
        if result is None:
            raise InvalidCallError("refused")
        return result

    def _questions(self) -> list[Question]:
        """Each call once, the vectors of plain form first."""
        found: dict[int, Question] = {}
        ordered = sorted(
            self.evidence.exhibits.items(),
            key=lambda item: (item[1].vector.form != "static", item[0]),
        )
        for identity, exhibit in ordered:
            for call in exhibit.calls:
                question = self._asked.get(_key(call))
                if question is not None:
                    found.setdefault(id(question), question).vectors.append(identity)
        return list(found.values())

    def _reaches(self, mutant: Mutant) -> bool:
        """Whether what a mutant changes was ever reached."""
        return mutant.number in self._prober.recorder.reached or any(
            item.reaches(mutant) for item in (*self.questions, *self.samples)
        )

    def _question(self, call: Call, seconds: float) -> Question | None:
        """A call with its answers; None where the oracle takes longer, or has none."""
        begun = process_time()
        try:
            with deadline(seconds), counted() as trace:
                permitted = tuple(item.result for item in answers(call))
        except TookTooLongError:
            return None
        except Exception:
            return None  # a call that no model can make: the oracle need not know what to say
        question = Question(call, permitted, trace.steps)
        taken = process_time() - begun
        different = self._different(question, min(_SHARE * taken + _ALWAYS, _WORTH))
        if different is None:
            return replace(question, lines=self._lines(call))
        return replace(question, different=different)

    def _different(self, question: Question, seconds: float) -> frozenset[int] | None:
        """The mutants that can make a difference; None where that cannot be found out."""
        recorder = self._prober.recorder
        for _ in range(_ATTEMPTS):
            self.evidence.noting = False
            self._prober.begin(seconds)
            try:
                with deadline(_WATCHED):
                    result: Result | None = first_reading(self._prober.answer, question.call)
            except InvalidCallError:
                result = None
            except Exception:
                if not recorder.spoiled:
                    return None
            finally:
                recorder.end()
                self.evidence.noting = True
            if not recorder.spoiled:
                known = _same(question, question.permitted[0], result)
                return frozenset(recorder.different) if known else None
        return None

    def _lines(self, call: Call) -> dict[str, frozenset[int]]:
        """The lines that run; the whole of each file where that takes too long."""
        with traced(self._files) as trace:
            try:
                with deadline(_WATCHED):
                    first_reading(compute, call)
            except TookTooLongError:
                return {file: _Everything() for file in self._files}
            except InvalidCallError:
                pass
        return {file: frozenset(found) for file, found in trace.lines.items()}

    def _answered(self, calls: Iterable[Call]) -> list[Question]:
        """The calls that the oracle answers, until it has worked enough."""
        questions: list[Question] = []
        steps = 0
        for call in calls:
            question = self._question(call, _USUAL)
            if question is not None:
                questions.append(question)
                steps += question.steps
            if steps > _MOST_STEPS and len(questions) >= _FEWEST:
                break
            if steps > _MOST_DEAR_STEPS and len(questions) >= _FEWEST_DEAR:
                break
        return questions

    def _case(self, identity: str) -> str:
        return self.evidence.exhibits[identity].vector.case


class _Everything(frozenset[int]):
    """A set that has whatever is asked for."""

    def isdisjoint(self, _other: object) -> bool:
        """Never."""
        return False


def share_of(fate: Fate, many: int) -> int:
    """How much each of so many mutants is asked besides what is cheap, by how they live so far."""
    if fate is Fate.SURVIVING:
        return _AT_LAST // max(1, many)
    return min(_BESIDES // max(1, many), _MOST_BESIDES)


def _made(mutant: Mutant) -> Answer | None:
    try:
        return mutant.make()
    except Exception:
        return None


def _affordable(questions: Sequence[Question], most: int) -> list[Question]:
    """The first questions, as many as take no more steps than these together."""
    found: list[Question] = []
    steps = 0
    for question in questions:
        steps += question.steps
        if found and steps > most:
            break
        found.append(question)
    return found


def _key(call: Call) -> Any:  # noqa: ANN401  anything that can be hashed
    return (
        call.since_version,
        tuple(sorted(call.attributes.items(), key=lambda item: item[0])),
        tuple(call.inputs.items()),
        call.outputs,
    )


def _telling(questions: Iterable[Question], answer: Answer, purse: _Purse) -> Question | None:
    """The first call that tells an answer apart; None where none that is paid for does."""
    for question in questions:
        if _differs(question, answer, question.patience):
            return question
        purse.pay(question)
    return None


@dataclass
class _Purse:
    """How much a mutant may still be asked.

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


def _order(questions: Sequence[Question], asked: set[int], purse: _Purse) -> Iterator[Question]:
    """The questions that are paid for, and one whatever it takes; their numbers are noted.

    The cheapest first, later the most varied: what is cheap differs in little.
    """
    left = [item for item in questions if item.number not in asked]
    if asked:
        left.sort(key=lambda item: item.turn)
    for question in left:
        if not asked or purse.allows(question):
            asked.add(question.number)
            yield question


def _numbered(
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


def _differs(question: Question, answer: Answer, seconds: float) -> bool:
    """Whether an answer is none of those that are permitted, or does not come in some seconds."""
    try:
        with deadline(seconds):
            result: Result | None = first_reading(answer, question.call)
    except InvalidCallError:
        result = None
    except Exception:
        # Refusing by stumbling is refusing; anything else is wrong.
        return None not in question.permitted
    if any(result is permitted for permitted in question.permitted):
        return False  # the oracle's own, or a refusal
    try:
        return not any(_same(question, permitted, result) for permitted in question.permitted)
    except Exception:
        return True  # what cannot even be encoded


def _same(question: Question, permitted: Result | None, got: Result | None) -> bool:
    if permitted is None or got is None:
        return permitted is None and got is None
    if len(permitted) != len(got):
        return False
    return all(_same_output(question, *pair) for pair in zip(permitted, got, strict=True))


def _same_output(question: Question, permitted: Any, got: Any) -> bool:  # noqa: ANN401  any output
    if isinstance(permitted, Grid):
        return _same_grid(question, permitted, got)
    if isinstance(got, Grid):
        got = tensor_of(got)
    if isinstance(permitted, Tensor) and isinstance(got, Tensor):
        if (permitted.type, permitted.shape) != (got.type, got.shape):
            return False
        return permitted.data == got.data or grid_of(permitted).items == grid_of(got).items
    same: bool = permitted == got
    return same


def _same_grid(question: Question, permitted: Grid, got: Any) -> bool:  # noqa: ANN401  any output
    if not isinstance(got, (Grid, Tensor)):
        return False
    if (got.type, got.shape) != (permitted.type, permitted.shape):
        return False
    if isinstance(got, Grid):
        if all(map(_is_exactly, permitted.items, got.items)):
            return True
        got = tensor_of(got)
    nearest = question.nearest.get(id(permitted))
    if nearest is None:
        nearest = grid_of(tensor_of(permitted)).items
        question.nearest[id(permitted)] = nearest
    pairs = zip(permitted.items, nearest, grid_of(got).items, strict=True)
    return all(_same_item(item, own, number) for item, own, number in pairs)


def _is_exactly(item: Any, other: Any) -> bool:  # noqa: ANN401  elements
    return type(item) is type(other) and bool(item == other)


def _same_item(item: Any, nearest: Any, got: Any) -> bool:  # noqa: ANN401  elements
    """Whether a number is permitted: the nearest, one of several, or within limits."""
    if got == nearest and type(got) is type(nearest):
        return True
    if isinstance(item, AnyOf):
        return got in item.numbers
    if isinstance(item, Enclosed) and not isinstance(got, (Complex, bytes)):
        if NAN in (got, item.low, item.high):
            return got is item.low
        return order(item.low) <= order(got) <= order(item.high)
    return got == nearest and NEG_ZERO not in (got, nearest) and not isinstance(got, Special)


def told(call: Call) -> str:
    """A call in one line, for a spec's author to make a case of."""
    from onnx_conformance.core.values.describing import text

    parts = [f"version {call.since_version}"]
    for name, value in call.inputs.items():
        values: Sequence[Any] = value if isinstance(value, tuple) else (value,)
        parts.append(f"{name} = {'; '.join(text(item) for item in values)}")
    for name, content in call.attributes.items():
        shown = content if isinstance(content, (int, float, str, tuple)) else type(content).__name__
        parts.append(f"{name}: {shown}")
    return ", ".join(parts)
