"""LpNormalization, all versions. Source: its page, Summary and Attributes."""

from __future__ import annotations

from collections.abc import Sequence

from ...accuracy.bounds import enclosed_all
from ...accuracy.steps import Steps
from ...arith.grid import EITHER_ZERO, Item, each_group, lines, normalize_axis
from ...arith.intervals import Interval, hull, point
from ...arith.numbers import ZERO, Real, is_zero
from ...arith.once import each_once
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen


@oracle("LpNormalization")
def lp_normalization(call: Call) -> Result:
    """Each line divided by its norm; zeros stay zeros.

    A line is all elements along `axis`; `p` chooses the sum of magnitudes (1) or the root of the
    sum of squares (2). The shape stays. Refused: another p, an axis that does not exist.
    """
    x = call.grid("input")
    given = call.int_attribute("axis")
    axis = normalize_axis(given, x.rank)
    if given < -1:
        # Of the numbers below 0 the page names -1 alone.
        refuse_if_chosen(call, "axis-below-minus-1", "from-the-back")
    p = call.int_attribute("p")
    if p not in {1, 2}:
        raise InvalidCallError(f"p is {p}, neither 1 nor 2")

    def line(row: Sequence[Real]) -> Sequence[Item]:
        # Zeros, of which the page does not say a sign.
        return [EITHER_ZERO] * len(row) if all(map(is_zero, row)) else _divided(x.type, row, p)

    return (each_group(x, lines(x.shape, axis), line),)


def _divided(name: str, row: Sequence[Real], p: int) -> list[Item]:
    """Each element by the norm; 0 besides, and 0 / 0, where the norm of tiny elements may be 0.

    The page defines the output where the norm is zero, and says in brackets that all elements are:
    of a norm that underflows one of the two holds.
    """

    def norm_of(steps: Steps, given: Sequence[Interval]) -> Interval:
        if p == 1:
            return steps.sum(each_once(steps.absolute, given))
        return steps.sqrt(steps.sum(each_once(steps.square, given)))

    def formula(steps: Steps) -> list[Interval]:
        given = each_once(steps.exactly, row)
        norm = norm_of(steps, given)
        return each_once(lambda item: steps.div(item, norm), given)

    def guarded(steps: Steps) -> list[Interval]:
        given = each_once(steps.exactly, row)
        norm = norm_of(steps, given)
        if ZERO not in norm:
            return each_once(lambda item: steps.div(item, norm), given)
        return each_once(lambda item: hull(steps.div(item, norm), point(ZERO)), given)

    return enclosed_all(name, formula, alternatives=[guarded])
