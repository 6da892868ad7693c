"""The oracles of tree ensembles: modes, NaN tracks, sets, aggregations, and what makes no tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from onnx_conformance.generators.oracle import Call, InvalidCallError, compute
from onnx_conformance.generators.oracle.arith.grid import Grid, tensor_of, value_of
from onnx_conformance.generators.oracle.arith.numbers import NAN
from onnx_conformance.generators.oracle.arith.rationals import Fraction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from onnx_conformance.core.values.tensors import Tensor

# One tree: feature 0 <= 1/2 leads to leaf 1, otherwise feature 0 > 2 to leaf 3 or to leaf 4.
LISTS: dict[str, object] = {
    "n_targets": 1,
    "aggregate_function": "SUM",
    "post_transform": "NONE",
    "nodes_treeids": (0, 0, 0, 0, 0),
    "nodes_nodeids": (0, 1, 2, 3, 4),
    "nodes_featureids": (0, 0, 0, 0, 0),
    "nodes_modes": (b"BRANCH_LEQ", b"LEAF", b"BRANCH_GT", b"LEAF", b"LEAF"),
    "nodes_values": (0.5, 0.0, 2.0, 0.0, 0.0),
    "nodes_truenodeids": (1, 0, 3, 0, 0),
    "nodes_falsenodeids": (2, 0, 4, 0, 0),
    "target_treeids": (0, 0, 0),
    "target_nodeids": (1, 3, 4),
    "target_ids": (0, 0, 0),
    "target_weights": (1.0, 2.0, 4.0),
}


def tensor(name: str, items: Sequence[object]) -> Tensor:
    numbers = [Fraction(item) if isinstance(item, float) else item for item in items]
    return tensor_of(Grid(name, (len(items),), numbers))


def column(*items: object) -> Tensor:
    numbers = [Fraction(item) if isinstance(item, float) else item for item in items]
    return tensor_of(Grid("float32", (len(items), 1), numbers))


def regressed(*items: object, **changes: object) -> list[object]:
    given = {key: value for key, value in {**LISTS, **changes}.items() if value is not None}
    call = Call(3, given, {"X": column(*items)}, "TreeEnsembleRegressor", "ai.onnx.ml")  # type: ignore[arg-type]
    (grid,) = compute(call)
    assert isinstance(grid, Grid)
    return [value_of(item) for item in grid.items]


def test_a_row_goes_by_its_comparisons_to_a_leaf() -> None:
    assert [1, 4, 4, 2] == regressed(0.5, 0.75, 2.0, 2.5)


def test_nan_takes_the_false_branch_unless_the_node_tracks_true() -> None:
    assert [4] == regressed(NAN)
    assert [2] == regressed(NAN, nodes_missing_value_tracks_true=(0, 0, 1, 0, 0))
    not_equal = (b"BRANCH_NEQ", *LISTS["nodes_modes"][1:])  # type: ignore[index]
    assert [4] == regressed(NAN, nodes_modes=not_equal)


@pytest.mark.parametrize(("how", "expected"), [("SUM", 7), ("AVERAGE", 4), ("MIN", 2), ("MAX", 6)])
def test_base_values_are_added_to_what_is_aggregated(how: str, expected: int) -> None:
    two = {
        "nodes_treeids": (0, 1),
        "nodes_nodeids": (0, 0),
        "nodes_featureids": (0, 0),
        "nodes_modes": (b"LEAF", b"LEAF"),
        "nodes_values": (0.0, 0.0),
        "nodes_truenodeids": (0, 0),
        "nodes_falsenodeids": (0, 0),
        "target_treeids": (0, 1),
        "target_nodeids": (0, 0),
        "target_ids": (0, 0),
        "target_weights": (1.0, 5.0),
        "base_values": (1.0,),
    }
    assert [expected] == regressed(0.0, **two, aggregate_function=how)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"nodes_falsenodeids": (2, 0, 0, 0, 0)}, "below itself"),
        ({"nodes_truenodeids": (1, 0, 7, 0, 0)}, "there is no node"),
        ({"nodes_values": (0.5, 0.0)}, "have lengths"),
        ({"nodes_nodeids": (0, 1, 2, 3, 3)}, "is there twice"),
        ({"target_nodeids": (1, 3, 2)}, "is no leaf"),
        ({"target_ids": (0, 0, 1)}, "a vote is for 1"),
        ({"nodes_featureids": (0, 0, 1, 0, 0)}, "a feature beyond"),
        ({"post_transform": "TANH"}, "none of"),
    ],
)
def test_what_makes_no_tree_is_refused(changes: dict[str, object], reason: str) -> None:
    with pytest.raises(InvalidCallError, match=reason):
        regressed(1.0, **changes)


def test_of_integers_beside_a_threshold_the_type_is_asked() -> None:
    given = {**LISTS, "nodes_values": (16777216.0, 0.0, 3e7, 0.0, 0.0)}
    x = tensor_of(Grid("int64", (1, 1), [16777217]))
    for reading, expected in (("exact", 4), ("as-a-float", 1)):
        call = Call(
            3,
            given,  # type: ignore[arg-type]
            {"X": x},
            "TreeEnsembleRegressor",
            "ai.onnx.ml",
            readings={"integer-beside-threshold": reading},
        )
        (grid,) = compute(call)
        assert isinstance(grid, Grid)
        assert [expected] == [value_of(item) for item in grid.items]


def sets(*items: object, members: Sequence[object]) -> list[object]:
    """Two nodes in the other order than they are walked, each with a set of its own."""
    given = {
        "n_targets": 1,
        "aggregate_function": 1,
        "post_transform": 0,
        "tree_roots": (1,),
        "nodes_featureids": (0, 0),
        "nodes_modes": tensor("uint8", [6, 6]),
        "nodes_splits": tensor("float32", [0.0, 0.0]),
        "nodes_truenodeids": (1, 0),
        "nodes_trueleafs": (1, 1),
        "nodes_falsenodeids": (2, 0),
        "nodes_falseleafs": (1, 0),
        "leaf_targetids": (0, 0, 0),
        "leaf_weights": tensor("float32", [1.0, 2.0, 4.0]),
        "membership_values": tensor("float32", members),
    }
    call = Call(5, given, {"X": column(*items)}, "TreeEnsemble", "ai.onnx.ml")  # type: ignore[arg-type]
    (grid,) = compute(call)
    assert isinstance(grid, Grid)
    return [value_of(item) for item in grid.items]


def test_sets_are_in_the_order_of_their_nodes() -> None:
    assert [2, 1, 4] == sets(0.0, 7.0, 1.0, members=[0.0, 5.0, NAN, 7.0, NAN])


def test_there_are_as_many_sets_as_nodes_that_ask_for_one() -> None:
    with pytest.raises(InvalidCallError, match="1 sets for 2 nodes"):
        sets(0.0, members=[0.0, 5.0, NAN])
