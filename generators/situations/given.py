"""What a case gives the node at one version: attributes, inputs, and requested outputs."""

from __future__ import annotations

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.tensors import NamedValue, Value

from ..oracle import Call
from ..signatures.model import Parameter
from ..specs.model import AnyLiteral, Example, GivenAttribute, Literal
from .asking import call_of
from .bindings import typed_attributes
from .data.literals import value_of
from .graphs import captured, has_graphs
from .variants import Variant


def given_attributes(variant: Variant) -> tuple[GivenAttribute, ...]:
    """The attributes of the node, with resolved types.

    Includes inputs of later versions that are attributes at this one, such as Reshape-1's shape.
    """
    case = variant.case
    return typed_attributes(
        variant.spec, variant.version, variant.types, (*case.attributes, *_moved(variant)), case
    )


def _moved(variant: Variant) -> tuple[GivenAttribute, ...]:
    """Inputs of later versions that are attributes at this one, such as the shape of Reshape-1."""
    attributes = variant.version.attributes
    inputs = {item.name for item in variant.version.inputs}
    return tuple(
        _moved_value(variant, name, literal)
        for name, literal in variant.case.examples[0].inputs.items()
        if name not in inputs and name in attributes
    )


def _moved_value(variant: Variant, name: str, literal: AnyLiteral) -> GivenAttribute:
    """The elements of an input as the value of an attribute of type ints, int, floats or float."""
    type_name = variant.version.attributes[name].type
    values = literal.values if isinstance(literal, Literal) else None
    numbers = tuple(
        item
        for item in values or ()
        if isinstance(item, (int, float)) and not isinstance(item, bool)
    )
    if values is None or len(numbers) != len(values):
        raise BadInputError(
            f"{variant.where}: '{name}' is an attribute at this version and needs integers"
        )
    if type_name in {"int", "float"}:
        if len(numbers) != 1:
            raise BadInputError(f"{variant.where}: attribute '{name}' takes one number here")
        number = numbers[0]
        return GivenAttribute(name, float(number) if type_name == "float" else number, type_name)
    if type_name == "floats":
        return GivenAttribute(name, tuple(float(item) for item in numbers), type_name)
    integers = tuple(item for item in numbers if isinstance(item, int))
    if len(integers) != len(numbers):
        raise BadInputError(
            f"{variant.where}: '{name}' is an attribute at this version and needs integers"
        )
    return GivenAttribute(name, integers, type_name)


def given_inputs(variant: Variant, example: Example, index: int) -> tuple[NamedValue, ...]:
    """The inputs of a data set in the order of the signature."""
    seed = variant.seed(index)
    found: list[NamedValue] = []
    for parameter in variant.version.inputs:
        names = [name for name in example.inputs if parameter.has_instance(name)]
        # A type outside the list may also be that of an input beyond the permitted number.
        if not names and not parameter.optional and not parameter.variadic:
            raise BadInputError(f"{variant.where}: input '{parameter.name}' is missing")
        found += [
            NamedValue(name, value_at(variant, parameter, name, example.inputs[name], seed))
            for name in names
        ]
    return (*found, *_around(variant, example, seed))


def _around(variant: Variant, example: Example, seed: str) -> tuple[NamedValue, ...]:
    """Values of a case that are not inputs: values around the node that its graphs use."""
    if not has_graphs(variant.version):
        return ()
    names = [name for name in example.inputs if variant.version.parameter_of(name) is None]
    try:
        taken = captured(variant.case.attributes) if names else frozenset()
    except BadInputError as error:
        raise BadInputError(f"{variant.where}: {error}") from None
    for name in names:
        if name not in taken:
            raise BadInputError(
                f"{variant.where}: '{name}' is no input, and no graph of the case takes it"
            )
    text = variant.types.get(variant.version.main_variable or "", "")
    return tuple(
        NamedValue(name, _valued(variant, name, example.inputs[name], text, seed)) for name in names
    )


def value_at(
    variant: Variant,
    parameter: Parameter,
    name: str,
    literal: AnyLiteral,
    seed: str,
) -> Value:
    """The value of an input or output in a spec; BadInputError if there is no such parameter."""
    text = variant.types.get(parameter.type, parameter.type)
    return _valued(variant, name, literal, text, seed)


def _valued(variant: Variant, name: str, literal: AnyLiteral, text: str, seed: str) -> Value:
    try:
        return value_of(literal, text, f"{seed}:{name}")
    except BadInputError as error:
        raise BadInputError(f"{variant.where}: '{name}': {error}") from None


def requested_outputs(variant: Variant, example: Example) -> tuple[str, ...]:
    """The outputs that a node has: their number may decide what they hold, as in Split.

    The outputs that the case requests or gives; for an invalid case those of its control; () means
    all.
    """
    if variant.case.requested is not None:
        return variant.case.requested
    if example.outputs:
        return tuple(example.outputs)
    control = variant.spec.cases.get(variant.case.control or "")
    return () if control is None else control.requested or tuple(control.examples[0].outputs or ())


def call_for(
    variant: Variant,
    example: Example,
    attributes: tuple[GivenAttribute, ...],
    inputs: tuple[NamedValue, ...],
) -> Call:
    """The call that the oracle evaluates for one data set.

    InvalidCallError if a graph among the attributes is invalid.
    """
    return call_of(
        (variant.spec.domain, variant.spec.operator),
        variant.version,
        variant.types,
        attributes,
        inputs,
        requested_outputs(variant, example),
        variant.model_opset,
        variant.spec.package,
    )
