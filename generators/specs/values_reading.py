"""Reads values in a spec: tensors, sequences, optionals, maps, and attributes."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence

from onnx_conformance.core.values.elements import ELEMENT_TYPES
from onnx_conformance.core.yaml.nodes import INT64_MINIMUM, Node

from .model import (
    AnyLiteral,
    AttributeValue,
    GraphAttribute,
    Literal,
    MapLiteral,
    OptionalLiteral,
    SequenceLiteral,
    TypeAttribute,
)

ABSENT = "absent"
_TYPE_NAMES = [element.name for element in ELEMENT_TYPES]


def read_value(
    node: Node, *, dims: bool, source: Sequence[str] = (), data: str | None = None
) -> AnyLiteral:
    """A value of an input or output.

    Args:
        node: the place in the spec.
        dims: whether a plain list means dimensions; otherwise it means the elements.
        source: for an output, the inputs whose elements it may use by `{from: ..., take: ...}`.
        data: the data profile of dimensions that name none.
    """
    if node.kind != "mapping":
        if dims and node.kind == "sequence":
            return Literal(_dimensions_of_data(node), None, profile=data)
        return literal_values(node, None, None)
    keys = node.mapping()
    if "sequence" in keys:
        node.only_keys(("sequence",))
        items = keys["sequence"].sequence()
        return SequenceLiteral(
            tuple(read_value(item, dims=dims, source=source, data=data) for item in items)
        )
    if "optional" in keys:
        node.only_keys(("optional",))
        return _optional(keys["optional"], dims=dims, source=source, data=data)
    if "map" in keys:
        return _map(node)
    return _positions(node, source) if "take" in keys else _tensor(node, data)


def _dimensions_of_data(node: Node) -> tuple[int, ...]:
    """A plain list for data; whoever writes elements there is told how."""
    for item in node.sequence():
        if item.kind != "integer":
            raise item.error(
                f"dimensions are needed here, not {item.described}; elements are written"
                " {values: ...}"
            )
    return dimensions(node, least=0)


def _optional(
    inner: Node, *, dims: bool, source: Sequence[str], data: str | None
) -> OptionalLiteral:
    if inner.kind == "string" and inner.text == ABSENT:
        return OptionalLiteral(None)
    return OptionalLiteral(read_value(inner, dims=dims, source=source, data=data))


def _map(node: Node) -> MapLiteral:
    inside = node.mapping(required=("map",), optional=())["map"]
    document = inside.mapping(required=("keys", "values"), optional=())
    return MapLiteral(
        literal_values(document["keys"], None, None), literal_values(document["values"], None, None)
    )


def _tensor(node: Node, data: str | None = None) -> Literal:
    document = node.mapping(required=(), optional=("shape", "values", "type", "profile"))
    type_name = document["type"].one_of(_TYPE_NAMES, "element type") if "type" in document else None
    shape = dimensions(document["shape"], least=0) if "shape" in document else None
    if "values" not in document:
        if shape is None:
            raise node.error("'shape' or 'values' is needed")
        profile = document["profile"].string() if "profile" in document else data
        return Literal(shape, None, type_name, profile)
    if "profile" in document:
        raise document["profile"].error("a profile is for elements that are not written out")
    return literal_values(document["values"], shape, type_name)


def _positions(node: Node, source: Sequence[str]) -> Literal:
    """Positions in an input, as nested lists that show the output's shape."""
    document = node.mapping(required=("from", "take"), optional=("shape",))
    name = document["from"].one_of(source, "input")
    shape = dimensions(document["shape"], least=0) if "shape" in document else None
    positions = literal_values(document["take"], shape, None)
    for item in positions.values or ():
        if not isinstance(item, int) or isinstance(item, bool) or item < 0:
            raise document["take"].error(f"{item} is no position in '{name}', which begin with 0")
    return Literal(positions.shape, positions.values, source=name)


def dimensions(node: Node, least: int = INT64_MINIMUM) -> tuple[int, ...]:
    """A list of dimensions."""
    return tuple(item.integer(least) for item in node.sequence())


def attribute_value(node: Node, type_name: str) -> AttributeValue:
    """A value of the attribute type."""
    read = _ATTRIBUTE_READERS.get(type_name)
    if read is None:
        raise node.error(f"attributes of type {type_name} cannot be written in a spec")
    return read(node)


def empty_or_text(node: Node) -> str:
    """A text that may be empty, if it is in quotes: for example the name of an absent input."""
    if node.quoted and node.text == "":
        return ""
    return node.string()


def _integer(node: Node) -> int | str:
    """An integer; the name of an element type stands for its code, as in `to` of Cast."""
    return node.text if node.text in _TYPE_NAMES and not node.quoted else node.integer()


def _float32(node: Node) -> float:
    """A number that a float attribute holds: onnx.proto, AttributeProto.f is a 32-bit float."""
    value = float(node.number())
    try:
        struct.pack("<f", value)
    except OverflowError:
        raise node.error(f"{node.text} is beyond float32, which attributes have") from None
    return value


def literal_values(node: Node, shape: tuple[int, ...] | None, type_name: str | None) -> Literal:
    """Elements as nested lists, which determine the shape if none is given."""
    nested = _nested_shape(node)
    values = tuple(_flat(node))
    if shape is None:
        shape = nested
    elif math.prod(shape) != len(values):
        raise node.error(
            f"shape {list(shape)} has {math.prod(shape)} elements, {len(values)} are given"
        )
    return Literal(shape, values, type_name)


def _nested_shape(node: Node) -> tuple[int, ...]:
    if node.kind != "sequence":
        return ()
    items = node.sequence()
    shapes = [_nested_shape(item) for item in items]
    for item, shape in zip(items, shapes, strict=True):
        if shape != shapes[0]:
            raise item.error(f"has shape {list(shape)} where its neighbour has {list(shapes[0])}")
    return (len(items), *(shapes[0] if shapes else ()))


def _flat(node: Node) -> Sequence[int | float | str | bool]:
    if node.kind == "sequence":
        return [value for item in node.sequence() for value in _flat(item)]
    if node.kind == "boolean":
        return [node.boolean()]
    if node.kind == "string":
        return [empty_or_text(node)]
    return [node.number()]


_ATTRIBUTE_READERS: dict[str, Callable[[Node], AttributeValue]] = {
    "int": _integer,
    "ints": lambda node: tuple(item.integer() for item in node.sequence()),
    "float": _float32,
    "floats": lambda node: tuple(_float32(item) for item in node.sequence()),
    "string": empty_or_text,
    "strings": lambda node: tuple(empty_or_text(item) for item in node.sequence()),
    "tensor": _tensor,
    "sparse_tensor": _tensor,  # the dense tensor
    "graph": lambda node: GraphAttribute(node.string()),
    "type_proto": lambda node: TypeAttribute(node.string()),
}
