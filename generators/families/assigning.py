"""Reads values that a spec writes on one line for an operator's inputs and attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.text import brief
from onnx_conformance.core.values.elements import ELEMENT_TYPES

from ..situations.graphs import has_graphs
from ..specs.model import (
    GraphAttribute,
    Literal,
    MapLiteral,
    OptionalLiteral,
    SequenceLiteral,
    TypeAttribute,
)
from ..specs.words import Role
from .operator import dims_text, slug

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..signatures.model import Parameter
    from ..specs.model import AnyLiteral, AttributeValue
    from .operator import Operator

ABSENT = "absent"
_TENSOR_KEYS = {"shape", "values", "type", "profile"}


def assigned(
    operator: Operator, assignment: Mapping[str, Any], data: str
) -> tuple[dict[str, AttributeValue], dict[str, AnyLiteral]]:
    """Attributes and inputs by name; a name that is an input at any version is not an attribute.

    Raises BadInputError for a name that the operator has at no version, and lists those it has.
    """
    attributes: dict[str, AttributeValue] = {}
    inputs: dict[str, AnyLiteral] = {}
    for name, value in assignment.items():
        if value == ABSENT:
            continue
        parameter = _input(operator, name)
        if parameter is not None:
            if parameter.variadic and isinstance(value, list) and parameter.name == name:
                for index, item in enumerate(value):
                    inputs[parameter.instance(index)] = _literal(operator, parameter, item, data)
            else:
                inputs[name] = _literal(operator, parameter, value, data)
        elif _is_around(operator, name):
            inputs[name] = literal_of(value, dims=True, data=data)
        else:
            attributes[name] = attribute_value(operator, name, value)
    return attributes, inputs


def _input(operator: Operator, name: str) -> Parameter | None:
    for version in reversed(tuple(operator.versions.values())):
        parameter = version.parameter_of(name)
        if parameter is not None:
            return parameter
    return None


def _is_around(operator: Operator, name: str) -> bool:
    """Whether it is a value of the scope around the node; only graphs can use such values."""
    versions = operator.versions.values()
    return any(has_graphs(item) for item in versions) and not any(
        name in item.attributes for item in versions
    )


def _literal(operator: Operator, parameter: Parameter, value: Any, data: str) -> AnyLiteral:  # noqa: ANN401
    is_data = operator.roles.get(parameter.name, Role.DATA).is_data
    return literal_of(value, dims=is_data, data=data)


def literal_of(value: Any, *, dims: bool, data: str) -> AnyLiteral:  # noqa: ANN401  what YAML holds
    """A value as a spec writes it; with `dims` a plain list stands for dimensions."""
    if isinstance(value, dict):
        if "sequence" in value:
            items = tuple(literal_of(item, dims=dims, data=data) for item in value["sequence"])
            return SequenceLiteral(items)
        if "optional" in value:
            inner = value["optional"]
            content = None if inner == ABSENT else literal_of(inner, dims=dims, data=data)
            return OptionalLiteral(content)
        if "map" in value:
            keys = literal_of(value["map"]["keys"], dims=False, data=data)
            held_values = literal_of(value["map"]["values"], dims=False, data=data)
            if not isinstance(keys, Literal) or not isinstance(held_values, Literal):
                raise BadInputError("the keys and the values of a map are lists")
            return MapLiteral(keys, held_values)
        return _tensor(value, data)
    if dims and isinstance(value, list):
        if not all(isinstance(item, int) and item >= 0 for item in value):
            raise BadInputError(f"{value} are no dimensions; elements are written {{values: ...}}")
        return Literal(tuple(value), None, profile=data)
    shape, flat = _flattened(value)
    return Literal(shape, flat)


def _tensor(value: Mapping[str, Any], data: str) -> Literal:
    unknown = set(value) - _TENSOR_KEYS
    if unknown:
        raise BadInputError(
            f"unknown key '{min(unknown)}' of a tensor; known are:"
            f" {', '.join(sorted(_TENSOR_KEYS))}"
        )
    type_name = value.get("type")
    if type_name is not None and type_name not in {item.name for item in ELEMENT_TYPES}:
        raise BadInputError(f"unknown element type '{type_name}'")
    if "values" in value:
        shape, flat = _flattened(value["values"])
        return Literal(tuple(value.get("shape", shape)), flat, type_name)
    if "shape" not in value:
        raise BadInputError("a tensor needs 'shape' or 'values'")
    return Literal(tuple(value["shape"]), None, type_name, value.get("profile", data))


def _flattened(value: Any) -> tuple[tuple[int, ...], tuple[Any, ...]]:  # noqa: ANN401  what YAML holds
    """The shape that nested lists show, and their elements in row-major order."""
    if not isinstance(value, list):
        return (), (value,)
    parts = [_flattened(item) for item in value]
    shapes = {shape for shape, _ in parts}
    if len(shapes) > 1:
        raise BadInputError(f"{value} has rows of different lengths")
    inner = shapes.pop() if shapes else ()
    return (len(value), *inner), tuple(item for _, flat in parts for item in flat)


def attribute_value(operator: Operator, name: str, value: Any) -> AttributeValue:  # noqa: ANN401
    """An attribute's value, by the type that the operator gives it; BadInputError for another."""
    type_name = operator.attribute(name, value).type
    if type_name in {"tensor", "sparse_tensor"}:
        literal = literal_of(value, dims=False, data="any")
        if not isinstance(literal, Literal) or (
            literal.type is None and name not in operator.type_attributes
        ):
            raise BadInputError(f"attribute '{name}' is a tensor: write {{values: ..., type: ...}}")
        return literal
    if type_name in {"graph", "type_proto"}:
        if not isinstance(value, str):
            raise BadInputError(f"attribute '{name}' is written as ONNX's text, not {brief(value)}")
        return GraphAttribute(value) if type_name == "graph" else TypeAttribute(value)
    if isinstance(value, list):
        return tuple(value)
    if type_name == "float" and isinstance(value, int):
        return float(value)
    plain: AttributeValue = value  # checked against its type where the node is made
    return plain


def value_text(value: Any) -> str:  # noqa: ANN401  what YAML holds
    """A value in an id."""
    if isinstance(value, dict):
        if "shape" in value:
            text = dims_text(value["shape"])
            return slug(f"{value['profile']} {text}") if "profile" in value else text
        return slug(" ".join(value_text(item) for item in value.values()))
    if isinstance(value, list):
        if value and isinstance(value[0], (list, dict)):
            return "_and_".join(value_text(item) for item in value)
        return "_".join(value_text(item) for item in value) or "empty"
    if isinstance(value, bool):
        return str(value).lower()
    return slug(str(value)) or "empty"
