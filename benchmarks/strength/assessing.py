"""What becomes of a mutant: killed by a vector, told apart beyond the corpus only, or alike."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.oracle.arith.grid import AnyOf, Enclosed, Grid, grid_of, tensor_of
from onnx_conformance.generators.oracle.arith.numbers import NAN, NEG_ZERO, Complex, Special, order
from onnx_conformance.generators.oracle.errors import InvalidCallError
from onnx_conformance.generators.oracle.registry import answers, compute

from .evidence import TookTooLongError, deadline, first_reading
from .sampling import sampled_calls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from onnx_conformance.generators.oracle.registry import Call, Result
    from onnx_conformance.generators.signatures.model import Signature

    from .evidence import Evidence
    from .mutants import Mutant

    Answer = Callable[[Call], Result]

# Seconds that an oracle may take for a call, and that a mutant may take.
_USUAL = 0.2
_PATIENCE = 3.0
# Seconds for the sample of an operator, and how many calls it has whatever they take.
_SAMPLING = 1.5
_FEWEST = 100
# Seconds for finding out which lines run: tracing is slow.
_TRACING = 2.0
# Vectors of one call that are put before the judge: they differ in form only.
_WITNESSES = 2


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
class Question:
    """A call with what may be answered.

    Attributes:
        permitted: a result for each reading, None where the call is invalid.
        vectors: ids of those that ask it.
        nearest: of each grid in the results, by its identity, the elements as its type has them;
            filled where it is needed.
    """

    call: Call
    permitted: tuple[Result | None, ...]
    vectors: list[str] = field(default_factory=list)
    nearest: dict[int, Sequence[Any]] = field(default_factory=dict)


class Trial:
    """The evidence against mutants of one operator."""

    def __init__(
        self, evidence: Evidence, versions: Mapping[int, Signature], samples: int = 1000
    ) -> None:
        """Note the questions of the vectors, and ask as many beyond them as are wanted.

        `failures` has the vectors that do not pass with the oracle itself.
        """
        self.evidence = evidence
        failures = evidence.record(compute)
        self.failures = failures
        self.questions = _questions(evidence)
        domain, operator = evidence.target
        calls = [item.call for item in self.questions]
        self.samples = _answered(sampled_calls(calls, versions, samples, f"{domain}.{operator}"))
        self._known = {
            id(item.call): item.permitted[0]
            for item in (*self.questions, *self.samples)
            if len(item.permitted) == 1
        }
        self._asked: dict[str, frozenset[int]] = {}
        self._reached: dict[str, frozenset[int]] = {}

    def finding(self, mutant: Mutant, *, every: bool = False) -> Finding:
        """What becomes of a mutant; every: by which cases, not only by the first."""
        asked, reached = self._lines(mutant.file)
        answer: Answer | None = None
        if not mutant.lines or asked & set(mutant.lines):
            answer = _made(mutant)
            if answer is None:
                return Finding(mutant.name, Fate.KILLED, "it does not even load")
            killers = self._killers(answer, every=every)
            if killers:
                cases = sorted({self._case(item) for item in killers})
                return Finding(mutant.name, Fate.KILLED, killers[0], tuple(cases))
        elif not reached & set(mutant.lines):
            return Finding(mutant.name, Fate.UNREACHED)
        answer = answer or _made(mutant)
        if answer is None:
            return Finding(mutant.name, Fate.KILLED, "it does not even load")
        for question in self.samples:
            if _differs(question, answer):
                return Finding(mutant.name, Fate.SURVIVING, told(question.call))
        return Finding(mutant.name, Fate.ALIKE, f"{len(self.samples)} calls beyond the corpus")

    def recall(self, call: Call) -> Result:
        """The oracle's answer, remembered for the calls of the corpus and the sample."""
        if id(call) not in self._known:
            return compute(call)
        result = self._known[id(call)]
        if result is None:
            raise InvalidCallError("refused")
        return result

    def _killers(self, answer: Answer, *, every: bool) -> list[str]:
        """The vectors that convict: the first, or one of each case."""
        found: list[str] = []
        cases: set[str] = set()
        slow = 0
        for question in self.questions:
            if slow > 1:
                break  # an endless loop is an endless loop
            asking = [item for item in question.vectors if self._case(item) not in cases]
            if not asking or not _differs(question, answer):
                continue
            for identity in asking[:_WITNESSES]:
                judgement = self.evidence.verdict(identity, answer)
                slow += judgement.verdict.value == "timed-out"
                if self.evidence.is_conviction(judgement):
                    found.append(identity)
                    cases.add(self._case(identity))
                    break
            if found and not every:
                break
        return found

    def _case(self, identity: str) -> str:
        return self.evidence.exhibits[identity].vector.case

    def _lines(self, file: str) -> tuple[frozenset[int], frozenset[int]]:
        """The lines of a file that the corpus runs, and those that the sample runs as well."""
        if file not in self._asked:
            self._asked[file] = _traced(file, [item.call for item in self.questions])
            more = _traced(file, [item.call for item in self.samples])
            self._reached[file] = self._asked[file] | more
        return self._asked[file], self._reached[file]


def _made(mutant: Mutant) -> Answer | None:
    try:
        return mutant.make()
    except Exception:
        return None


def _questions(evidence: Evidence) -> list[Question]:
    """Each call once, the vectors of plain form first."""
    found: dict[Any, Question] = {}
    ordered = sorted(
        evidence.exhibits.items(), key=lambda item: (item[1].vector.form != "static", item[0])
    )
    for identity, exhibit in ordered:
        for call in exhibit.calls:
            key = _key(call)
            if key not in found:
                question = _question(call, _PATIENCE)
                if question is None:
                    continue
                found[key] = question
            found[key].vectors.append(identity)
    return list(found.values())


def _key(call: Call) -> Any:  # noqa: ANN401  anything that can be hashed
    return (
        call.since_version,
        tuple(sorted(call.attributes.items(), key=lambda item: item[0])),
        tuple(call.inputs.items()),
        call.outputs,
    )


def _question(call: Call, seconds: float) -> Question | None:
    """A call with its answers; None where the oracle takes longer, or has none."""
    try:
        with deadline(seconds):
            permitted = tuple(item.result for item in answers(call))
    except TookTooLongError:
        return None
    except Exception:
        return None  # a call that no model can make: the oracle need not know what to say
    return Question(call, permitted)


def _answered(calls: Iterable[Call]) -> list[Question]:
    """The calls that the oracle answers, as many as it does in a second or two."""
    begun = time.monotonic()
    questions = []
    for call in calls:
        question = _question(call, _USUAL)
        if question is not None:
            questions.append(question)
        if time.monotonic() - begun > _SAMPLING and len(questions) >= _FEWEST:
            break
    return questions


def _differs(question: Question, answer: Answer) -> bool:
    """Whether an answer is none of those that are permitted."""
    try:
        with deadline(_PATIENCE):
            result: Result | None = first_reading(answer, question.call)
    except InvalidCallError:
        result = None
    except Exception:
        # Refusing by stumbling is refusing; anything else is wrong.
        return None not in question.permitted
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


def _traced(file: str, calls: Iterable[Call]) -> frozenset[int]:
    """The lines of a file that run when the oracle answers calls."""
    lines: set[int] = set()
    if not file:
        return frozenset()

    def in_file(frame: Any, event: str, _argument: object) -> Any:  # noqa: ANN401
        if event == "line":
            lines.add(frame.f_lineno)
        return in_file

    def entering(frame: Any, _event: str, _argument: object) -> Any:  # noqa: ANN401
        if frame.f_code.co_filename != file:
            return None
        lines.add(frame.f_lineno)
        return in_file

    before = sys.gettrace()
    begun = time.monotonic()
    for call in calls:
        if time.monotonic() - begun > _TRACING:
            break
        sys.settrace(entering)
        try:
            first_reading(compute, call)
        except Exception:  # noqa: S110  refusals are answers too
            pass
        finally:
            sys.settrace(before)
    return frozenset(lines)


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
