"""Models as plain records, read once and shared by all backends.

The wire format is read with the validator's own small reader, so that a harness of a mutant starts
without the onnx package. Field numbers are those of onnx.proto.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import element_type_of_code
from onnx_conformance.core.values.tensors import Tensor, check_tensor
from onnx_conformance.validator.harnesses.protobuf import fields

if TYPE_CHECKING:
    from collections.abc import Iterable

# Attribute types, as IR.md names them.
INT, INTS, FLOAT, STRING, TENSOR, GRAPH, OTHER = (
    "int",
    "ints",
    "float",
    "string",
    "tensor",
    "graph",
    "other",
)

Stored: TypeAlias = "int | float | bytes | tuple[int, ...] | Tensor | Graph | None"


class Attribute(NamedTuple):
    """An attribute of a node: a value, or a reference to an attribute of the function around."""

    name: str
    type: str
    value: Stored
    reference: str = ""


class Node(NamedTuple):
    """A node of a graph or function."""

    operator: str
    domain: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: tuple[Attribute, ...] = ()


class Declaration(NamedTuple):
    """What a graph says of a value: `dims` has numbers, names and None, or is None altogether."""

    name: str
    type: str
    dims: tuple[int | str | None, ...] | None


@dataclass(frozen=True)
class Graph:
    """A graph or subgraph."""

    inputs: tuple[Declaration, ...]
    outputs: tuple[Declaration, ...]
    initializers: dict[str, Tensor]
    nodes: tuple[Node, ...]


@dataclass(frozen=True)
class Function:
    """A model-local function; `defaults` are the attributes that have one."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    defaults: tuple[Attribute, ...]
    nodes: tuple[Node, ...]
    opset: int


@dataclass(frozen=True)
class Program:
    """A model."""

    graph: Graph
    opset: int
    ir_version: int
    functions: dict[tuple[str, str], Function] = field(default_factory=dict)


def read_program(model: bytes) -> Program:
    """The model in a serialized ModelProto; ValueError where it is none."""
    message = _Message(model)
    functions = {}
    for part in message.messages(25):
        functions[part.text(10), part.text(1)] = Function(
            part.texts(4),
            part.texts(5),
            tuple(_attribute(item) for item in part.messages(11)),
            tuple(_node(item) for item in part.messages(7)),
            _opset(part.messages(9)),
        )
    return Program(
        _graph(message.messages(7)[0]), _opset(message.messages(8)), message.integer(1), functions
    )


def operators_of(program: Program) -> frozenset[str]:
    """The operators of a program's nodes, those of functions and subgraphs included."""
    pending = [*program.graph.nodes]
    pending += [node for function in program.functions.values() for node in function.nodes]
    found = set()
    while pending:
        node = pending.pop()
        found.add(node.operator)
        for item in node.attributes:
            if isinstance(item.value, Graph):
                pending += item.value.nodes
    return frozenset(found)


class _Message:
    """The fields of one message by number."""

    def __init__(self, content: bytes) -> None:
        self._parts: dict[int, list[int | bytes]] = defaultdict(list)
        for item in fields(content):
            self._parts[item.number].append(item.payload)

    def has(self, number: int) -> bool:
        return number in self._parts

    def bytes_of(self, number: int) -> list[bytes]:
        return [item for item in self._parts.get(number, ()) if isinstance(item, bytes)]

    def messages(self, number: int) -> list[_Message]:
        return [_Message(item) for item in self.bytes_of(number)]

    def texts(self, number: int) -> tuple[str, ...]:
        return tuple(item.decode() for item in self.bytes_of(number))

    def text(self, number: int) -> str:
        return "".join(self.texts(number)[-1:])

    def integers(self, number: int) -> tuple[int, ...]:
        """Repeated int64, each in a field of its own as proto2 writes them."""
        return tuple(
            item - (item >> 63 << 64)
            for item in self._parts.get(number, ())
            if isinstance(item, int)
        )

    def integer(self, number: int) -> int:
        return (self.integers(number) or (0,))[-1]


def _opset(imports: Iterable[_Message]) -> int:
    return next(item.integer(2) for item in imports if item.text(1) in {"", "ai.onnx"})


def _graph(message: _Message) -> Graph:
    return Graph(
        tuple(_declaration(item) for item in message.messages(11)),
        tuple(_declaration(item) for item in message.messages(12)),
        {item.text(8): _tensor(item) for item in message.messages(5)},
        tuple(_node(item) for item in message.messages(1)),
    )


def _declaration(message: _Message) -> Declaration:
    name = message.text(1)
    kinds = [kind for item in message.messages(2) for kind in item.messages(1)]
    if not kinds:
        return Declaration(name, "", None)
    dims = None
    if kinds[0].has(2):
        dims = tuple(
            item.integer(1) if item.has(1) else item.text(2) or None
            for item in kinds[0].messages(2)[0].messages(1)
        )
    return Declaration(name, element_type_of_code(kinds[0].integer(1)).name, dims)


def _node(message: _Message) -> Node:
    return Node(
        message.text(4),
        message.text(7),
        message.texts(1),
        message.texts(2),
        tuple(_attribute(item) for item in message.messages(5)),
    )


def _attribute(message: _Message) -> Attribute:
    kind, value = _stored(message)
    reference = message.text(21)
    return Attribute(message.text(1), kind, None if reference else value, reference)


def _stored(message: _Message) -> tuple[str, Stored]:  # noqa: PLR0911  one for each type
    kind = message.integer(20)
    if kind == 1:
        return FLOAT, struct.unpack("<f", (message.bytes_of(2) or [bytes(4)])[-1])[0]
    if kind == 2:
        return INT, message.integer(3)
    if kind == 3:
        return STRING, b"".join(message.bytes_of(4)[-1:])
    if kind == 4:
        return TENSOR, next(map(_tensor, message.messages(5)), None)
    if kind == 5:
        return GRAPH, next(map(_graph, message.messages(6)), None)
    if kind == 7:
        return INTS, message.integers(8)
    return OTHER, None


def _tensor(message: _Message) -> Tensor:
    """A tensor with raw_data or string_data, which is all that the corpus has."""
    name = element_type_of_code(message.integer(2)).name
    data = tuple(message.bytes_of(6)) if name == "string" else b"".join(message.bytes_of(9))
    tensor = Tensor(name, message.integers(1), data)
    try:
        check_tensor(tensor)
    except BadInputError as error:
        raise ValueError(f"tensor '{message.text(8)}' keeps its data elsewhere: {error}") from None
    return tensor
