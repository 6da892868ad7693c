"""Graphs as attributes: types in their text, what they take from around the node, running them."""

from __future__ import annotations

import pytest

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.tensors import NamedValue, Tensor
from onnx_conformance.generators.oracle.errors import InvalidCallError
from onnx_conformance.generators.situations.graphs import captured, parsed, runnable, with_types
from onnx_conformance.generators.specs.model import GivenAttribute, GraphAttribute

X = NamedValue("x", Tensor("int64", (), (5).to_bytes(8, "little")))


def graph_attribute(text: str) -> GivenAttribute:
    return GivenAttribute("body", GraphAttribute(text), "graph")


@pytest.mark.parametrize(
    ("bound", "expected"),
    [
        ("float32", "float[2] y"),
        ("float64", "double[2] y"),
        ("int4", "int4[2] y"),
    ],
)
def test_a_variable_is_the_name_that_onnx_has_for_its_element_type(
    bound: str, expected: str
) -> None:
    assert expected == with_types("$V[2] y", {"V": bound})


def test_a_variable_bound_to_a_container_is_that_type_of_tensors_of_any_rank() -> None:
    assert "optional(seq(float[])) y" == with_types("$V y", {"V": "optional(seq(float32))"})


def test_a_variable_that_is_not_bound_is_an_error() -> None:
    with pytest.raises(BadInputError, match=r"\$W, which is no type variable"):
        with_types("$W y", {"V": "float32"})


def test_a_text_that_is_no_graph_is_an_error_of_one_line() -> None:
    with pytest.raises(BadInputError, match="a graph cannot be read") as caught:
        parsed("g ( => (y) {}")
    assert "\n" not in str(caught.value)


def test_what_a_graph_captures_is_what_neither_it_nor_a_graph_around_it_defines() -> None:
    text = (
        "g (float a) => (float y) { b = Add (a, x)"
        "  y = If (c) <then_branch = t () => (float u) { u = Add (b, z) },"
        " else_branch = e () => (float v) { v = Neg (a) }> }"
    )
    assert {"x", "c", "z"} == captured([graph_attribute(text)])


def test_a_graph_gets_its_inputs_and_sees_the_values_around_it() -> None:
    graph = GraphAttribute("g (int64 a) => (int64 y) { y = Add (a, x) }")
    subgraph = runnable(graph, {"": 14}, [X])
    three = Tensor("int64", (), (3).to_bytes(8, "little"))
    assert (Tensor("int64", (), (8).to_bytes(8, "little")),) == subgraph.run((three,))


def test_a_graph_that_reads_what_nothing_defines_is_invalid() -> None:
    graph = GraphAttribute("g () => (int64 y) { y = Neg (nowhere) }")
    with pytest.raises(InvalidCallError, match="'nowhere', an input of Neg, is not defined"):
        runnable(graph, {"": 14}, [X])


def test_a_graph_that_defines_a_name_of_the_scope_around_it_again_is_invalid() -> None:
    graph = GraphAttribute("g () => (int64 x) { x = Identity (x) }")
    with pytest.raises(InvalidCallError, match="'x' is defined twice"):
        runnable(graph, {"": 14}, [X])


def test_what_fails_while_a_graph_runs_makes_the_call_invalid() -> None:
    graph = GraphAttribute("g () => (int64[2] y) { y = Identity (x) }")
    with pytest.raises(InvalidCallError, match=r"declared \[2\], is \[\]"):
        runnable(graph, {"": 14}, [X]).run(())
