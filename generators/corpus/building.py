"""From a plan to a vector: its tensors, its model, its files.

Expected values have two sources that must agree: the literal of the spec and the oracle.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.vectors import (
    DATA_FILE,
    MODEL_FILE,
    DataSet,
    Kind,
    Permitted,
    Phase,
    Vector,
    slug,
    to_json,
)
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import NamedValue, Tensor, check_tensor

from ..forms import form_named
from ..oracle import Call, InvalidCallError, evaluate
from ..situations.literals import tensor_of
from ..situations.situations import OutputDeclaration, Situation, tensor_named
from ..specs.model import GivenAttribute, main_variable

if TYPE_CHECKING:
    from collections.abc import Mapping

    import onnx

    from ..forms.models import Presentation
    from ..situations.expansion import Plan
    from ..specs.model import CorpusFacts, Example, Literal, Parameter


@dataclass(frozen=True)
class Built:
    """A vector with its files and its model, before it is written."""

    vector: Vector
    files: Mapping[str, bytes]
    model: onnx.ModelProto
    data_sets: tuple[DataSet, ...]


def situation_of(plan: Plan, facts: CorpusFacts) -> Situation:
    """The case of a plan with real tensors; the literal results are checked against the oracle."""
    case, version = plan.case, plan.version
    types = _types(plan)
    attributes = (*case.attributes, *_moved(plan))
    data_sets = tuple(
        _data_set(plan, example, index) for index, example in enumerate(case.examples)
    )
    _check_ranks(plan, data_sets)
    situation = Situation(
        name=plan.base_id,
        operator=plan.spec.operator,
        domain=plan.spec.domain,
        version=version,
        opset=plan.opset,
        ir_version=max(facts.ir_version(plan.opset), *_ir_versions(types, data_sets)),
        types=types,
        attributes=attributes,
        data_sets=data_sets,
        outputs=_declarations(plan, data_sets),
        fault=case.fault,
    )
    _ask_oracle(plan, situation)
    return situation


def _ir_versions(types: Mapping[str, str], data_sets: tuple[DataSet, ...]) -> set[int]:
    """The IR versions that introduced the element types in use.

    A type outside the operator's constraint must be wrong for that reason only, so the model has an
    IR version that knows it.
    """
    used = set(types.values())
    used |= {
        item.value.type
        for data_set in data_sets
        for item in data_set.inputs
        if isinstance(item.value, Tensor)
    }
    return {element_type(name).since_ir for name in used}


def _types(plan: Plan) -> dict[str, str]:
    """One element type for each type variable: the plan's for the variable that is swept."""
    default = plan.spec.default_type
    chosen = {
        variable: default if default in allowed else allowed[0]
        for variable, allowed in plan.version.types.items()
    }
    variable = main_variable(plan.version)
    if variable is not None:
        chosen[variable] = plan.type
    return chosen


def _moved(plan: Plan) -> tuple[GivenAttribute, ...]:
    """What is an attribute at this version and an input later, such as the shape of Reshape-1."""
    attributes = plan.version.attributes
    inputs = {item.name for item in plan.version.inputs}
    return tuple(
        GivenAttribute(name, _integers(plan, name, literal), attributes[name].type)
        for name, literal in plan.case.examples[0].inputs.items()
        if name not in inputs and name in attributes
    )


def _integers(plan: Plan, name: str, literal: Literal) -> tuple[int, ...]:
    """The elements of an input as the value of an attribute of type ints."""
    values = literal.values or ()
    integers = tuple(
        item for item in values if isinstance(item, int) and not isinstance(item, bool)
    )
    if literal.values is None or len(integers) != len(values):
        raise BadInputError(
            f"{_where(plan)}: '{name}' is an attribute at this version and needs integers"
        )
    return integers


def _data_set(plan: Plan, example: Example, index: int) -> DataSet:
    for parameter in plan.version.inputs:
        if parameter.name not in example.inputs and not parameter.optional:
            raise BadInputError(f"{_where(plan)}: input '{parameter.name}' is missing")
    seed = plan.base_id if index == 0 else f"{plan.base_id}#{index}"
    inputs = tuple(
        NamedValue(item.name, _tensor(plan, item, example.inputs[item.name], seed))
        for item in plan.version.inputs
        if item.name in example.inputs
    )
    outputs = tuple(
        NamedValue(item.name, _output(plan, item, example.outputs[item.name], inputs, seed))
        for item in plan.version.outputs
        if item.name in example.outputs
    )
    return DataSet(inputs, outputs)


def _check_ranks(plan: Plan, data_sets: tuple[DataSet, ...]) -> None:
    """One model takes all data sets, so that a value has one rank in all of them."""
    first = data_sets[0]
    for data_set in data_sets[1:]:
        for here, there in ((first.inputs, data_set.inputs), (first.outputs, data_set.outputs)):
            if _ranks(here) != _ranks(there):
                raise BadInputError(
                    f"{_where(plan)}: a data set under `then` has other ranks than the first:"
                    f" {_ranks(there)}, not {_ranks(here)}"
                )


def _ranks(values: tuple[NamedValue, ...]) -> dict[str, int]:
    return {item.name: len(tensor_named(values, item.name).shape) for item in values}


def _tensor(plan: Plan, parameter: Parameter, literal: Literal, seed: str) -> Tensor:
    type_name = _types(plan).get(parameter.type, parameter.type)
    try:
        return tensor_of(literal, type_name, f"{seed}:{parameter.name}")
    except BadInputError as error:
        raise BadInputError(f"{_where(plan)}: '{parameter.name}': {error}") from None


def _output(
    plan: Plan,
    parameter: Parameter,
    literal: Literal,
    inputs: tuple[NamedValue, ...],
    seed: str,
) -> Tensor:
    """The literal result: whole, or dimensions around the elements of an input."""
    if literal.values is not None or parameter.elements is None:
        return _tensor(plan, parameter, literal, seed)
    tensor = replace(tensor_named(inputs, parameter.elements), shape=literal.shape)
    try:
        check_tensor(tensor)
    except BadInputError as error:
        raise BadInputError(f"{_where(plan)}: '{parameter.name}': {error}") from None
    return tensor


def _declarations(plan: Plan, data_sets: tuple[DataSet, ...]) -> tuple[OutputDeclaration, ...]:
    """Element type and rank that the model declares for each output."""
    types = _types(plan)
    declarations = []
    for parameter in plan.version.outputs:
        if data_sets[0].outputs:
            rank = len(tensor_named(data_sets[0].outputs, parameter.name).shape)
        else:
            rank = plan.case.fault.ranks.get(parameter.name, _rank_of_control(plan, parameter.name))
        type_name = types.get(parameter.type, parameter.type)
        declarations.append(OutputDeclaration(parameter.name, type_name, rank))
    return tuple(declarations)


def _rank_of_control(plan: Plan, name: str) -> int:
    """The rank of the output of the control, or of the first permitted result."""
    if plan.case.control is not None:
        control = plan.spec.cases[plan.case.control]
        return len(control.examples[0].outputs[name].shape)
    for permitted in plan.case.permitted:
        if permitted.outputs is not None:
            return len(permitted.outputs[name].shape)
    raise BadInputError(f"{_where(plan)}: give the rank of '{name}' in `ranks`")


def _ask_oracle(plan: Plan, situation: Situation) -> None:
    """Hold each literal result against the oracle, and each invalid call too."""
    if plan.case.kind == "latitude" or _fault_is_structural(plan):
        return
    attributes = {item.name: item.value for item in situation.attributes}
    for data_set in situation.data_sets:
        inputs = {
            item.name: item.value for item in data_set.inputs if isinstance(item.value, Tensor)
        }
        call = Call(plan.version.since_version, attributes, inputs)
        try:
            computed = evaluate(plan.spec.operator, call)
        except InvalidCallError as error:
            if plan.case.kind == "valid":
                raise BadInputError(f"{_where(plan)}: the oracle refuses it: {error}") from None
            continue
        if plan.case.kind == "invalid":
            raise BadInputError(f"{_where(plan)}: the oracle accepts it")
        _compare_with_oracle(plan, data_set, computed)


def _compare_with_oracle(plan: Plan, data_set: DataSet, computed: tuple[Tensor, ...]) -> None:
    literal = tuple(item.value for item in data_set.outputs)
    if literal != computed:
        raise BadInputError(
            f"{_where(plan)}: the literal says {_shown(literal)}, the oracle {_shown(computed)}"
        )


def _fault_is_structural(plan: Plan) -> bool:
    """Whether the model's structure, not the operator's arguments, is what is invalid."""
    case, version = plan.case, plan.version
    known = {name: attribute.type for name, attribute in version.attributes.items()}
    variable = main_variable(version)
    # An input of a later version may be an attribute at this one.
    parameters = {item.name for item in version.inputs} | set(version.attributes)
    return case.kind == "invalid" and (
        case.fault.is_structural
        or any(known.get(item.name) != item.type for item in case.attributes)
        or not {item for example in case.examples for item in example.inputs} <= parameters
        or (variable is not None and plan.type not in version.types[variable])
    )


def _shown(values: tuple[object, ...]) -> str:
    return "; ".join(
        f"{item.type} {list(item.shape)} with {item.data!r:.60}"
        if isinstance(item, Tensor)
        else repr(item)
        for item in values
    )


def _where(plan: Plan) -> str:
    return f"{plan.spec.path}:{plan.case.line}: {plan.id}"


# --- files ---------------------------------------------------------------------------------


def build(plan: Plan, facts: CorpusFacts) -> Built:
    """The vector of a plan, all its files in memory."""
    from ..forms.models import serialize

    situation = situation_of(plan, facts)
    presentation = form_named(plan.form).build(situation)
    presentation.model.graph.name = slug(plan.id)  # a C90 identifier (IR.md, Names Within a Graph)
    permitted = _permitted(plan, situation, presentation)
    vector = _vector(plan, situation, presentation, permitted)
    files = {
        MODEL_FILE: serialize(presentation.model),
        DATA_FILE: _one_key_a_line(to_json(vector)),
    }
    for index, data_set in enumerate(presentation.data_sets):
        folder = f"test_data_set_{index}"
        files.update(_tensor_files(f"{folder}/input", data_set.inputs))
        if plan.kind == "valid":
            files.update(_tensor_files(f"{folder}/output", data_set.outputs))
    for item, values in permitted:
        if item.folder is not None:
            files.update(_tensor_files(f"{item.folder}/output", values))
    return Built(vector, files, presentation.model, presentation.data_sets)


def _one_key_a_line(document: Mapping[str, Any]) -> bytes:
    """JSON as a person likes to read it: short lists stay on their key's line."""
    lines = (
        f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}"
        for key, value in document.items()
    )
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _tensor_files(stem: str, values: tuple[NamedValue, ...]) -> dict[str, bytes]:
    from onnx_conformance.core.values.tensors import to_proto

    return {
        f"{stem}_{index}.pb": bytes(
            to_proto(item.value, item.name).SerializeToString(deterministic=True)
        )
        for index, item in enumerate(values)
        if isinstance(item.value, Tensor)
    }


def _permitted(
    plan: Plan, situation: Situation, presentation: Presentation
) -> tuple[tuple[Permitted, tuple[NamedValue, ...]], ...]:
    """The results that a latitude vector permits, each with its outputs."""
    refusal = form_named(plan.form).refusal
    if plan.case.kind == "valid" and refusal is not None:
        outputs = presentation.data_sets[0].outputs
        return (
            (Permitted("result", "the model runs, and this is its result", "permitted_0"), outputs),
            (Permitted("rejected", refusal, None), ()),
        )
    results = []
    for index, item in enumerate(plan.case.permitted):
        values: tuple[NamedValue, ...] = ()
        folder = None
        if item.outputs is not None:
            folder = f"permitted_{index}"
            values = tuple(
                NamedValue(
                    output.name,
                    _output(
                        plan,
                        output,
                        item.outputs[output.name],
                        situation.data_sets[0].inputs,
                        plan.base_id,
                    ),
                )
                for output in plan.version.outputs
            )
        results.append((Permitted(item.taken, item.reason, folder), values))
    return tuple(results)


def _vector(
    plan: Plan,
    situation: Situation,
    presentation: Presentation,
    permitted: tuple[tuple[Permitted, tuple[NamedValue, ...]], ...],
) -> Vector:
    return Vector(
        id=plan.id,
        kind=Kind(plan.kind),
        purpose=plan.case.purpose,
        operator=plan.spec.operator,
        domain=plan.spec.domain,
        since_version=plan.version.since_version,
        opset=plan.opset,
        ir_version=situation.ir_version,
        types=situation.types,
        case=plan.case.id,
        form=plan.form,
        covers=plan.case.covers,
        documented=plan.case.documented,
        expect=Kind(plan.kind).expect,
        rtol=0.0,
        atol=0.0,
        inputs=presentation.inputs,
        outputs=presentation.outputs,
        reject=Phase(plan.case.reject) if plan.case.reject else None,
        control=plan.control,
        permitted=tuple(item for item, _ in permitted),
    )
