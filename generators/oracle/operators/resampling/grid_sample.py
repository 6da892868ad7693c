"""GridSample, all versions. Source: its page, Summary, Inputs and Attributes.

Before version 20 the input is an image with two axes, and the modes have other names.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import Any

from onnx_conformance.core.values.elements import element_type

from ...accuracy.bounds import or_nan
from ...arith.grid import AnyOf, Enclosed, Grid, Item, any_of, filled, place_of, strides
from ...arith.numbers import NAN, ZERO, Complex, fraction, is_finite
from ...arith.rounding import saturate, unit_roundoff, wrap, zero_of
from ...attributes import word
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from .averages import average, joint, weighted
from .coordinates import WORKING
from .places import Place, Sampling
from .taps import Tap

_NAMED_FOR_ANY_RANK = 20
_MODES = {"nearest": "nearest", "linear": "linear", "cubic": "cubic"}
_MODES_BEFORE_20 = {"nearest": "nearest", "bilinear": "linear", "bicubic": "cubic"}
_PADDINGS = ("zeros", "border", "reflection")
_OUTSIDE = ("of-elements", "of-places")
# A weight is a product of one for each axis, or the sum along an axis is rounded before the next.
_PASSES = 2
# How many integers are listed one by one where the working type rounds.
_MOST_INTEGERS = 1_024


@oracle("GridSample")
def grid_sample(call: Call) -> Result:
    """The elements, or averages, at the positions of a grid; before version 20 of images alone."""
    named = call.since_version >= _NAMED_FOR_ANY_RANK
    x, grid = call.grid("X", rank=None if named else 4), call.grid("grid")
    modes = _MODES if named else _MODES_BEFORE_20
    axes = x.rank - 2
    if axes < 1 or grid.rank != x.rank or grid.shape[-1] != axes or grid.shape[0] != x.shape[0]:
        raise InvalidCallError(f"grid {list(grid.shape)} for X {list(x.shape)}")
    sampling = _sampling(call, modes, _working(x.type, grid.type), grid.type)
    batch, channels, *sizes = x.shape
    count = math.prod(grid.shape[1:-1])
    width = math.prod(sizes)
    shape = (batch, channels, *grid.shape[1:-1])
    if not width and 0 not in shape:
        refuse_if_chosen(call, "no-elements", "zeros")
        return (filled(x.type, shape, _zero(call, x.type)),)
    items: list[Item] = []
    for image in range(batch):
        at = [_position(grid, axes, image * count + place) for place in range(count)]
        for channel in range(channels):
            start = (image * channels + channel) * width
            own = Grid(x.type, tuple(sizes), x.items[start : start + width])
            items += [_element(sampling, own, position) for position in at]
    return (Grid(x.type, shape, items),)


def _sampling(call: Call, modes: dict[str, str], working: str, grid: str) -> Sampling:
    mode = word(call, "mode", modes, next(iter(modes)))
    padding = word(call, "padding_mode", _PADDINGS, "zeros")
    corners = call.int_attribute("align_corners", 0)
    if corners not in {0, 1}:
        refuse_if_chosen(call, "other-align-corners", "aligned")
    # No page says in which type a place is computed: in that of the grid, where it is narrow, too.
    places = grid if unit_roundoff(grid) > unit_roundoff(working) else working
    return Sampling(call, modes[mode], padding, corners != 0, working, places)


def _working(name: str, grid: str) -> str:
    """The type of places and weights: float32, or float64 where both inputs are of it."""
    return grid if name == grid == "float64" else WORKING


def _position(grid: Grid, axes: int, place: int) -> Sequence[Any]:
    """A position, the outermost axis first: the grid has the innermost first."""
    return grid.items[place * axes : (place + 1) * axes][::-1]


def _element(sampling: Sampling, x: Grid, position: Sequence[Any]) -> Item:
    """The element at a position of one channel of one image."""
    call = sampling.call
    places = [
        sampling.place(fraction(one), size)
        for one, size in zip(position, x.shape, strict=True)
        if is_finite(one)
    ]
    if not all(map(is_finite, position)) or any(map(sampling.is_lost, places)):
        call.choose("position-nowhere", "zero", "anything")
        return zero_of(x.type)
    found = _at(sampling, x, places)
    if sampling.padding == "zeros" and any(place.outside for place in places):
        zero = _zero(call, x.type)
        near = not isinstance(found, Enclosed) or found.value
        if near and found != zero and call.choose("zeros-outside", *_OUTSIDE) == _OUTSIDE[1]:
            return zero
    return found


def _zero(call: Call, name: str) -> Item:
    """What stands outside; which text is a zero, no page says."""
    if element_type(name).kind == "string":
        refuse_if_chosen(call, "zero-of-strings", "empty")
    return zero_of(name)


def _at(sampling: Sampling, x: Grid, places: Sequence[Place]) -> Item:
    """The nearest element to a place, or the average of those around it."""
    if sampling.mode == "nearest":
        return _nearest(sampling, x, places)
    if element_type(x.type).kind in {"bool", "string"}:
        raise InvalidCallError(f"there is no average of {x.type}")
    taps = joint([sampling.taps(place) for place in places], strides(x.shape))
    return _averaged(sampling, x.type, [x.items[tap.index] for tap in taps], taps)


def _nearest(sampling: Sampling, x: Grid, places: Sequence[Place]) -> Item:
    found: list[Any] = []
    for way in product(*(sampling.nearest(place) for place in places)):
        index = [one for one in way if one is not None]
        inside = len(index) == len(way)
        found.append(x.items[place_of(x.shape, index)] if inside else _zero(sampling.call, x.type))
    return any_of(found)


# --- averages --------------------------------------------------------------------------------


def _averaged(sampling: Sampling, name: str, items: Sequence[Any], taps: Sequence[Tap]) -> Item:
    """The sum of elements, each with its weight, as an element of the type of X."""
    if element_type(name).kind in {"int", "uint"}:
        return _cast(sampling.call, name, items, taps)
    if not all(is_finite(item) for item in items):
        return _with_infinities(average(name, items, taps))
    if sampling.working == WORKING:
        return average(name, items, taps)
    return weighted(name, items, taps, unit_roundoff(name))


def _with_infinities(found: Item) -> Item:
    """The sum, or NaN: a + t (b - a) interpolates linearly too, and has inf - inf in it."""
    if isinstance(found, Enclosed):
        return or_nan(found)
    numbers = found.numbers if isinstance(found, AnyOf) else (found,)
    nan = Complex(NAN, NAN) if isinstance(numbers[0], Complex) else NAN
    return found if nan in numbers else AnyOf((*numbers, nan))


def _cast(call: Call, name: str, items: Sequence[int], taps: Sequence[Tap]) -> Item:
    """An average as Cast makes an integer of it: the part behind the point is dropped.

    Elements far beyond what the working type can hold leave open which of many integers it is.
    """
    terms = [item * tap.weight for item, tap in zip(items, taps, strict=True)]
    exact = sum(terms, ZERO)
    error = sum((abs(item) * tap.error for item, tap in zip(items, taps, strict=True)), ZERO)
    size = sum(map(abs, terms), ZERO)
    unit = unit_roundoff(WORKING)
    if error or size * math.lcm(*(term.denominator for term in terms)) > 1 / unit:
        error += (len(terms) + _PASSES) * unit * size
    found = range(math.trunc(exact - error), math.trunc(exact + error) + 1)
    if len(found) > _MOST_INTEGERS:
        call.choose("integers-beyond-working-type", "nearest", "anything")
        return saturate(name, math.trunc(exact))
    # Cast leaves open what becomes of a number that the type does not hold.
    return any_of(way for one in found for way in (saturate(name, one), wrap(name, one)))
