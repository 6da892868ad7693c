"""What a node sees while a model runs: values by name, imports, attributes of a function around it.

Source: IR.md, Graphs and Functions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .outcomes import RefusedError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from onnx_conformance.core.values.tensors import Value

    from .model import Attribute, Node


@dataclass
class Scope:
    """The values that a node sees by name; None is an optional value that was not given."""

    values: dict[str, Value | None]
    outer: Scope | None = None

    def value(self, name: str) -> Value | None:
        """The value of a name, its own before an outer one; RefusedError where there is none."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.values:
                return scope.values[name]
            scope = scope.outer
        raise RefusedError(f"'{name}' has no value")

    def names(self) -> set[str]:
        """The names that are seen, its own and the outer ones."""
        outer = set() if self.outer is None else self.outer.names()
        return outer | set(self.values)


@dataclass(frozen=True)
class Frame:
    """What holds for the nodes of a graph or function.

    Attributes:
        imports: the opsets in force.
        given: the attributes of the function around by name; None in a graph of the model.
        scope: the values.
        nodes: all nodes of it.
    """

    imports: Mapping[str, int]
    given: Mapping[str, Attribute] | None
    scope: Scope
    nodes: Sequence[Node] = ()
