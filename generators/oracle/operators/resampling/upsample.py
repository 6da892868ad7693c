"""Upsample, versions 1 to 9; version 10 is deprecated.

Source: its page, Summary, Inputs and Attributes. No page says where in the input an element of
the output lies; the example of version 1 shows it for whole scales.
"""

from __future__ import annotations

from ...arith.numbers import from_float
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle
from .before_11 import by_scales_alone
from .lengths import checked, scales_of

_SCALES_ARE_AN_INPUT = 9


@oracle("Upsample", versions=(1, 9))
def upsample(call: Call) -> Result:
    """By a scale for each axis, at first for height and width alone."""
    if call.since_version == 1:
        x = call.grid("X", rank=4)
        given = (
            1.0,
            1.0,
            call.float_attribute("height_scale"),
            call.float_attribute("width_scale"),
        )
        return (by_scales_alone(call, x, checked([from_float(one) for one in given], least=1)),)
    x = call.grid("X")
    if call.since_version >= _SCALES_ARE_AN_INPUT:
        return (by_scales_alone(call, x, scales_of(call, x.rank, least=1)),)
    scales = [from_float(scale) for scale in call.floats_attribute("scales")]
    if len(scales) != x.rank:
        raise InvalidCallError(f"{len(scales)} scales for {x.rank} axes")
    return (by_scales_alone(call, x, checked(scales, least=1)),)
