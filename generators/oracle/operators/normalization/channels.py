"""InstanceNormalization and GroupNormalization since 21. Sources: their pages, Summary.

Each is standardized per image, over the channels of a group; a group of InstanceNormalization is
one channel. The first stage of GroupNormalization is computed in the type that stash_type names.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...accuracy.bounds import enclosed_all
from ...accuracy.steps import Steps
from ...arith.grid import Grid, Item
from ...arith.intervals import Interval
from ...arith.numbers import Real, from_float
from ...arith.once import each_once
from ...attributes import float_type
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from .moments import moments, scaled_and_shifted, standardized


@oracle("InstanceNormalization")
def instance_normalization(call: Call) -> Result:
    """Each channel of each image standardized, scaled and shifted.

    The input is (N, C, D1 ...), scale and B are (C); mean and variance are over D1 ... of one
    channel of one image, and `epsilon` is added to the variance. The shape stays. Refused: no axis
    of channels, a scale or B of another length; in version 1 any rank but 4.
    """
    x = _with_channels(call, "input")
    if call.since_version == 1 and x.rank != 4:
        raise InvalidCallError(f"the input has rank {x.rank}, not 4")
    scale, bias = _of_channels(call, x, "scale"), _of_channels(call, x, "B")
    epsilon = from_float(call.float_attribute("epsilon"))
    area = math.prod(x.shape[2:])
    if not area:
        refuse_if_chosen(call, "nothing-to-normalize", "empty")
    items: list[Item] = []
    for start in range(0, len(x.items), area or 1):
        channel = start // area % x.shape[1]

        def formula(
            steps: Steps,
            row: Sequence[Real] = x.items[start : start + area],
            numbers: Sequence[Real] = (scale.items[channel], bias.items[channel]),
        ) -> list[Interval]:
            given = each_once(steps.exactly, row)
            factor, shift = steps.rounded_all(numbers)
            mean, variance = moments(steps, row)
            deviation = steps.sqrt(steps.add(variance, epsilon))
            return scaled_and_shifted(steps, given, mean, deviation, factor, shift)

        items += enclosed_all(x.type, formula)
    return (Grid(x.type, x.shape, items),)


@oracle("GroupNormalization", versions=(21, None))
def group_normalization(call: Call) -> Result:
    """Each group of channels of each image standardized in one type, then scaled and shifted."""
    x = _with_channels(call, "X")
    scale, bias = _of_channels(call, x, "scale"), _of_channels(call, x, "bias")
    epsilon = from_float(call.float_attribute("epsilon"))
    groups = call.int_attribute("num_groups")
    channels = x.shape[1]
    if groups < 1 or channels % groups:
        raise InvalidCallError(f"{channels} channels do not divide into {groups} groups")
    stash = float_type(call, "stash_type")
    if not x.items:
        # The Reshape of the function body cannot infer a size then.
        refuse_if_chosen(call, "nothing-to-normalize", "empty")
    area = math.prod(x.shape[2:])
    width = channels // groups * area
    items: list[Item] = []
    for start in range(0, len(x.items), width or 1):
        own = [place // area % channels for place in range(start, start + width)]

        def formula(
            steps: Steps,
            row: Sequence[Real] = x.items[start : start + width],
            own: Sequence[int] = own,
        ) -> list[Interval]:
            first = steps.in_type(stash)
            mean, variance = moments(first, row)
            deviation = first.sqrt(first.add(variance, epsilon))
            even = standardized(first, first.rounded_all(row), mean, deviation)
            return [
                steps.add(
                    steps.mul(steps.rounded(item), steps.exactly(scale.items[channel])),
                    steps.exactly(bias.items[channel]),
                )
                for item, channel in zip(even, own, strict=True)
            ]

        items += enclosed_all(x.type, formula)
    return (Grid(x.type, x.shape, items),)


def _with_channels(call: Call, name: str) -> Grid:
    """An input with a batch, channels and, unless one may do without, spatial axes."""
    x = call.grid(name)
    if x.rank < 2:
        raise InvalidCallError(f"{name} of rank {x.rank} has no batch and channels")
    if x.rank == 2:
        refuse_if_chosen(call, "no-spatial-axes", "one-place")
    return x


def _of_channels(call: Call, x: Grid, name: str) -> Grid:
    """An input with an element for each channel of X."""
    grid = call.grid(name)
    if grid.shape != (x.shape[1],):
        raise InvalidCallError(f"{name} has shape {list(grid.shape)}, not [{x.shape[1]}]")
    return grid
