"""Graphs drawn at random: exact in every value, the same each time, and reduced to few nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator

from onnx_conformance.core.values.protos import to_proto
from onnx_conformance.core.values.tensors import NamedValue, Tensor
from onnx_conformance.generators.exploring.drawing import NotDrawnError
from onnx_conformance.generators.exploring.graphs.answering import InexactError, answered
from onnx_conformance.generators.exploring.graphs.drawer import GraphsDrawer
from onnx_conformance.generators.exploring.graphs.model import DrawnGraph, DrawnNode
from onnx_conformance.generators.exploring.graphs.simplifying import simpler_graphs
from onnx_conformance.generators.oracle.arith.grid import tensor_of_numbers
from onnx_conformance.generators.oracle.arith.rationals import Fraction

if TYPE_CHECKING:
    from collections.abc import Sequence

SUBJECT = "graph-17"


def row(*numbers: float, name: str = "float32") -> Tensor:
    return tensor_of_numbers(name, (len(numbers),), [Fraction(item) for item in numbers])


def array(tensor: Any) -> Any:  # noqa: ANN401  an array, of any value
    return numpy_helper.to_array(to_proto(tensor, "x"))


def drawn(count: int) -> list[DrawnGraph]:
    return [GraphsDrawer().draw(SUBJECT, 9, index) for index in range(count)]


def test_a_graph_has_two_nodes_or_more_and_is_a_valid_model() -> None:
    graphs = drawn(30)
    assert {2, 8} >= {min(2, len(graph.nodes)) for graph in graphs}
    assert max(len(graph.nodes) for graph in graphs) <= 8
    for graph in graphs:
        onnx.checker.check_model(graph.proto(graph.values()), full_check=True)


def test_another_implementation_agrees_to_the_bit_but_for_the_sign_of_zero() -> None:
    compared = 0
    for graph in drawn(30):
        if any(node.operator in {"Dropout", "MaxPool", "Split"} for node in graph.nodes):
            continue  # which the reference does not have in this version, or takes otherwise
        known = graph.values()
        try:
            outputs = ReferenceEvaluator(graph.proto(known)).run(
                None, {item.name: array(item.value) for item in graph.feeds}
            )
        except Exception:  # noqa: S112  what it cannot run is not asked here
            continue
        compared += 1
        for name, got in zip(graph.outputs, outputs, strict=True):
            assert np.array_equal(array(known[name]), got), graph.edits
    assert compared > 15


def test_the_same_numbers_give_the_same_files() -> None:
    one, other = (
        GraphsDrawer().draw(SUBJECT, 4, 2).made("explore/graph-17/g4.2") for _ in range(2)
    )
    assert one.files == other.files


def test_a_node_that_rounds_is_not_kept() -> None:
    with pytest.raises(InexactError, match="it rounds"):
        answered("Exp", 17, {}, [row(1.0)], 1)


def test_a_node_whose_result_is_open_is_not_kept() -> None:
    with pytest.raises(InexactError, match="leaves it open"):
        answered("Cast", 17, {"to": 6}, [row(1.5)], 1)


def test_zeros_of_either_sign_are_accepted() -> None:
    graph = DrawnGraph(
        17, (NamedValue("x", row(-1.0, 1.0)),), (), (DrawnNode("Relu", ("x",), ("y",)),), ("y",)
    )
    made = graph.made("explore/graph-17/g0.0")
    low = numpy_helper.to_array(onnx.TensorProto.FromString(made.files["test_data_set_0/low_0.pb"]))
    assert [True, False] == np.signbit(low).tolist()


def _chain(*operators: str) -> DrawnGraph:
    nodes = [
        DrawnNode(name, ("x" if at == 0 else f"v{at - 1}",), (f"v{at}",))
        for at, name in enumerate(operators)
    ]
    last = nodes[-1].outputs[0]
    return DrawnGraph(17, (NamedValue("x", row(-1.0, 2.0)),), (), tuple(nodes), (last,))


def _reduced(graph: DrawnGraph, wanted: str) -> Sequence[str]:
    """The nodes that are left where a fault shows with every graph that has some operator."""
    while True:
        for candidate in simpler_graphs(graph):
            if wanted in {node.operator for node in candidate.nodes}:
                graph = candidate
                break
        else:
            return [node.operator for node in graph.nodes]


@pytest.mark.parametrize("wanted", ["Abs", "Neg", "Relu"])
def test_a_graph_is_reduced_to_the_node_that_matters(wanted: str) -> None:
    assert [wanted] == _reduced(_chain("Abs", "Neg", "Relu", "Sign"), wanted)


def test_a_simpler_graph_can_be_answered() -> None:
    for graph in drawn(10):
        for candidate in simpler_graphs(graph):
            assert set(candidate.outputs) <= candidate.values().keys()


def test_a_node_may_stand_in_a_branch() -> None:
    graphs = [graph for graph in drawn(80) if any(node.branch for node in graph.nodes)]
    assert graphs
    model = graphs[0].proto(graphs[0].values())
    assert "If" in {node.op_type for node in model.graph.node}


def test_a_scalar_may_be_transposed() -> None:
    node = DrawnNode("Transpose", ("x",), ("y",), (("perm", ()),))
    scalar = tensor_of_numbers("float32", (), [Fraction(2)])
    graph = DrawnGraph(17, (NamedValue("x", scalar),), (), (node,), ("y",))
    session = ReferenceEvaluator(graph.proto(graph.values()))
    assert 2 == session.run(None, {"x": np.float32(2)})[0]


def test_an_opset_at_which_no_graphs_are_drawn_is_said() -> None:
    with pytest.raises(NotDrawnError, match="graphs are drawn at opset 13 and later ones"):
        GraphsDrawer().draw("graph-3", 1, 0)
