"""Shared by the operators that run subgraphs: their graphs, and when to stop."""

from __future__ import annotations

from onnx_conformance.core.values.tensors import Tensor, Value

from ...errors import EndlessError, InvalidCallError
from ...registry import Call
from ...subgraph import MOST_ITERATIONS, Subgraph


def graph_of(call: Call, name: str) -> Subgraph:
    """An attribute that is a graph; InvalidCallError if it is not."""
    graph = call.attributes.get(name)
    if not isinstance(graph, Subgraph):
        raise InvalidCallError(f"attribute '{name}' is no graph")
    return graph


def variadic(call: Call, name: str) -> tuple[Value, ...]:
    """The values of a variadic input; there may be none."""
    values = call.inputs.get(name, ())
    return values if isinstance(values, tuple) else (values,)


def is_true(value: Value) -> bool:
    """Whether a condition holds; InvalidCallError for anything but one bool."""
    if not isinstance(value, Tensor) or value.type != "bool" or value.element_count != 1:
        raise InvalidCallError("a condition is not one bool")
    return value.data != b"\x00"


def check_iteration(call: Call, number: int) -> None:
    """EndlessError for an iteration, counted from 0, beyond what honest cases need."""
    if number >= MOST_ITERATIONS:
        raise EndlessError(
            f"{call.operator}-{call.since_version} goes on after {MOST_ITERATIONS} iterations:"
            " its condition never turns false, or it has more iterations than are run here"
        )


def as_many_outputs(call: Call, count: int) -> None:
    """InvalidCallError if a node has more outputs than its subgraph gives."""
    if len(call.outputs) > count:
        raise InvalidCallError(f"the node has {len(call.outputs)} outputs, its graph gives {count}")
