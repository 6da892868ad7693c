"""Graphs evaluated on intervals: everything that the permitted roundings can make of outputs.

A node that only reads exact values is run as usual. A node that reads values with limits must be a
formula of its elements, or must move them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from onnx_conformance.core.values.tensors import Tensor, Value

from ..oracle.accuracy.graphs import Intervals
from ..oracle.accuracy.steps import Steps
from ..oracle.arith.grid import Grid, broadcast_places, broadcast_shape, grid_of, tensor_of
from ..oracle.arith.numbers import ZERO
from .model import Graph, Node
from .outcomes import NoOracleError, RefusedError
from .scopes import Frame, Scope

# Formulas of the elements at one place, by operator.
_FORMULAS: Mapping[str, Callable[..., object]] = {
    "Abs": Steps.absolute,
    "Add": Steps.add,
    "Div": Steps.div,
    "Exp": Steps.exp,
    "Max": Steps.max,
    "Min": Steps.min,
    "Mul": Steps.mul,
    "Neg": Steps.neg,
    "Sigmoid": Steps.sigmoid,
    "Sub": Steps.sub,
    "Tanh": Steps.tanh,
}
# Operators whose output elements are elements of the first input.
_MOVED = frozenset({"Expand", "Gather", "Identity", "Reshape", "Slice", "Transpose", "Unsqueeze"})
# Operators that only read dimensions.
_MEASURED = frozenset({"Shape", "Size"})


class Runner(Protocol):
    """Runs nodes that read exact values: a session."""

    def run_nodes(self, nodes: Sequence[Node], frame: Frame) -> None:
        """Run nodes; their outputs go into the scope."""

    def keep(self, node: Node, results: Sequence[Value | None], scope: Scope) -> None:
        """Put the outputs of a node into the scope."""

    def execute(
        self, node: Node, values: Sequence[Value | None], frame: Frame
    ) -> Sequence[Value | None]:
        """The outputs of a node."""


def enclosed_outputs(
    session: Runner, graph: Graph, frame: Frame, steps: Steps, values: Sequence[Intervals]
) -> tuple[Intervals, ...]:
    """The outputs of a subgraph for inputs with limits.

    Args:
        session: runs the nodes that read exact values.
        graph: the subgraph.
        frame: the scope and the opsets around it.
        steps: the arithmetic, in the element type of the inputs.
        values: the inputs, in order.

    Raises:
        RefusedError: a node refuses, or a value has another type than the steps.
        NoOracleError: a node is neither a formula of its elements nor moves them.
    """
    scope = Scope(dict(graph.initializers), frame.scope)
    inner = replace(frame, scope=scope)
    known = {item.name: value for item, value in zip(graph.inputs, values, strict=True)}
    for node in graph.nodes:
        if known.keys().isdisjoint(node.inputs):
            session.run_nodes([node], inner)
        elif node.operator in _MEASURED:
            given = [_stand_in(known[name]) for name in node.inputs]
            session.keep(node, session.execute(node, given, inner), scope)
        else:
            operands = [
                known[name] if name in known else scope.value(name) if name else None
                for name in node.inputs
            ]
            known[node.outputs[0]] = _Node(session, node, inner, steps).result(operands)
    return tuple(
        known[item.name] if item.name in known else as_intervals(steps, scope.value(item.name))
        for item in graph.outputs
    )


def as_intervals(steps: Steps, value: Value | None) -> Intervals:
    """An exact tensor as one with limits; RefusedError for another type, or if it is no tensor."""
    if not isinstance(value, Tensor) or value.type != steps.name:
        raise RefusedError(f"a value beside {steps.name} has another type")
    items = [steps.exactly(item) for item in grid_of(value).items]
    return Intervals(value.type, value.shape, items)


def _stand_in(value: Intervals) -> Tensor:
    """A tensor of the same type and shape."""
    return tensor_of(Grid(value.type, value.shape, [ZERO] * len(value.items)))


class _Node:
    """A node that reads values with limits."""

    def __init__(self, session: Runner, node: Node, frame: Frame, steps: Steps) -> None:
        self._session, self._node, self._frame, self._steps = session, node, frame, steps

    def result(self, operands: Sequence[Intervals | Value | None]) -> Intervals:
        """Its only output."""
        name = self._node.operator
        if self._node.domain or len(self._node.outputs) != 1:
            raise self._unknown()
        if name in _MOVED:
            return self._moved(operands)
        if name == "Where":
            return self._chosen(operands)
        if name not in _FORMULAS:
            raise self._unknown()
        shape, rows = self._aligned(operands)
        formula = _FORMULAS[name]
        items = [formula(self._steps, *row) for row in zip(*rows, strict=True)]
        return Intervals(self._steps.name, shape, items)  # type: ignore[arg-type]

    def _unknown(self) -> NoOracleError:
        return NoOracleError(f"{self._node.text} has no formula in intervals")

    def _aligned(
        self, operands: Sequence[Intervals | Value | None]
    ) -> tuple[tuple[int, ...], list[list[object]]]:
        """The operands in one shape."""
        given = [
            item if isinstance(item, Intervals) else as_intervals(self._steps, item)
            for item in operands
        ]
        shape = broadcast_shape(*(item.shape for item in given))
        return shape, [
            [item.items[place] for place in broadcast_places(item.shape, shape)] for item in given
        ]

    def _chosen(self, operands: Sequence[Intervals | Value | None]) -> Intervals:
        """Where, with a condition that is exact."""
        condition, *values = operands
        if not isinstance(condition, Tensor):
            raise self._unknown()
        flags: Any = Intervals("bool", condition.shape, grid_of(condition).items)
        shape, rows = self._aligned([flags, *values])
        items: list[Any] = [one if flag else other for flag, one, other in zip(*rows, strict=True)]
        return Intervals(self._steps.name, shape, items)

    def _moved(self, operands: Sequence[Intervals | Value | None]) -> Intervals:
        """The node run on the places of the elements."""
        value, *others = operands
        if not isinstance(value, Intervals) or any(isinstance(o, Intervals) for o in others):
            raise self._unknown()
        places = tensor_of(Grid("int64", value.shape, list(range(len(value.items)))))
        exact = [item for item in others if not isinstance(item, Intervals)]
        (found,) = self._session.execute(self._node, [places, *exact], self._frame)
        if not isinstance(found, Tensor):
            raise self._unknown()
        items = [value.items[place] for place in grid_of(found).items]
        return Intervals(value.type, found.shape, items)
