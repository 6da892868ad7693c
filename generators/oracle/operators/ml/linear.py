"""LinearRegressor: sums of weighted features. Source: its page, Summary and Attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...accuracy.steps import Steps
from ...arith.grid import Grid, Item
from ...arith.intervals import Interval
from ...arith.numbers import Real, from_float
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from .post_transforms import transformed
from .scaling import DOMAIN, RESULT


@dataclass(frozen=True)
class Scores:
    """The scores of a row: for each set of coefficients the sum of products and an intercept.

    Attributes:
        row: the features.
        weights: a list of coefficients for each score.
        intercepts: what is added, none for none.
    """

    row: Sequence[Real]
    weights: Sequence[Sequence[Real]]
    intercepts: Sequence[Real]

    def __call__(self, steps: Steps) -> list[Interval]:
        """An interval for each score."""
        # A feature of another type than float32 may be rounded to it first.
        row = steps.rounded_all(self.row)
        found = []
        for place, weights in enumerate(self.weights):
            score = steps.dot(row, [steps.exactly(weight) for weight in weights])
            if self.intercepts:
                score = steps.add(score, steps.exactly(self.intercepts[place]))
            found.append(score)
        return found


def feature_rows(call: Call) -> list[Sequence[Real]]:
    """The rows of X, of shape [N, C]; what one dimension means is asked."""
    grid = call.grid("X")
    if grid.rank not in (1, 2):
        raise InvalidCallError(f"X has rank {grid.rank}, not 1 or 2")
    count, width = (1, *grid.shape)[-2:]
    return [grid.items[row * width : (row + 1) * width] for row in range(count)]


def weights_of(call: Call) -> list[list[Real]]:
    """The coefficients, one list for each score."""
    width = call.tensor("X").shape[-1]
    given = [from_float(item) for item in call.floats_attribute("coefficients", ())]
    if not given or not width or len(given) % width:
        raise InvalidCallError(f"{len(given)} coefficients for {width} features")
    return [given[start : start + width] for start in range(0, len(given), width)]


def intercepts_of(call: Call, count: int) -> list[Real]:
    """What is added to each of so many scores, none for nothing."""
    given = [from_float(item) for item in call.floats_attribute("intercepts", ())]
    if len(given) not in (0, count):
        raise InvalidCallError(f"{len(given)} intercepts for {count} scores")
    return given


@oracle("LinearRegressor", domain=DOMAIN)
def linear_regressor(call: Call) -> Result:
    """For each target the sum of the features by its coefficients, and its intercept."""
    rows = feature_rows(call)
    if call.grid("X").rank == 1:
        refuse_if_chosen(call, "vector", "one-row")
    count = call.int_attribute("targets")
    weights = weights_of(call)
    if len(weights) != count:
        raise InvalidCallError(f"{len(weights)} sets of coefficients for {count} targets")
    intercepts = intercepts_of(call, count)
    transform = call.string_attribute("post_transform")
    items: list[Item] = []
    for row in rows:
        items += transformed(call, RESULT, Scores(row, weights, intercepts), transform)
    return (Grid(RESULT, (len(rows), count), items),)
