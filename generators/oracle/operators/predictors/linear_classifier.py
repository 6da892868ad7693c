"""LinearClassifier: classes by sums of weighted features. Source: its page.

The page does not say in which order the coefficients stand; that of LinearRegressor has those of
each target together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...accuracy.profiles import REAL
from ...accuracy.steps import Steps
from ...arith.grid import Grid
from ...arith.numbers import from_float
from ...errors import InvalidCallError
from ...registry import oracle, refuse_if_chosen
from ..ml.labels import labels_of
from ..ml.linear import feature_rows
from ..ml.post_transforms import transformed
from ..ml.scaling import DOMAIN, RESULT
from .deciding import decided, rounded_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...arith.grid import Item
    from ...arith.intervals import Interval
    from ...arith.numbers import Real
    from ...registry import Call, Result

_PAIR = 2
_SOFTMAX = ("SOFTMAX", "SOFTMAX_ZERO")


@dataclass(frozen=True)
class ClassScores:
    """The scores of a row: for each set of coefficients the sum of products and an intercept.

    Attributes:
        row: the features.
        weights: a list of coefficients for each score.
        intercepts: what is added, none for none.
        pair: how one score stands for two: `opposite`, `complement`, or empty where it does not.
    """

    row: Sequence[Real]
    weights: Sequence[Sequence[Real]]
    intercepts: Sequence[Real]
    pair: str = ""

    def __call__(self, steps: Steps) -> list[Interval]:
        """An interval for each score."""
        # A feature of another type than float32 may be rounded to it first.
        row = [steps.rounded(steps.exactly(item)) for item in self.row]
        found = []
        for place, weights in enumerate(self.weights):
            score = steps.dot(row, [steps.exactly(weight) for weight in weights])
            if self.intercepts:
                score = steps.add(score, steps.exactly(self.intercepts[place]))
            found.append(score)
        if self.pair == "opposite":
            return [steps.neg(found[0]), *found]
        return [steps.sub(1, found[0]), *found] if self.pair else found


@oracle("LinearClassifier", domain=DOMAIN)
def linear_classifier(call: Call) -> Result:
    """The class with the highest score, and the score of each."""
    rows = feature_rows(call)
    labels = labels_of(call, "classlabels_ints")
    weights = _weights(call)
    intercepts = [from_float(item) for item in call.floats_attribute("intercepts", ())]
    if len(intercepts) not in (0, len(weights)):
        raise InvalidCallError(f"{len(intercepts)} intercepts for {len(weights)} scores")
    one_of_two = (len(weights), len(labels.items)) == (1, _PAIR)
    if len(weights) != len(labels.items) and not one_of_two:
        raise InvalidCallError(f"{len(weights)} sets of coefficients, {len(labels.items)} labels")
    if len(labels.items) == 1:
        refuse_if_chosen(call, "one-class", "its-label")
    pair, transform = _pair(call) if one_of_two else ("", call.string_attribute("post_transform"))
    found: list[Any] = []
    items: list[Item] = []
    for row in rows:
        after = transformed(call, RESULT, ClassScores(row, weights, intercepts, pair), transform)
        # Of one score the second class has what is above 0, whatever stands for the first.
        before = ClassScores(row, weights, intercepts, pair and "opposite")(Steps(RESULT, REAL))
        place = decided(call, [score.low for score in before], rounded_numbers(RESULT, after))
        found.append(labels.items[place])
        items += after
    return (
        Grid(labels.type, (len(rows),), found),
        Grid(RESULT, (len(rows), len(labels.items)), items),
    )


def _pair(call: Call) -> tuple[str, str]:
    """How one score stands for two, and what transform the two have."""
    transform = call.string_attribute("post_transform")
    if transform == "LOGISTIC":
        # The logistic function of -x is 1 less that of x: all ways come to the same.
        return "opposite", transform
    readings = ["opposite", "complement", *(["untransformed"] if transform in _SOFTMAX else [])]
    reading = call.choose("one-score-for-two", *readings)
    return ("complement", "NONE") if reading == "untransformed" else (reading, transform)


def _weights(call: Call) -> list[list[Real]]:
    """The coefficients, one list for each score."""
    width = call.tensor("X").shape[-1]
    given = [from_float(item) for item in call.floats_attribute("coefficients")]
    if not given or not width or len(given) % width:
        raise InvalidCallError(f"{len(given)} coefficients for {width} features")
    return [given[start : start + width] for start in range(0, len(given), width)]
