"""Converts a ModelProto into the data that is run. Source: onnx.proto and IR.md.

A model that cannot be read is refused here; a model that is wrong in meaning, in `checking`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import onnx
from onnx import AttributeProto

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.onnx_values import type_text
from onnx_conformance.core.values.protos import from_proto
from onnx_conformance.core.values.tensors import Tensor

from ..oracle.arith.integers import int64_values
from .model import Attribute, Declaration, Function, Graph, Model, Node, Shape
from .outcomes import RefusedError

# Another name of the same domain (IR.md, Operator Sets).
_LONG_NAME = "ai.onnx"


def read_model(proto: onnx.ModelProto, folder: Path | None = None) -> Model:
    """The model in a ModelProto; RefusedError if a part of it cannot be read."""
    reader = _Reader(folder)
    try:
        return reader.model(proto)
    except BadInputError as error:
        raise RefusedError(str(error)) from None


def read_graph(proto: onnx.GraphProto) -> Graph:
    """The graph in a GraphProto; RefusedError if a part of it cannot be read."""
    return _Reader(None).graph(proto)


def read_function(proto: onnx.FunctionProto) -> Function:
    """The function in a FunctionProto."""
    return _Reader(None).function(proto)


class _Reader:
    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def model(self, proto: onnx.ModelProto) -> Model:
        if not proto.HasField("graph"):
            raise RefusedError("the model has no graph")
        functions: dict[tuple[str, str, str], Function] = {}
        for item in proto.functions:
            function = self.function(item)
            key = (function.domain, function.name, function.overload)
            if key in functions:
                raise RefusedError(f"function {key[1]} is defined twice")
            functions[key] = function
        return Model(
            proto.ir_version, _imports(proto.opset_import), self.graph(proto.graph), functions
        )

    def function(self, proto: onnx.FunctionProto) -> Function:
        return Function(
            domain=_domain(proto.domain),
            name=proto.name,
            overload=proto.overload,
            inputs=tuple(proto.input),
            outputs=tuple(proto.output),
            attributes=tuple(proto.attribute),
            defaults=tuple(self.attribute(item) for item in proto.attribute_proto),
            imports=_imports(proto.opset_import),
            nodes=tuple(self.node(item) for item in proto.node),
        )

    def graph(self, proto: onnx.GraphProto) -> Graph:
        tensors = [(item.name, self.tensor(item)) for item in proto.initializer]
        tensors += [(item.values.name, self.sparse(item)) for item in proto.sparse_initializer]
        initializers = dict(tensors)
        if len(initializers) != len(tensors):
            names = [name for name, _ in tensors]
            raise RefusedError(f"initializer '{_twice(names)}' is defined twice")
        if "" in initializers:
            raise RefusedError("an initializer has no name")
        return Graph(
            name=proto.name,
            inputs=tuple(_declaration(item) for item in proto.input),
            outputs=tuple(_declaration(item) for item in proto.output),
            initializers=initializers,
            nodes=tuple(self.node(item) for item in proto.node),
        )

    def node(self, proto: onnx.NodeProto) -> Node:
        if not proto.op_type:
            raise RefusedError("a node names no operator")
        return Node(
            domain=_domain(proto.domain),
            operator=proto.op_type,
            overload=proto.overload,
            inputs=tuple(proto.input),
            outputs=tuple(proto.output),
            attributes=tuple(self.attribute(item) for item in proto.attribute),
        )

    def attribute(self, proto: onnx.AttributeProto) -> Attribute:
        word = _WORDS.get(proto.type, "")
        if proto.ref_attr_name:
            # Bodies of the standard leave out the type; attributes of a model never do.
            return Attribute(proto.name, word, None, proto.ref_attr_name)
        if not word:
            raise RefusedError(f"attribute '{proto.name}' is of no known type")
        single, read = _SINGLE[word.removesuffix("s")]
        field = single if word in _SINGLE else word
        others = sorted({item.name for item, _ in proto.ListFields()} & _CONTENTS - {field})
        if others:
            raise RefusedError(f"attribute '{proto.name}' is {word}, and has '{others[0]}' as well")
        content: Any = getattr(proto, field)
        if word in _SINGLE:
            return Attribute(proto.name, word, read(self, content))
        return Attribute(proto.name, word, tuple(read(self, item) for item in content))

    def tensor(self, proto: onnx.TensorProto) -> Tensor:
        return from_proto(proto, self._folder)

    def sparse(self, proto: onnx.SparseTensorProto) -> Tensor:
        """The dense tensor of a sparse one: zero at places without a value."""
        values, places = self.tensor(proto.values), self.tensor(proto.indices)
        shape = tuple(proto.dims)
        return _dense(values, _linear(places, shape), shape)


def _dense(values: Tensor, places: list[int], shape: tuple[int, ...]) -> Tensor:
    count = math.prod(shape)
    if len(places) != values.element_count or len(set(places)) != len(places):
        raise RefusedError("a sparse tensor has values and places that do not fit each other")
    if any(not 0 <= place < count for place in places):
        raise RefusedError("a sparse tensor has a value outside its shape")
    if isinstance(values.data, tuple):
        strings = [b""] * count
        for place, item in zip(places, values.data, strict=True):
            strings[place] = item
        return Tensor(values.type, shape, tuple(strings))
    bits = element_type(values.type).bits
    packed = int.from_bytes(values.data, "little")
    mask, content = (1 << bits) - 1, 0
    for index, place in enumerate(places):
        content |= (packed >> (bits * index) & mask) << (bits * place)
    return Tensor(values.type, shape, content.to_bytes((bits * count + 7) // 8, "little"))


def _linear(places: Tensor, shape: tuple[int, ...]) -> list[int]:
    """Row-major places of the values, from linear indices or from one multi-index in each row."""
    if places.type != "int64":
        raise RefusedError("the places of a sparse tensor are not int64")
    numbers = int64_values(places)
    if len(places.shape) == 1:
        return list(numbers)
    rank = len(shape)
    if len(places.shape) != 2 or places.shape[1] != rank:
        raise RefusedError("the places of a sparse tensor do not fit its rank")
    result = []
    for row in range(places.shape[0]):
        place = 0
        for axis in range(rank):
            index = numbers[row * rank + axis]
            if not 0 <= index < shape[axis]:
                raise RefusedError("a sparse tensor has a value outside its shape")
            place = place * shape[axis] + index
        result.append(place)
    return result


def _text(content: bytes) -> str | bytes:
    """A STRING as text; as bytes if it is not UTF-8."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content


# Type of an attribute in the words of signatures -> the field with its content, what reads it. A
# list of such contents is in a field that is named as its type: `ints`, `tensors` …
_SINGLE: Mapping[str, tuple[str, Callable[[_Reader, Any], Any]]] = {
    "int": ("i", lambda _reader, value: value),
    "float": ("f", lambda _reader, value: value),
    "string": ("s", lambda _reader, value: _text(value)),
    "tensor": ("t", lambda reader, value: reader.tensor(value)),
    "graph": ("g", lambda reader, value: reader.graph(value)),
    "sparse_tensor": ("sparse_tensor", lambda reader, value: reader.sparse(value)),
    "type_proto": ("tp", lambda _reader, value: type_text(value)),
}
_WORDS: Mapping[int, str] = {
    AttributeProto.AttributeType.Value(word.upper()): word
    for single in _SINGLE
    for word in (single, f"{single}s")
}
_CONTENTS = frozenset(_WORDS.values()) - _SINGLE.keys() | {field for field, _ in _SINGLE.values()}


def _declaration(proto: onnx.ValueInfoProto) -> Declaration:
    if not proto.HasField("type") or proto.type.WhichOneof("value") is None:
        return Declaration(proto.name, None)
    shape = None
    if proto.type.HasField("tensor_type") and proto.type.tensor_type.HasField("shape"):
        shape = _shape(proto.type.tensor_type.shape)
    if proto.type.HasField("tensor_type") and not proto.type.tensor_type.elem_type:
        return Declaration(proto.name, None, shape)
    return Declaration(proto.name, type_text(proto.type), shape)


def _shape(proto: onnx.TensorShapeProto) -> Shape:
    dimensions: list[int | str | None] = []
    for dimension in proto.dim:
        if dimension.HasField("dim_value"):
            dimensions.append(dimension.dim_value)
        else:
            dimensions.append(dimension.dim_param or None)
    return tuple(dimensions)


def _imports(protos: Iterable[onnx.OperatorSetIdProto]) -> dict[str, int]:
    imports: dict[str, int] = {}
    for item in protos:
        domain = _domain(item.domain)
        if imports.get(domain, item.version) != item.version:
            raise RefusedError(f"two versions of domain '{domain}' are imported")
        imports[domain] = item.version
    return imports


def _domain(name: str) -> str:
    return "" if name == _LONG_NAME else name


def _twice(names: list[str]) -> str:
    return next(name for index, name in enumerate(names) if name in names[:index])
