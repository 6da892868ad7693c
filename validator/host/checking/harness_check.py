"""Tests a harness by playing the validator's part of protocol 1; reports faults in words.

The models are so small (Shape, Identity, Relu, Add …: the first that the runtime has) that a wrong
answer is more likely the harness' fault than the runtime's: such an answer is called odd, and
reported with the expected and the actual value.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from onnx_conformance.core.text import brief
from onnx_conformance.core.values.elements import ELEMENT_TYPES
from onnx_conformance.core.values.tensors import Tensor

from ...judging.verdicts import Accepted, Observation, Outputs, Rejected, Unsupported
from ...profiles.profile import Profile
from ..conversation import Conversation, FaultError, Limits, Question, Watch
from ..protocol import ProtocolError, quoted
from .questions import (
    NUMBERS,
    OPERATORS,
    SHAPE,
    answer_of,
    difference_words,
    keeping_question,
    question_of,
    rejection_words,
    same_question,
    sample,
    shape_question,
    size_question,
    tensor_of,
)

_QUIET = 0.3
_LARGE = 500_000
_NO_DOUBLE = 2**53 + 1
_LISTED = 6
_RIGHT = "answered rightly"


@dataclass(frozen=True)
class StepResult:
    """The result of one step.

    Attributes:
        step: what was tried.
        fault: what the harness does wrong, or an empty text.
        remark: what the harness answered, if nothing is wrong.
        odd: how many answers of the step obey the protocol but are wrong.
        values: how many answers of the step had outputs, right or wrong; or accepted the model, of
            a backend that only judges validity.
    """

    step: str
    fault: str = ""
    remark: str = ""
    odd: int = 0
    values: int = 0


def check_harness(
    command: Sequence[str], limits: Limits, watch: Watch = lambda _mark, _line: None
) -> Iterator[StepResult]:
    """Perform one step after the other; a fault ends the child, but not the following steps.

    `watch` is called with each line of the conversation: `>` and a request, `<` and the reply.
    Ends after the handshake if that fails. BackendUnusableError if the program does not exist.
    """
    with tempfile.TemporaryDirectory(prefix="onnx-validate-") as folder:
        harness = Conversation(command, limits, Path(folder), watch)
        host = _Host(harness)
        try:
            handshake = host.attempt("describe", host.describe)
            yield handshake
            if handshake.fault:
                return
            steps: tuple[tuple[str, Callable[[], str]], ...] = (
                ("one model", host.one_model),
                ("a model again, with two data sets", host.two_data_sets),
                ("three requests ahead", host.requests_ahead),
                ("a large request", host.large_request),
                ("bytes that are no model", host.no_model),
                ("a scalar and an empty tensor", host.small_tensors),
                ("a scalar and an empty tensor that the runtime makes", host.made_outputs),
                ("a dimension above 2**53", host.large_dimension),
                ("every element type", host.every_type),
                ("silence when nothing is asked", host.silence),
                ("stop", harness.stop),
                ("end of input", harness.close_input),
            )
            for name, step in steps:
                yield host.attempt(name, step)
            yield host.noise()
        finally:
            harness.close()


class _Host:
    """The steps; each method returns the answer in words, or raises a FaultError."""

    def __init__(self, harness: Conversation) -> None:
        self._harness = harness
        self._odd = 0
        self._values = 0
        self._answers_models = False
        self._operator = OPERATORS[0]
        self._claimed: Profile | None = None

    def attempt(self, name: str, step: Callable[[], str]) -> StepResult:
        """Perform one step; after a fault the next step starts a fresh child."""
        self._odd = self._values = 0
        try:
            remark, fault = step(), ""
        except (FaultError, ProtocolError) as error:
            self._harness.close()
            remark, fault = "", str(error)
        return StepResult(name, fault, remark, self._odd, self._values)

    # --- steps -----------------------------------------------------------------------------

    def describe(self) -> str:
        found, seconds = self._harness.describe()
        self._claimed = found.profile
        declared = "".join(f", adapts by {item['adaptation']}" for item in found.adapts)
        return (
            f"{found.name} {found.version}, takes a model as {found.model}{declared}"
            f" ({seconds:.2f} s after its start)"
        )

    def one_model(self) -> str:
        """The first operator that is answered with values; the steps that follow use it."""
        first = ""
        for operator in self._operators():
            self._operator = operator
            words = self._kept((2, 3))
            if self._values:
                return f"{operator}: {words}"
            first = first or f"{operator}: {words}"
        self._operator = self._operators()[0]
        return f"none of {', '.join(self._operators())} was answered with values; {first}"

    def _operators(self) -> Sequence[str]:
        """Those to be tried, what the profile claims first."""
        claimed = (self._claimed.operators if self._claimed else None) or {}
        return sorted(OPERATORS, key=lambda name: name.lower() not in claimed)

    @property
    def _lacks_identity(self) -> bool:
        """Whether another operator stands in for Identity: neither it nor Shape was answered."""
        return self._operator not in {SHAPE, "Identity"}

    def two_data_sets(self) -> str:
        return self._kept((2, 3), (4, 5))

    def requests_ahead(self) -> str:
        shapes = [(number, 7) for number in (1, 2, 3)]
        questions = [question_of(self._operator, shape) for shape in shapes]
        ids = [self._harness.send(question) for question in questions]
        answers = [
            self._in_words(
                self._harness.observe(vector_id, question), answer_of(self._operator, shape)
            )
            for vector_id, question, shape in zip(ids, questions, shapes, strict=True)
        ]
        return (
            "answered in order" if set(answers) == {_RIGHT} else "; ".join(dict.fromkeys(answers))
        )

    def large_request(self) -> str:
        return self._kept((_LARGE,))

    def no_model(self) -> str:
        question = Question("no_model", b"\x00this is no model", ("shape",), ())
        observation = self._harness.ask(question)
        if isinstance(observation, Rejected):
            return rejection_words(observation)
        if not self._answers_models:
            return "not rejected; no model was answered with values so far either"
        self._odd += 1
        actual = "unsupported" if isinstance(observation, Unsupported) else "taken for a model"
        return f"a rejection at decode or load was to be expected; the bytes were {actual}"

    def small_tensors(self) -> str:
        answers = []
        for shape in ((), (0, 3)):
            if self._lacks_identity:
                words = self._kept(shape)
            else:
                tensor = Tensor("float32", shape, b"\x01" * 4 if shape == () else b"")
                words = self._judged(same_question(tensor), [tensor])
            answers.append(f"{list(shape)}: {words}")
        return "; ".join(answers)

    def made_outputs(self) -> str:
        """Computed outputs, of rank 0 and without elements: a nil slice is not a list."""
        scalar = self._judged(size_question(2, 3), [tensor_of("int64", 6)])
        empty = self._judged(
            replace(shape_question(()), name="shape_of_scalar"), [tensor_of("int64", ())]
        )
        return f"[]: {scalar}; [0]: {empty}"

    def large_dimension(self) -> str:
        """A large dimension without elements; JSON readers that use doubles cannot represent it."""
        question = replace(shape_question((0, _NO_DOUBLE)), name="dimension")
        return self._judged(question, [tensor_of("int64", (0, _NO_DOUBLE))])

    def every_type(self) -> str:
        answers: dict[str, list[str]] = {}
        for name in (element.name for element in ELEMENT_TYPES):
            tensor = sample(name)
            observation = self._harness.ask(same_question(tensor))
            words = self._in_words(observation, [tensor], short=True)
            refused = not isinstance(observation, Outputs)
            if self._lacks_identity and refused and name in NUMBERS:
                small = tensor_of(name, (1, 2, 3))
                observation = self._harness.ask(keeping_question(self._operator, [small]))
                words = self._in_words(observation, [small], short=True)
            answers.setdefault(words, []).append(name)
        groups = [f"{words}: {', '.join(names)}" for words, names in answers.items()]
        more = f"; and {len(groups) - _LISTED} more" if len(groups) > _LISTED else ""
        return "; ".join(groups[:_LISTED]) + more

    def silence(self) -> str:
        document = self._harness.unexpected_message(_QUIET)
        if document is not None:
            raise FaultError(f"a reply that nobody asked for, or a second one: {brief(document)}")
        return ""

    def noise(self) -> StepResult:
        """What was on standard output apart from the replies, over all steps."""
        fault = ""
        if self._harness.noise:
            fault = (
                f"{len(self._harness.noise)} lines on standard output are no reply; the first"
                f" {self._harness.noise[0]}."
                " Point the runtime's standard output at standard error"
            )
        return StepResult("nothing but replies on standard output", fault=fault)

    # --- answers ---------------------------------------------------------------------------

    def _kept(self, *shapes: tuple[int, ...]) -> str:
        """What the operator that is tried makes of tensors that it must keep."""
        return self._judged(
            question_of(self._operator, *shapes), answer_of(self._operator, *shapes)
        )

    def _judged(self, question: Question, expected: Sequence[Tensor]) -> str:
        return self._in_words(self._harness.ask(question), expected)

    def _in_words(
        self, observation: Observation, expected: Sequence[Tensor], *, short: bool = False
    ) -> str:
        """The answer in words; counts odd answers, and answers that have values."""
        if isinstance(observation, Outputs):
            self._values += 1
            self._answers_models = True
            actual = [item.value for values in observation.data_sets for item in values]
            wrong = difference_words(expected, actual)
            self._odd += bool(wrong)
            return wrong or ("right" if short else _RIGHT)
        if isinstance(observation, Rejected):
            return "rejected" if short else rejection_words(observation)
        if isinstance(observation, Unsupported):
            return "unsupported" if short else f"unsupported: {quoted(observation.reason)}"
        if isinstance(observation, Accepted):
            self._values += 1
            return "accepted"
        return type(observation).__name__
