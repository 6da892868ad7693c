"""Trees of comparisons with votes at their leaves: how one is checked, and how a row walks it.

Shared by TreeEnsemble, TreeEnsembleRegressor and TreeEnsembleClassifier, which differ in how their
attributes write a tree down. Source: their pages, Summary and Attributes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from ...accuracy.steps import Steps
from ...arith.grid import Grid, Item
from ...arith.intervals import Interval, point
from ...arith.numbers import NAN, ZERO, Real, equal, less, order, real
from ...arith.rationals import Fraction
from ...arith.rounding import greatest, round_to
from ...errors import InvalidCallError
from ...registry import Call, Result, refuse_if_chosen
from .linear import feature_rows
from .post_transforms import transformed

# A node of lists: its tree and its id; of tensors: `node` or `leaf`, and its place.
Key: TypeAlias = tuple[int | str, int]
LEQ, LT, GTE, GT, EQ, NEQ, MEMBER = (
    "BRANCH_LEQ",
    "BRANCH_LT",
    "BRANCH_GTE",
    "BRANCH_GT",
    "BRANCH_EQ",
    "BRANCH_NEQ",
    "BRANCH_MEMBER",
)
MODES = (LEQ, LT, GTE, GT, EQ, NEQ, MEMBER)
AGGREGATIONS = ("AVERAGE", "SUM", "MIN", "MAX")
# What a mode asks of an element beside a threshold.
_TESTS: dict[str, Callable[[Real, Real], bool]] = {
    LEQ: lambda x, value: less(x, value) or equal(x, value),
    LT: less,
    GTE: lambda x, value: less(value, x) or equal(x, value),
    GT: lambda x, value: less(value, x),
    EQ: equal,
    NEQ: lambda x, value: not equal(x, value),
}


@dataclass(frozen=True)
class Branch:
    """A node with a comparison.

    Attributes:
        feature: the column of the input that is compared.
        mode: one of MODES.
        value: the threshold; of BRANCH_MEMBER it has no meaning.
        missing: whether NaN takes the true branch.
        yes, no: the keys of the children.
        members: of BRANCH_MEMBER, the set.
    """

    feature: int
    mode: str
    value: Real
    missing: bool
    yes: Key
    no: Key
    members: tuple[Real, ...] = ()


@dataclass(frozen=True)
class Forest:
    """Trees, each by its root.

    Attributes:
        branches: the nodes with comparisons, by key.
        leaves: the votes of each leaf, by key: target and weight.
        roots: the keys of the roots, one a tree.
        type: the element type of thresholds.
        closed: whether every node is to be in one tree; otherwise leaves may have several nodes
            above them, and some none.
    """

    branches: Mapping[Key, Branch]
    leaves: Mapping[Key, Sequence[tuple[int, Real]]]
    roots: Sequence[Key]
    type: str = "float32"
    closed: bool = True


def checked(call: Call, forest: Forest) -> Forest:
    """The forest, if each root begins a tree.

    InvalidCallError where a child is missing, or where a way down comes back to where it was. A
    node that two others share makes no tree either, yet every way down ends; and of one that none
    leads to no page says anything.
    """
    shared = False
    seen: set[Key] = set()
    for root in forest.roots:
        above: list[Key] = []  # the way from the root
        waiting = [(root, 0)]
        while waiting:
            key, depth = waiting.pop()
            del above[depth:]
            if key in above:
                raise InvalidCallError(f"node {key} is below itself")
            if key in forest.leaves:
                shared = shared or (forest.closed and key in seen)
                seen.add(key)
                continue
            if key not in forest.branches:
                raise InvalidCallError(f"there is no node {key}")
            if key in seen:
                shared = True
                continue
            seen.add(key)
            above.append(key)
            branch = forest.branches[key]
            waiting += [(branch.yes, depth + 1), (branch.no, depth + 1)]
    if forest.closed and len(seen) < len(forest.branches) + len(forest.leaves):
        refuse_if_chosen(call, "unreached-node", "left-alone")
    if shared:
        refuse_if_chosen(call, "shared-node", "as-two")
    return forest


def rows_of(call: Call, forest: Forest) -> list[Sequence[Real]]:
    """The rows of X, of shape [N, F]; InvalidCallError where a node compares a column beyond."""
    rows, shape = feature_rows(call), call.tensor("X").shape
    if len(shape) == 1:
        refuse_if_chosen(call, "vector", "one-row")
    width = shape[-1]
    if any(not 0 <= branch.feature < width for branch in forest.branches.values()):
        raise InvalidCallError(f"a node compares a feature beyond {width}")
    return rows


def votes_of(call: Call, forest: Forest, row: Sequence[Real]) -> list[Sequence[tuple[int, Real]]]:
    """The votes of the leaf that a row comes to, for each tree."""
    votes = []
    for root in forest.roots:
        key = root
        while key not in forest.leaves:
            branch = forest.branches[key]
            key = branch.yes if _is_true(call, forest.type, branch, row) else branch.no
        votes.append(forest.leaves[key])
    return votes


def _is_true(call: Call, name: str, branch: Branch, row: Sequence[Real]) -> bool:
    """Whether a row takes the true branch."""
    x = row[branch.feature]
    if x is NAN:
        return branch.missing
    return beside_threshold(call, name, x, partial(_holds, branch))


def beside_threshold(call: Call, name: str, x: Real, holds: Callable[[Real], bool]) -> bool:
    """Whether a comparison with a threshold of a type of floats holds for an element."""
    exact = holds(x)
    if not isinstance(x, int) or holds(real(round_to(name, Fraction(x)))) == exact:
        return exact
    # No page says in which type an integer meets a threshold that is a float.
    reading = call.choose("integer-beside-threshold", "exact", "as-a-float")
    return exact if reading == "exact" else not exact


def _holds(branch: Branch, x: Real) -> bool:
    if branch.mode == MEMBER:
        return any(equal(x, member) for member in branch.members)
    return _TESTS[branch.mode](x, branch.value)


def target_count(call: Call, targets: Sequence[int]) -> int:
    """How many targets there are: n_targets, or as many as the ids of the votes ask for."""
    if "n_targets" in call.attributes:
        return call.int_attribute("n_targets")
    if call.choose("without-n-targets", "greatest-id", "rejected") == "rejected":
        raise InvalidCallError("n_targets is absent")
    return max(targets, default=0) + 1


# --- scores ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rule:
    """How votes become scores.

    Attributes:
        count: the number of targets or classes.
        how: one of AGGREGATIONS.
        base: what is added to each score; zeros where nothing is.
        type: the element type of the result.
    """

    count: int
    how: str
    base: Sequence[Real]
    type: str = "float32"


@dataclass(frozen=True)
class Scores:
    """The scores of one row, as a formula that `bounds.enclosed_all` evaluates.

    Attributes:
        terms: for each target the weights, its base value apart.
        base: the base values.
        divisors: what each sum is divided by; 1 where it is none.
    """

    terms: Sequence[Sequence[Real]]
    base: Sequence[Real]
    divisors: Sequence[int]

    def __call__(self, steps: Steps) -> list[Interval]:
        """An interval for each target."""
        found = []
        for terms, base, divisor in zip(self.terms, self.base, self.divisors, strict=True):
            given = [steps.rounded(point(term)) for term in terms]
            start = steps.rounded(point(base))
            if divisor != 1:
                found.append(steps.add(steps.div(steps.sum(given), divisor), start))
            else:
                found.append(steps.sum([*given, start] if base != 0 else given))
        return found


def scores_of(call: Call, rule: Rule, votes: Sequence[Sequence[tuple[int, Real]]]) -> Scores:
    """The scores of a row from the votes of each tree."""
    if rule.how not in AGGREGATIONS:
        raise InvalidCallError(f"aggregate_function '{rule.how}' is unknown")
    terms, divisors = [], []
    for target in range(rule.count):
        weights = [weight for tree in votes for voted, weight in tree if voted == target]
        divisor = 1
        if rule.how == "AVERAGE":
            divisor = _divisor(call, len(votes), len(weights))
        elif rule.how != "SUM":
            weights = [_extreme(call, rule, weights)]
        terms.append(weights)
        divisors.append(divisor)
    return Scores(terms, rule.base, divisors)


def regressed(call: Call, forest: Forest, rule: Rule, transform: str) -> Result:
    """The scores of each row after a transform."""
    rows = rows_of(call, forest)
    items: list[Item] = []
    for row in rows:
        scores = scores_of(call, rule, votes_of(call, forest, row))
        items += transformed(call, rule.type, scores, transform)
    return (Grid(rule.type, (len(rows), rule.count), items),)


def _divisor(call: Call, trees: int, votes: int) -> int:
    """What the sum of the weights is divided by."""
    if not votes or trees == votes:
        return trees
    return trees if call.choose("average-of", "trees", "votes") == "trees" else votes


def _extreme(call: Call, rule: Rule, weights: Sequence[Real]) -> Real:
    if weights:
        return (min if rule.how == "MIN" else max)(weights, key=order)
    if call.choose("no-vote", "zero", "end-of-the-type") == "zero":
        return ZERO
    return greatest(rule.type) if rule.how == "MIN" else -greatest(rule.type)
