"""TreeEnsembleRegressor, TreeEnsembleClassifier: trees as lists of nodes. Source: their pages.

Version 5 of both is deprecated; what it says is what version 3 does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from onnx_conformance.core.values.tensors import Tensor

from ...accuracy.profiles import REAL
from ...accuracy.steps import Steps
from ...arith.grid import Grid, Item, grid_of
from ...arith.numbers import ZERO, Real, fraction, from_float
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle
from .forests import (
    MEMBER,
    MODES,
    Branch,
    Forest,
    Key,
    Rule,
    Scores,
    checked,
    regressed,
    rows_of,
    scores_of,
    target_count,
    votes_of,
)
from .labels import labels_of, top
from .post_transforms import transformed
from .scaling import DOMAIN, RESULT

_FIELDS = ("treeids", "nodeids", "featureids", "modes", "values", "truenodeids", "falsenodeids")


@oracle("TreeEnsembleRegressor", domain=DOMAIN)
def tree_ensemble_regressor(call: Call) -> Result:
    """The votes of all trees for each target, aggregated."""
    targets = call.ints_attribute("target_ids", ())
    count = target_count(call, targets)
    forest = _forest(call, "target", targets, count)
    _check_ids(call)
    rule = Rule(count, call.string_attribute("aggregate_function"), _base(call, count))
    transform = call.string_attribute("post_transform")
    return regressed(call, forest, rule, transform)


def _check_ids(call: Call) -> None:
    """In a regressor node ids begin at 0 in each tree, and go up by 1."""
    following: dict[int, int] = {}
    for tree, node in zip(
        call.ints_attribute("nodes_treeids"), call.ints_attribute("nodes_nodeids"), strict=True
    ):
        if node != following.get(tree, 0):
            raise InvalidCallError(f"node {node} of tree {tree} is out of order")
        following[tree] = node + 1


@oracle("TreeEnsembleClassifier", domain=DOMAIN)
def tree_ensemble_classifier(call: Call) -> Result:
    """The class with the highest score, and the score of each class.

    For N rows the outputs are labels (N) and float32 scores (N, number of labels): the sums of the
    votes and the base value, after `post_transform`. Refused: another number of base values than of
    labels, and nodes that make no trees.
    """
    labels = labels_of(call, "classlabels_strings", "classlabels_int64s")
    classes = call.ints_attribute("class_ids", ())
    forest = _forest(call, "class", classes, len(labels.items))
    rule = Rule(len(labels.items), "SUM", _base(call, len(labels.items)))
    transform = call.string_attribute("post_transform")
    rows = rows_of(call, forest)
    found: list[Any] = []
    items: list[Item] = []
    for row in rows:
        scores = scores_of(call, rule, votes_of(call, forest, row))
        scores, transform_of_row = _other_side(call, forest, scores, labels, transform)
        found.append(top(call, labels, scores(Steps(RESULT, REAL))))
        items += transformed(call, RESULT, scores, transform_of_row)
    return (
        Grid(labels.type, (len(rows),), found),
        Grid(RESULT, (len(rows), len(labels.items)), items),
    )


def _other_side(
    call: Call, forest: Forest, scores: Scores, labels: Grid, transform: str
) -> tuple[Scores, str]:
    """Of two classes of which one alone has votes, what the score of the other is."""
    voted = {item for votes in forest.leaves.values() for item, _ in votes}
    if len(labels.items) != 2 or len(voted) != 1:
        return scores, transform
    reading = call.choose("one-class-of-two", "its-own", "opposite", "complement")
    if reading == "its-own":
        return scores, transform
    (only,) = voted
    terms = scores.terms[only]
    minus = [-fraction(term) for term in terms]
    if reading == "opposite":
        return replace(scores, terms=[minus, terms]), transform
    return replace(scores, terms=[[*minus, fraction(1)], terms]), "NONE"


# --- attributes ------------------------------------------------------------------------------


def _numbers(call: Call, name: str) -> tuple[list[Real], str] | None:
    """A list of floats, or the tensor that may stand for it; None where neither is given."""
    listed, tensor = call.attributes.get(name), call.attributes.get(f"{name}_as_tensor")
    if listed and tensor is not None:
        raise InvalidCallError(f"'{name}' is given twice, as a list and as a tensor")
    if isinstance(tensor, Tensor):
        if len(tensor.shape) != 1 or tensor.type != "float64":
            raise InvalidCallError(f"'{name}_as_tensor' is no list of float64")
        return list(grid_of(tensor).items), tensor.type
    if listed is None:
        return None
    return [from_float(item) for item in call.floats_attribute(name)], "float32"


def _base(call: Call, count: int) -> list[Real]:
    given = _numbers(call, "base_values")
    if given is None or not given[0]:
        return [ZERO] * count
    if len(given[0]) != count:
        raise InvalidCallError(f"{len(given[0])} base values for {count} scores")
    return given[0]


def _forest(call: Call, votes: str, targets: Sequence[int], count: int) -> Forest:
    """The trees that the lists write down; InvalidCallError where they write none."""
    values, threshold_type = _numbers(call, "nodes_values") or ([], "float32")
    columns: dict[str, Sequence[Any]] = {
        name: [item.decode() for item in call.strings_attribute("nodes_modes", ())]
        if name == "modes"
        else values
        if name == "values"
        else call.ints_attribute(f"nodes_{name}", ())
        for name in _FIELDS
    }
    _same_length("nodes_", list(columns.values()))
    _optional_lengths(call, len(values))
    missing = call.ints_attribute("nodes_missing_value_tracks_true", ()) or (0,) * len(values)
    weights = (_numbers(call, f"{votes}_weights") or ([], ""))[0]
    voters = [call.ints_attribute(f"{votes}_{name}", ()) for name in ("treeids", "nodeids")]
    _same_length(f"{votes}_", [targets, weights, *voters])
    branches: dict[Key, Branch] = {}
    leaves: dict[Key, list[tuple[int, Real]]] = {}
    for place, (tree, node, feature, mode, value, yes, no) in enumerate(
        zip(*columns.values(), strict=True)
    ):
        key = (tree, node)
        if key in branches or key in leaves:
            raise InvalidCallError(f"node {node} of tree {tree} is there twice")
        if mode == "LEAF":
            leaves[key] = []
        elif mode in MODES and mode != MEMBER:
            ways = (tree, yes), (tree, no)
            branches[key] = Branch(feature, mode, value, missing[place] != 0, *ways)
        else:
            raise InvalidCallError(f"nodes_modes has '{mode}', which is no mode")
    for key, target, weight in zip(zip(*voters, strict=True), targets, weights, strict=True):
        if key not in leaves:
            raise InvalidCallError(f"a vote is at {key}, which is no leaf")
        if not 0 <= target < count:
            raise InvalidCallError(f"a vote is for {target}, and there are {count}")
        leaves[key].append((target, weight))
    # The first node of a tree is its root: in a regressor it is node 0.
    roots: dict[int, Key] = {}
    for tree, node in zip(columns["treeids"], columns["nodeids"], strict=True):
        roots.setdefault(tree, (tree, node))
    return checked(call, Forest(branches, leaves, list(roots.values()), threshold_type))


def _same_length(what: str, lists: Sequence[Sequence[Any]]) -> None:
    if len({len(item) for item in lists}) > 1:
        raise InvalidCallError(f"the lists {what}* have lengths {[len(item) for item in lists]}")


def _optional_lengths(call: Call, count: int) -> None:
    """Lists that may be left out have one entry a node where they are there."""
    rates = _numbers(call, "nodes_hitrates")
    lengths = [
        len(call.ints_attribute("nodes_missing_value_tracks_true", ())),
        len(rates[0]) if rates else 0,
    ]
    if any(length not in (0, count) for length in lengths):
        raise InvalidCallError(f"lists of {lengths} entries for {count} nodes")
