"""Softmax and LogSoftmax, all versions. Sources: their pages, Summary and Attributes.

Before version 13 the input is treated as a matrix, whose rows are all axes from `axis` on; since 13
a row is what lies along the one axis. The formulas are those of the function bodies of version 13:
the greatest element of a row is subtracted first, without which a row of 1000 would be inf / inf.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...accuracy.bounds import enclosed_all
from ...accuracy.profiles import REAL
from ...accuracy.steps import Steps
from ...arith.grid import Item, each_group, lines, normalize_axis
from ...arith.intervals import Interval, hull, key
from ...arith.numbers import INF, NAN, NEG_INF, ZERO, Real
from ...arith.once import each_once, each_pair_once
from ...arith.rounding import least_normal
from ...registry import Call, Result, oracle, refuse_if_chosen

_ONE_AXIS = 13
_AXIS_IN_RANGE = 11


@oracle("Softmax")
@oracle("LogSoftmax")
def softmax(call: Call) -> Result:
    """The powers of e over their sum in each row, or the logarithms of these."""
    grid = call.grid("input")
    rows = rows_of(call, grid.shape)
    return (each_group(grid, rows, lambda row: _row(call, grid.type, row)),)


def rows_of(call: Call, shape: tuple[int, ...]) -> list[list[int]]:
    """The places of each row that the version makes of the input of Softmax, or its like."""
    rank = len(shape)
    axis = call.int_attribute("axis", -1 if call.since_version >= _ONE_AXIS else 1)
    if rank == 0:
        # The range of the axis is empty then, and yet the default is not forbidden.
        refuse_if_chosen(call, "scalar", "one")
        return [[0]]
    if call.since_version < _AXIS_IN_RANGE:
        if axis == rank:
            refuse_if_chosen(call, "axis-of-the-rank", "rows-of-one")
            return [[place] for place in range(math.prod(shape))]
        if axis < 0:
            refuse_if_chosen(call, "negative-axis", "from-the-back")
    axis = normalize_axis(axis, rank)
    if call.since_version >= _ONE_AXIS:
        return lines(shape, axis)
    width = math.prod(shape[axis:])
    if not width:
        return []
    return [list(range(start, start + width)) for start in range(0, math.prod(shape), width)]


def _row(call: Call, name: str, row: Sequence[Real]) -> Sequence[Item]:
    if not row:
        return []
    logarithm = call.operator == "LogSoftmax"
    if NAN in row or all(item is NEG_INF for item in row):
        return [NAN] * len(row)
    if INF in row:
        if call.choose("infinity-in-a-row", "whole-row", "quotients") == "whole-row":
            return [NAN] * len(row)
        return [NAN if item is INF else NEG_INF if logarithm else ZERO for item in row]

    if logarithm:
        return enclosed_all(name, lambda steps: log_softmax_row(steps, row))
    return enclosed_all(name, lambda steps: _softmax_row(steps, row))


def _softmax_row(steps: Steps, row: Sequence[Real]) -> list[Interval]:
    _, powers, total = powers_of(steps, each_once(steps.exactly, row))
    return each_once(lambda power: steps.div(power, total), powers)


def log_softmax_row(steps: Steps, row: Sequence[Real]) -> list[Interval]:
    """The logarithms of the softmax of a row, by the steps of the function body or of the page.

    The page's steps, the logarithm of the quotient, lose what is far below the greatest element:
    finite elements must have finite logarithms. So they count where the quotient is a normal
    number.
    """
    shifted, powers, total = powers_of(steps, each_once(steps.exactly, row))
    log = steps.log(total)
    found = each_once(lambda item: steps.sub(item, log), shifted)
    if steps.profile == REAL:
        return found
    quotients = each_once(lambda power: steps.div(power, total), powers)
    normal = least_normal(steps.name)

    def either(item: Interval, quotient: Interval) -> Interval:
        if quotient.low is not NAN and key(quotient.low) >= key(normal):
            return hull(item, steps.log(quotient))
        return item

    return each_pair_once(either, found, quotients)


def powers_of(
    steps: Steps, given: Sequence[Interval]
) -> tuple[list[Interval], list[Interval], Interval]:
    """What is left of each element without the greatest one, the powers of e, and their sum."""
    greatest = steps.greatest(given)
    shifted = each_once(lambda item: steps.sub(item, greatest), given)
    powers = each_once(steps.exp, shifted)
    return shifted, powers, steps.sum(powers)
