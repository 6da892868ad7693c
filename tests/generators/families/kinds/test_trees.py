"""The family of trees: the same drawing as lists of nodes and as tensors."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.families.kinds.trees import _attributes

DRAWN = [[0, "<=", 0.5, {0: 1.0, 1: 2.0}, [1, "!=", 3.0, {0: 4.0}, {1: 8.0}, "missing"]]]


def attributes(operator: str, drawn: list[Any]) -> dict[str, Any]:
    return _attributes(SimpleNamespace(name=operator), drawn, "")  # type: ignore[arg-type]


def test_lists_have_the_nodes_from_the_root_on() -> None:
    found = attributes("TreeEnsembleRegressor", DRAWN)
    assert [0, 1, 2, 3, 4] == found["nodes_nodeids"]
    assert ["BRANCH_LEQ", "LEAF", "BRANCH_NEQ", "LEAF", "LEAF"] == found["nodes_modes"]
    assert ([1, 0, 3, 0, 0], [2, 0, 4, 0, 0]) == (
        found["nodes_truenodeids"],
        found["nodes_falsenodeids"],
    )
    assert [0, 0, 1, 0, 0] == found["nodes_missing_value_tracks_true"]
    assert [1, 1, 3, 4] == found["target_nodeids"]


def test_tensors_have_branches_and_leaves_apart() -> None:
    found = attributes("TreeEnsemble", [[0, "in", [1.0, 2.0], {0: 1.0}, {1: 8.0}], {1: 3.0}])
    assert [0, 1] == found["tree_roots"]
    assert ([0, 2], [1, 2]) == (found["nodes_truenodeids"], found["nodes_falsenodeids"])
    assert [0, 1, 1] == found["leaf_targetids"]
    assert [1.0, 2.0] == found["membership_values"]["values"][:2]


@pytest.mark.parametrize(
    ("drawn", "reason"),
    [
        ([[0, "~", 1.0, {0: 1.0}, {0: 2.0}]], "is no mode"),
        ([[0, "<", 1.0, {0: 1.0}]], "is no node"),
        ([{0: 1.0, 1: 2.0}], "has one vote"),
    ],
)
def test_a_drawing_that_is_none_is_refused(drawn: list[Any], reason: str) -> None:
    with pytest.raises(BadInputError, match=reason):
        attributes("TreeEnsemble", drawn)
