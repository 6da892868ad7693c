"""The family of tree ensembles: trees drawn in short, written as each operator's attributes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.text import brief

from ...specs.model import Case
from ..assigning import assigned
from ..operator import Operator
from ..registry import family

_MODES = {
    "<=": "BRANCH_LEQ",
    "<": "BRANCH_LT",
    ">=": "BRANCH_GTE",
    ">": "BRANCH_GT",
    "==": "BRANCH_EQ",
    "!=": "BRANCH_NEQ",
    "in": "BRANCH_MEMBER",
}
_ENSEMBLE = "TreeEnsemble"
_LISTS = {"TreeEnsembleRegressor": "target", "TreeEnsembleClassifier": "class"}
_BRANCH = 5
_ZERO_OF_NO_USE = 0.0


@family("trees")
def trees(
    operator: Operator,
    *,
    cases: dict[str, Any],
    common: dict[str, Any] | None = None,
    bind: dict[str, str] | None = None,
    numbers: str = "",
    data: str = "tame",
) -> Iterator[Case]:
    """Cases of TreeEnsemble, TreeEnsembleRegressor or TreeEnsembleClassifier, a line a case.

    A leaf is its votes, `{0: 1.5, 2: -1.0}`: the weight of each target or class; of TreeEnsemble it
    has one. A branch is `[feature, mode, value, yes, no]`, with `missing` behind it where NaN takes
    the true branch; a mode is one of `<=`, `<`, `>=`, `>`, `==`, `!=` and `in`, whose value is a
    list. Nodes are written from the root on, the true branch first.

    Parameters:
        cases: for each id `trees`, a list of trees, and the other inputs and attributes as in
            a case; one that trees stand for may be given too, and holds then.
        common: what every case has unless it says otherwise.
        bind: types of type variables.
        numbers: the element type of tensors of thresholds and weights. Empty: that of TreeEnsemble
            is float32, and the others have lists; `float64` gives them tensors in their place.
        data: data profile where a case gives dimensions only.
    """
    for name, assignment in cases.items():
        merged = {**(common or {}), **assignment}
        written = _attributes(operator, merged.pop("trees", None), numbers)
        attributes, inputs = assigned(operator, {**written, **merged}, data)
        yield operator.case(name, inputs, attributes, bind=bind or {})


def _attributes(operator: Operator, drawn: Any, numbers: str) -> dict[str, Any]:  # noqa: ANN401
    """The attributes that describe the trees."""
    if not isinstance(drawn, list) or not drawn:
        raise BadInputError("a case of trees has a list `trees`")
    if operator.name == _ENSEMBLE:
        return _Tensors().written(drawn, numbers or "float32")
    if operator.name in _LISTS:
        return _Lists().written(drawn, _LISTS[operator.name], numbers)
    raise BadInputError(f"{operator.name} has no trees")


@dataclass(frozen=True)
class _Drawn:
    """A branch as the spec writes it."""

    #: The place in a row of the feature that is compared.
    feature: int
    #: The comparison, by its name in the operator.
    mode: str
    #: What the feature is compared with; a list of members for a set.
    value: Any
    #: The node where the comparison holds.
    yes: Any
    #: The node where it does not.
    no: Any
    #: Whether a missing feature, NaN, takes the way of `yes`.
    missing: bool


def _branch(node: Any) -> _Drawn | None:  # noqa: ANN401  what YAML holds
    """The branch that a node is; None if it is a leaf."""
    if isinstance(node, dict):
        return None
    if not isinstance(node, list) or len(node) not in (_BRANCH, _BRANCH + 1):
        raise BadInputError(f"{brief(node)} is no node: [feature, mode, value, yes, no]")
    if node[1] not in _MODES:
        raise BadInputError(f"'{node[1]}' is no mode; known are: {', '.join(_MODES)}")
    if node[_BRANCH:] not in ([], ["missing"]):
        raise BadInputError(f"{brief(node[_BRANCH])} behind a branch is not 'missing'")
    feature, mode, value, yes, no = node[:_BRANCH]
    return _Drawn(feature, _MODES[mode], value, yes, no, len(node) > _BRANCH)


@dataclass(frozen=True)
class _Lists:
    """Trees as lists of nodes, leaves among them, and of votes."""

    #: The attributes by name: one entry for each node, or for each vote.
    columns: dict[str, list[Any]] = field(default_factory=dict)

    def written(self, drawn: list[Any], votes: str, numbers: str) -> dict[str, Any]:
        for tree, root in enumerate(drawn):
            self._node(tree, [0], root, votes)
        if not any(self.columns["nodes_missing_value_tracks_true"]):
            del self.columns["nodes_missing_value_tracks_true"]
        if not numbers:
            return self.columns
        for name in ("nodes_values", f"{votes}_weights"):
            self.columns[f"{name}_as_tensor"] = _tensor(self.columns.pop(name), numbers)  # type: ignore[assignment]
        return self.columns

    def _node(self, tree: int, following: list[int], node: Any, votes: str) -> int:  # noqa: ANN401
        """Write a node and everything below it; return its id. `following` is the next free id."""
        number = following[0]
        following[0] += 1
        branch = _branch(node)
        row: dict[str, Any] = {
            "nodes_treeids": tree,
            "nodes_nodeids": number,
            "nodes_featureids": branch.feature if branch else 0,
            "nodes_modes": branch.mode if branch else "LEAF",
            "nodes_values": branch.value if branch else _ZERO_OF_NO_USE,
            "nodes_truenodeids": 0,
            "nodes_falsenodeids": 0,
            "nodes_missing_value_tracks_true": int(branch is not None and branch.missing),
        }
        for name, value in row.items():
            self.columns.setdefault(name, []).append(value)
        place = len(self.columns["nodes_nodeids"]) - 1
        if branch is None:
            for target, weight in node.items():
                vote = (tree, number, int(target), weight)
                for name, value in zip(("treeids", "nodeids", "ids", "weights"), vote, strict=True):
                    self.columns.setdefault(f"{votes}_{name}", []).append(value)
            return number
        below = {"true": branch.yes, "false": branch.no}
        for side, child in below.items():
            self.columns[f"nodes_{side}nodeids"][place] = self._node(tree, following, child, votes)
        return number


@dataclass(frozen=True)
class _Tensors:
    """Trees as lists of branches, with separate lists of leaves."""

    #: One for each branch: feature, mode, split, and for both ways a place and whether it is among
    #: the leaves, last whether a missing feature takes the first way.
    rows: list[list[Any]] = field(default_factory=list)
    #: Target and weight of each leaf.
    leaves: list[tuple[int, Any]] = field(default_factory=list)
    #: For each branch that asks for membership in a set, by its row: the members.
    members: dict[int, list[Any]] = field(default_factory=dict)

    def written(self, drawn: list[Any], numbers: str) -> dict[str, Any]:
        roots = []
        for root in drawn:
            # A tree that is only a leaf is a node with both ways leading to that leaf.
            if isinstance(root, dict):
                place = self._leaf(root)
                self.rows.append([0, 0, _ZERO_OF_NO_USE, place, 1, place, 1, 0])
                roots.append(len(self.rows) - 1)
            else:
                roots.append(self._node(root)[0])
        features, modes, values, yes, yes_is_leaf, no, no_is_leaf, missing = (
            list(column) for column in zip(*self.rows, strict=True)
        )
        found: dict[str, Any] = {
            "tree_roots": roots,
            "nodes_featureids": features,
            "nodes_modes": _tensor(modes, "uint8"),
            "nodes_splits": _tensor(values, numbers),
            "nodes_truenodeids": yes,
            "nodes_trueleafs": yes_is_leaf,
            "nodes_falsenodeids": no,
            "nodes_falseleafs": no_is_leaf,
            "leaf_targetids": [target for target, _ in self.leaves],
            "leaf_weights": _tensor([weight for _, weight in self.leaves], numbers),
        }
        if any(missing):
            found["nodes_missing_value_tracks_true"] = missing
        if self.members:
            listed = [
                item
                for place in sorted(self.members)
                for item in (*self.members[place], float("nan"))
            ]
            found["membership_values"] = _tensor(listed, numbers)
        return found

    def _node(self, node: Any) -> tuple[int, int]:  # noqa: ANN401  what YAML holds
        """Write a node and everything below it; return its place and whether it is a leaf."""
        branch = _branch(node)
        if branch is None:
            return self._leaf(node), 1
        place = len(self.rows)
        mode = list(_MODES.values()).index(branch.mode)
        is_set = isinstance(branch.value, list)
        if is_set:
            self.members[place] = branch.value
        value = _ZERO_OF_NO_USE if is_set else branch.value
        row = [branch.feature, mode, value, 0, 0, 0, 0, int(branch.missing)]
        self.rows.append(row)
        row[3:5] = self._node(branch.yes)
        row[5:7] = self._node(branch.no)
        return place, 0

    def _leaf(self, votes: Mapping[Any, Any]) -> int:
        if len(votes) != 1:
            raise BadInputError(f"a leaf of TreeEnsemble has one vote, not {len(votes)}")
        ((target, weight),) = votes.items()
        self.leaves.append((int(target), weight))
        return len(self.leaves) - 1


def _tensor(values: list[Any], type_name: str) -> dict[str, Any]:
    return {"values": values, "type": type_name}
