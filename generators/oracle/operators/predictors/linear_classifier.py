"""LinearClassifier: classes by sums of weighted features. Source: its page.

The page does not say in which order the coefficients stand; that of LinearRegressor has those of
each target together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...accuracy.profiles import IEEE, REAL
from ...accuracy.steps import Steps
from ...arith.grid import Grid, Item
from ...arith.intervals import Interval
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from ..ml.labels import labels_of
from ..ml.linear import Scores, feature_rows, intercepts_of, weights_of
from ..ml.post_transforms import transformed
from ..ml.scaling import DOMAIN, RESULT
from .deciding import decided, rounded_numbers

_SOFTMAX = ("SOFTMAX", "SOFTMAX_ZERO")


@dataclass(frozen=True)
class _Pair:
    """The two scores of a row that has one.

    Attributes:
        scores: the one.
        other: how the first follows from it: `opposite` or `complement`.
    """

    scores: Scores
    other: str

    def __call__(self, steps: Steps) -> list[Interval]:
        """An interval for each of the two."""
        (score,) = self.scores(steps)
        return [steps.neg(score) if self.other == "opposite" else steps.sub(1, score), score]


@oracle("LinearClassifier", domain=DOMAIN)
def linear_classifier(call: Call) -> Result:
    """The class with the highest score, and the score of each.

    For N rows of features the outputs are labels (N) and float32 scores (N, number of labels) after
    `post_transform`. One set of coefficients for two labels is the score of the second. Refused:
    numbers of intercepts, coefficients and labels that do not agree.
    """
    rows = feature_rows(call)
    labels = labels_of(call, "classlabels_strings", "classlabels_ints")
    weights = weights_of(call)
    intercepts = intercepts_of(call, len(weights))
    one_of_two = (len(weights), len(labels.items)) == (1, 2)
    if len(weights) != len(labels.items) and not one_of_two:
        raise InvalidCallError(f"{len(weights)} sets of coefficients, {len(labels.items)} labels")
    if len(labels.items) == 1:
        refuse_if_chosen(call, "one-class", "its-label")
    transform = _transform(call)
    pair, transform = _pair(call, transform) if one_of_two else ("", transform)
    found: list[Any] = []
    items: list[Item] = []
    for row in rows:
        scores = Scores(row, weights, intercepts)
        after = transformed(call, RESULT, _Pair(scores, pair) if pair else scores, transform)
        # Of one score the second class has what is above 0, whatever stands for the first.
        formula = _Pair(scores, "opposite") if pair else scores
        before = [score.low for score in formula(Steps(RESULT, REAL))]
        limits = formula(Steps(RESULT, IEEE))
        place = decided(call, before, rounded_numbers(RESULT, after), limits)
        found.append(labels.items[place])
        items += after
    return (
        Grid(labels.type, (len(rows),), found),
        Grid(RESULT, (len(rows), len(labels.items)), items),
    )


def _transform(call: Call) -> str:
    """The transform that is named; where none is, it is open whether multi_class brings one."""
    transform = call.string_attribute("post_transform")
    if transform != "NONE" or not call.int_attribute("multi_class", 0):
        return transform
    return (
        "NONE"
        if call.choose("multinomial", "no-transform", "softmax") == "no-transform"
        else "SOFTMAX"
    )


def _pair(call: Call, transform: str) -> tuple[str, str]:
    """How one score stands for two, and what transform the two have."""
    if transform == "LOGISTIC":
        # The logistic function of -x is 1 less that of x: all ways come to the same.
        return "opposite", transform
    readings = ["opposite", "complement", *(["untransformed"] if transform in _SOFTMAX else [])]
    reading = call.choose("one-score-for-two", *readings)
    return ("complement", "NONE") if reading == "untransformed" else (reading, transform)
