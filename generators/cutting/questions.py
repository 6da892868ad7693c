"""One node as a model of its own, and what the oracle says of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.exploring.explorer import Refusal
from onnx_conformance.core.models.schemas import domain_of
from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.protos import to_proto
from onnx_conformance.core.values.tensors import Drawn, NamedValue, Tensor, Value

from ..interpreter import SPECS, installed_signatures
from ..interpreter.outcomes import NoOracleError, RefusedError
from ..interpreter.reading import read_model
from ..interpreter.running import Session
from ..interpreter.scopes import Frame, Scope
from ..interpreter.validity.binding import make_call
from ..interpreter.validity.checking import check_model
from ..oracle.arith.grid import AnyOf, Enclosed, Grid
from ..oracle.errors import InvalidCallError, OpenError
from ..oracle.registry import Call, Result, compute
from ..planning.reading import read_specs
from ..signatures.model import Parameter
from ..situations.asking import Reply
from ..situations.permitting.permitted import NotPermittedError, permitted
from ..specs.model import CorpusFacts, OperatorVersion, Spec

if TYPE_CHECKING:
    import onnx


class NotCutError(Exception):
    """There is no vector for a use; the message says why."""


@dataclass(frozen=True)
class Question:
    """A node with the values of its inputs.

    Attributes:
        node: the node; its inputs and outputs have the names of the operator's document.
        imports: the opset of each domain.
        ir_version: of the model that asks it.
        inputs: the values, and whether the model stores each; an absent input is left out.
    """

    node: onnx.NodeProto
    imports: Mapping[str, int]
    ir_version: int
    inputs: tuple[tuple[NamedValue, bool], ...]


@dataclass(frozen=True)
class Answered:
    """A question with what the oracle says.

    Attributes:
        question: the question.
        model: the node as a model; its outputs have types and shapes.
        types: the type of each type variable.
        reply: the required outputs, or those that are permitted.
        outputs: the required outputs in the order of the node.
    """

    question: Question
    model: onnx.ModelProto
    types: Mapping[str, str]
    reply: Reply
    outputs: tuple[NamedValue, ...]


class _Watched(Session):
    """A session that notices results inside subgraphs that are not one exact value each."""

    doubt = ""

    def answer(self, call: Call) -> Result:
        """As of any session."""
        try:
            result = compute(call)
        except OpenError as error:
            self.doubt = f"{call.operator} in its subgraph leaves '{error.question}' open"
            return super().answer(call)
        except (InvalidCallError, BadInputError):
            return super().answer(call)
        if any(
            isinstance(item, (AnyOf, Enclosed))
            for output in result
            if isinstance(output, Grid)
            for item in output.items
        ):
            self.doubt = f"{call.operator} in its subgraph rounds, and its nodes are judged alone"
        return result


def question_of(
    node: onnx.NodeProto,
    values: Sequence[tuple[Value | None, bool]],
    outer: Mapping[str, tuple[Value, bool]],
    imports: Mapping[str, int],
    ir_version: int,
) -> Question:
    """A node of a model as a question; its inputs and outputs are named as in the document.

    Args:
        node: the node of the model.
        values: its inputs by position, and whether the model stores each; None is an absent one.
        outer: what its subgraphs take from around it, by name; these names stay.
        imports: the opset of each domain in the model.
        ir_version: of the model.

    Raises NotCutError if the operator has no spec, or names clash.
    """
    domain = domain_of(node.domain)
    facts, _, version = version_of(domain, node.op_type, imports.get(domain, 0))
    renamed = type(node)()
    renamed.CopyFrom(node)
    renamed.ClearField("name")
    renamed.ClearField("doc_string")
    del renamed.metadata_props[:]
    named: list[tuple[NamedValue, bool]] = []
    for position, (value, stored) in enumerate(values):
        name = "" if value is None else _name_at(version.inputs, position)
        renamed.input[position] = name
        if value is not None:
            named.append((NamedValue(name, value), stored))
    for position, name in enumerate(node.output):
        renamed.output[position] = _name_at(version.outputs, position) if name else ""
    own = {item.name for item, _ in named} | set(renamed.output)
    if own & outer.keys():
        raise NotCutError("a name in its subgraph is that of an input or output in the document")
    named += [(NamedValue(name, value), stored) for name, (value, stored) in outer.items()]
    used = {domain: imports.get(domain, 0)}
    if outer or any(item.HasField("g") for item in node.attribute):
        used = dict(imports)
    if "" not in used:
        used[""] = imports.get("", facts.model_opset(domain, used[domain]))
    needed = [
        element_type(item.value.type).since_ir
        for item, _ in named
        if isinstance(item.value, Tensor)
    ]
    least = max(facts.ir_version(used[""]), *needed, 4)
    return Question(renamed, used, max(ir_version, least), tuple(named))


def parameter_at(parameters: Sequence[Parameter], position: int) -> tuple[Parameter, int]:
    """The parameter of the value at a position, and which of its values it is."""
    last = len(parameters) - 1
    if position >= last >= 0 and parameters[last].variadic:
        return parameters[last], position - last
    if position > last:
        raise NotCutError(f"it has {position + 1} values where the document has {last + 1}")
    return parameters[position], 0


def _name_at(parameters: Sequence[Parameter], position: int) -> str:
    """The name of the value at a position."""
    parameter, index = parameter_at(parameters, position)
    return parameter.instance(index) if parameter.variadic else parameter.name


@cache
def _spec(domain: str, operator: str) -> tuple[CorpusFacts, Spec]:
    """The spec of an operator, with what holds for the whole corpus."""
    stem = f"{domain}.{operator}".lstrip(".").lower()
    if not (SPECS / f"{stem}.yaml").is_file():
        raise NotCutError(f"{operator} has no spec, so that nothing says what it leaves open")
    facts, (spec,) = read_specs(SPECS, (stem,))
    return facts, spec


def version_of(domain: str, operator: str, opset: int) -> tuple[CorpusFacts, Spec, OperatorVersion]:
    """The version of an operator at an opset, as its spec has it; NotCutError without one."""
    facts, spec = _spec(domain, operator)
    fitting = [number for number in spec.versions if number <= opset]
    if not fitting or spec.versions[max(fitting)].last_opset < opset:
        raise NotCutError(f"{operator} is not specified at opset {opset}")
    return facts, spec, spec.versions[max(fitting)]


def answered(question: Question) -> Answered:
    """Ask the oracle.

    Raises NotCutError if it refuses the call, or if no vector can hold its answer.
    """
    node = question.node
    domain = domain_of(node.domain)
    _, spec, version = version_of(domain, node.op_type, question.imports[domain])
    model = _model(question)
    with _refusals():
        call, session = _call(model, question)
        reply = permitted(call, version, spec.questions, seconds=None, elements=None)
    if session.doubt:
        raise NotCutError(session.doubt)
    names = [name for name in node.output if name]
    reply = replace(
        reply,
        permitted=tuple(
            item
            if item.outputs is None
            else replace(item, outputs=tuple(_requested(item.outputs, names)))
            for item in reply.permitted
        ),
    )
    outputs = tuple(_requested(reply.outputs, names))
    if [item.name for item in outputs] != names:
        raise NotCutError("the document leaves one of its outputs undefined here")
    if any(not isinstance(item.value, Tensor) for item in outputs):
        raise NotCutError("its result is no tensor, which a cut vector cannot hold yet")
    if any(isinstance(item.value, Drawn) for item in outputs):
        raise NotCutError("its result is drawn at random: vectors of the corpus judge that")
    _declare(model, outputs)
    return Answered(question, model, call.types, reply, outputs)


@contextmanager
def _refusals() -> Iterator[None]:
    """NotCutError for what nobody answers."""
    not_permitted, unknown = "the document does not permit this node", "the oracle cannot say"
    try:
        yield
    except (RefusedError, InvalidCallError) as error:
        raise NotCutError(f"{not_permitted}: {error}") from None
    except (NoOracleError, BadInputError) as error:
        raise NotCutError(f"{unknown}: {error}") from None
    except NotPermittedError as error:
        said = not_permitted if error.refusal is Refusal.INVALID else unknown
        raise NotCutError(f"{said}: {error}") from None


def call_of(question: Question) -> Call:
    """What the oracle would be asked; NotCutError if the document does not permit it."""
    with _refusals():
        return _call(_model(question), question)[0]


def asked_as(
    question: Question,
    types: Mapping[str, str],
    reply: Reply,
    outputs: tuple[NamedValue, ...],
) -> Answered:
    """A question with an answer that was not computed from the whole of it."""
    model = _model(question)
    _declare(model, outputs)
    return Answered(question, model, types, reply, outputs)


def _requested(values: Sequence[NamedValue], names: Sequence[str]) -> list[NamedValue]:
    found = {item.name: item for item in values}
    return [found[name] for name in names if name in found]


def _call(model: onnx.ModelProto, question: Question) -> tuple[Call, _Watched]:
    """The call of the only node, and the session that its subgraphs run in."""
    signatures = installed_signatures()
    read = read_model(model)
    check_model(read, signatures)
    session = _Watched(read, signatures)
    fed = {item.name: item.value for item, stored in question.inputs if not stored}
    scope = Scope(session.initial_values(read.graph, fed))
    frame = Frame(read.imports, None, scope, read.graph.nodes)
    (node,) = read.graph.nodes
    values = [scope.value(name) if name else None for name in node.inputs]
    signature = session.signature(node, read.imports)
    contents = {item.name: session.content(item, frame) for item in node.attributes}
    return make_call(signature, contents, values, node.outputs, session.refuse), session


def _model(question: Question) -> onnx.ModelProto:
    """The node as a model; its outputs have neither type nor shape yet."""
    from onnx import helper

    fed, stored = [], []
    for item, is_stored in question.inputs:
        if not isinstance(item.value, Tensor):
            raise NotCutError(f"its input '{item.name}' is no tensor")
        if is_stored:
            stored.append(to_proto(item.value, item.name))
        else:
            code = element_type(item.value.type).code
            fed.append(helper.make_tensor_value_info(item.name, code, list(item.value.shape)))
    outputs = [helper.make_empty_tensor_value_info(name) for name in question.node.output if name]
    graph = helper.make_graph([question.node], "cut", fed, outputs, stored)
    imports = [helper.make_opsetid(name, number) for name, number in question.imports.items()]
    return helper.make_model(graph, opset_imports=imports, ir_version=question.ir_version)


def _declare(model: onnx.ModelProto, outputs: Sequence[NamedValue]) -> None:
    """Give the outputs of a model their types and shapes."""
    from onnx import helper

    del model.graph.output[:]
    for item in outputs:
        if isinstance(item.value, Tensor):
            code = element_type(item.value.type).code
            info = helper.make_tensor_value_info(item.name, code, list(item.value.shape))
            model.graph.output.append(info)
