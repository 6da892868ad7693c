"""TreeEnsemble: trees as tensors of nodes and of leaves. Source: its page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from onnx_conformance.core.values.tensors import Tensor

from ...arith.grid import grid_of
from ...arith.numbers import NAN, ZERO, Real
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from .forests import (
    AGGREGATIONS,
    MEMBER,
    MODES,
    Branch,
    Forest,
    Key,
    Rule,
    checked,
    regressed,
    target_count,
)
from .post_transforms import TRANSFORMS
from .scaling import DOMAIN


@oracle("TreeEnsemble", domain=DOMAIN)
def tree_ensemble(call: Call) -> Result:
    """The weights of the leaves that a row comes to, aggregated for each target."""
    name = call.tensor("X").type
    targets = call.ints_attribute("leaf_targetids")
    count = target_count(call, targets)
    forest = _forest(call, targets, count)
    how = _named(call, "aggregate_function", AGGREGATIONS)
    transform = _named(call, "post_transform", TRANSFORMS)
    return regressed(call, forest, Rule(count, how, [ZERO] * count, name), transform)


def _named(call: Call, attribute: str, names: Sequence[str]) -> str:
    number = call.int_attribute(attribute)
    if not 0 <= number < len(names):
        raise InvalidCallError(f"{attribute} {number} is none of 0 to {len(names) - 1}")
    return names[number]


def _tensor(call: Call, name: str, type_name: str) -> list[Any]:
    """The elements of an attribute that is a tensor of one dimension."""
    tensor = call.attribute(name)
    if not isinstance(tensor, Tensor) or len(tensor.shape) != 1:
        raise InvalidCallError(f"'{name}' is no tensor of one dimension")
    if tensor.type != type_name:
        if type_name == "uint8":
            raise InvalidCallError(f"'{name}' has elements of {tensor.type}, not uint8")
        if call.choose("type-of-numbers", "any", "rejected") == "rejected":
            raise InvalidCallError(f"'{name}' has elements of {tensor.type}, X of {type_name}")
    return list(grid_of(tensor).items)


def _forest(call: Call, targets: Sequence[int], count: int) -> Forest:
    """The trees that the attributes write down; InvalidCallError where they do not."""
    name = call.tensor("X").type
    modes = [_mode(code) for code in _tensor(call, "nodes_modes", "uint8")]
    splits = _tensor(call, "nodes_splits", name)
    features = call.ints_attribute("nodes_featureids")
    ways = [
        [
            ("leaf" if leaf else "node", at)
            for at, leaf in zip(
                *_pair(call, f"nodes_{side}nodeids", f"nodes_{side}leafs"), strict=True
            )
        ]
        for side in ("true", "false")
    ]
    given = call.ints_attribute("nodes_missing_value_tracks_true", ())
    missing = given or (0,) * len(modes)
    rates = [_tensor(call, "nodes_hitrates", name)] if "nodes_hitrates" in call.attributes else []
    lists: list[Sequence[Any]] = [modes, splits, features, *ways, missing, *rates]
    if len({len(item) for item in lists}) > 1:
        raise InvalidCallError(f"the lists nodes_* have lengths {[len(item) for item in lists]}")
    members = _members(call, name, modes)
    branches: dict[Key, Branch] = {
        ("node", place): Branch(
            features[place],
            mode,
            splits[place],
            missing[place] != 0,
            ways[0][place],
            ways[1][place],
            members.get(place, ()),
        )
        for place, mode in enumerate(modes)
    }
    roots = [("node", root) for root in call.ints_attribute("tree_roots")]
    leaves = _leaves(call, name, targets, count)
    return checked(call, Forest(branches, leaves, roots, name, closed=False))


def _pair(call: Call, first: str, second: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Two lists of the same length."""
    found = call.ints_attribute(first), call.ints_attribute(second)
    if len(found[0]) != len(found[1]):
        raise InvalidCallError(f"'{first}' and '{second}' have different lengths")
    return found


def _mode(code: int) -> str:
    if not 0 <= code < len(MODES):
        raise InvalidCallError(f"nodes_modes has {code}, which is no mode")
    return MODES[code]


def _leaves(
    call: Call, name: str, targets: Sequence[int], count: int
) -> dict[Key, list[tuple[int, Real]]]:
    weights = _tensor(call, "leaf_weights", name)
    if len(weights) != len(targets):
        raise InvalidCallError(f"{len(weights)} weights and {len(targets)} targets of leaves")
    if any(not 0 <= target < count for target in targets):
        raise InvalidCallError(f"a leaf is for a target beyond {count}")
    return {
        ("leaf", place): [(target, weight)]
        for place, (target, weight) in enumerate(zip(targets, weights, strict=True))
    }


def _members(call: Call, name: str, modes: Sequence[str]) -> dict[int, tuple[Real, ...]]:
    """The set of each node that tests membership: the values between NaNs, in the nodes' order."""
    places = [place for place, mode in enumerate(modes) if mode == MEMBER]
    given = call.attributes.get("membership_values")
    values = [] if given is None else _tensor(call, "membership_values", name)
    sets: list[list[Real]] = [[]]
    for value in values:
        if value is NAN:
            sets.append([])
        else:
            sets[-1].append(value)
    # Each set ends with a NaN in the documented example; the last may do without.
    if not sets[-1]:
        sets.pop()
    elif call.choose("last-set-without-nan", "is-a-set", "rejected") == "rejected":
        raise InvalidCallError("no NaN stands behind the last set")
    if len(sets) != len(places):
        raise InvalidCallError(f"{len(sets)} sets for {len(places)} nodes of BRANCH_MEMBER")
    if not all(sets):
        refuse_if_chosen(call, "empty-set", "holds-nothing")
    return {place: tuple(members) for place, members in zip(places, sets, strict=True)}
