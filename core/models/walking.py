"""Every node of a model, also in its subgraphs and functions, with what is known of its values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .attributes import graphs_in
from .inferring import FUNCTION_KEY
from .schemas import domain_of
from .values import Known, values_of

if TYPE_CHECKING:
    import onnx

GRAPH, SUBGRAPH, FUNCTION = "graph", "subgraph", "function"
_BEFORE, _AFTER = "DequantizeLinear", "QuantizeLinear"
_DEEPEST = 32


@dataclass(frozen=True)
class SeenNode:
    """A node of a model.

    Attributes:
        proto: the node.
        domain: of its operator or function; '' is ONNX's own.
        opset: what the model, or the function around it, imports of that domain; 0 if nothing.
        form: `graph`, `subgraph`, or `function` for one of a model-local function.
        where: its name for people, with the nodes or the function around it.
        inputs: what is known of its inputs; None for one that is absent.
        outputs: the same of its outputs.
        quantized: its place between nodes that quantize, in words; or ''.
        called: whether it calls a function of the model, which could not be inlined.
    """

    proto: onnx.NodeProto
    domain: str
    opset: int
    form: str
    where: str
    inputs: tuple[Known | None, ...]
    outputs: tuple[Known | None, ...]
    quantized: str
    called: bool


def nodes_of(model: onnx.ModelProto) -> Iterator[SeenNode]:
    """The nodes of a model in its order, each followed by those of its subgraphs.

    The nodes of functions that were not inlined come last; of their values nothing is known.
    """
    walker = _Walker({(domain_of(item.domain), item.name) for item in model.functions})
    yield from walker.graph(model.graph, _imports(model.opset_import), {}, ())
    for function in model.functions:
        imports = _imports(function.opset_import)
        yield from walker.nodes(
            function.node, imports, {}, (f"function {function.name}",), FUNCTION
        )


def _imports(listed: Iterable[onnx.OperatorSetIdProto]) -> dict[str, int]:
    return {domain_of(item.domain): int(item.version) for item in listed}


def name_of(node: onnx.NodeProto, index: int) -> str:
    """A node's name, or what tells it apart where it has none."""
    if node.name:
        return node.name
    made = next((item for item in node.output if item), "")
    return f"#{index} {node.op_type}" + (f" -> {made}" if made else "")


def names_from_around(graph: onnx.GraphProto) -> Iterator[str]:
    """The names that a graph, or one in it, takes from around it; in order, also several times."""
    inside = {item.name for item in graph.input} | {item.name for item in graph.initializer}
    inside |= {item.values.name for item in graph.sparse_initializer}
    for node in graph.node:
        inner = (g for item in node.attribute for g in graphs_in(item))
        taken = (*node.input, *(name for g in inner for name in names_from_around(g)))
        yield from (name for name in taken if name and name not in inside)
        inside.update(node.output)
    yield from (item.name for item in graph.output if item.name not in inside)


class _Walker:
    def __init__(self, functions: set[tuple[str, str]]) -> None:
        self._functions = functions

    def graph(
        self,
        graph: onnx.GraphProto,
        imports: Mapping[str, int],
        outer: Mapping[str, Known],
        around: tuple[str, ...],
    ) -> Iterator[SeenNode]:
        scope = {**outer, **values_of(graph)}
        yield from self.nodes(graph.node, imports, scope, around, SUBGRAPH if around else GRAPH)

    def nodes(
        self,
        nodes: Sequence[onnx.NodeProto],
        imports: Mapping[str, int],
        scope: Mapping[str, Known],
        around: tuple[str, ...],
        form: str,
    ) -> Iterator[SeenNode]:
        patterns = _Quantized(nodes)
        for index, node in enumerate(nodes):
            domain = domain_of(node.domain)
            written_in = next(
                (item.value for item in node.metadata_props if item.key == FUNCTION_KEY), ""
            )
            where = " / ".join((*around, name_of(node, index)))
            yield SeenNode(
                node,
                domain,
                imports.get(domain, 0),
                FUNCTION if written_in else form,
                f"{where} (function {written_in})" if written_in else where,
                tuple(scope.get(name, Known()) if name else None for name in node.input),
                tuple(scope.get(name, Known()) if name else None for name in node.output),
                patterns.around(node),
                (domain, node.op_type) in self._functions,
            )
            if len(around) < _DEEPEST:
                for attribute in node.attribute:
                    for inner in graphs_in(attribute):
                        inside = (*around, f"{name_of(node, index)}.{attribute.name}")
                        yield from self.graph(inner, imports, scope, inside)


class _Quantized:
    """Which nodes of a graph are between DequantizeLinear and QuantizeLinear."""

    def __init__(self, nodes: Sequence[onnx.NodeProto]) -> None:
        self._made_by = {name: node.op_type for node in nodes for name in node.output if name}
        self._taken_by: dict[str, set[str]] = {}
        for node in nodes:
            for name in node.input:
                self._taken_by.setdefault(name, set()).add(node.op_type)

    def around(self, node: onnx.NodeProto) -> str:
        if node.op_type in (_BEFORE, _AFTER):
            return ""
        before = any(self._made_by.get(name) == _BEFORE for name in node.input)
        takers = [self._taken_by.get(name, set()) for name in node.output if name]
        after = bool(takers) and all(item == {_AFTER} for item in takers)
        if before and after:
            return f"between {_BEFORE} and {_AFTER}"
        if before:
            return f"after {_BEFORE}"
        return f"before {_AFTER}" if after else ""
