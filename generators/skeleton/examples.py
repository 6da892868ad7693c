"""ONNX's node tests of an operator, written as a spec writes cases."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.text import unwrapped

from ..signatures.model import Option, Signature
from ..specs.words import Role

if TYPE_CHECKING:
    import numpy as np
    import onnx

    from ..importing.collecting import UpstreamCase

_MOST_ELEMENTS = 16


@dataclass(frozen=True)
class UpstreamExample:
    """One of ONNX's node tests.

    Attributes:
        name: ONNX's name, e.g. `test_slice`.
        since_version: the version of the operator that it exercises.
        assignment: its inputs and attributes as a case writes them.
    """

    name: str
    since_version: int
    assignment: str


def upstream_examples(
    cases: Iterable[UpstreamCase], versions: Sequence[Signature], roles: Mapping[str, Role]
) -> tuple[UpstreamExample, ...]:
    """ONNX's cases of an operator, in ONNX's order, except those of its function's nodes.

    Args:
        cases: all of ONNX's cases.
        versions: the operator's versions.
        roles: the roles of its inputs; data is written as its dimensions.
    """
    operator = (versions[0].domain, versions[0].operator)
    found = []
    for case in cases:
        if case.expanded or (case.node.domain, case.node.op_type) != operator:
            continue
        for version in versions:
            if version.since_version <= case.domain_opset <= version.last_opset:
                text = _assignment(case, version, roles)
                found.append(UpstreamExample(case.name, version.since_version, text))
    return tuple(found)


def _assignment(case: UpstreamCase, version: Signature, roles: Mapping[str, Role]) -> str:
    """`inputs: {data: [20, 10, 5], starts: [0, 0]}, attributes: {axis: 1}`."""
    names = [item.name for item in case.model.graph.input]
    fed = dict(zip(names, case.inputs, strict=True))
    parts: dict[str, str] = {}
    several: dict[str, list[str]] = {}
    for position, argument in enumerate(case.node.input):
        if argument not in fed:
            continue
        parameter = version.inputs[min(position, len(version.inputs) - 1)]
        text = _value(fed[argument], by_shape=roles[parameter.name].is_data)
        if parameter.option == Option.VARIADIC:
            several.setdefault(parameter.name, []).append(text)
        else:
            parts[parameter.name] = text
    parts.update({name: _list(items) for name, items in several.items()})
    attributes = {item.name: _attribute(item) for item in case.node.attribute}
    given = {"inputs": _mapping(parts)} | (
        {"attributes": _mapping(attributes)} if attributes else {}
    )
    return _mapping(given).removeprefix("{").removesuffix("}")


def _value(value: Any, *, by_shape: bool) -> str:  # noqa: ANN401  an array, a list, a map or None
    """An input's value: dimensions for data and for many elements, else the elements."""
    import numpy as np
    import onnx

    if isinstance(value, onnx.TensorProto):
        value = onnx.numpy_helper.to_array(value)
    if value is None:
        return "{optional: absent}"
    if isinstance(value, (list, tuple)):
        return _mapping({"sequence": _list(_value(item, by_shape=by_shape) for item in value)})
    if isinstance(value, dict):
        sides = {"keys": list(value.keys()), "values": list(value.values())}
        texts = {name: _value(np.array(side), by_shape=False) for name, side in sides.items()}
        return _mapping({"map": _mapping(texts)})
    array = np.asarray(value)
    if by_shape:
        return _list(map(str, array.shape))
    if array.size > _MOST_ELEMENTS:
        return _mapping({"shape": _list(map(str, array.shape))})
    return _elements(array)


def _elements(array: np.ndarray[Any, Any]) -> str:
    import numpy as np

    if array.ndim:
        return _list(_elements(np.asarray(item, dtype=array.dtype)) for item in array)
    return _scalar(array.item())


def _scalar(value: Any) -> str:  # noqa: ANN401  an element of an array or an attribute
    """A scalar in YAML that every reader reads in the same way."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if isinstance(value, float):
        return _float(value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (bool, int, str)) else "..."


def _float(value: float) -> str:
    """A short float32 without an exponent, which some readers of YAML take for a text."""
    import numpy as np

    if np.isnan(value):
        return ".nan"
    if np.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    with np.errstate(over="ignore"):
        single = np.float32(value)
    nearest = single if float(single) == value else np.float64(value)
    return str(np.format_float_positional(nearest, trim="0"))


def _attribute(attribute: onnx.AttributeProto) -> str:
    """An attribute's value; a graph as ONNX's text, if its parser reads that back."""
    import onnx

    from onnx_conformance.core.values.elements import element_type_of_code
    from onnx_conformance.core.values.onnx_values import type_text

    value = onnx.helper.get_attribute_value(attribute)
    if isinstance(value, (bool, int, float, str, bytes)):
        return _scalar(value)
    kinds = onnx.AttributeProto
    if attribute.type in (kinds.INTS, kinds.FLOATS, kinds.STRINGS):
        return _list(map(_scalar, value))
    if attribute.type == kinds.TENSOR:
        elements = _elements(onnx.numpy_helper.to_array(value))
        type_name = element_type_of_code(value.data_type).name
        return _mapping({"values": elements, "type": type_name})
    if attribute.type == kinds.GRAPH:
        return _graph(value)
    return type_text(value) if attribute.type == kinds.TYPE_PROTO else "..."


def _graph(graph: onnx.GraphProto) -> str:
    from onnx import parser, printer

    text = unwrapped(printer.to_text(graph))
    try:
        parser.parse_graph(text)
    except parser.ParseError:
        return "..."
    return json.dumps(text, ensure_ascii=False)


def _list(items: Iterable[str]) -> str:
    return f"[{', '.join(items)}]"


def _mapping(items: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{name}: {text}" for name, text in items.items()) + "}"
