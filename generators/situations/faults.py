"""Finds the faults of invalid cases that lie in the model's structure: no oracle is needed."""

from __future__ import annotations

from onnx_conformance.core.corpus.vectors import Kind

from ..specs.model import Literal
from .graphs import has_graphs
from .variants import Variant


def fault_is_structural(variant: Variant) -> bool:
    """Whether the model's structure, and not the operator's arguments, is invalid."""
    case, version = variant.case, variant.version
    if case.kind != Kind.INVALID:
        return False
    known = {name: attribute.type for name, attribute in version.attributes.items()}
    # An input of a later version may be an attribute at this one.
    given = {name for example in case.examples for name in example.inputs}
    strangers = {
        name
        for name in given
        if version.parameter_of(name) is None and name not in version.attributes
    }
    if has_graphs(version):
        strangers = set()  # they are values around the node
    outside = any(
        text not in version.types[variable]
        for variable, text in variant.types.items()
        if variable in version.types
    )
    return (
        case.fault.is_structural
        or any(known.get(item.name) != item.type for item in case.attributes)
        or bool(strangers)
        or outside
        or _wrongly_typed(variant)
    )


def _wrongly_typed(variant: Variant) -> bool:
    """Whether an input is given an element type that its parameter does not permit."""
    for name, literal in variant.case.examples[0].inputs.items():
        parameter = variant.version.parameter_of(name)
        if parameter is None or not isinstance(literal, Literal) or literal.type is None:
            continue
        allowed = variant.types.get(parameter.type, parameter.type)
        if literal.type != allowed and not parameter.variadic:
            return True
    return False
