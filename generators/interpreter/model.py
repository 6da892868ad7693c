"""A model as data, read once and run many times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
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
        name: as in the model.
        type: in the words of signatures: `int`, `floats`, `graph` ...
        value: its value; a type_proto is a type in words, a sparse tensor is given as the dense
            one.
        reference: the attribute of the enclosing function that gives the value, or ''.
    """

    name: str
    type: str
    value: AttributeContent | None = None
    reference: str = ""


@dataclass(frozen=True)
class Node:
    """A call of an operator or function; an empty name means an absent value."""

    #: Empty for ONNX's own domain.
    domain: str
    #: Name of the operator or function.
    operator: str
    #: Overload of a function; empty for an operator.
    overload: str
    #: Names of values by position.
    inputs: tuple[str, ...]
    #: Names of values by position.
    outputs: tuple[str, ...]
    #: The attributes that are given, without defaults.
    attributes: tuple[Attribute, ...]

    @property
    def text(self) -> str:
        """The operator or function, for messages."""
        name = f"{self.domain}:{self.operator}" if self.domain else self.operator
        return f"{name}:{self.overload}" if self.overload else name


@dataclass(frozen=True)
class Declaration:
    """A graph's declaration of an input or output.

    Attributes:
        name: name of the value.
        type: in words, or None if it is not declared.
        shape: of a tensor; None if not declared. A dimension is a number, a name or None.
    """

    name: str
    type: str | None
    shape: Shape | None = None


@dataclass(frozen=True)
class Graph:
    """A graph or subgraph."""

    #: Its name, for messages.
    name: str
    #: The declared inputs, in order.
    inputs: tuple[Declaration, ...]
    #: The declared outputs, in order.
    outputs: tuple[Declaration, ...]
    #: Tensors by the name of the value.
    initializers: Mapping[str, Tensor]
    #: In the order of execution.
    nodes: tuple[Node, ...]


@dataclass(frozen=True)
class Function:
    """A function of the model, or the body of an operator in the standard.

    Attributes:
        domain, name, overload: what nodes call it by.
        inputs, outputs: names of values, in order.
        imports: the opsets of its nodes, by domain.
        nodes: in the order of execution.
        attributes: names of the attributes without a default.
        defaults: the other attributes.
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

    #: As the file says.
    ir_version: int
    #: The opset of each imported domain; the default domain is "".
    imports: Mapping[str, int]
    #: What runs.
    graph: Graph
    #: Functions of the model, by domain, name and overload.
    functions: Mapping[FunctionKey, Function] = field(default_factory=dict)
