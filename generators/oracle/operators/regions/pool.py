"""MaxRoiPool, all versions. Source: its page, Summary, Inputs and Attributes.

The page says that each region is pooled, and neither which elements a region has whose corners lie
between elements, nor how it is divided. What it leaves is asked: the bounds as Fast R-CNN has them,
where the operator comes from, are the first reading.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import Any

from ...accuracy.profiles import HALF
from ...arith.grid import Grid, Item, any_of
from ...arith.numbers import (
    NAN,
    NEG_INF,
    ZERO,
    fraction,
    is_finite,
    is_nan,
    is_zero,
    less,
)
from ...arith.rationals import Fraction
from ...attributes import finite
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen

# What the page leaves open; see specs/maxroipool.yaml.
_BOUNDS = ("rounded-with-end", "rounded-without-end", "outwards")
_HALVES = ("away-from-zero", "to-even")
_DIVISIONS = ("touching", "apart")
_NANS = ("propagates", "ignored")
# From here on float32, the type of corners, does not tell halves of an element.
_FAR = 2**23


@oracle("MaxRoiPool")
def max_roi_pool(call: Call) -> Result:
    """The greatest element of each bin of each region.

    X is (N, C, H, W); a row of rois is (index of the image, x1, y1, x2, y2), and corners times
    `spatial_scale` are places in X. The output is (number of regions, C, pooled height, pooled
    width). Refused: other ranks, a negative pooled_shape, a region that is not finite or whose
    image does not exist.
    """
    x, rois = call.grid("X"), call.grid("rois")
    pooled = call.ints_attribute("pooled_shape")
    if x.rank != 4 or rois.rank != 2 or rois.shape[1] != 5:
        raise InvalidCallError(f"X {list(x.shape)} and rois {list(rois.shape)}")
    if len(pooled) != 2 or min(pooled) < 0:
        raise InvalidCallError(f"pooled_shape is {list(pooled)}")
    if 0 in pooled:
        refuse_if_chosen(call, "no-bins", "nothing")
    if not all(map(is_finite, rois.items)):
        raise InvalidCallError("a region has a number that is not finite")
    scale = finite(call, "spatial_scale", 1.0)
    channels, height, width = x.shape[1:]
    images = [_image(call, fraction(one), x.shape[0]) for one in rois.items[::5]]
    items: list[Item] = []
    for region, image in enumerate(images):
        corners = rois.items[region * 5 + 1 : region * 5 + 5]
        x1, y1, x2, y2 = (fraction(corner) * scale for corner in corners)
        rows = _bins(call, (y1, y2), pooled[0], height)
        columns = _bins(call, (x1, x2), pooled[1], width)
        for channel in range(channels):
            start = (image * channels + channel) * height * width
            items += [
                _greatest(
                    call,
                    [x.items[start + row * width + column] for row, column in product(*places)],
                )
                for places in product(rows, columns)
            ]
    return (Grid(x.type, (rois.shape[0], channels, *pooled), items),)


def _image(call: Call, number: Fraction, batch: int) -> int:
    """The image that a region is in."""
    if number.denominator != 1:
        refuse_if_chosen(call, "part-of-an-index", "cut-off")
    image = math.trunc(number)
    if not 0 <= image < batch:
        raise InvalidCallError(f"there is no image {image}")
    return image


def _bins(call: Call, ends: tuple[Fraction, Fraction], count: int, size: int) -> list[range]:
    """For each bin along an axis its elements."""
    if max(map(abs, ends)) >= _FAR:
        call.choose("far-corner", "exact", "anything")
    bounds = call.choose("bounds", *_BOUNDS)
    if bounds == "outwards":
        first, last = math.floor(ends[0]), math.ceil(ends[1])
    else:
        first, last = (_rounded(call, end) for end in ends)
        last += bounds == "rounded-with-end"
    if last <= first:
        refuse_if_chosen(call, "nothing-in-it", "one-element")
    step = Fraction(max(last - first, 1), max(count, 1))
    division = call.choose("division", *_DIVISIONS) if step.denominator != 1 else _DIVISIONS[0]
    until = math.ceil if division == "touching" else math.floor
    return [
        range(
            min(max(first + math.floor(index * step), 0), size),
            min(max(first + until((index + 1) * step), 0), size),
        )
        for index in range(count)
    ]


def _rounded(call: Call, x: Fraction) -> int:
    """The nearest whole number."""
    low, high = math.ceil(x - HALF), math.floor(x + HALF)
    if low == high or call.choose("half-of-a-corner", *_HALVES) == "to-even":
        return round(x)
    return high if x > 0 else low


def _greatest(call: Call, elements: Sequence[Any]) -> Item:
    """The greatest element of a bin."""
    if not elements:
        call.choose("empty-bin", "zero", "anything")
        return ZERO
    if any(map(is_nan, elements)) and call.choose("greatest-with-nan", *_NANS) == "propagates":
        return NAN
    found: Any = NEG_INF
    for element in elements:
        if less(found, element):
            found = element
    return any_of(filter(is_zero, elements)) if is_zero(found) else found
