"""Resize and Upsample before version 11, whose pages say nothing of coordinates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from ...arith.grid import Grid
from ...arith.rationals import Fraction
from ...attributes import word
from ...registry import Call
from .coordinates import coordinate
from .lengths import Method, scaled_length, settled
from .resampled import Axis, axes_of, resampled

_CEILED = "ceil-of-downsampling"


def by_scales_alone(call: Call, x: Grid, scales: Sequence[Fraction]) -> Grid:
    """The input resized by a scale for each axis, in each of the ways that the page leaves."""
    linear = "bilinear" if call.since_version == 1 else "linear"
    mode = word(call, "mode", ("nearest", linear), "nearest")
    lengths = [
        scaled_length(call, size, scale) for size, scale in zip(x.shape, scales, strict=True)
    ]
    if mode == "nearest":
        way = call.choose("nearest-before-11", "floor", _CEILED, "half-pixel")
        method = Method(mode, "asymmetric", "floor")
        if way == "half-pixel":
            method = Method(mode, "half_pixel")
    else:
        way = call.choose("coordinates-before-11", "asymmetric", "half-pixel", "align-corners")
        method = Method("linear", way.replace("-", "_"))
    axes = axes_of(method, settled(call, lengths, method))
    if way == _CEILED:
        axes = [_ceiled(axis) if axis.length.scale < 1 else axis for axis in axes]
    return resampled(x, method, axes, None)


def _ceiled(axis: Axis) -> Axis:
    """The axis with each coordinate rounded up."""
    at = [
        coordinate(Fraction(math.ceil(one.exact)), [Fraction(math.ceil(way)) for way in one.found])
        for one in axis.at
    ]
    return replace(axis, at=tuple(at))
