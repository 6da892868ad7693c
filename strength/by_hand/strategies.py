"""Correct backends that work as real runtimes do, each with one thing done ahead or kept.

They pass every vector. Mutants derive from them where a bug needs the mechanism to live in.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.values.tensors import Tensor

from .backend import Backend, Frame, Session
from .program import Node
from .values import integers

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from .backend import Call, Scope
    from .program import Declaration, Program

# What a compiler evaluates at load; subgraphs, functions and their operators are left alone.
FOLDED = frozenset(
    {"Shape", "Size", "Reshape", "Identity", "Concat", "Gather", "Cast", "Sub", "Neg", "Squeeze"}
)


def with_nodes(
    program: Program, nodes: Sequence[Node], initializers: Mapping[str, Tensor] | None = None
) -> Program:
    """The program with other nodes in its graph, and further initializers."""
    graph = program.graph
    known = {**graph.initializers, **(initializers or {})}
    return replace(program, graph=replace(graph, nodes=tuple(nodes), initializers=known))


class Folding(Backend):
    """Evaluates at load what depends on constants only."""

    def prepare(self, program: Program) -> Program:
        """Replace every node whose inputs are constant by its results."""
        known = self.constants(program)
        frame = Frame(Session(program), program.opset, None, "graph", folding=True, scope=known)
        kept, folded = [], {}
        for node in program.graph.nodes:
            if node.operator == "Constant" or (
                node.operator in FOLDED
                and node.inputs
                and all(item in known for item in node.inputs)
            ):
                arguments = [known[name] for name in node.inputs]
                results = dict(zip(node.outputs, self.folded(node, arguments, frame), strict=False))
                known.update(results)
                folded.update(results)
            else:
                kept.append(node)
        return with_nodes(program, kept, folded)

    def constants(self, program: Program) -> dict[str, Tensor]:
        """The values that no caller can change: initializers that are not graph inputs."""
        inputs = {item.name for item in program.graph.inputs}
        return {
            name: value for name, value in program.graph.initializers.items() if name not in inputs
        }

    def folded(self, node: Node, arguments: list[Any], frame: Frame) -> Sequence[Any]:
        """The outputs of one node at load."""
        return self.execute(node, arguments, frame)


class Inferring(Backend):
    """Knows static dimensions at load, and computes Shape, Size and targets from them."""

    def prepare(self, program: Program) -> Program:
        """Replace Shape and Size of what has static dimensions by constants."""
        static = {
            item.name: dims
            for item in program.graph.inputs
            if (dims := self.static_dims(item)) is not None
        }
        kept, known = [], {}
        for node in program.graph.nodes:
            source = node.inputs[0] if node.inputs else ""
            dims = static.get(source)
            if node.operator in {"Shape", "Size"} and dims is not None:
                known.update(self.computed(node, program, source, dims))
            else:
                kept.append(node)
        return with_nodes(program, kept, known)

    def static_dims(self, declaration: Declaration) -> tuple[int, ...] | None:
        """The dimensions of a graph input, where the model says them all."""
        if declaration.dims is None:
            return None
        known = tuple(size for size in declaration.dims if isinstance(size, int))
        return known if len(known) == len(declaration.dims) else None

    def computed(
        self, node: Node, program: Program, source: str, dims: tuple[int, ...]
    ) -> dict[str, Any]:
        """The result of Shape or Size of a value of which only type and dimensions are known."""
        types = {item.name: item.type for item in program.graph.inputs}
        data = Tensor(types[source], dims, b"")
        frame = Frame(Session(program), program.opset, None, "graph", folding=True, scope={})
        arguments = [data if name == source else None for name in node.inputs]
        return dict(zip(node.outputs, self.execute(node, arguments, frame), strict=False))


class Fusing(Backend):
    """Makes one Reshape of two where the second alone says the result."""

    def prepare(self, program: Program) -> Program:
        """Let a Reshape read the data of the Reshape before it."""
        producers = {name: node for node in program.graph.nodes for name in node.outputs}
        nodes = []
        for node in program.graph.nodes:
            first = producers.get(node.inputs[0]) if node.inputs else None
            fused = node
            if first is not None and self.mergeable(first, node, program):
                fused = self.merged(first, node)
            nodes.append(fused)
        return with_nodes(program, nodes)

    def mergeable(self, first: Node, second: Node, program: Program) -> bool:
        """Whether the second node's shape is constant and has no zero."""
        if not (first.operator == second.operator == "Reshape" and program.opset >= 5):
            return False
        if len(second.inputs) != 2 or len(first.inputs) != 2:
            return False
        shape = self.constant_shape(second, program)
        return shape is not None and self.independent(shape)

    def independent(self, shape: tuple[int, ...]) -> bool:
        """Whether a shape says the result without the dimensions of the data."""
        return 0 not in shape

    def constant_shape(self, node: Node, program: Program) -> tuple[int, ...] | None:
        """The shape of a Reshape, where it is an initializer that nobody can override."""
        name = node.inputs[1]
        value = program.graph.initializers.get(name)
        if value is None or name in {item.name for item in program.graph.inputs}:
            return None
        return integers(value) if value.type == "int64" and len(value.shape) == 1 else None

    def merged(self, first: Node, second: Node) -> Node:
        """The second node, reading the data of the first."""
        return second._replace(inputs=(first.inputs[0], *second.inputs[1:]))


class Caching(Backend):
    """Keeps results and targets for inputs that look the same."""

    def run_shape(self, call: Call) -> Tensor:
        """Shape, kept by what it depends on."""
        return self.kept(call, self.shape_key(call), lambda: super(Caching, self).run_shape(call))

    def run_size(self, call: Call) -> Tensor:
        """Size, kept by what it depends on."""
        return self.kept(call, self.size_key(call), lambda: super(Caching, self).run_size(call))

    def run_reshape(self, call: Call) -> Tensor:
        """Reshape; the target is kept by what it depends on."""
        key = self.reshape_key(call)
        dims = self.kept(call, key, lambda: super(Caching, self).run_reshape(call).shape)
        return self.copied(call.inputs[0], dims)

    def shape_key(self, call: Call) -> Hashable:
        """What the result of Shape depends on."""
        return (call.inputs[0].shape, _attributes(call))

    def size_key(self, call: Call) -> Hashable:
        """What the result of Size depends on."""
        return (call.inputs[0].shape,)

    def reshape_key(self, call: Call) -> Hashable:
        """What the target of Reshape depends on."""
        shapes = tuple(item.data for item in call.inputs[1:])
        return (call.inputs[0].shape, shapes, _attributes(call))

    def kept(self, call: Call, key: Hashable, compute: Callable[[], Any]) -> Any:  # noqa: ANN401
        """What was computed for the key before, or is now."""
        memory = self.memory(call)
        whole = (call.node.operator, key)
        if whole not in memory:
            memory[whole] = compute()
        return memory[whole]

    def memory(self, call: Call) -> dict[Any, Any]:
        """Where results are kept: with the loaded model."""
        return call.frame.session.memory


def _attributes(call: Call) -> Hashable:
    return tuple(sorted(call.attributes.items()))


class Sharing(Backend):
    """Computes equal nodes once."""

    def prepare(self, program: Program) -> Program:
        """Replace a node that equals an earlier one by copies of its outputs."""
        earlier: dict[Hashable, Node] = {}
        nodes = []
        for node in program.graph.nodes:
            if node.operator not in FOLDED or len(node.outputs) != 1:
                nodes.append(node)
                continue
            key = self.identity(node)
            if key in earlier:
                nodes.append(Node("Identity", "", earlier[key].outputs, node.outputs))
            else:
                earlier[key] = node
                nodes.append(node)
        return with_nodes(program, nodes)

    def identity(self, node: Node) -> Hashable:
        """What two nodes must have in common to be equal."""
        return (node.operator, node.domain, node.inputs, tuple(map(str, node.attributes)))


class Aliasing(Backend):
    """Lets the result of Reshape share the buffer of its data, and writes in place where it may.

    Neg writes into its input's buffer where nothing needs the buffer any more.
    """

    def run_nodes(self, nodes: Sequence[Node], frame: Frame) -> None:
        """Run nodes, knowing which names share a buffer and what is still to come."""
        buffers: dict[str, str] = {}
        for index, node in enumerate(nodes):
            super().run_nodes((node,), frame)
            if node.operator in {"Reshape", "Identity"} and frame.place == "graph":
                for name in node.outputs:
                    buffers[name] = buffers.get(node.inputs[0], node.inputs[0])
            if node.operator == "Neg" and self.may_overwrite(
                node.inputs[0], nodes[index + 1 :], frame, buffers
            ):
                self.overwrite(node, frame.scope, buffers)

    def may_overwrite(
        self, name: str, later: Sequence[Node], frame: Frame, buffers: Mapping[str, str]
    ) -> bool:
        """Whether neither a later node, nor the caller, nor an output needs the buffer."""
        graph = frame.session.program.graph
        root = buffers.get(name, name)
        needed = {item.name for item in graph.inputs} | set(graph.initializers)
        needed |= {item.name for item in graph.outputs}
        needed |= {item for node in later for item in node.inputs}
        return not any(buffers.get(item, item) == root for item in needed)

    def overwrite(self, node: Node, scope: Scope, buffers: Mapping[str, str]) -> None:
        """Every name of the buffer sees what the node wrote."""
        root = buffers.get(node.inputs[0], node.inputs[0])
        written = scope[node.outputs[0]].data
        for name, value in list(scope.items()):
            if buffers.get(name, name) == root and isinstance(value, Tensor):
                scope[name] = replace(value, data=written)


# Before the name of a correct backend, where a mutant's might stand.
INNOCENT = "innocent:"
PLAIN = "plain"

INNOCENTS: Mapping[str, type[Backend]] = {
    PLAIN: Backend,
    "folding": Folding,
    "inferring": Inferring,
    "fusing": Fusing,
    "caching": Caching,
    "sharing": Sharing,
    "aliasing": Aliasing,
}
