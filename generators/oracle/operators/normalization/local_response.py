"""LRN, all versions. Source: its page, Summary and Attributes."""

from __future__ import annotations

import math

from ...accuracy.bounds import enclosed
from ...accuracy.steps import Steps
from ...arith.grid import Grid
from ...arith.intervals import Interval, hull
from ...arith.numbers import Real, from_float
from ...arith.once import each_row_once
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen


@oracle("LRN")
def local_response_normalization(call: Call) -> Result:
    """Each element divided by a power of the squares of its neighbours in other channels."""
    x = call.grid("X")
    if x.rank < 2:
        raise InvalidCallError(f"X has rank {x.rank}: no batch and channels")
    size = call.int_attribute("size")
    if size < 1:
        refuse_if_chosen(call, "region-without-channels", "computed")
    alpha, beta, bias = (
        from_float(call.float_attribute(name)) for name in ("alpha", "beta", "bias")
    )
    # floor((size - 1) / 2) and ceil((size - 1) / 2).
    before, behind = (size - 1) // 2, size // 2
    channels, area = x.shape[1], math.prod(x.shape[2:])

    def around(place: int) -> list[Real]:
        """An element, and those of its region."""
        channel = place // area % channels
        first, last = max(0, channel - before), min(channels - 1, channel + behind)
        region = [x.items[place + (at - channel) * area] for at in range(first, last + 1)]
        return [x.items[place], *region]

    def formula(steps: Steps, item: Interval, *region: Interval) -> Interval:
        squares = steps.sum([steps.square(other) for other in region])
        base = steps.add(steps.constant(bias), steps.mul(_share(steps, alpha, size), squares))
        return steps.div(item, steps.pow(base, steps.constant(beta)))

    # Of large tensors many regions are alike.
    rows = map(around, range(len(x.items)))
    items = each_row_once(lambda row: enclosed(x.type, formula, *row), rows)
    return (Grid(x.type, x.shape, items),)


def _share(steps: Steps, alpha: Real, size: int) -> Interval:
    """Alpha / size. Attributes are float32, so what is made of them alone may be computed in it."""
    share = steps.div(steps.constant(alpha), size)
    if steps.name != "float64":
        return share
    narrow = steps.in_type("float32")
    return hull(share, narrow.div(narrow.constant(alpha), size))
