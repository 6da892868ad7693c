"""The scope of a node at run time: values by name, imports, attributes of the enclosing function.

Source: IR.md, Graphs and Functions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .model import Attribute, Node
from .outcomes import RefusedError

if TYPE_CHECKING:
    from onnx_conformance.core.values.tensors import Value


@dataclass
class Scope:
    """Values by name, as a node sees them; None is an optional value that was not given."""

    #: The values of this scope by name.
    values: dict[str, Value | None]
    #: The scope around it; None for the main graph or a function.
    outer: Scope | None = None

    def value(self, name: str) -> Value | None:
        """The value of a name, searched here, then in outer scopes; RefusedError if missing."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.values:
                return scope.values[name]
            scope = scope.outer
        raise RefusedError(f"'{name}' has no value")

    def names(self) -> set[str]:
        """The visible names: its own and those of outer scopes."""
        outer = set() if self.outer is None else self.outer.names()
        return outer | set(self.values)


@dataclass(frozen=True)
class Frame:
    """The context of the nodes of a graph or function.

    Attributes:
        imports: the imported opsets.
        given: the attributes of the enclosing function by name; None in a graph of the model.
        scope: the values.
        nodes: all its nodes.
    """

    imports: Mapping[str, int]
    given: Mapping[str, Attribute] | None
    scope: Scope
    nodes: Sequence[Node] = ()
