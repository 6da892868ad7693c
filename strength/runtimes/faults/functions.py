"""Functions of the model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from onnx_conformance.generators.interpreter.model import Attribute
from onnx_conformance.generators.interpreter.outcomes import RefusedError
from onnx_conformance.generators.interpreter.scopes import Frame

from ..registry import wrong
from ..steps import AttributesStep, FunctionStep, NodeStep, Values
from ..tensors import has_type
from .operators import ELEMENT_TYPES

AREA = "functions"


@wrong(AREA, FunctionStep)
def attributes_leak(step: FunctionStep) -> Values:
    """The attributes of a call stay set for the next call of the same function."""
    known: dict[str, Attribute] = step.session.kept(step.function.name, dict)
    known.update((item.name, item) for item in step.attributes)
    return step.right(attributes=tuple(known.values()))


@wrong(AREA, FunctionStep, held_out=True)
def defaults_win(step: FunctionStep) -> Values:
    """The default of a function's attribute wins over what is given."""
    names = {item.name for item in step.function.defaults}
    return step.right(attributes=[it for it in step.attributes if it.name not in names])


@wrong(AREA, FunctionStep, held_out=True)
def defaults_are_lost(step: FunctionStep) -> Values:
    """The defaults of a function's attributes are not given to its nodes."""
    return step.right(function=replace(step.function, defaults=()))


@wrong(AREA, AttributesStep)
def an_attribute_that_is_not_set_is_zero(step: AttributesStep) -> tuple[Attribute, ...]:
    """A reference to an attribute that the call leaves out gives 0 or nothing, not absence."""
    found = step.right()
    names = {item.name for item in found}
    blank: dict[str, Any] = {"int": 0, "float": 0.0, "string": ""}
    return found + tuple(
        replace(item, value=blank.get(item.type, ()), reference="")
        for item in step.node.attributes
        if item.reference and item.name not in names
    )


@wrong(AREA, AttributesStep, held_out=True)
def references_go_by_their_own_name(step: AttributesStep) -> tuple[Attribute, ...]:
    """A reference to an attribute takes the one of its own name."""
    attributes = tuple(
        replace(item, reference=item.name) if item.reference else item
        for item in step.node.attributes
    )
    return step.right(replace(step.node, attributes=attributes))


@wrong(AREA, held_out=True)
def functions_inherit_attributes(step: NodeStep) -> Values:
    """A function that is called in a function sees the attributes of that one."""
    function, given = step.function, step.frame.given
    if function is None or not given:
        return step.right()
    known = {item.name for item in step.node.attributes}
    wanted = {*function.attributes, *(item.name for item in function.defaults)} - known
    more = tuple(item for name, item in given.items() if name in wanted)
    return step.right(node=replace(step.node, attributes=step.node.attributes + more))


@wrong(AREA, held_out=True)
def inlining_clobbers_names(step: NodeStep) -> Values:
    """Functions are inlined without new names, which write over values around the call."""
    function, scope = step.function, step.frame.scope
    if function is None:
        return step.right()
    resolved = step.session.resolved(step.node, step.frame)
    given = {item.name: item for item in (*function.defaults, *resolved)}
    padded = [*step.values, *[None] * (len(function.inputs) - len(step.values))]
    scope.values.update(zip(function.inputs, padded, strict=True))
    frame = Frame(function.imports, given, scope, function.nodes)
    step.session.run_nodes(function.nodes, frame)
    return [scope.value(name) if name else None for name in function.outputs]


@wrong(AREA, held_out=True)
def overloads_are_one(step: NodeStep) -> Values:
    """The first function of a name is called, whatever the overload."""
    for domain, name, overload in step.session.model.functions:
        if (domain, name) == (step.node.domain, step.node.operator):
            return step.right(node=replace(step.node, overload=overload))
    return step.right()


@wrong(AREA, held_out=True)
def names_of_the_standard_win(step: NodeStep) -> Values:
    """A function with the name of a standard operator is taken for that operator."""
    if step.node.domain and step.function is not None:
        node = replace(step.node, domain="", overload="")
        imports = {**step.session.model.imports, **step.frame.imports}
        try:
            return step.right(node=node, frame=replace(step.frame, imports=imports))
        except RefusedError:
            pass
    return step.right()


@wrong(AREA, FunctionStep, held_out=True)
def absent_inputs_of_calls_close_up(step: FunctionStep) -> Values:
    """Absent inputs of a function's call are left out, and later ones move up."""
    return step.right(values=[item for item in step.values if item is not None])


@wrong(AREA, FunctionStep, variants={name: (name,) for name in ELEMENT_TYPES})
def no_functions_of(step: FunctionStep, name: str) -> Values:
    """A function whose inputs are of one type is refused."""
    if has_type(step.values, name):
        raise RefusedError(f"a function of {name}")
    return step.right()
