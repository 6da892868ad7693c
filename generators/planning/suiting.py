"""In which element types a case can be presented at a version."""

from __future__ import annotations

from onnx_conformance.core.corpus.vectors import Kind

from ..situations.bindings import bound_types
from ..situations.type_texts import is_tensor
from ..specs.model import AnyLiteral, Case, Literal, OperatorVersion, Spec


def suiting_types(spec: Spec, case: Case, version: OperatorVersion) -> tuple[str, ...]:
    """The types of the main type variable in which a case can be presented; the plain one first."""
    variable = version.main_variable
    if variable is None:
        return ((*version.inputs, *version.outputs)[0].type,)
    allowed = version.types[variable]
    if variable in case.bind or _is_set_by_attribute(spec, case, variable):
        bound = bound_types(spec, version, case)[variable]
        return (bound,) if bound in allowed or case.kind == Kind.INVALID else ()
    if case.types is not None:
        outside = case.kind == Kind.INVALID
        if outside and "types" in case.sweep:
            return tuple(item for item in case.types if item not in allowed)
        allowed = tuple(item for item in case.types if outside or item in allowed)
    elif any(is_tensor(item) for item in allowed):
        # Containers have separate cases, which bind the variable.
        allowed = tuple(item for item in allowed if is_tensor(item))
    for plain in (spec.default_type, "int64"):
        if plain in allowed and (plain == spec.default_type or case.types is None):
            return (plain, *(item for item in allowed if item != plain))
    return allowed


def types_in_full(spec: Spec, case: Case, version: OperatorVersion) -> tuple[str, ...]:
    """The types of the main type variable in which the full profile has a case.

    Where elements are written out, -1.5 is no uint8, 1.2 no bfloat16, and a result to the nearest
    float32 not that to the nearest float64: such a case has the types that it names, or the first.
    """
    every = suiting_types(spec, case, version)
    if "types" in case.sweep or case.types is not None or not _has_written(case, version):
        return every
    paired = {name for types in case.pairs.values() for name in types}
    return tuple(item for item in every if item == every[0] or item in paired)


def _has_written(case: Case, version: OperatorVersion) -> bool:
    """Whether elements are written out whose type is a variable of the operator."""
    return any(
        parameter.has_instance(name) and parameter.type in version.types and is_written(literal)
        for example in case.examples
        for name, literal in example.inputs.items()
        for parameter in version.inputs
    )


def is_written(literal: AnyLiteral) -> bool:
    """Whether elements are written out, or may be; another type may not have them."""
    if not isinstance(literal, Literal):
        return True
    return literal.values is not None and literal.type is None


def _is_set_by_attribute(spec: Spec, case: Case, variable: str) -> bool:
    """Whether an attribute of the case sets the type; a tensor without its own type does not."""
    return any(
        spec.type_attributes.get(item.name) == variable
        and not (isinstance(item.value, Literal) and item.value.type is None)
        for item in case.attributes
    )
