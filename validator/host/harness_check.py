"""Plays protocol 1 against a harness, and says in words what the harness does wrong.

A harness whose runtime takes no model at all still speaks the protocol. The models are so small
(Shape, Identity) that a wrong answer is more likely the harness' than the runtime's: such an answer
is called odd, with what was expected and what came.
"""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.vectors import DataSet
from onnx_conformance.core.text import brief, one_line
from onnx_conformance.core.values.comparing import compare
from onnx_conformance.core.values.describing import bit_patterns, text
from onnx_conformance.core.values.elements import STRING_BITS, element_type
from onnx_conformance.core.values.tensors import NamedValue, Tensor

from ..judging.verdicts import Accepted, HarnessError, Outputs, Rejected, Unsupported
from .child import Child
from .protocol import (
    NotJsonError,
    ProtocolError,
    describe_request,
    parse_description,
    parse_object,
    parse_reply,
    quoted,
    run_request,
    stop_request,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from onnx_conformance.core.values.tensors import Value

    from ..judging.verdicts import Observation
    from .child import Launch
    from .protocol import Description

_POLL = 0.002
_STOP_GRACE = 2.0
_QUIET = 0.3
_LARGE = 500_000
_NO_DOUBLE = 2**53 + 1
_EXIT_WAIT = 1.0
_LISTED = 6

# Element types in the order of the opset and the IR version from which Identity takes them.
_TYPES = (
    (13, 7, ("float32", "float64", "float16", "bfloat16", "int8", "int16", "int32", "int64")),
    (13, 7, ("uint8", "uint16", "uint32", "uint64", "bool", "string", "complex64", "complex128")),
    (19, 9, ("float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz")),
    (21, 10, ("int4", "uint4")),
    (23, 11, ("float4e2m1",)),
    (24, 12, ("float8e8m0",)),
    (25, 13, ("int2", "uint2")),
)
# Identity takes no 6-bit type; a Cast to the type that is there already changes nothing either.
_CAST_TYPES = (28, 14, ("float6e2m3", "float6e3m2"))


@dataclass(frozen=True)
class Limits:
    """Seconds: to start, for one reply, and how much longer a late reply is waited for."""

    start: float = 60.0
    reply: float = 10.0
    late: float = 10.0


@dataclass(frozen=True)
class Finding:
    """One thing that was tried.

    Attributes:
        step: what was tried.
        fault: what the harness does wrong, or an empty text.
        remark: what came, where nothing is wrong.
        odd: how many answers of the step are good protocol and a wrong answer.
        values: how many answers of the step held outputs, right or odd.
    """

    step: str
    fault: str = ""
    remark: str = ""
    odd: int = 0
    values: int = 0


class _FaultError(Exception):
    """What the harness did wrong; ends the step."""


@dataclass(frozen=True)
class _Question:
    """A model with what to feed."""

    name: str
    model: bytes
    outputs: tuple[str, ...]
    data_sets: tuple[DataSet, ...]


def check_harness(launch: Launch, limits: Limits) -> Iterator[Finding]:
    """Try one thing after the other; a step that fails costs the child, not the next step.

    Ends after the handshake where that fails. BackendUnusableError where there is no such program.
    """
    with tempfile.TemporaryDirectory(prefix="onnx-validate-") as folder:
        host = _Host(launch, limits, Path(folder))
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
                ("a dimension above 2**53", host.large_dimension),
                ("every element type", host.every_type),
                ("silence when nothing is asked", host.silence),
                ("stop", host.stop),
                ("end of input", host.end_of_input),
            )
            for name, step in steps:
                yield host.attempt(name, step)
            yield host.noise()
        finally:
            host.close()


class _Host:
    """The host's side of the conversation."""

    def __init__(self, launch: Launch, limits: Limits, folder: Path) -> None:
        self._launch = launch
        self._limits = limits
        self._folder = folder
        self._child: Child | None = None
        self._description: Description | None = None
        self._noise: list[str] = []
        self._asked = 0
        self._answered: set[str] = set()
        self._odd = 0
        self._values = 0
        self._answers_models = False

    def attempt(self, name: str, step: Callable[[], str]) -> Finding:
        """Take one step; after a fault the next begins with a fresh child."""
        self._odd = self._values = 0
        try:
            remark, fault = step(), ""
        except (_FaultError, ProtocolError) as error:
            self.close()
            remark, fault = "", str(error)
        return Finding(name, fault, remark, self._odd, self._values)

    def close(self) -> None:
        """Kill the child, if there is one."""
        if self._child is not None:
            self._child.kill()
            self._child = None

    # --- steps -----------------------------------------------------------------------------

    def describe(self) -> str:
        child = self._start()
        child.queue(describe_request())
        document, seconds = self._reply("'describe'", self._limits.start)
        found = self._description = parse_description(document)
        declared = "".join(f", adapts by {item['adaptation']}" for item in found.adapts)
        return (
            f"{found.name} {found.version}, takes a model as {found.model}{declared}"
            f" ({seconds:.2f} s after its start)"
        )

    def one_model(self) -> str:
        return self._judged(_shape_question((2, 3)), [_shape_tensor(2, 3)])

    def two_data_sets(self) -> str:
        question = _shape_question((2, 3), (4, 5))
        return self._judged(question, [_shape_tensor(2, 3), _shape_tensor(4, 5)])

    def requests_ahead(self) -> str:
        shapes = [(number, 7) for number in (1, 2, 3)]
        questions = [_shape_question(shape) for shape in shapes]
        ids = [self._send(question) for question in questions]
        said = [
            self._in_words(self._observe(vector_id, question), [_shape_tensor(*shape)])
            for vector_id, question, shape in zip(ids, questions, shapes, strict=True)
        ]
        return "answered in order" if not self._odd else "; ".join(dict.fromkeys(said))

    def large_request(self) -> str:
        return self._judged(_shape_question((_LARGE,)), [_shape_tensor(_LARGE)])

    def no_model(self) -> str:
        question = _Question("no_model", b"\x00this is no model", ("shape",), ())
        observation = self._ask(question)
        if isinstance(observation, Rejected):
            return _rejection(observation)
        if not self._answers_models:
            return "not rejected; no model was answered with values so far either"
        self._odd += 1
        came = "unsupported" if isinstance(observation, Unsupported) else "taken for a model"
        return f"a rejection at decode or load was to be expected; the bytes were {came}"

    def small_tensors(self) -> str:
        said = []
        for shape in ((), (0, 3)):
            tensor = Tensor("float32", shape, b"\x01" * 4 if shape == () else b"")
            said.append(f"{list(shape)}: {self._judged(_same_question(tensor, 13, 7), [tensor])}")
        return "; ".join(said)

    def large_dimension(self) -> str:
        """Without elements; the double that some JSON readers make of a number cannot hold it."""
        question = replace(_shape_question((0, _NO_DOUBLE)), name="dimension")
        return self._judged(question, [_shape_tensor(0, _NO_DOUBLE)])

    def every_type(self) -> str:
        said: dict[str, list[str]] = {}
        for opset, ir_version, names in (*_TYPES, _CAST_TYPES):
            for name in names:
                tensor = _sample(name)
                observation = self._ask(_same_question(tensor, opset, ir_version))
                words = self._in_words(observation, [tensor], short=True)
                said.setdefault(words, []).append(name)
        groups = [f"{words}: {', '.join(names)}" for words, names in said.items()]
        more = f"; and {len(groups) - _LISTED} more" if len(groups) > _LISTED else ""
        return "; ".join(groups[:_LISTED]) + more

    def silence(self) -> str:
        self._ready()
        document = self._object_within(_QUIET)
        if document is not None:
            raise _FaultError(f"a reply that nobody asked for, or a second one: {brief(document)}")
        return ""

    def stop(self) -> str:
        child = self._ready()
        child.queue(stop_request())
        child.write()
        return self._ends("'stop'")

    def end_of_input(self) -> str:
        self._ready().close_input()
        return self._ends("the end of its input")

    def noise(self) -> Finding:
        """What stood on standard output beside the replies, over all steps."""
        fault = ""
        if self._noise:
            fault = (
                f"{len(self._noise)} lines on standard output are no reply; the first"
                f" {self._noise[0]}."
                " Point the runtime's standard output at standard error"
            )
        return Finding("nothing but replies on standard output", fault=fault)

    # --- talking ---------------------------------------------------------------------------

    def _start(self) -> Child:
        self._child = Child(self._launch)
        return self._child

    def _ready(self) -> Child:
        """A child that has described itself."""
        if self._child is None:
            self.describe()
        if self._child is None:
            raise _FaultError("the harness is gone")
        return self._child

    def _judged(self, question: _Question, expected: Sequence[Tensor]) -> str:
        return self._in_words(self._ask(question), expected)

    def _in_words(
        self, observation: Observation, expected: Sequence[Tensor], *, short: bool = False
    ) -> str:
        """What came, for a person; counts what is odd and what held values at all."""
        if isinstance(observation, Outputs):
            self._values += 1
            self._answers_models = True
            came = [item.value for values in observation.data_sets for item in values]
            wrong = _difference(expected, came)
            self._odd += bool(wrong)
            return wrong or ("right" if short else "answered rightly")
        if isinstance(observation, Rejected):
            return "rejected" if short else _rejection(observation)
        if isinstance(observation, Unsupported):
            return "unsupported" if short else f"unsupported: {quoted(observation.reason)}"
        if isinstance(observation, Accepted):
            return "accepted"
        return type(observation).__name__

    def _ask(self, question: _Question) -> Observation:
        return self._observe(self._send(question), question)

    def _send(self, question: _Question) -> str:
        child = self._ready()
        self._asked += 1
        vector_id = f"check-1/{question.name}/{self._asked}"
        inline = self._description is not None and self._description.model == "inline"
        path = self._folder / f"{question.name}.onnx"
        if not inline:
            path.write_bytes(question.model)
        model = question.model if inline else str(path)
        child.queue(run_request(vector_id, model, question.outputs, question.data_sets))
        child.write()
        return vector_id

    def _observe(self, vector_id: str, question: _Question) -> Observation:
        document, _ = self._reply(f"'run' of '{vector_id}'", self._limits.reply)
        judges = self._description.judges if self._description else "values"
        if document.get("id") in self._answered:
            raise _FaultError(f"a second reply for '{document['id']}' came")
        observation = parse_reply(
            document, vector_id, question.outputs, len(question.data_sets), judges
        )
        self._answered.add(vector_id)
        if isinstance(observation, HarnessError):
            raise _FaultError(f"the harness failed itself: {quoted(observation.message)}")
        return observation

    def _reply(self, what: str, seconds: float) -> tuple[dict[str, Any], float]:
        start = time.monotonic()
        document = self._object_within(seconds)
        if document is not None:
            return document, time.monotonic() - start
        child = self._child
        if child is None or not self._alive_after_eof(child):
            raise _FaultError(
                f"the harness ended ({self._how()}) before the reply to {what}{self._said()}"
            )
        if child.eof:
            raise _FaultError(
                f"standard output was closed before the reply to {what}{self._said()}"
            )
        late = self._object_within(self._limits.late)
        if late is not None:
            took = time.monotonic() - start
            raise _FaultError(
                f"late reply: {what} took {took:.1f} s; the deadline is {seconds:g} s"
            )
        half = f"; {child.unread} bytes stand there without a line end" if child.unread else ""
        raise _FaultError(f"no reply to {what} within {seconds:g} s{half}{self._said()}")

    @staticmethod
    def _alive_after_eof(child: Child) -> bool:
        """Whether it runs. Its output ends a moment before it does: the exit code tells more."""
        end = time.monotonic() + _EXIT_WAIT
        while child.eof and child.alive and time.monotonic() < end:
            time.sleep(_POLL)
        return child.alive

    def _object_within(self, seconds: float) -> dict[str, Any] | None:
        """The next JSON object, or None where none comes in time or none can come any more."""
        child = self._child
        end = time.monotonic() + seconds
        while child is not None:
            alive = child.alive and not child.eof  # looked at first: what it left is read below
            child.write()
            child.read_stderr()
            child.read()
            while (line := child.next_line()) is not None:
                try:
                    return parse_object(line)
                except NotJsonError as error:
                    if b'"id"' in line:
                        raise _FaultError(f"the reply {error}") from None
                    if line.strip():
                        self._noise.append(str(error))
            if time.monotonic() >= end or not alive:
                return None
            time.sleep(_POLL)
        return None

    def _ends(self, what: str) -> str:
        child = self._ready()
        end = time.monotonic() + _STOP_GRACE
        while child.alive and time.monotonic() < end:
            child.discard_output()
            time.sleep(_POLL)
        if child.alive:
            raise _FaultError(f"the harness did not end within {_STOP_GRACE:g} s of {what}")
        how = self._how()
        if how != "exit 0":
            raise _FaultError(f"the harness ended with {how} at {what}; exit 0 is due")
        self.close()
        return "ended with exit code 0"

    def _how(self) -> str:
        if self._child is None:
            return "gone"
        return self._child.how_it_ended()

    def _said(self) -> str:
        """What a harness that failed said last."""
        if self._child is None:
            return ""
        self._child.read_stderr()
        lines = [line for line in self._child.stderr.text().splitlines() if line.strip()]
        said = f"; it said: {quoted(lines[-1])}" if lines else ""
        if self._noise:
            said += f"; a line on standard output {self._noise[-1]}"
        return said


# --- questions -----------------------------------------------------------------------------


def _shape_question(*shapes: tuple[int, ...]) -> _Question:
    rank = len(shapes[0])
    data_sets = [
        DataSet((NamedValue("data", Tensor("float32", shape, bytes(4 * _product(shape)))),), ())
        for shape in shapes
    ]
    model = _model("Shape", "shape", (1, [None] * rank), (7, [rank]), 13, 7)
    return _Question("shape", model, ("shape",), tuple(data_sets))


def _same_question(tensor: Tensor, opset: int, ir_version: int) -> _Question:
    """A model whose output is its input."""
    code = element_type(tensor.type).code
    kind = (code, list(tensor.shape))
    cast = tensor.type in _CAST_TYPES[2]
    operator, attributes = ("Cast", {"to": code}) if cast else ("Identity", {})
    model = _model(operator, "same", kind, kind, opset, ir_version, attributes)
    data_set = DataSet((NamedValue("data", tensor),), ())
    return _Question(f"{operator.lower()}_{tensor.type}", model, ("same",), (data_set,))


def _model(  # noqa: PLR0913, PLR0917  the parts of a model
    operator: str,
    output: str,
    taken: tuple[int, Sequence[int | None]],
    given: tuple[int, Sequence[int | None]],
    opset: int,
    ir_version: int,
    attributes: Mapping[str, int] | None = None,
) -> bytes:
    from onnx import helper

    node = helper.make_node(operator, ["data"], [output])
    node.attribute.extend(helper.make_attribute(*item) for item in (attributes or {}).items())
    graph = helper.make_graph(
        [node],
        "check",
        [helper.make_tensor_value_info("data", *taken)],
        [helper.make_tensor_value_info(output, *given)],
    )
    opsets = [helper.make_opsetid("", opset)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=ir_version)
    return bytes(model.SerializeToString())


def _sample(name: str) -> Tensor:
    """Three elements of a type: an odd number shows how small ones are packed."""
    element = element_type(name)
    if element.kind == "string":
        return Tensor(name, (3,), (b"", b"a", "\u00e9\0".encode()))
    if element.kind == "bool":
        return Tensor(name, (3,), b"\1\0\1")
    packed = {6: b"\x81\x30\x00", 4: b"\x21\x03", 2: b"\x39"}
    data = packed.get(element.bits, bytes([1, 2, 3] * (element.bits // 8)))
    return Tensor(name, (3,), data)


def _shape_tensor(*shape: int) -> Tensor:
    """What Shape gives for a tensor of that shape."""
    data = b"".join(value.to_bytes(8, "little", signed=True) for value in shape)
    return Tensor("int64", (len(shape),), data)


def _product(shape: Sequence[int]) -> int:
    total = 1
    for item in shape:
        total *= item
    return total


# --- answers in words ----------------------------------------------------------------------


def _rejection(observation: Rejected) -> str:
    message = quoted(observation.message)
    return f"rejected at {observation.phase}" + (f": {message}" if message else "")


def _difference(expected: Sequence[Tensor], came: Sequence[Value]) -> str:
    """What was expected and what came where they differ, or an empty text."""
    if len(expected) != len(came):
        return f"expected {len(expected)} values; got {len(came)}"
    for wanted, got in zip(expected, came, strict=True):
        if compare(wanted, got).difference is not None:
            return one_line(f"expected {text(wanted)}; got {text(got)}{_guess(wanted, got)}", 400)
    return ""


def _guess(wanted: Tensor, got: Value) -> str:
    """The likely reason, where the bytes tell."""
    if not isinstance(got, Tensor) or got.shape != wanted.shape:
        return ""
    if got.type == wanted.type and element_type(got.type).bits not in {STRING_BITS, 8}:
        mirrored = bit_patterns(wanted).byteswap().tobytes()
        if mirrored == bit_patterns(got).tobytes() != bit_patterns(wanted).tobytes():
            return ": are the bytes swapped?"
    return ""
