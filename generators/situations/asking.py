"""Evaluates the oracle for a situation: results, what is left open, or a refusal."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.tensors import Bounded, NamedValue, Tensor, Value

from ..alike.reducing import NotRestoredError, reduced
from ..oracle import Answer, Call, answers
from ..oracle.accuracy.limits import alternatives_of, limits_of, rules_of
from ..oracle.arith.grid import Grid, tensor_of
from ..oracle.arith.rounding import is_float
from ..oracle.errors import InvalidCallError, UnansweredError
from ..oracle.own import told_of
from ..oracle.registry import Result, registrations_of
from ..specs.model import (
    AttributeValue,
    GivenAttribute,
    GraphAttribute,
    Literal,
    OperatorVersion,
    PermittedResult,
    TypeAttribute,
)
from ..specs.statements import OpenQuestion
from .data.literals import tensor_of as literal_tensor
from .graphs import has_graphs, runnable
from .situations import PermittedValues, Situation

ANYTHING = "anything"
REJECTED = "rejected"
_EITHER = "either"
_MOST_REPLIES = 16
_PLAIN = (int, float, str, bytes, tuple, Tensor)
_replies: dict[Any, Reply] = {}


@dataclass(frozen=True)
class Reply:
    """The oracle's reply for one data set.

    Attributes:
        outputs: the values by name, in order; with several readings those of the first.
        invalid: why the call is invalid, or an empty text.
        permitted: the results that the document permits; empty if one result is required.
    """

    outputs: tuple[NamedValue, ...] = ()
    invalid: str = ""
    permitted: tuple[PermittedValues, ...] = ()


def call_of(
    operator: tuple[str, str],
    version: OperatorVersion,
    types: Mapping[str, str],
    attributes: Sequence[GivenAttribute],
    inputs: Sequence[NamedValue],
    requested: Sequence[str] = (),
    model_opset: int | None = None,
    package: str = "",
) -> Call:
    """The call that a node with these attributes and inputs makes; defaults are filled in.

    Args:
        operator: its domain and its name.
        version: the operator version.
        types: the binding of each type variable.
        attributes: the node's attributes.
        inputs: by name; names that are not the operator's are values in the scope around the node.
        requested: names of the requested outputs; empty means all.
        model_opset: opset of the default domain for running graphs among the attributes; None uses
            that of the operator version.
        package: the package that holds the operator's oracle; empty for this one's.

    Raises:
        InvalidCallError: a graph among the attributes is invalid.
    """
    given = {
        name: attribute.default
        for name, attribute in version.attributes.items()
        if attribute.default is not None
    }
    settled: dict[str, Any] = {**given}
    imports = {"": model_opset or version.since_version}
    settled.update(
        {
            item.name: runnable(item.value, imports, inputs)
            if isinstance(item.value, GraphAttribute)
            else _attribute(item.value, item.name)
            for item in attributes
        }
    )
    gathered: dict[str, Any] = {}
    for item in inputs:
        parameter = version.parameter_of(item.name)
        if parameter is not None and parameter.variadic:
            gathered[parameter.name] = (*gathered.get(parameter.name, ()), item.value)
        elif parameter is not None or not has_graphs(version):
            gathered[item.name] = item.value
    return Call(
        since_version=version.since_version,
        attributes=settled,
        inputs=gathered,
        operator=operator[1],
        domain=operator[0],
        outputs=tuple(requested),
        types=types,
        package=package,
    )


def _attribute(value: AttributeValue, name: str) -> Any:  # noqa: ANN401  what a call may have
    if isinstance(value, Literal):
        return literal_tensor(value, value.type or "float32", name)
    if isinstance(value, TypeAttribute):
        return value.text
    if isinstance(value, float):
        return _float32(value)
    if isinstance(value, tuple):
        return tuple(_float32(item) if isinstance(item, float) else item for item in value)
    return value


def _float32(value: float) -> float:
    """The value that a float attribute holds: onnx.proto, AttributeProto.f is a 32-bit float."""
    return float(struct.unpack("<f", struct.pack("<f", value))[0])


def ask(call: Call, version: OperatorVersion, questions: Mapping[str, OpenQuestion]) -> Reply:
    """The oracle's reply.

    BadInputError for an operator without an oracle, and for an open question that the spec does
    not state.
    """
    registrations_of(call.operator, call.domain, call.package)
    if not call.package:
        return _asked(call, version, questions)
    with told_of(f"what the oracle of {call.domain}:{call.operator} returned cannot be used"):
        return _asked(call, version, questions)


def _asked(call: Call, version: OperatorVersion, questions: Mapping[str, OpenQuestion]) -> Reply:
    """The reply; from a smaller call where much of a large one is alike."""
    smaller = reduced(call)
    if smaller is None:
        return _asked_as_it_is(call, version, questions)
    positions = {item.name: position for position, item in enumerate(version.outputs)}

    def restored(values: tuple[NamedValue, ...]) -> tuple[NamedValue, ...]:
        return tuple(
            NamedValue(item.name, smaller.restored(positions[item.name], item.value))
            for item in values
        )

    reply = _remembered(smaller.call, version, questions)
    try:
        if not reply.invalid:
            permitted = tuple(
                item if item.outputs is None else replace(item, outputs=restored(item.outputs))
                for item in reply.permitted
            )
            return Reply(restored(reply.outputs), permitted=permitted)
    except NotRestoredError:
        pass
    return _asked_as_it_is(call, version, questions)


def _remembered(
    call: Call, version: OperatorVersion, questions: Mapping[str, OpenQuestion]
) -> Reply:
    """The reply to a smaller call, which large calls of different sizes have in common."""
    if not all(isinstance(item, _PLAIN) for item in call.attributes.values()):
        return _asked_as_it_is(call, version, questions)
    attributes = repr(sorted(call.attributes.items()))  # which tells -0.0 from 0.0, and 1 from 1.0
    given = tuple(call.inputs.items()), tuple(call.types.items()), call.outputs
    key = (call.domain, call.operator, call.since_version, attributes, given)
    if key not in _replies:
        if len(_replies) == _MOST_REPLIES:
            del _replies[next(iter(_replies))]
        _replies[key] = _asked_as_it_is(call, version, questions)
    return _replies[key]


def _asked_as_it_is(
    call: Call, version: OperatorVersion, questions: Mapping[str, OpenQuestion]
) -> Reply:
    found = list(answers(call))
    if len(found) == 1 and not found[0].readings:
        only = found[0]
        if only.result is None:
            return Reply(invalid=only.invalid)
        choices = _choices(only.result)
        first = _named(version, choices[0])
        if len(choices) == 1:
            return Reply(first)
        question = questions.get(_EITHER)
        reason = question.text if question else "the document leaves this element open"
        return Reply(
            first,
            permitted=tuple(
                PermittedResult(f"choice_{index + 1}", reason, _named(version, choice))
                for index, choice in enumerate(choices)
            ),
        )
    return _open(found, version, questions)


def _open(
    found: Sequence[Answer], version: OperatorVersion, questions: Mapping[str, OpenQuestion]
) -> Reply:
    """The reply with each reading as a permitted result; equal results are merged."""
    permitted: list[PermittedValues] = []
    asked: dict[str, OpenQuestion] = {}
    for answer in found:
        reasons = _reasons(answer, questions)
        asked.update({name: questions[name] for name in answer.readings})
        label = "_and_".join(answer.readings.values()).replace("-", "_")
        for way, values in enumerate(_results(answer, version)):
            if not any(_accepts_all(item.outputs, values) for item in permitted):
                taken = label if way == 0 else f"{label}_choice_{way + 1}"
                permitted.append(PermittedResult(taken, "; ".join(reasons), values))
    if not any(item.outputs is not None for item in permitted):
        raise BadInputError("every reading refuses the call: it is an invalid case")
    for question in asked.values():
        if REJECTED in question.readings and all(item.outputs is not None for item in permitted):
            permitted.append(PermittedResult(REJECTED, question.readings[REJECTED], None))
        if ANYTHING in question.readings:
            one = next(item for item in permitted if item.outputs is not None)
            permitted.append(
                PermittedResult(ANYTHING, question.readings[ANYTHING], one.outputs, anything=True)
            )
    outputs = next(item.outputs for item in permitted if item.outputs is not None)
    return Reply(outputs or (), permitted=tuple(permitted) if len(permitted) > 1 else ())


def _accepts_all(
    known: tuple[NamedValue, ...] | None, values: tuple[NamedValue, ...] | None
) -> bool:
    """Whether a result that is known accepts whatever another of the same elements does.

    Equality of tensors ignores limits, and two integers beside each other are limits: `any order`
    of 0 and 1 begins with the elements of the order itself, and accepts more.
    """
    if known != values:
        return False
    return all(
        _within(one.value, other.value)
        for one, other in zip(known or (), values or (), strict=True)
        if isinstance(other.value, Bounded) and not is_float(other.value.type)
    )


def _within(known: Value, value: Bounded) -> bool:
    """Whether the limits of integers are those of a known tensor, if only to the byte."""
    own = known.limits if isinstance(known, Bounded) else {}
    return all(
        own.get(profile, (known, known)) == limits for profile, limits in value.limits.items()
    )


def _reasons(answer: Answer, questions: Mapping[str, OpenQuestion]) -> list[str]:
    """Why each reading is possible; BadInputError for a reading that the spec does not state."""
    reasons = []
    for name, reading in answer.readings.items():
        question = questions.get(name)
        if question is None:
            raise BadInputError(
                f"the oracle asks '{name}', which the document leaves open; state it under"
                " `open:` with its readings"
            )
        if reading not in question.readings:
            raise BadInputError(f"reading '{reading}' of '{name}' is not stated under `open:`")
        reasons.append(question.readings[reading])
    return reasons


def _results(answer: Answer, version: OperatorVersion) -> list[tuple[NamedValue, ...] | None]:
    """The results that one reading permits: a refusal, or the outputs with all their choices."""
    if answer.result is None:
        return [None]
    return [_named(version, choice) for choice in _choices(answer.result)]


def _choices(result: Result) -> list[tuple[Value | None, ...]]:
    """The values of a result, then those of the further choices that elements have."""
    first = tuple(None if output is None else value_of_output(output) for output in result)
    further = [alternatives_of(output) if isinstance(output, Grid) else () for output in result]
    count = max((len(item) for item in further), default=0)
    return [first] + [
        tuple(
            others[min(way, len(others) - 1)] if others else value
            for value, others in zip(first, further, strict=True)
        )
        for way in range(count)
    ]


def _named(version: OperatorVersion, result: Sequence[Value | None]) -> tuple[NamedValue, ...]:
    """The outputs that are present, with the names that a node gives them."""
    named: list[NamedValue] = []
    for position, output in enumerate(result):
        if output is None:
            continue
        last = version.outputs[-1]
        if position >= len(version.outputs) and not last.variadic:
            raise BadInputError(
                f"the oracle returns {len(result)} outputs, and the operator has"
                f" {len(version.outputs)}"
            )
        if position >= len(version.outputs) - 1 and last.variadic:
            name = last.instance(position - (len(version.outputs) - 1))
        else:
            name = version.outputs[position].name
        named.append(NamedValue(name, output))
    return tuple(named)


def value_of_output(output: Any) -> Value:  # noqa: ANN401  an entry of a Result
    """The value of an output, with its limits if it is not exact."""
    if isinstance(output, Grid):
        tensor = tensor_of(output)
        limits = limits_of(output)
        if not limits:
            return tensor
        return Bounded(tensor.type, tensor.shape, tensor.data, limits, rules_of(output))
    value: Value = output
    return value


def outputs_with(
    situation: Situation,
    what: str,
    *,
    attributes: Sequence[GivenAttribute] | None = None,
    inputs: Sequence[NamedValue] | None = None,
) -> tuple[NamedValue, ...] | None:
    """The operator's results with other attributes or inputs than those of a situation.

    Only the outputs that the situation has. None if the call is invalid, if the document leaves its
    result open, or if no oracle knows it.

    Args:
        situation: it remembers the results, so that the oracle is asked once for them, however
            often a form is tried, and when its model is built.
        what: a name for this call, the same for the same attributes and inputs.
        attributes: instead of those of the situation.
        inputs: instead of those of the situation.
    """
    known = situation.other_results
    if what not in known:
        known[what] = _outputs_with(situation, attributes, inputs)
    return known[what]


def _outputs_with(
    situation: Situation,
    attributes: Sequence[GivenAttribute] | None,
    inputs: Sequence[NamedValue] | None,
) -> tuple[NamedValue, ...] | None:
    try:
        call = call_of(
            (situation.domain, situation.operator),
            situation.version,
            situation.types,
            situation.attributes if attributes is None else attributes,
            situation.data_sets[0].inputs if inputs is None else inputs,
            model_opset=situation.model_opset,
            package=situation.package,
        )
    except InvalidCallError:
        return None
    try:
        found = list(answers(call))
    except UnansweredError:
        return None
    if len(found) != 1 or found[0].result is None:
        return None
    choices = _choices(found[0].result)
    if len(choices) != 1:
        return None
    names = {item.name for item in situation.outputs}
    return tuple(item for item in _named(situation.version, choices[0]) if item.name in names)
