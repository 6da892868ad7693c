"""Values that a spec writes on one line for an operator's inputs and attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onnx_conformance.core.yaml.nodes import node_of

from ..situations.graphs import has_graphs
from ..specs.cases.given import is_absent
from ..specs.model import AnyLiteral, GivenAttribute
from .operator import Operator, dims_text, slug


def assigned(
    operator: Operator, assignment: Mapping[str, Any], data: str
) -> tuple[dict[str, GivenAttribute], dict[str, AnyLiteral]]:
    """Attributes and inputs by name, as a case reads them: a name that is an input is no attribute.

    Args:
        operator: whose they are.
        assignment: as `Node.plain` gives them.
        data: the data profile where a value is dimensions alone.

    Raises BadInputError for a name that the operator has at no version, and for a value that a case
    could not have.
    """
    attributes: dict[str, GivenAttribute] = {}
    inputs: dict[str, AnyLiteral] = {}
    for name, value in assignment.items():
        node = node_of(value)
        if operator.values.parameter(name) is not None or _is_around(operator, name):
            inputs.update(operator.values.given(name, node, data))
        elif not is_absent(node):
            operator.attribute(name, node)  # BadInputError where it has none of the name
            attributes[name] = operator.values.attribute(name, node)
    return attributes, inputs


def _is_around(operator: Operator, name: str) -> bool:
    """Whether it is a value of the scope around the node; only graphs can use such values."""
    versions = operator.versions.values()
    return any(has_graphs(item) for item in versions) and not any(
        name in item.attributes for item in versions
    )


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
