"""MaxPool, AveragePool and LpPool, all versions, and the pools over all of an image.

Sources: their pages, Summary and Attributes. Padding holds no elements: what a window finds there
counts for nothing, but where AveragePool is told to count it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ...accuracy.sums import sum_value
from ...arith.grid import AnyOf, Grid, Item, any_of, strides
from ...arith.numbers import NAN, NEG_INF, ZERO, Real, equal, is_nan, order
from ...arith.rounding import greatest, is_float, limits
from ...arith.windows import Axis, counts, positions, taps_over, windows
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from ..elementwise.selecting import extreme
from ..flags import is_one
from .attributes import IGNORED, UNSTATED, Page, auto_pad, window_axes
from .norms import norm

# From the elements of a window, their places in X, and how many taps are over X or padding.
Pool = Callable[[Sequence[Any], Sequence[int], int], Item]

# The version from which there is a second output.
_INDICES = 8
# The version from which the page says that windows which start in the end padding are ignored.
_IGNORED = 22
# The version from which the page of LpPool has a formula for the size with auto_pad SAME.
_SAME_IN_NUMBERS = 11
_NOTHING = "window-of-nothing"
_NO_SPACE = "no-spatial-axes"


@oracle("MaxPool")
def max_pool(call: Call) -> Result:
    """The greatest element of each window, and where in X it is.

    X is (N, C, D1 ...); both outputs have the same shape, an index is the place in the flat X,
    int64. Padding is never the greatest, and of equal elements the index is left open between them.
    Refused: what `_axes` refuses, an unknown storage_order.
    """
    x = call.grid("X")
    axes = _axes(call, x, Page(_at_end(call)))
    greatest_of = _pooled(x, axes, lambda items, _, __: _greatest(call, x.type, items))
    order_of = is_one(call, "storage_order", 0)
    if call.since_version < _INDICES:
        return (greatest_of,)
    if not call.wants("Indices"):
        return greatest_of, None
    number = _numbering(call, x.shape) if order_of else None

    def index(items: Sequence[Any], places: Sequence[int], _: int) -> Item:
        return _index(call, x.type, items, places if number is None else [*map(number, places)])

    found = _pooled(x, axes, index)
    return greatest_of, Grid("int64", found.shape, found.items)


@oracle("AveragePool")
def average_pool(call: Call) -> Result:
    """The mean of the elements of each window."""
    x = call.grid("X")
    axes = _axes(call, x, Page(_at_end(call), rounded_down=call.since_version == 11))
    counted = call.int_attribute("count_include_pad", 0) != 0

    def mean(items: Sequence[Any], _: Sequence[int], over: int) -> Item:
        return _mean(call, x.type, items, over if counted else len(items))

    return (_pooled(x, axes, mean),)


@oracle("LpPool")
def lp_pool(call: Call) -> Result:
    """The norm of the elements of each window."""
    x = call.grid("X")
    # Before version 11 all that is said of SAME is that sizes match.
    matched = call.since_version < _SAME_IN_NUMBERS
    page = Page(UNSTATED, matched=matched, undilated=True)
    axes = [_valid_and_ceiling(call, axis) for axis in _axes(call, x, page)]
    return (_pooled(x, axes, lambda items, _, __: norm(call, x.type, items)),)


def _valid_and_ceiling(call: Call, axis: Axis) -> Axis:
    """The axis with the count of auto_pad VALID or of ceil_mode, where both are there and differ.

    The pages of the other pools have an equation for both together.
    """
    if auto_pad(call) != "VALID" or not call.int_attribute("ceil_mode", 0):
        return axis
    count = positions(axis.size, axis.extent, axis.stride, 0, up=True)
    if count == axis.count:
        return axis
    reading = call.choose("valid-with-ceil-mode", "as-for-valid", "as-for-ceil-mode")
    return axis if reading == "as-for-valid" else replace(axis, count=count)


@oracle("GlobalMaxPool")
@oracle("GlobalAveragePool")
@oracle("GlobalLpPool")
def global_pool(call: Call) -> Result:
    """The greatest element, the mean or the norm of each channel."""
    x = call.grid("X")
    if x.rank < 2:
        raise InvalidCallError(f"X has rank {x.rank}: no batch and channels")
    if x.rank == 2:
        refuse_if_chosen(call, _NO_SPACE, "computed")
    area, channels = math.prod(x.shape[2:]), math.prod(x.shape[:2])
    pools: dict[str, Callable[[Sequence[Any]], Item]] = {
        "GlobalMaxPool": lambda items: _greatest(call, x.type, items),
        "GlobalAveragePool": lambda items: _mean(call, x.type, items, len(items)),
        "GlobalLpPool": lambda items: norm(call, x.type, items),
    }
    pool = pools[call.operator]
    items = [pool(x.items[at * area : (at + 1) * area]) for at in range(channels)]
    return (Grid(x.type, (*x.shape[:2], *(1,) * (x.rank - 2)), items),)


# --- windows ---------------------------------------------------------------------------------


def _axes(call: Call, x: Grid, page: Page) -> tuple[Axis, ...]:
    if x.rank < 3:
        raise InvalidCallError(f"X has rank {x.rank}: no batch, channels and spatial axes")
    return window_axes(call, x.shape[2:], call.ints_attribute("kernel_shape"), page)


def _at_end(call: Call) -> str:
    return IGNORED if call.since_version >= _IGNORED else UNSTATED


def _pooled(x: Grid, axes: Sequence[Axis], pool: Pool) -> Grid:
    """What a function makes of each window of each channel of each image."""
    area = math.prod(x.shape[2:])
    at = [
        ([place for _, place in taps], taps_over(axes, position))
        for position, taps in windows(axes)
    ]
    items = []
    for start in range(0, math.prod(x.shape[:2]) * area, area or 1):
        for places, over in at:
            there = [start + place for place in places]
            items.append(pool([x.items[place] for place in there], there, over))
    if not area:  # windows over padding alone
        items = [pool((), (), over) for _ in range(math.prod(x.shape[:2])) for _, over in at]
    return Grid(x.type, (*x.shape[:2], *counts(axes)), items)


# --- of the elements of one window -----------------------------------------------------------


def _greatest(call: Call, name: str, items: Sequence[Any]) -> Item:
    if not items:
        refuse_if_chosen(call, _NOTHING, "computed")
        if not is_float(name):
            return AnyOf((limits(name)[0], 0)) if limits(name)[0] else 0
        return AnyOf((NEG_INF, -greatest(name), NAN, ZERO))
    return extreme(call, name, items, max, "nan-among-elements")


def _numbers(call: Call, items: Sequence[Real]) -> list[Real]:
    """The elements that the greatest is sought among; none where it is NaN."""
    numbers = [item for item in items if not is_nan(item)]
    if not numbers or len(numbers) == len(items):
        return numbers
    reading = call.choose("nan-among-elements", "propagates", "ignored")
    return numbers if reading == "ignored" else []


def _index(call: Call, name: str, items: Sequence[Any], numbers: Sequence[int]) -> Item:
    """The index of the greatest element; of one of several that are equal."""
    if not items:
        refuse_if_chosen(call, _NOTHING, "computed")
        return AnyOf((-1, 0))
    taken = list(items) if not is_float(name) else _numbers(call, items)
    if taken:
        found = max(taken, key=order)
        places = [at for at, item in zip(numbers, items, strict=True) if equal(item, found)]
    else:
        places = [at for at, item in zip(numbers, items, strict=True) if is_nan(item)]
    return any_of(places)


def _numbering(call: Call, shape: tuple[int, ...]) -> Callable[[int], int]:
    """The number of an element in column-major order, from its place in row-major order."""
    steps = strides(shape)
    inner = 2
    if math.prod(shape[:2]) > 1:
        reading = call.choose("column-major-axes", "spatial-axes", "all-axes")
        inner = 2 if reading == "spatial-axes" else 0
    own = list(steps)
    step = 1
    for axis in range(inner, len(shape)):
        own[axis] = step
        step *= shape[axis]
    return lambda place: sum(
        place // step % size * other for size, step, other in zip(shape, steps, own, strict=True)
    )


def _mean(call: Call, name: str, items: Sequence[Real], count: int) -> Item:
    if not count:
        refuse_if_chosen(call, _NOTHING, "computed")
        return AnyOf((NAN, ZERO))
    return sum_value(name, items, divisor=count)
