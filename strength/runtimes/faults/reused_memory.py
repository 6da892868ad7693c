"""A runtime whose values share memory: buffers are used again, and some results are views.

A value is kept in a buffer of an arena that lasts from run to run. The buffer goes back once no
later node of the graph, no subgraph of such a node and no output reads a name that is kept in it,
and the next result that fits is written there: in place, where the node is the last reader of its
own input. What moves nothing gives a view of its input's buffer. All of that is correct, and what
is read too late reads what was written over it: the wrong variants below forget one of the readers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from onnx_conformance.core.values.tensors import Tensor, Value
from onnx_conformance.generators.interpreter.model import (
    Attribute,
    Declaration,
    Function,
    Graph,
    Node,
)
from onnx_conformance.generators.interpreter.programs import GRADIENT
from onnx_conformance.generators.interpreter.running import Session
from onnx_conformance.generators.interpreter.scopes import Frame
from onnx_conformance.generators.interpreter.validity.checking import graphs_in, names_from_outside

from ..registry import wrong
from .operators import VIEWING

Values = Sequence[Value | None]

AREA = "reused memory"


@dataclass(eq=False)
class Buffer:
    """Memory of the arena, with the names that are kept in it."""

    content: bytearray | list[bytes]
    names: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Kept:
    """A tensor as the beginning of a buffer."""

    type: str
    shape: tuple[int, ...]
    length: int
    buffer: Buffer

    def read(self) -> Tensor:
        """What is in the buffer now."""
        data = self.buffer.content[: self.length]
        content = bytes(data) if isinstance(data, bytearray) else tuple(data)
        return Tensor(self.type, self.shape, content)


class Memory(dict[str, Any]):
    """The values of a scope; those that are kept in buffers are read when they are asked for."""

    def __getitem__(self, name: str) -> Value | None:
        """The value, as it is now."""
        item = super().__getitem__(name)
        value: Value | None = item.read() if isinstance(item, Kept) else item
        return value

    def kept(self, name: str) -> Kept | None:
        """Where a value is kept, if in a buffer."""
        item = self.get(name)
        return item if isinstance(item, Kept) else None


class ReusedMemory(Session):
    """Values share memory, and what nobody reads any more is written over: correct."""

    captures_are_readers: ClassVar[bool] = True
    outputs_are_readers: ClassVar[bool] = True
    views_are_readers: ClassVar[bool] = True

    def __init__(self, *arguments: Any) -> None:  # noqa: ANN401  those of Session
        """As a Session."""
        super().__init__(*arguments)
        self.free: list[Buffer] = []
        self._outputs: list[frozenset[str]] = []

    def run(self, feeds: Mapping[str, Value]) -> dict[str, Value]:
        """A run; what is left of the one before is free."""
        self.free = [replace(item, names=set()) for item in self.free]
        with self._reading(self.model.graph.outputs):
            return super().run(feeds)

    def run_subgraph(
        self, graph: Graph, frame: Frame, values: Sequence[Value]
    ) -> tuple[Value, ...]:
        """A subgraph, whose outputs are read at its end."""
        with self._reading(graph.outputs):
            return super().run_subgraph(graph, frame, values)

    def call_function(
        self, function: Function, attributes: Sequence[Attribute], values: Values
    ) -> Values:
        """A function, whose outputs are read at its end."""
        with self._reading(function.outputs):
            return super().call_function(function, attributes, values)

    @contextmanager
    def _reading(self, outputs: Sequence[Declaration | str]) -> Iterator[None]:
        """Within this, these are read at the end."""
        names = (item if isinstance(item, str) else item.name for item in outputs)
        self._outputs.append(frozenset(names))
        try:
            yield
        finally:
            self._outputs.pop()

    def run_nodes(self, nodes: Sequence[Node], frame: Frame) -> None:
        """The nodes in order, each followed by what may be forgotten after it."""
        scope, outputs = frame.scope, self._outputs[-1]
        scope.values = memory = Memory(scope.values)
        made: set[str] = set()
        later = self._read_after(nodes)
        for node, read in zip(nodes, later, strict=True):
            super().run_nodes((node,), frame)
            fresh = {name: memory.get(name) for name in node.outputs if name}
            needed = read | outputs if self.outputs_are_readers else read
            views = node.operator in VIEWING and not node.domain
            source = memory.kept(node.inputs[0]) if views and node.inputs else None
            self._forget(made - needed, memory, source)
            made -= made - needed
            for name, value in fresh.items():
                if isinstance(value, Tensor):
                    memory[name] = self._kept(name, value, source)
                    made.add(name)

    def _read_after(self, nodes: Sequence[Node]) -> list[frozenset[str]]:
        """For each node the names that later ones read."""
        needed: frozenset[str] = frozenset()
        found = []
        everything = any((node.domain, node.operator) == GRADIENT for node in nodes)
        if everything:
            needed = frozenset(name for node in nodes for name in node.outputs)
        for node in reversed(nodes):
            found.append(needed)
            needed |= {name for name in node.inputs if name}
            if self.captures_are_readers:
                for item in node.attributes:
                    for graph in graphs_in(item):
                        needed |= names_from_outside(graph)
        return found[::-1]

    def _forget(self, names: Collection[str], memory: Memory, source: Kept | None) -> None:
        """Give buffers back that only these names are kept in; not the one that is viewed."""
        for name in sorted(names):
            kept = memory.kept(name)
            if kept is None:
                continue
            kept.buffer.names.discard(name)
            if source is not None and kept.buffer is source.buffer:
                continue
            if not kept.buffer.names or not self.views_are_readers:
                self.free.append(kept.buffer)

    def _kept(self, name: str, value: Tensor, source: Kept | None) -> Kept:
        """A value in a buffer: that of its source, one that is free, or a new one."""
        length = len(value.data)
        if source is not None and source.read().data == value.data:
            buffer = source.buffer
        else:
            fresh = bytearray(value.data) if isinstance(value.data, bytes) else list(value.data)
            fitting = (
                item
                for item in self.free
                if type(item.content) is type(fresh) and len(item.content) >= length
            )
            buffer = next(fitting, Buffer(fresh))
            self.free = [item for item in self.free if item is not buffer]
            buffer.content[:length] = fresh  # type: ignore[assignment]
        buffer.names.add(name)
        return Kept(value.type, value.shape, length, buffer)


@wrong(AREA)
class CapturesAreForgotten(ReusedMemory):
    """Memory is used again though a subgraph still reads it."""

    captures_are_readers = False


@wrong(AREA)
class OutputsAreForgotten(ReusedMemory):
    """Memory is used again though it is a graph's output."""

    outputs_are_readers = False


@wrong(AREA)
class ViewsAreForgotten(ReusedMemory):
    """Memory is used again though a view of it is still read."""

    views_are_readers = False
