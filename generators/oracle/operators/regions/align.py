"""RoiAlign, all versions. Source: its page, Summary, Inputs and Attributes.

A region is divided into bins, and each bin is sampled at places that lie evenly in it, between the
elements of the image. What lies less than one element outside has the value of the border, as
ONNX's example test_roialign_aligned_true has it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, product
from typing import Any

from ...accuracy.profiles import HALF
from ...arith.grid import Grid, Item
from ...arith.numbers import ZERO, fraction, is_finite
from ...arith.rationals import Fraction
from ...arith.rounding import round_to, unit_roundoff
from ...attributes import finite, word
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from .samples import Weighted, greatest, mean

_SHIFTS = {"half_pixel": HALF, "output_half_pixel": ZERO}
_SHIFTED_SINCE = 16
# How many roundings a place and a weight have, in units of the greatest number they are made of.
_ROUNDINGS = 8
_MOST_SAMPLES = 1 << 12
# What the page leaves open; see specs/roialign.yaml.
_MEANINGS = ("of-weighted-elements", "of-samples")
_SIDES = ("at-least-1", "as-it-is")
_OUTSIDE = ("zero", "border")


@dataclass(frozen=True)
class Place:
    """A place along an axis of an image: the elements beside it, with weights.

    Attributes:
        taps: index and weight of each; none where there is nothing.
        error: how far off a runtime's weights may be.
    """

    taps: tuple[tuple[int, Fraction], ...]
    error: Fraction


@oracle("RoiAlign")
def roi_align(call: Call) -> Result:
    """The mean or the maximum of samples of each bin of each region.

    X is (N, C, H, W), a row of rois is (x1, y1, x2, y2), corners times `spatial_scale` are places
    in X, and batch_indices names the image of each. The output is (number of regions, C,
    output_height, output_width). Samples are weighed from the four elements around them; a mean is
    within the limits of its sum. Refused: shapes that do not agree, an image that does not exist,
    an unknown mode, a corner that is not finite.
    """
    x, rois, batch = call.grid("X"), call.grid("rois"), call.grid("batch_indices")
    if x.rank != 4 or rois.rank != 2 or rois.shape[1] != 4 or batch.shape != rois.shape[:1]:
        raise InvalidCallError(f"X {list(x.shape)}, rois {list(rois.shape)}, {list(batch.shape)}")
    if any(not 0 <= image < x.shape[0] for image in batch.items):
        raise InvalidCallError(f"no image has one of the indices {list(batch.items)}")
    mode = word(call, "mode", ("avg", "max"), "avg")
    counts = [call.int_attribute(name, 1) for name in ("output_height", "output_width")]
    if min(counts) < 0:
        raise InvalidCallError(f"{counts[0]} x {counts[1]} bins")
    if min(counts) == 0:
        refuse_if_chosen(call, "no-bins", "nothing")
    bins = _Bins(call, x.shape[2:], "float64" if x.type == "float64" else "float32")
    channels, width = x.shape[1], math.prod(x.shape[2:])
    items: list[Item] = []
    for region, image in enumerate(batch.items):
        corners = rois.items[region * 4 : region * 4 + 4]
        if not all(is_finite(one) for one in corners):
            raise InvalidCallError(f"region {region} has a corner that is no finite number")
        x1, y1, x2, y2 = (fraction(one) for one in corners)
        places = [
            bins.places(axis, ends, count)
            for axis, (ends, count) in enumerate(zip(((y1, y2), (x1, x2)), counts, strict=True))
        ]
        for channel in range(channels):
            start = (image * channels + channel) * width
            own = x.items[start : start + width]
            items += [
                _pooled(call, mode, x, own, rows, columns) for rows, columns in product(*places)
            ]
    return (Grid(x.type, (rois.shape[0], channels, *counts), items),)


@dataclass(frozen=True)
class _Bins:
    """How a region is divided along an axis.

    Attributes:
        call: with the attributes.
        sizes: height and width of the image.
        working: the type that places are computed in.
    """

    call: Call
    sizes: tuple[int, ...]
    working: str

    def places(self, axis: int, ends: tuple[Fraction, Fraction], count: int) -> list[list[Place]]:
        """For each bin the places that are sampled."""
        scale = finite(self.call, "spatial_scale", 1.0)
        shift = self._shift()
        start, end = (one * scale - shift for one in ends)
        side = end - start
        if side < 0 or (side < 1 and not shift):
            side = self._mended(side, shift)
        ratio = self.call.int_attribute("sampling_ratio", 0)
        if ratio < 0:
            refuse_if_chosen(self.call, "ratio-below-0", "adaptive")
        step = side / count if count else ZERO
        number = ratio if ratio > 0 else math.ceil(step)
        if number * count > _MOST_SAMPLES:
            raise InvalidCallError("a region has more samples than can be held")
        within = [(index + HALF) * step / number for index in range(number)]
        at = [[start + bin_ * step + inside for inside in within] for bin_ in range(count)]
        numbers = [*(one * scale for one in ends), start, end, side, step, *within, *chain(*at)]
        error = ZERO
        if any(round_to(self.working, one) != one for one in numbers):
            most = max(map(abs, numbers))
            error = _ROUNDINGS * unit_roundoff(self.working) * max(most, Fraction(1))
        return [[self._place(axis, place, error) for place in row] for row in at]

    def _shift(self) -> Fraction:
        """By how much places are moved; before version 16 by nothing."""
        if self.call.since_version < _SHIFTED_SINCE:
            return ZERO
        name = "coordinate_transformation_mode"
        return _SHIFTS[word(self.call, name, _SHIFTS, "half_pixel")]

    def _mended(self, side: Fraction, shift: Fraction) -> Fraction:
        """The side of a region that is turned round, or smaller than one element."""
        if side < 0:
            refuse_if_chosen(self.call, "turned-round", "taken")
        if not shift and self.call.choose("small-regions", *_SIDES) == _SIDES[0]:
            return Fraction(1)
        return side

    def _place(self, axis: int, at: Fraction, error: Fraction) -> Place:
        """The elements beside a place."""
        size = self.sizes[axis]
        if not -1 <= at <= size and self.call.choose("outside", *_OUTSIDE) == _OUTSIDE[0]:
            return Place((), error)
        inside = min(max(at, ZERO), Fraction(size - 1))
        low = min(math.floor(inside), size - 2) if size > 1 else 0
        part = inside - low
        return Place(((low, 1 - part), *(((low + 1, part),) if size > 1 else ())), error)


def _pooled(  # noqa: PLR0913, PLR0917  an image, and what is sampled of it
    call: Call,
    mode: str,
    x: Grid,
    own: Sequence[Any],
    rows: Sequence[Place],
    columns: Sequence[Place],
) -> Item:
    """The element of one bin."""
    width = x.shape[3]
    samples = [
        [
            Weighted(own[row * width + column], first * second, one.error + other.error)
            for (row, first), (column, second) in product(one.taps, other.taps)
        ]
        for one, other in product(rows, columns)
    ]
    if not samples:
        call.choose("no-samples", "zero", "anything")
        return ZERO
    if mode == "avg":
        return mean(x.type, samples)
    if not all(is_finite(part.value) for sample in samples for part in sample):
        call.choose("greatest-of-specials", "zero", "anything")
        return ZERO
    if call.choose("meaning-of-max", *_MEANINGS) == _MEANINGS[0]:
        samples = [[part] for sample in samples for part in sample or [Weighted(ZERO, ZERO, ZERO)]]
    return greatest(x.type, samples)
