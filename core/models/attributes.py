"""The attributes of a node as data that can be compared, and in a few words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..values.elements import element_type_of_code
from ..values.onnx_values import type_text

if TYPE_CHECKING:
    import onnx


class KindOf(str):
    """Stands for an attribute's value that is no number or text, by its kind: `subgraph`."""

    __slots__ = ()


# What prose alone says of an absent attribute of ONNX's own: the number of each element.
_ABSENT = {"pads": 0, "strides": 1, "dilations": 1}
# In these the weights have the shape of the kernel too, so that it may be left out.
_WEIGHED = frozenset({"Conv", "ConvInteger", "ConvTranspose", "DeformConv", "QLinearConv"})
_LONGEST = 40
_MOST = 8


def value_of(attribute: onnx.AttributeProto) -> Any:  # noqa: ANN401  one of nine kinds
    """An attribute's value: numbers and texts as they are, everything else by its kind.

    A tensor is its element type and rank: its elements are data, and no way to use an operator.
    """
    kind = attribute.type
    if kind == attribute.FLOAT:
        return float(attribute.f)
    if kind == attribute.INT:
        return int(attribute.i)
    if kind == attribute.STRING:
        return _decoded(attribute.s)
    for several, items in (
        (attribute.FLOATS, map(float, attribute.floats)),
        (attribute.INTS, map(int, attribute.ints)),
        (attribute.STRINGS, map(_decoded, attribute.strings)),
    ):
        if kind == several:
            return tuple(items)
    return KindOf(_kind_of(attribute))


def attributes_of(node: onnx.NodeProto) -> dict[str, Any]:
    """The attributes of a node by name, each as `value_of` gives it."""
    return {item.name: value_of(item) for item in node.attribute}


def graphs_in(attribute: onnx.AttributeProto) -> Iterator[onnx.GraphProto]:
    """The graphs that an attribute holds."""
    if attribute.HasField("g"):
        yield attribute.g
    yield from attribute.graphs


def _decoded(content: bytes) -> str:
    return content.decode("utf-8", "backslashreplace")


def _kind_of(attribute: onnx.AttributeProto) -> str:
    kind = attribute.type
    if attribute.ref_attr_name:
        return "attribute of the function"
    if kind == attribute.TENSOR:
        return f"tensor {_element(attribute.t.data_type)} of rank {len(attribute.t.dims)}"
    if kind in (attribute.GRAPH, attribute.GRAPHS):
        return "subgraph"
    if kind == attribute.TYPE_PROTO:
        return f"type {type_text(attribute.tp)}"
    if kind == attribute.SPARSE_TENSOR:
        return f"sparse tensor {_element(attribute.sparse_tensor.values.data_type)}"
    return "value"


def _element(code: int) -> str:
    from ..errors import BadInputError

    try:
        return element_type_of_code(code).name
    except BadInputError:
        return f"of unknown type {code}"


def set_attributes(
    node: onnx.NodeProto, defaults: Mapping[str, Any]
) -> tuple[tuple[str, Any], ...]:
    """The attributes of a node that are not what their absence means, by name, in order."""
    found = attributes_of(node)
    return tuple(
        sorted((name, value) for name, value in found.items() if defaults.get(name) != value)
    )


def in_words(name: str, value: Any) -> str:  # noqa: ANN401  what `value_of` gives
    """One attribute: `kernel_shape=[3,3]`; many elements and long texts are cut."""
    if isinstance(value, tuple):
        items = [_word(item) for item in value[:_MOST]]
        more = f",… {len(value)} in all" if len(value) > _MOST else ""
        return f"{name}=[{','.join(items)}{more}]"
    return f"{name}={_word(value)}"


def _word(value: Any) -> str:  # noqa: ANN401  a number or a text
    if isinstance(value, float):
        return f"{value:.6g}"
    text = str(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def similar_attributes(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two nodes set the same attributes, with the same texts; numbers may differ."""
    return one.keys() == other.keys() and all(
        _text(one[name]) == _text(other[name]) for name in one
    )


def _text(value: Any) -> object:  # noqa: ANN401  what `value_of` gives
    """What of a value must be the same: texts, not numbers, and nothing of other kinds."""
    if isinstance(value, tuple):
        return tuple(item for item in value if isinstance(item, str))
    return value if isinstance(value, str) and not isinstance(value, KindOf) else None


def telling(attributes: Mapping[str, Any], operator: str) -> dict[str, Any]:
    """The attributes without those that say what their absence says, for comparing two nodes."""
    return {
        name: value
        for name, value in attributes.items()
        if not (name == "kernel_shape" and operator in _WEIGHED)
        and not (name in _ABSENT and isinstance(value, tuple) and set(value) <= {_ABSENT[name]})
    }
