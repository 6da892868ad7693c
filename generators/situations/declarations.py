"""The model's declarations of the operator's outputs: types and ranks."""

from __future__ import annotations

from dataclasses import replace

from onnx_conformance.core.corpus.vectors import DataSet
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.tensors import NamedValue, Tensor

from ..interpreter.validity.words import fits, word_of
from ..signatures.model import Parameter
from ..specs.model import Literal
from .asking import ask
from .bindings import bound_types
from .given import call_for, given_attributes, given_inputs, requested_outputs
from .situations import OutputDeclaration
from .type_texts import is_tensor
from .variants import Variant


def declarations_of(
    variant: Variant, data_sets: tuple[DataSet, ...]
) -> tuple[OutputDeclaration, ...]:
    """The declaration of each output: for a tensor its element type and its rank."""
    if data_sets[0].outputs:
        return tuple(_declaration(variant, item) for item in data_sets[0].outputs)
    return tuple(
        _undetermined(variant, parameter, name)
        for parameter in variant.version.outputs
        if variant.case.requested is None
        or any(parameter.has_instance(name) for name in variant.case.requested)
        if not parameter.optional
        or variant.case.requested is not None
        or _control_has(variant, parameter)
        for name in _names_of(variant, parameter)
    )


def _names_of(variant: Variant, parameter: Parameter) -> tuple[str, ...]:
    """The names of an output at the node; a variadic output may have several."""
    if not parameter.variadic:
        return (parameter.name,)
    names = requested_outputs(variant, variant.case.examples[0])
    found = tuple(name for name in names if parameter.has_instance(name))
    return found or tuple(item.name for item in _of_control(variant)) or (parameter.instance(0),)


def _declaration(variant: Variant, item: NamedValue) -> OutputDeclaration:
    parameter = variant.version.output_of(item.name)
    text = variant.types.get(parameter.type, parameter.type) if parameter is not None else ""
    if not isinstance(item.value, Tensor):
        word = word_of(item.value)
        return OutputDeclaration(item.name, text if fits(text, word) else word, None)
    known = parameter is None or parameter.variadic or item.value.type == text
    if not known:
        raise BadInputError(
            f"{variant.where}: '{item.name}' comes out as {item.value.type}, its type is {text};"
            f" bind the type variable, or say in `element_types` which attribute sets it"
        )
    return OutputDeclaration(item.name, item.value.type, len(item.value.shape))


def _control_has(variant: Variant, parameter: Parameter) -> bool:
    """Whether the control of an invalid case has an optional output."""
    control = variant.spec.cases.get(variant.case.control or "")
    return control is not None and parameter.name in (control.requested or ())


def _undetermined(variant: Variant, parameter: Parameter, name: str) -> OutputDeclaration:
    """The declaration of an output that has no value: with the control's rank."""
    text = variant.types.get(parameter.type, parameter.type)
    if parameter.variadic and parameter.type in variant.types:
        # Values of several types, as for a control-flow operator: each type as in the control.
        of_control = (word_of(item.value) for item in _of_control(variant) if item.name == name)
        text = next(of_control, text)
    if not is_tensor(text):
        return OutputDeclaration(name, text, None)
    rank = variant.case.fault.ranks.get(parameter.name)
    return OutputDeclaration(name, text, _rank_of_control(variant, name) if rank is None else rank)


def _rank_of_control(variant: Variant, name: str) -> int:
    """The rank of the output of the control, or of the first permitted result."""
    if variant.case.control is not None:
        control = variant.spec.cases[variant.case.control]
        written = control.examples[0].outputs
        if written is not None:
            literal = written.get(name)
            if isinstance(literal, Literal):
                return len(literal.shape)
        for item in _of_control(variant):
            if item.name == name and isinstance(item.value, Tensor):
                return len(item.value.shape)
    for permitted in variant.case.permitted:
        if permitted.outputs is not None:
            literal = permitted.outputs[name]
            if isinstance(literal, Literal):
                return len(literal.shape)
    raise BadInputError(f"{variant.where}: give the rank of '{name}' in `ranks`")


def _of_control(variant: Variant) -> tuple[NamedValue, ...]:
    """The control's outputs for an invalid case at the same version; empty without a control."""
    control = variant.spec.cases.get(variant.case.control or "")
    if control is None:
        return ()
    types = bound_types(variant.spec, variant.version, control)
    return _control_outputs(replace(variant, case=control, types=types))


def _control_outputs(control: Variant) -> tuple[NamedValue, ...]:
    example = control.case.examples[0]
    call = call_for(control, example, given_attributes(control), given_inputs(control, example, 0))
    return ask(call, control.version, control.spec.questions).outputs
