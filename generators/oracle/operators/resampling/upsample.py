"""Upsample, versions 1 to 9; version 10 is deprecated.

Source: its page, Summary, Inputs and Attributes. No page says where in the input an element of
the output lies; the example of version 1 shows it for whole scales.
"""

from __future__ import annotations

from ...arith.numbers import ONE, from_float
from ...arith.rationals import Fraction
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle
from .before_11 import by_scales_alone
from .lengths import checked, scales_of


@oracle("Upsample", versions=(9, 9))
def upsample(call: Call) -> Result:
    """By an input with a scale for each axis."""
    x = call.grid("X")
    return (by_scales_alone(call, x, scales_of(call, x.rank, least=1)),)


@oracle("Upsample", versions=(7, 7))
def upsample_by_attribute(call: Call) -> Result:
    """By an attribute with a scale for each axis."""
    x = call.grid("X")
    scales = [from_float(scale) for scale in call.floats_attribute("scales")]
    if len(scales) != x.rank:
        raise InvalidCallError(f"{len(scales)} scales for {x.rank} axes")
    return (by_scales_alone(call, x, checked(scales, least=1)),)


@oracle("Upsample", versions=(1, 1))
def upsample_images(call: Call) -> Result:
    """Height and width, by an attribute each."""
    x = call.grid("X", rank=4)
    names = ("height_scale", "width_scale")
    scales = [from_float(call.float_attribute(name)) for name in names]
    outer: list[Fraction] = [ONE, ONE]
    return (by_scales_alone(call, x, [*outer, *checked(scales, least=1)]),)
