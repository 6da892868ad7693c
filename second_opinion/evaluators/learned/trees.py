"""Ensembles of trees."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...graphs.call import Call
from ...graphs.registry import ML, evaluates
from ...values.formats import LD, Array
from ...values.tensors import Arr, CannotAnswerError, fit
from ..shared import text
from .predictors import _chosen, _labels, _rows, transformed

_TESTS: dict[str, Any] = {
    "BRANCH_LEQ": operator.le,
    "BRANCH_LT": operator.lt,
    "BRANCH_GTE": operator.ge,
    "BRANCH_GT": operator.gt,
    "BRANCH_EQ": operator.eq,
    "BRANCH_NEQ": operator.ne,
}
# TreeEnsemble has numbers of these.
_MODES = (*_TESTS, "BRANCH_MEMBER")
_AGGREGATES = ("AVERAGE", "SUM", "MIN", "MAX")
_TRANSFORMS = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")


@dataclass(frozen=True)
class Node:
    """An inner node: its test, and what follows where it holds and where not."""

    mode: str
    feature: int
    value: Any
    members: frozenset[float]
    missing: bool
    yes: Any
    no: Any

    def holds(self, row: Array) -> bool:
        """Whether the test holds for a row of features."""
        item = row[self.feature]
        if np.isnan(item):
            return self.missing
        if self.mode == "BRANCH_MEMBER":
            return float(item) in self.members
        return bool(_TESTS[self.mode](item, self.value))


def _floats(call: Call, name: str) -> Array:
    held = call.attr(f"{name}_as_tensor")
    if held is not None:
        data: Array = held.data
        return data
    return np.array(call.attr(name) or [], LD)


Key = tuple[int, int]


def _forest(call: Call) -> tuple[dict[Key, Node], list[Key]]:
    """The inner nodes by tree and id, and the root of each tree."""
    trees, ids = call.attr("nodes_treeids"), call.attr("nodes_nodeids")
    modes = [text(item) for item in call.attr("nodes_modes")]
    features = call.attr("nodes_featureids")
    yes, no = call.attr("nodes_truenodeids"), call.attr("nodes_falsenodeids")
    values = _floats(call, "nodes_values")
    missing = call.attr("nodes_missing_value_tracks_true") or [0] * len(trees)
    nodes: dict[Key, Node] = {}
    roots: dict[int, Key] = {}
    children: set[Key] = set()
    for place, (tree, number) in enumerate(zip(trees, ids, strict=True)):
        if modes[place] != "LEAF":
            children |= {(tree, yes[place]), (tree, no[place])}
            nodes[tree, number] = Node(
                modes[place],
                features[place],
                values[place],
                frozenset(),
                bool(missing[place]),
                (tree, yes[place]),
                (tree, no[place]),
            )
    for tree, number in zip(trees, ids, strict=True):
        if (tree, number) not in children:
            roots.setdefault(tree, (tree, number))
    return nodes, list(roots.values())


def _leaf(nodes: dict[Any, Node], place: Any, row: Array) -> Any:  # noqa: ANN401  a key
    while place in nodes:
        node = nodes[place]
        place = node.yes if node.holds(row) else node.no
    return place


def _votes(call: Call, side: str, rows: Array, count: int) -> list[list[list[Any]]]:
    """The weights that fall to each target, by row."""
    nodes, roots = _forest(call)
    weights = _floats(call, f"{side}_weights")
    held: dict[Key, list[tuple[int, Any]]] = {}
    for tree, number, target, weight in zip(
        call.attr(f"{side}_treeids"),
        call.attr(f"{side}_nodeids"),
        call.attr(f"{side}_ids"),
        weights,
        strict=True,
    ):
        held.setdefault((tree, number), []).append((target, weight))
    found = []
    for row in rows:
        here: list[list[Any]] = [[] for _ in range(count)]
        for root in roots:
            for target, weight in held.get(_leaf(nodes, root, row), ()):
                here[target].append(weight)
        found.append(here)
    return found


def _aggregated(votes: list[list[list[Any]]], how: str, trees: int) -> Array:
    made = np.zeros((len(votes), len(votes[0]) if votes else 0), LD)
    for row, targets in enumerate(votes):
        for target, weights in enumerate(targets):
            if not weights:
                if how in ("MIN", "MAX"):
                    raise CannotAnswerError("the extreme of no vote")
                continue
            total = np.sum(np.array(weights, LD))
            made[row, target] = {
                "SUM": total,
                "AVERAGE": total / trees,
                "MIN": min(weights),
                "MAX": max(weights),
            }[how]
    return made


@evaluates("TreeEnsembleRegressor", domain=ML)
def regressor(call: Call) -> Arr:
    """`TreeEnsembleRegressor`."""
    rows, count = _rows(call), call.attr("n_targets")
    if count is None:
        raise CannotAnswerError("no n_targets")
    votes = _votes(call, "target", rows, count)
    trees = len(set(call.attr("nodes_treeids")))
    found = _aggregated(votes, text(call.attr("aggregate_function")), trees)
    base = _floats(call, "base_values")
    found = found.reshape(len(rows), count)
    if base.size:
        found = found + base
    return fit("float32", transformed(found, text(call.attr("post_transform"))))


@evaluates("TreeEnsembleClassifier", domain=ML)
def classifier(call: Call) -> tuple[Arr, Arr]:
    """`TreeEnsembleClassifier`: sums of votes, and the class of the largest."""
    rows = _rows(call)
    name, labels = _labels(call, "classlabels_int64s")
    if len(set(call.attr("class_ids"))) == 1 and len(labels) == 2:
        raise CannotAnswerError("votes for one of two classes")
    votes = _votes(call, "class", rows, len(labels))
    scores = _aggregated(votes, "SUM", 1).reshape(len(rows), len(labels))
    base = _floats(call, "base_values")
    if base.size:
        scores = scores + base
    found = transformed(scores, text(call.attr("post_transform")))
    return _chosen(name, labels, np.argmax(scores, 1)), fit("float32", found)


@evaluates("TreeEnsemble", domain=ML)
def ensemble(call: Call) -> Arr:
    """`TreeEnsemble`: nodes and leaves apart."""
    rows, count = _rows(call), call.attr("n_targets")
    if count is None:
        raise CannotAnswerError("no n_targets")
    nodes = _inner(call)
    weights, targets = call.attr("leaf_weights").data, call.attr("leaf_targetids")
    roots = call.attr("tree_roots")
    votes = []
    for row in rows:
        here: list[list[Any]] = [[] for _ in range(count)]
        for root in roots:
            leaf = _leaf(nodes, root, row)[1]
            here[targets[leaf]].append(weights[leaf])
        votes.append(here)
    how = _AGGREGATES[call.attr("aggregate_function")]
    found = _aggregated(votes, how, len(roots)).reshape(len(rows), count)
    return fit(call.type, transformed(found, _TRANSFORMS[call.attr("post_transform")]))


def _inner(call: Call) -> dict[Any, Node]:
    modes = call.attr("nodes_modes").ints
    splits = call.attr("nodes_splits").data
    features = call.attr("nodes_featureids")
    missing = call.attr("nodes_missing_value_tracks_true") or [0] * len(modes)
    sets = _members(call)
    nodes: dict[Any, Node] = {}
    for place, mode in enumerate(modes):
        ends = []
        for side in ("true", "false"):
            child = call.attr(f"nodes_{side}nodeids")[place]
            leaf = call.attr(f"nodes_{side}leafs")[place]
            ends.append(("leaf", child) if leaf else child)
        nodes[place] = Node(
            _MODES[mode],
            features[place],
            splits[place],
            sets.pop(0) if mode == 6 else frozenset(),
            bool(missing[place]),
            *ends,
        )
    return nodes


def _members(call: Call) -> list[frozenset[float]]:
    held = call.attr("membership_values")
    if held is None:
        return []
    found: list[frozenset[float]] = []
    here: list[float] = []
    for item in held.data:
        if np.isnan(item):
            found.append(frozenset(here))
            here = []
        else:
            here.append(float(item))
    return [*found, frozenset(here)] if here else found
