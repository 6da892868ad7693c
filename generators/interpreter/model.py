"""A model as data, read once and run many times."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from onnx_conformance.core.values.tensors import Tensor

AttributeContent: TypeAlias = (
    "int | float | str | bytes | tuple[int, ...] | tuple[float, ...] | tuple[str | bytes, ...]"
    " | Tensor | tuple[Tensor, ...] | Graph | tuple[Graph, ...]"
)
Shape: TypeAlias = "tuple[int | str | None, ...]"


@dataclass(frozen=True)
class Attribute:
    """An attribute of a node, or the default of a function's attribute.

    Attributes:
        type: as signatures say it: `int`, `floats`, `graph` ...
        value: a type_proto is its type in words, a sparse tensor the dense one.
        reference: the attribute of the function around whose value it takes, or ''.
    """

    name: str
    type: str
    value: AttributeContent | None = None
    reference: str = ""


@dataclass(frozen=True)
class Node:
    """An application of an operator or function; an empty name is an absent value."""

    domain: str
    operator: str
    overload: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: tuple[Attribute, ...]

    @property
    def text(self) -> str:
        """What it applies, for messages."""
        name = f"{self.domain}:{self.operator}" if self.domain else self.operator
        return f"{name}:{self.overload}" if self.overload else name


@dataclass(frozen=True)
class Declaration:
    """What a graph says of an input or output.

    Attributes:
        type: in words, or None where it is not declared.
        shape: of a tensor, None where it is not declared; a dimension is a number, a name or None.
    """

    name: str
    type: str | None
    shape: Shape | None = None


@dataclass(frozen=True)
class Graph:
    """A graph or subgraph."""

    name: str
    inputs: tuple[Declaration, ...]
    outputs: tuple[Declaration, ...]
    initializers: Mapping[str, Tensor]
    nodes: tuple[Node, ...]


@dataclass(frozen=True)
class Function:
    """A function of the model, or the body of an operator in the standard.

    Attributes:
        attributes: names of those without a default.
        defaults: the others.
    """

    domain: str
    name: str
    overload: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: tuple[str, ...]
    defaults: tuple[Attribute, ...]
    imports: Mapping[str, int]
    nodes: tuple[Node, ...]


FunctionKey: TypeAlias = "tuple[str, str, str]"


@dataclass(frozen=True)
class Model:
    """A model: `functions` by domain, name and overload."""

    ir_version: int
    imports: Mapping[str, int]
    graph: Graph
    functions: Mapping[FunctionKey, Function] = field(default_factory=dict)
