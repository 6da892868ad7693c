"""Resize, all versions.

Source: its page, Summary, Inputs and Attributes. Every element of the output is an element of the
input, or an average of some, axis by axis; an axis that is not resized is left as it is.
"""

from __future__ import annotations

from collections.abc import Callable

from onnx_conformance.core.values.elements import element_type

from ...arith.grid import Item
from ...arith.numbers import fraction, from_float, is_finite
from ...arith.rounding import is_float, round_to
from ...attributes import word
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from .before_11 import by_scales_alone
from .coordinates import FORMULAS
from .lengths import CROP, Method, chosen_axes, lengths_of, scales_of
from .resampled import INTEGERS, axes_of, resampled

_SYMMETRIC_SINCE = 19
_FOR_NN_UNTIL = 11


@oracle("Resize", versions=(11, None))
def resize(call: Call) -> Result:
    """Elements at places that a formula gives, or averages around them."""
    x = call.grid("X")
    method = _method(call)
    lengths = lengths_of(call, x, chosen_axes(call, x.rank), method)
    outside = _extrapolated(call) if method.transformation == CROP else None
    return (resampled(x, method, axes_of(method, lengths), outside),)


@oracle("Resize", versions=(10, 10))
def resize_by_scales(call: Call) -> Result:
    """As Upsample, and to fewer elements as well; no page says of coordinates."""
    x = call.grid("X")
    return (by_scales_alone(call, x, scales_of(call, x.rank, least=0)),)


def _method(call: Call) -> Method:
    mode = word(call, "mode", ("nearest", "linear", "cubic"), "nearest")
    listed = set(FORMULAS)
    if call.since_version < _SYMMETRIC_SINCE:
        listed.remove("half_pixel_symmetric")
    if call.since_version > _FOR_NN_UNTIL:
        listed.remove("tf_half_pixel_for_nn")
    transformation = word(call, "coordinate_transformation_mode", sorted(listed), "half_pixel")
    antialias = call.int_attribute("antialias", 0) != 0
    if antialias and mode == "nearest":
        refuse_if_chosen(call, "antialias-of-nearest", "without-effect")
    return Method(
        mode,
        transformation,
        call.string_attribute("nearest_mode", "round_prefer_floor"),
        fraction(from_float(call.float_attribute("cubic_coeff_a", -0.75))),
        antialias,
        call.int_attribute("exclude_outside", 0) != 0,
    )


def _extrapolated(call: Call) -> Callable[[str], Item]:
    """The extrapolation value as an element of a type; it is asked for where it is needed."""
    value = from_float(call.float_attribute("extrapolation_value", 0.0))

    def element(name: str) -> Item:
        if is_float(name):
            return round_to(name, value)
        whole = is_finite(value) and fraction(value).denominator == 1
        if element_type(name).kind in INTEGERS and whole:
            return int(fraction(value))
        raise InvalidCallError(f"the extrapolation value is no {name}")

    return element
