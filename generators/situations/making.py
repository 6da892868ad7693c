"""From a plan to its situation: real values, and what the oracle says of them.

Expected values have two sources that must agree: what the spec writes and the oracle. Where the
spec leaves the result to the oracle, the other source is whatever witnesses `make validate` runs.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.vectors import DataSet
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.comparing import compare
from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import NamedValue, Tensor, check_tensor

from ..specs.model import GivenAttribute, Literal
from .asking import Reply, ask, call_of
from .bindings import bound_types, typed_attributes
from .literals import value_of
from .situations import OutputDeclaration, PermittedValues, Situation, tensor_named
from .type_texts import elements_of, is_tensor

if TYPE_CHECKING:
    from collections.abc import Mapping

    from onnx_conformance.core.values.tensors import Value

    from ..specs.model import (
        AnyLiteral,
        Case,
        CorpusFacts,
        Example,
        OperatorVersion,
        Parameter,
        Spec,
    )
    from .plans import Plan


@dataclass
class Situations:
    """Makes each situation once, however many forms present it.

    Attributes:
        facts: what holds for the whole corpus.
    """

    facts: CorpusFacts
    _made: dict[str, Situation] = field(default_factory=dict)

    def of(self, plan: Plan) -> Situation:
        """The situation of a plan; BadInputError where the spec contradicts itself."""
        made = self._made.get(plan.base_id)
        if made is None:
            made = self._made[plan.base_id] = make_situation(plan, self.facts)
        return made


def make_situation(plan: Plan, facts: CorpusFacts) -> Situation:
    """The case of a plan with real values; what the spec writes is checked against the oracle."""
    case, version = plan.case, plan.version
    types = plan.types
    attributes = typed_attributes(
        plan.spec, version, types, (*case.attributes, *_moved(plan)), case
    )
    inputs = tuple(
        _inputs(plan, example, index, types) for index, example in enumerate(case.examples)
    )
    replies = _replies(plan, attributes, inputs, types)
    data_sets = tuple(
        DataSet(given, _outputs(plan, example, given, index, replies, types))
        for index, (example, given) in enumerate(zip(case.examples, inputs, strict=True))
    )
    _check_ranks(plan, data_sets)
    permitted, by_element = _permitted(plan, data_sets[0], replies, types)
    return Situation(
        name=plan.base_id,
        operator=plan.spec.operator,
        domain=plan.spec.domain,
        version=version,
        opset=plan.model_opset,
        ir_version=max(
            facts.ir_version(plan.model_opset), *_ir_versions(types, version, data_sets)
        ),
        types=types,
        attributes=attributes,
        data_sets=data_sets,
        outputs=_declarations(plan, data_sets, types),
        fault=case.fault,
        permitted=permitted,
        by_element=by_element,
        roles=plan.spec.roles,
        domain_opset=plan.opset,
    )


def accepted(spec: Spec, case: Case, facts: CorpusFacts) -> bool:
    """Whether the oracle takes a case, at the newest version at which it holds.

    Raises BadInputError where the case holds at no version, or is wrong in another way.
    """
    from .plans import Plan, nowhere, versions_of

    versions = versions_of(spec, case)
    if not versions:
        raise BadInputError(f"case '{case.id}' holds at no version: {nowhere(spec, case)}")
    version = versions[-1]
    types = bound_types(spec, version, case)
    plan = Plan(spec, case, version, version.since_version, types)
    try:
        make_situation(plan, facts)
    except RefusedError:
        return False
    return True


class RefusedError(BadInputError):
    """The oracle refuses a case that is said to be valid."""


def _ir_versions(
    types: Mapping[str, str], version: OperatorVersion, data_sets: tuple[DataSet, ...]
) -> set[int]:
    """The IR versions that introduced the element types in use.

    A type outside the operator's constraint must be wrong for that reason only, so the model has an
    IR version that knows it.
    """
    variables = {item.type for item in (*version.inputs, *version.outputs)}
    used = {
        element
        for name, text in types.items()
        if name in variables
        for element in elements_of(text)
    }
    used |= {
        item.value.type
        for data_set in data_sets
        for item in data_set.inputs
        if isinstance(item.value, Tensor)
    }
    return {element_type(name).since_ir for name in used} | {1}


def _moved(plan: Plan) -> tuple[GivenAttribute, ...]:
    """What is an attribute at this version and an input later, such as the shape of Reshape-1."""
    attributes = plan.version.attributes
    inputs = {item.name for item in plan.version.inputs}
    return tuple(
        _moved_value(plan, name, literal)
        for name, literal in plan.case.examples[0].inputs.items()
        if name not in inputs and name in attributes
    )


def _moved_value(plan: Plan, name: str, literal: AnyLiteral) -> GivenAttribute:
    """The elements of an input as the value of an attribute of type ints, int, floats or float."""
    type_name = plan.version.attributes[name].type
    values = literal.values if isinstance(literal, Literal) else None
    numbers = tuple(
        item
        for item in values or ()
        if isinstance(item, (int, float)) and not isinstance(item, bool)
    )
    if values is None or len(numbers) != len(values):
        raise BadInputError(
            f"{where(plan)}: '{name}' is an attribute at this version and needs integers"
        )
    if type_name in {"int", "float"}:
        if len(numbers) != 1:
            raise BadInputError(f"{where(plan)}: attribute '{name}' takes one number here")
        number = numbers[0]
        return GivenAttribute(name, float(number) if type_name == "float" else number, type_name)
    if type_name == "floats":
        return GivenAttribute(name, tuple(float(item) for item in numbers), type_name)
    integers = tuple(item for item in numbers if isinstance(item, int))
    if len(integers) != len(numbers):
        raise BadInputError(
            f"{where(plan)}: '{name}' is an attribute at this version and needs integers"
        )
    return GivenAttribute(name, integers, type_name)


def _inputs(
    plan: Plan, example: Example, index: int, types: Mapping[str, str]
) -> tuple[NamedValue, ...]:
    """The inputs of a data set in the order of the signature."""
    seed = plan.base_id if index == 0 else f"{plan.base_id}#{index}"
    found: list[NamedValue] = []
    for parameter in plan.version.inputs:
        names = [name for name in example.inputs if parameter.has_instance(name)]
        # A type outside the list may also be that of an input that is wrong in number.
        if not names and not parameter.optional and not parameter.variadic:
            raise BadInputError(f"{where(plan)}: input '{parameter.name}' is missing")
        found += [
            NamedValue(name, _value(plan, parameter, name, example.inputs[name], seed, types))
            for name in names
        ]
    return tuple(found)


def _value(
    plan: Plan,
    parameter: Parameter,
    name: str,
    literal: AnyLiteral,
    seed: str,
    types: Mapping[str, str],
) -> Value:
    text = types.get(parameter.type, parameter.type)
    try:
        return value_of(literal, text, f"{seed}:{name}")
    except BadInputError as error:
        raise BadInputError(f"{where(plan)}: '{name}': {error}") from None


def _replies(
    plan: Plan,
    attributes: tuple[GivenAttribute, ...],
    inputs: tuple[tuple[NamedValue, ...], ...],
    types: Mapping[str, str],
) -> tuple[Reply, ...]:
    """What the oracle says of each data set; none where it is not asked."""
    if plan.case.kind == "latitude" or _fault_is_structural(plan, types):
        return ()
    replies = []
    for example, given in zip(plan.case.examples, inputs, strict=True):
        operator = (plan.spec.domain, plan.spec.operator)
        requested = _requested(plan, example)
        call = call_of(operator, plan.version, types, attributes, given, requested)
        try:
            reply = ask(call, plan.version, plan.spec.questions)
        except BadInputError as error:
            raise BadInputError(f"{where(plan)}: {error}") from None
        if plan.case.kind == "valid" and reply.invalid:
            raise RefusedError(f"{where(plan)}: the oracle refuses it: {reply.invalid}")
        if plan.case.kind == "invalid" and not reply.invalid:
            raise BadInputError(f"{where(plan)}: the oracle accepts it")
        replies.append(reply)
    return tuple(replies)


def _outputs(
    plan: Plan,
    example: Example,
    inputs: tuple[NamedValue, ...],
    index: int,
    replies: tuple[Reply, ...],
    types: Mapping[str, str],
) -> tuple[NamedValue, ...]:
    """The outputs of a data set: the oracle's, which must be those that the spec writes."""
    if plan.case.kind != "valid":
        return ()
    wanted = plan.case.requested
    if wanted is None and example.outputs is not None:
        wanted = tuple(example.outputs)
    computed = tuple(
        item for item in replies[index].outputs if wanted is None or item.name in wanted
    )
    if example.outputs is None:
        return computed
    seed = plan.base_id if index == 0 else f"{plan.base_id}#{index}"
    literal = _literal_outputs(plan, example.outputs, inputs, seed, types)
    if [item.name for item in literal] != [item.name for item in computed] or any(
        not _equal(mine.value, theirs.value) for mine, theirs in zip(literal, computed, strict=True)
    ):
        raise BadInputError(
            f"{where(plan)}: the literal says {_shown(literal)}, the oracle {_shown(computed)}"
        )
    return computed


def _equal(literal: Value, computed: Value) -> bool:
    """The same, where any NaN is the same as any other."""
    return literal == computed or compare(literal, computed).difference is None


def _literal_outputs(
    plan: Plan,
    outputs: Mapping[str, AnyLiteral],
    inputs: tuple[NamedValue, ...],
    seed: str,
    types: Mapping[str, str],
) -> tuple[NamedValue, ...]:
    named = []
    for parameter in plan.version.outputs:
        for name in outputs:
            if parameter.has_instance(name):
                value = _output(plan, parameter, name, outputs[name], inputs, seed, types)
                named.append(NamedValue(name, value))
    return tuple(named)


def _output(
    plan: Plan,
    parameter: Parameter,
    name: str,
    literal: AnyLiteral,
    inputs: tuple[NamedValue, ...],
    seed: str,
    types: Mapping[str, str],
) -> Value:
    """The literal result: whole, positions in an input, or dimensions around its elements."""
    if isinstance(literal, Literal) and literal.source is not None:
        return _taken(plan, name, literal, tensor_named(inputs, literal.source))
    elements = parameter.elements
    if not isinstance(literal, Literal) or literal.values is not None or elements is None:
        return _value(plan, parameter, name, literal, seed, types)
    tensor = replace(tensor_named(inputs, elements), shape=literal.shape)
    try:
        check_tensor(tensor)
    except BadInputError as error:
        raise BadInputError(f"{where(plan)}: '{name}': {error}") from None
    return tensor


def _taken(plan: Plan, name: str, literal: Literal, source: Tensor) -> Tensor:
    """The elements of an input at the positions that the spec writes."""
    from ..oracle.arith.grid import grid_of, tensor_of

    grid = grid_of(source)
    places = [item for item in literal.values or () if isinstance(item, int)]
    if places and max(places) >= len(grid.items):
        raise BadInputError(
            f"{where(plan)}: '{name}': '{literal.source}' has {len(grid.items)} elements,"
            f" and no position {max(places)}"
        )
    return tensor_of(grid.take(places, literal.shape))


def _check_ranks(plan: Plan, data_sets: tuple[DataSet, ...]) -> None:
    """One model takes all data sets, so that a value has one rank in all of them."""
    first = data_sets[0]
    for data_set in data_sets[1:]:
        for here, there in ((first.inputs, data_set.inputs), (first.outputs, data_set.outputs)):
            if _ranks(here) != _ranks(there):
                raise BadInputError(
                    f"{where(plan)}: a data set under `then` has other ranks than the first:"
                    f" {_ranks(there)}, not {_ranks(here)}"
                )


def _ranks(values: tuple[NamedValue, ...]) -> dict[str, int]:
    return {item.name: len(item.value.shape) for item in values if isinstance(item.value, Tensor)}


def _permitted(
    plan: Plan, data_set: DataSet, replies: tuple[Reply, ...], types: Mapping[str, str]
) -> tuple[tuple[PermittedValues, ...], bool]:
    """The results that the document leaves open, and whether each element may choose."""
    if plan.case.kind == "latitude":
        written = tuple(
            PermittedValues(
                item.taken,
                item.reason,
                None
                if item.outputs is None
                else _literal_outputs(plan, item.outputs, data_set.inputs, plan.base_id, types),
            )
            for item in plan.case.permitted
        )
        return written, False
    opened = [reply for reply in replies if reply.permitted]
    if not opened:
        return (), False
    if len(replies) > 1:
        raise BadInputError(f"{where(plan)}: the result is left open; give it one data set")
    requested = plan.case.requested
    kept = tuple(
        item
        if item.values is None or requested is None
        else replace(item, values=tuple(one for one in item.values if one.name in requested))
        for item in opened[0].permitted
    )
    return kept, True


def _declarations(
    plan: Plan, data_sets: tuple[DataSet, ...], types: Mapping[str, str]
) -> tuple[OutputDeclaration, ...]:
    """What the model declares of each output: of a tensor its element type and its rank."""
    if data_sets[0].outputs:
        return tuple(_declaration(plan, item, types) for item in data_sets[0].outputs)
    return tuple(
        _undetermined(plan, parameter, name, types)
        for parameter in plan.version.outputs
        if plan.case.requested is None
        or any(parameter.has_instance(name) for name in plan.case.requested)
        if not parameter.optional
        or plan.case.requested is not None
        or _control_has(plan, parameter)
        for name in _names_of(plan, parameter)
    )


def _requested(plan: Plan, example: Example) -> tuple[str, ...]:
    """The outputs that a node has: how many may decide what they hold, as in Split.

    Those that the case asks for or writes; of an invalid case those of its control; () for all.
    """
    if plan.case.requested is not None:
        return plan.case.requested
    if example.outputs:
        return tuple(example.outputs)
    control = plan.spec.cases.get(plan.case.control or "")
    return () if control is None else control.requested or tuple(control.examples[0].outputs or ())


def _names_of(plan: Plan, parameter: Parameter) -> tuple[str, ...]:
    """The names that an output has at the node; of a variadic one there may be several."""
    if not parameter.variadic:
        return (parameter.name,)
    names = _requested(plan, plan.case.examples[0])
    return tuple(name for name in names if parameter.has_instance(name)) or (parameter.instance(0),)


def _declaration(plan: Plan, item: NamedValue, types: Mapping[str, str]) -> OutputDeclaration:
    parameter = plan.version.output_of(item.name)
    text = types.get(parameter.type, parameter.type) if parameter is not None else ""
    if not isinstance(item.value, Tensor):
        return OutputDeclaration(item.name, text, None)
    known = parameter is None or parameter.variadic or item.value.type == text
    if not known:
        raise BadInputError(
            f"{where(plan)}: '{item.name}' comes out as {item.value.type}, its type is {text}; bind"
            f" the type variable, or say in `type_attributes` which attribute sets it"
        )
    return OutputDeclaration(item.name, item.value.type, len(item.value.shape))


def _control_has(plan: Plan, parameter: Parameter) -> bool:
    """Whether the control of an invalid case has an optional output."""
    control = plan.spec.cases.get(plan.case.control or "")
    return control is not None and parameter.name in (control.requested or ())


def _undetermined(
    plan: Plan, parameter: Parameter, name: str, types: Mapping[str, str]
) -> OutputDeclaration:
    """What a model declares of an output that has no value: the control's rank."""
    text = types.get(parameter.type, parameter.type)
    if not is_tensor(text):
        return OutputDeclaration(name, text, None)
    rank = plan.case.fault.ranks.get(parameter.name)
    return OutputDeclaration(name, text, _rank_of_control(plan, name) if rank is None else rank)


def _rank_of_control(plan: Plan, name: str) -> int:
    """The rank of the output of the control, or of the first permitted result."""
    if plan.case.control is not None:
        control = plan.spec.cases[plan.case.control]
        written = control.examples[0].outputs
        if written is not None:
            literal = written.get(name)
            if isinstance(literal, Literal):
                return len(literal.shape)
        types = bound_types(plan.spec, plan.version, control)
        computed = replace(plan, case=control, types=types, control=None)
        for item in _control_outputs(computed):
            if item.name == name and isinstance(item.value, Tensor):
                return len(item.value.shape)
    for permitted in plan.case.permitted:
        if permitted.outputs is not None:
            literal = permitted.outputs[name]
            if isinstance(literal, Literal):
                return len(literal.shape)
    raise BadInputError(f"{where(plan)}: give the rank of '{name}' in `ranks`")


def _control_outputs(plan: Plan) -> tuple[NamedValue, ...]:
    types = plan.types
    attributes = typed_attributes(
        plan.spec, plan.version, types, (*plan.case.attributes, *_moved(plan)), plan.case
    )
    given = _inputs(plan, plan.case.examples[0], 0, types)
    operator = (plan.spec.domain, plan.spec.operator)
    requested = _requested(plan, plan.case.examples[0])
    call = call_of(operator, plan.version, types, attributes, given, requested)
    return ask(call, plan.version, plan.spec.questions).outputs


def _fault_is_structural(plan: Plan, types: Mapping[str, str]) -> bool:
    """Whether the model's structure, not the operator's arguments, is what is invalid."""
    case, version = plan.case, plan.version
    if case.kind != "invalid":
        return False
    known = {name: attribute.type for name, attribute in version.attributes.items()}
    # An input of a later version may be an attribute at this one.
    given = {name for example in case.examples for name in example.inputs}
    strangers = {
        name
        for name in given
        if version.parameter_of(name) is None and name not in version.attributes
    }
    outside = any(
        text not in version.types[variable]
        for variable, text in types.items()
        if variable in version.types
    )
    return (
        case.fault.is_structural
        or any(known.get(item.name) != item.type for item in case.attributes)
        or bool(strangers)
        or outside
        or _wrongly_typed(plan, types)
    )


def _wrongly_typed(plan: Plan, types: Mapping[str, str]) -> bool:
    """Whether an input is given another element type than its parameter can have."""
    for name, literal in plan.case.examples[0].inputs.items():
        parameter = plan.version.parameter_of(name)
        if parameter is None or not isinstance(literal, Literal) or literal.type is None:
            continue
        allowed = types.get(parameter.type, parameter.type)
        if literal.type != allowed and not parameter.variadic:
            return True
    return False


def _shown(values: tuple[NamedValue, ...]) -> str:
    return "; ".join(
        f"{item.value.type} {list(item.value.shape)} with {item.value.data!r:.60}"
        if isinstance(item.value, Tensor)
        else repr(item.value)
        for item in values
    )


def where(plan: Plan) -> str:
    """File, line and id, as messages about a plan begin."""
    return f"{plan.spec.path}:{plan.case.line}: {plan.id}"
