"""LRN, all versions. Source: its page, Summary and Attributes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...accuracy.bounds import enclosed_all
from ...accuracy.steps import Steps
from ...arith.grid import Grid, Item
from ...arith.intervals import Interval, hull
from ...arith.numbers import Real, from_float
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
    made: dict[tuple[int, ...], list[Item]] = {}  # of large tensors many regions are alike
    items: list[Item] = []
    for place, item in enumerate(x.items):
        channel = place // area % channels
        first, last = max(0, channel - before), min(channels - 1, channel + behind)
        region = [x.items[place + (at - channel) * area] for at in range(first, last + 1)]
        alike = tuple(map(id, (item, *region)))
        if alike in made:
            items += made[alike]
            continue

        def formula(
            steps: Steps, item: Real = item, region: Sequence[Real] = region
        ) -> list[Interval]:
            squares = steps.sum([steps.square(steps.exactly(other)) for other in region])
            share = _share(steps, alpha, size)
            base = steps.add(steps.constant(bias), steps.mul(share, squares))
            return [steps.div(steps.exactly(item), steps.pow(base, steps.constant(beta)))]

        items += made.setdefault(alike, enclosed_all(x.type, formula))
    return (Grid(x.type, x.shape, items),)


def _share(steps: Steps, alpha: Real, size: int) -> Interval:
    """Alpha / size. Attributes are float32, so what is made of them alone may be computed in it."""
    share = steps.div(steps.constant(alpha), size)
    if steps.name != "float64":
        return share
    narrow = Steps("float32", steps.profile, steps.bits)
    return hull(share, narrow.div(narrow.constant(alpha), size))
