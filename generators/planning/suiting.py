"""In which element types a case can be presented at a version."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.vectors import Kind

from ..situations.bindings import bound_types
from ..situations.type_texts import is_tensor
from ..specs.model import Literal

if TYPE_CHECKING:
    from ..specs.model import Case, OperatorVersion, Spec


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


def _is_set_by_attribute(spec: Spec, case: Case, variable: str) -> bool:
    """Whether an attribute of the case sets the type; a tensor without its own type does not."""
    return any(
        spec.type_attributes.get(item.name) == variable
        and not (isinstance(item.value, Literal) and item.value.type is None)
        for item in case.attributes
    )
