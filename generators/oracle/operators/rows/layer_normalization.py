"""LayerNormalization 17. Source: its page, the equations of the Summary.

The first stage is computed in the type that `stash_type` names, the second in that of X. Rows are
normalized by the document's steps: the mean, the differences from it, the mean of their squares; or
by those of the function body, which takes the variance in one pass.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...accuracy.bounds import enclosed_all, or_nan
from ...accuracy.steps import Steps
from ...arith.grid import Grid, Item, broadcast_to, normalize_axis, unidirectional, value_of
from ...arith.intervals import Interval
from ...arith.numbers import NAN, Real, from_float, is_finite
from ...arith.once import each_once, each_pair_once
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from ..normalization.moments import moments

# TensorProto.DataType: what stash_type may be, by the list of U.
_STASH = {1: "float32", 16: "bfloat16"}


@oracle("LayerNormalization")
def layer_normalization(call: Call) -> Result:
    """Y, and the mean and the inverse deviation of each row in the type of the first stage."""
    grid = call.grid("X")
    axis = normalize_axis(call.int_attribute("axis", -1), grid.rank)
    stash = _STASH.get(call.int_attribute("stash_type", 1))
    if stash is None:
        raise InvalidCallError("stash_type names a type that U does not list")
    epsilon = from_float(call.float_attribute("epsilon"))
    scale = broadcast_to(call.grid("Scale"), unidirectional(call.grid("Scale").shape, grid.shape))
    bias = call.optional_grid("B")
    if bias is not None:
        bias = broadcast_to(bias, unidirectional(bias.shape, grid.shape))
    width = math.prod(grid.shape[axis:])
    rows = math.prod(grid.shape[:axis])
    has_moments = call.wants("Mean") or call.wants("InvStdDev")
    items: list[Item] = []
    means: list[Item] = []
    deviations: list[Item] = []
    for start in range(0, rows * width, width or 1):
        part = slice(start, start + width)
        row = _Row(stash, epsilon, tuple(grid.items[part]))
        second = tuple(scale.items[part]), None if bias is None else tuple(bias.items[part])
        items.extend(row.normalized(grid.type, *second))
        if has_moments:
            mean, deviation = row.moments()
            means.append(mean)
            deviations.append(deviation)
    if not width:
        refuse_if_chosen(call, "nothing-to-normalize", "empty")
        means = deviations = [NAN] * rows  # 0 / 0
    if not has_moments:
        return Grid(grid.type, grid.shape, items), None, None
    kept = (*grid.shape[:axis], *(1,) * (grid.rank - axis))
    return (
        Grid(grid.type, grid.shape, items),
        Grid(stash, kept, means),
        Grid(stash, kept, deviations),
    )


class _Row:
    """The elements that are normalized together."""

    def __init__(self, stash: str, epsilon: Real, row: Sequence[Real]) -> None:
        self._stash = stash
        self._epsilon = epsilon
        self._row = row

    def normalized(
        self, name: str, scale: Sequence[Real], bias: Sequence[Real] | None
    ) -> list[Item]:
        """The elements of Y, in the type of X."""

        def formula(steps: Steps) -> list[Interval]:
            first, second = steps.in_type(self._stash), steps.in_type(name)
            _, away, deviation = self._stage(first)
            # The document multiplies by the inverse; a division is never worse.
            found = each_once(lambda item: second.rounded(first.div(item, deviation)), away)
            factors = each_once(second.exactly, scale)
            found = each_pair_once(second.mul, found, factors)
            if bias is not None:
                found = each_pair_once(second.add, found, each_once(second.exactly, bias))
            return found

        return enclosed_all(name, formula)

    def moments(self) -> tuple[Item, Item]:
        """The mean and the inverse deviation."""

        def formula(steps: Steps) -> list[Interval]:
            mean, _, deviation = self._stage(steps)
            return [mean, steps.reciprocal(deviation)]

        mean, inverse = enclosed_all(self._stash, formula)
        # A running mean adds the difference from itself, which is infinity less infinity.
        return mean if is_finite(value_of(mean)) else or_nan(mean), inverse

    def _stage(self, steps: Steps) -> tuple[Interval, list[Interval], Interval]:
        """The mean, what each element is away from it, and the deviation."""
        mean, variance = moments(steps, self._row)
        away = each_once(lambda item: steps.sub(item, mean), steps.rounded_all(self._row))
        return mean, away, steps.sqrt(steps.add(variance, self._epsilon))
