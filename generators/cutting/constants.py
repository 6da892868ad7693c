"""What a model stores: initializers and Constant nodes, read inside its folder alone."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.limits import MEBIBYTE
from onnx_conformance.core.models.attributes import graphs_in
from onnx_conformance.core.values.elements import element_type_of_code
from onnx_conformance.core.values.protos import from_proto
from onnx_conformance.core.values.tensors import Tensor

from ..interpreter.outcomes import RefusedError
from ..interpreter.reading import read_graph

if TYPE_CHECKING:
    import onnx

    from onnx_conformance.core.models.opening import OpenedModel

# Larger ones are not read: a node with one is not sampled either.
LARGEST = 128 * MEBIBYTE


class Constants:
    """The stored values of a model by name; each is read when it is first asked for."""

    def __init__(self, opened: OpenedModel, typed: onnx.ModelProto) -> None:
        """Look for them in the file, and in the model after functions were inlined."""
        self._opened = opened
        inputs = {item.name for item in opened.proto.graph.input}
        self._stored = {
            item.name: item for item in opened.proto.graph.initializer if item.name not in inputs
        }
        if opened.proto.ir_version < 4:  # every initializer is a graph input, too
            self._stored = {item.name: item for item in opened.proto.graph.initializer}
        self._nodes: dict[str, onnx.NodeProto] = {}
        for graph in _graphs(typed.graph):
            for tensor in graph.initializer if graph is not typed.graph else ():
                self._stored.setdefault(tensor.name, tensor)
            for node in graph.node:
                if node.op_type == "Constant" and node.output and not node.domain:
                    self._nodes[node.output[0]] = node
        self._read: dict[str, Tensor | None] = {}

    def shape(self, name: str) -> tuple[int, ...] | None:
        """The dimensions of a stored value; None if the model does not store it."""
        if name in self._stored:
            return tuple(self._stored[name].dims)
        found = self.value(name)
        return None if found is None else found.shape

    def has(self, name: str) -> bool:
        """Whether the model stores a value of that name."""
        return name in self._stored or name in self._nodes

    def value(self, name: str) -> Tensor | None:
        """A stored value; None if there is none, if it is too large, or if it cannot be read."""
        if name not in self._read:
            self._read[name] = self._found(name)
        return self._read[name]

    def _found(self, name: str) -> Tensor | None:
        try:
            if name in self._stored:
                return self._tensor(self._stored[name])
            if name in self._nodes:
                return _of_node(self._nodes[name])
        except (BadInputError, RefusedError):
            return None
        return None

    def _tensor(self, proto: onnx.TensorProto) -> Tensor | None:
        bits = element_type_of_code(proto.data_type).bits
        if math.prod(proto.dims) * bits // 8 > LARGEST:
            return None
        if proto.data_location != proto.EXTERNAL:
            return from_proto(proto)
        location = next((e.value for e in proto.external_data if e.key == "location"), "")
        if location not in self._opened.beside:  # missing, or outside the model's folder
            return None
        copy = type(proto)()
        copy.CopyFrom(proto)
        return from_proto(copy, self._opened.path.parent)


def _graphs(graph: onnx.GraphProto) -> Iterator[onnx.GraphProto]:
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            for inner in graphs_in(attribute):
                yield from _graphs(inner)


def _of_node(node: onnx.NodeProto) -> Tensor | None:
    """The value of a Constant node, computed by its oracle."""
    import onnx

    from onnx_conformance.core.values.tensors import Tensor as TensorValue

    from ..interpreter.running import as_value
    from ..oracle.registry import Call, compute

    graph = onnx.GraphProto(name="constant", node=[node])
    (read,) = read_graph(graph).nodes
    attributes: dict[str, Any] = {item.name: item.value for item in read.attributes}
    (result,) = map(as_value, compute(Call(13, attributes, {}, "Constant")))
    return result if isinstance(result, TensorValue) else None
