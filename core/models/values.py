"""What is known of the values of a model before it runs: types, shapes, constants."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from ..errors import BadInputError
from ..values.elements import element_type_of_code
from ..values.onnx_values import type_text

if TYPE_CHECKING:
    import onnx

Dimension: TypeAlias = "int | str | None"
UNKNOWN_TYPE = "?"


@dataclass(frozen=True)
class Known:
    """What is known of one value.

    Attributes:
        type: the element type of a tensor, or a type in words such as `seq(float32)`; `?` if
            nothing says it.
        shape: of a tensor: numbers, names of dynamic dimensions, None for those without a name;
            None if not even the rank is known.
        constant: whether the model stores it.
    """

    type: str = UNKNOWN_TYPE
    shape: tuple[Dimension, ...] | None = None
    constant: bool = False

    @property
    def rank(self) -> int | None:
        """The number of dimensions; None if it is unknown."""
        return None if self.shape is None else len(self.shape)

    @property
    def dynamic(self) -> bool:
        """Whether a dimension, or even the rank, is known only when the model runs."""
        return self.shape is None or not all(isinstance(item, int) for item in self.shape)


def values_of(graph: onnx.GraphProto) -> dict[str, Known]:
    """What a graph says of its values, without those of the scopes around it."""
    found: dict[str, Known] = {}
    for item in (*graph.value_info, *graph.output, *graph.input):
        found[item.name] = _declared(item.type)
    inputs = {item.name for item in graph.input}
    for tensor in graph.initializer:
        # An initializer that is a graph input too is a default, which a caller may replace.
        stored = Known(_element(tensor.data_type), tuple(tensor.dims), tensor.name not in inputs)
        found[tensor.name] = stored
    for sparse in graph.sparse_initializer:
        name = sparse.values.name
        found[name] = Known(_element(sparse.values.data_type), tuple(sparse.dims), constant=True)
    for node in graph.node:
        if node.op_type == "Constant" and node.output and not node.domain:
            known = _of_constant(node.attribute) or found.get(node.output[0], Known())
            found[node.output[0]] = replace(known, constant=True)
    return found


def _of_constant(attributes: Iterable[onnx.AttributeProto]) -> Known | None:
    """What a Constant node holds; None if its attribute is none that is known."""
    for item in attributes:
        if item.name == "value":
            return Known(_element(item.t.data_type), tuple(item.t.dims))
        for name, word, count in (
            ("value_float", "float32", None),
            ("value_int", "int64", None),
            ("value_string", "string", None),
            ("value_floats", "float32", len(item.floats)),
            ("value_ints", "int64", len(item.ints)),
            ("value_strings", "string", len(item.strings)),
        ):
            if item.name == name:
                return Known(word, () if count is None else (count,))
    return None


def _declared(declared: onnx.TypeProto) -> Known:
    kind = declared.WhichOneof("value")
    if kind is None:
        return Known()
    if kind not in ("tensor_type", "sparse_tensor_type"):
        try:
            return Known(type_text(declared))
        except BadInputError:
            return Known()
    tensor = getattr(declared, kind)
    if not tensor.HasField("shape"):
        return Known(_element(tensor.elem_type))
    dims = tuple(_dimension(item) for item in tensor.shape.dim)
    return Known(_element(tensor.elem_type), dims)


def _dimension(item: onnx.TensorShapeProto.Dimension) -> Dimension:
    kind = item.WhichOneof("value")
    if kind == "dim_value":
        return int(item.dim_value)
    return str(item.dim_param) if kind == "dim_param" and item.dim_param else None


def _element(code: int) -> str:
    try:
        return element_type_of_code(code).name
    except BadInputError:
        return UNKNOWN_TYPE
