"""The oracle of FlexAttention: its modifiers, of exact scores and of scores with limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.oracle.accuracy.graphs import EnclosableGraph, Intervals
from onnx_conformance.generators.oracle.accuracy.profiles import IEEE, REAL
from onnx_conformance.generators.oracle.accuracy.steps import Steps
from onnx_conformance.generators.oracle.arith.grid import Grid, grid_of, tensor_of
from onnx_conformance.generators.oracle.arith.intervals import Interval, point
from onnx_conformance.generators.oracle.arith.numbers import NAN, NEG_INF
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, compute
from onnx_conformance.generators.situations.graphs import runnable
from onnx_conformance.generators.specs.model import GraphAttribute

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from onnx_conformance.core.values.tensors import Tensor
    from onnx_conformance.generators.oracle.subgraph import Subgraph

# One head of two queries and two keys; equal scores make plain means of the values.
VALUES = (4, 8)
LOW = "low = Log (none)"


def _graph(text: str) -> Subgraph:
    """A modifier of float32: its initializers and its nodes, from s to t."""
    return runnable(
        GraphAttribute(f"m (float[B, H, L, S] s) => (float[B, H, L, S] t) {text}"), {"": 26}, ()
    )


def _floats(shape: Sequence[int], items: Sequence[int]) -> Tensor:
    return tensor_of(Grid("float32", tuple(shape), [Fraction(item) for item in items]))


def _means(readings: Mapping[str, str] | None = None, **attributes: Any) -> list[Any]:  # noqa: ANN401  numbers and graphs
    inputs = {
        "Q": _floats((1, 1, 2, 1), (0, 0)),
        "K": _floats((1, 1, 2, 1), (1, 2)),
        "V": _floats((1, 1, 2, 1), VALUES),
    }
    call = Call(1, attributes, inputs, "FlexAttention", "ai.onnx.preview", readings=readings or {})
    (found,) = compute(call)
    assert isinstance(found, Grid)
    return list(grid_of(tensor_of(found)).items)


def test_without_modifiers_each_query_attends_all_keys() -> None:
    assert [6, 6] == _means()


def test_a_score_of_minus_infinity_leaves_a_key_out() -> None:
    constants = "<bool[2, 2] seen = {1, 0, 1, 1}, float[1] none = {0}>"
    graph = _graph(f"{constants} {{ {LOW}  t = Where (seen, s, low) }}")
    assert [4, 6] == _means(score_mod=graph)


def test_weights_keep_the_sum_that_their_modifier_gives_them() -> None:
    assert [12, 12] == _means(prob_mod=_graph("{ t = Add (s, s) }"))


def test_both_modifiers_are_applied_each_at_its_place() -> None:
    shift = _graph("<float[2] far = {0, -200}> { t = Add (s, far) }")
    halved = _graph("<float[1] half = {0.5}> { t = Mul (s, half) }")
    assert [2, 2] == _means(score_mod=shift, prob_mod=halved)


def test_a_query_that_attends_nothing_is_a_question() -> None:
    graph = _graph(f"<float[1] none = {{0}}> {{ {LOW}  t = Add (s, low) }}")
    with pytest.raises(OpenError, match="nothing-attended"):
        _means(score_mod=graph)
    assert [0, 0] == _means({"nothing-attended": "zero"}, score_mod=graph)
    assert [NAN, NAN] == _means({"nothing-attended": "not-a-number"}, score_mod=graph)


def test_a_modifier_has_to_keep_the_shape() -> None:
    graph = runnable(
        GraphAttribute(
            "m (float[B, H, L, S] s) => (float[N] t) <int64[1] f = {-1}> { t = Reshape (s, f) }"
        ),
        {"": 26},
        (),
    )
    with pytest.raises(InvalidCallError, match="does not keep the shape"):
        _means(score_mod=graph)


def _enclosed(text: str, items: Sequence[Interval], profile: str = REAL) -> list[Interval]:
    graph = _graph(text)
    assert isinstance(graph, EnclosableGraph)
    given = Intervals("float32", (1, 1, 1, len(items)), items)
    (found,) = graph.enclose(Steps("float32", profile), [given])
    assert found.shape == given.shape
    return list(found.items)


BETWEEN = Interval(Fraction(1), Fraction(3))


def test_limits_go_through_formulas() -> None:
    text = "<float[2] b = {1, -4}> { u = Neg (s)  t = Add (u, b) }"
    assert [
        Interval(Fraction(-2), Fraction(0)),
        Interval(Fraction(-7), Fraction(-5)),
    ] == _enclosed(text, [BETWEEN, BETWEEN])


def test_limits_are_moved_with_their_elements() -> None:
    text = "<int64[2] back = {1, 0}> { t = Gather <axis = 3> (s, back) }"
    assert [point(Fraction(5)), BETWEEN] == _enclosed(text, [BETWEEN, point(Fraction(5))])


def test_limits_are_chosen_by_what_is_exact() -> None:
    sizes = "n = Shape <start = 3, end = 4> (s)  z = Shape <start = 0, end = 1> (s)"
    chosen = "far = Greater (n, z)  t = Where (far, low, s)"
    text = f"<float[1] none = {{0}}> {{ {sizes}  {LOW}  {chosen} }}"
    assert [point(NEG_INF)] * 2 == _enclosed(text, [BETWEEN, BETWEEN])


def test_a_step_in_a_graph_has_the_error_of_the_profile() -> None:
    (exact,) = _enclosed("{ t = Tanh (s) }", [point(Fraction(1))])
    (wide,) = _enclosed("{ t = Tanh (s) }", [point(Fraction(1))], IEEE)
    assert wide.low < exact.low <= exact.high < wide.high  # type: ignore[operator]


def test_a_node_that_is_no_formula_is_named() -> None:
    with pytest.raises(BadInputError, match="Softmax has no formula in intervals"):
        _enclosed("{ t = Softmax (s) }", [BETWEEN])
