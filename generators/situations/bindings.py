"""The binding of each type variable, and the attributes that depend on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import (
    ELEMENT_TYPES,
    element_type,
    element_type_of_code,
)

from ..signatures.model import Attribute
from ..specs.model import (
    AttributeValue,
    Case,
    GivenAttribute,
    GraphAttribute,
    Literal,
    OperatorVersion,
    Spec,
)
from .graphs import with_types

_NAMES = {element.name for element in ELEMENT_TYPES}
_CODES = {element.code for element in ELEMENT_TYPES}


def bound_types(
    spec: Spec, version: OperatorVersion, case: Case, main: str | None = None
) -> dict[str, str]:
    """One type for each type variable.

    In this order: the case's binding, the type set by an attribute of the case, `main` for the
    swept variable, the spec's default type, int64, the first type of the list.
    """
    chosen = _defaults(spec, version, main)
    for item in case.attributes:
        target = spec.type_attributes.get(item.name)
        named = type_in(item.value)
        if target is not None and named is not None and target in chosen:
            chosen[target] = named
    chosen.update({name: text for name, text in case.bind.items() if name in chosen})
    if spec.type_follows:
        set_by = {spec.type_attributes.get(item.name) for item in case.attributes}
        _follow(spec, version, case, chosen, {*set_by, *case.bind})
    return chosen


def plain_types(spec: Spec, version: OperatorVersion, case: Case, main: str) -> dict[str, str]:
    """The types that a case would have if it bound no variable and its attributes set none."""
    chosen = _defaults(spec, version, main)
    if spec.type_follows:
        _follow(spec, version, case, chosen, frozenset())
    return chosen


def _follow(
    spec: Spec,
    version: OperatorVersion,
    case: Case,
    chosen: dict[str, str],
    fixed: AbstractSet[str | None],
) -> None:
    """Bind a variable that is not fixed to the type that it follows, if it may be that type."""
    for name, rule in spec.type_follows.items():
        if name in chosen and name not in fixed:
            text = followed(rule, chosen)
            if not _swept(case, name) and text in version.types[name]:
                chosen[name] = text


def followed(rule: str, bound: Mapping[str, str]) -> str:
    """The type that `like` in `element_types` means: `T`, `seq(T)`, `inside(O)` and others.

    `inside(O)` is the type inside an optional, `item(S)` inside a sequence; for any other type both
    are the type itself. A variable that is not bound stays in the text.
    """
    outer, opening, rest = rule.partition("(")
    if not opening:
        return bound.get(rule, rule)
    inner = followed(rest.removesuffix(")"), bound)
    taken = {"inside": "optional(", "item": "seq("}.get(outer)
    if taken is None:
        return f"{outer}({inner})"
    return inner.removeprefix(taken).removesuffix(")") if inner.startswith(taken) else inner


def _defaults(spec: Spec, version: OperatorVersion, main: str | None) -> dict[str, str]:
    """One type for each type variable that nothing sets; `main` for the swept variable."""
    chosen = {name: _default(spec, allowed) for name, allowed in version.types.items()}
    variable = version.main_variable
    if variable is not None and main is not None:
        chosen[variable] = main
    return chosen


def _default(spec: Spec, allowed: Sequence[str]) -> str:
    for candidate in (spec.default_type, "int64"):
        if candidate in allowed:
            return candidate
    return allowed[0]


def type_in(value: AttributeValue) -> str | None:
    """The element type that an attribute names, or that its own elements have."""
    if isinstance(value, str):
        return value if value in _NAMES else None
    if isinstance(value, int):
        return element_type_of_code(value).name if value in _CODES else None
    if isinstance(value, Literal):
        return value.type
    return None


def typed_attributes(
    spec: Spec,
    version: OperatorVersion,
    types: Mapping[str, str],
    attributes: Sequence[GivenAttribute],
    case: Case,
) -> tuple[GivenAttribute, ...]:
    """The attributes, with those that set a type variable changed to fit its binding.

    Such an attribute is the code of an element type (its name in capitals before Cast-6), or a
    tensor of that type. It is added if the version requires it, or if the case binds the variable;
    otherwise it stays as the case has it.
    """
    settled = []
    named = set()
    for item in attributes:
        named.add(item.name)
        variable = spec.type_attributes.get(item.name)
        if isinstance(item.value, GraphAttribute):
            graph = GraphAttribute(with_types(item.value.text, types))
            settled.append(replace(item, value=graph))
        elif variable is None or variable not in types:
            settled.append(_of_version(spec, item, version))
        elif isinstance(item.value, Literal):
            typed = replace(item.value, type=item.value.type or types[variable])
            settled.append(replace(item, value=typed))
        elif (named_type := type_in(item.value)) is not None:
            settled.append(_type_attribute(item.name, version, named_type))
        else:
            settled.append(item)
    for name, variable in spec.type_attributes.items():
        attribute = version.attributes.get(name)
        if attribute is None or name in named or variable not in types:
            continue
        if attribute.type not in {"int", "string"}:
            continue
        bound = variable in case.bind or _swept(case, variable)
        if attribute.required or bound or _decides_type(spec, attribute, variable, types):
            settled.append(_type_attribute(name, version, types[variable]))
    return tuple(settled)


def _of_version(spec: Spec, item: GivenAttribute, version: OperatorVersion) -> GivenAttribute:
    """The attribute in this version's type: p of LpPool is an int, but a float in version 1.

    If its type differs from the operator's newest on purpose, it keeps it.
    """
    own = version.attributes.get(item.name)
    newest = [
        one.attributes[item.name].type
        for one in spec.versions.values()
        if item.name in one.attributes
    ]
    if newest and item.type != newest[-1]:
        return item
    if own is None or (item.type, own.type) != ("int", "float"):
        return item
    if not isinstance(item.value, (int, float)):
        return item
    return GivenAttribute(item.name, float(item.value), "float")


def _decides_type(
    spec: Spec, attribute: Attribute, variable: str, types: Mapping[str, str]
) -> bool:
    """Whether the variable would have another type without the attribute."""
    if variable in spec.type_follows:
        return followed(spec.type_follows[variable], types) != types[variable]
    implied = None if attribute.default is None else type_in(attribute.default)
    return implied is not None and implied != types[variable]


def _swept(case: Case, variable: str) -> bool:
    return f"types:{variable}" in case.sweep


def _type_attribute(name: str, version: OperatorVersion, type_name: str) -> GivenAttribute:
    element = element_type(type_name)
    attribute = version.attributes.get(name)
    if attribute is not None and attribute.type == "string":
        return GivenAttribute(name, element.onnx_name.upper(), "string")
    if attribute is not None and attribute.type != "int":
        raise BadInputError(f"attribute '{name}' sets a type and is no int: {attribute.type}")
    return GivenAttribute(name, element.code, "int")
