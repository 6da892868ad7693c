"""The scale of a region's corners. Sources: the pages of RoiAlign and MaxRoiPool, spatial_scale."""

from __future__ import annotations

from ...arith.numbers import fraction, from_float, is_finite
from ...arith.rationals import Fraction
from ...errors import InvalidCallError
from ...registry import Call


def finite_scale(call: Call) -> Fraction:
    """What corners are multiplied by; InvalidCallError for NaN or an infinity: no place is left."""
    scale = from_float(call.float_attribute("spatial_scale", 1.0))
    if not is_finite(scale):
        raise InvalidCallError("spatial_scale is no finite number")
    return fraction(scale)
