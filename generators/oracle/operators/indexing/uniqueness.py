"""Unique 11 and 28: each element, or each slice, once. Source: the Unique page, Summary.

The page says nothing of NaN, of zeros of two signs, and of an order of complex numbers.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

from ...arith.grid import Grid, Item, any_of, normalize_axis, places, strides, vector
from ...arith.numbers import ZERO, Complex, Number, Special, is_nan, is_zero, order
from ...registry import Call, Result, oracle, refuse_if_chosen
from ..flags import is_one

_EITHER_ZERO = "zero"
_EACH_NAN = "each-nan"


@oracle("Unique")
def unique(call: Call) -> Result:
    """The different elements or slices, where each occurs first, where each went, and how often."""
    data, ordered = call.grid("X"), is_one(call, "sorted", 1)
    axis = None
    if "axis" in call.attributes:
        axis = normalize_axis(call.int_attribute("axis"), data.rank)
    slices = _slices(data, axis)
    separate = any(is_nan(item) for item in data.items if isinstance(item, Special)) and (
        call.choose("equality-of-nan", "one-nan", _EACH_NAN) == _EACH_NAN
    )
    keys = [
        tuple(
            _key(data.items[place], (at, number) if separate else None)
            for number, place in enumerate(taken)
        )
        for at, taken in enumerate(slices)
    ]
    first: dict[Hashable, int] = {}
    for at, key in enumerate(keys):
        first.setdefault(key, at)
    kept = list(first.values())
    if ordered and len(kept) > 1:
        kept = _sorted(call, data, slices, kept)
    equal: dict[Hashable, list[int]] = {}
    for at, key in enumerate(keys):
        equal.setdefault(key, []).append(at)
    position = {at: number for number, at in enumerate(kept)}
    return (
        _output(data, axis, slices, [equal[keys[at]] for at in kept]),
        vector("int64", kept),
        vector("int64", [position[first[key]] for key in keys]),
        vector("int64", [len(equal[keys[at]]) for at in kept]),
    )


def _slices(data: Grid, axis: int | None) -> list[list[int]]:
    """The places of each slice along the axis; without one, of each element."""
    if axis is None:
        return [[place] for place in range(len(data.items))]
    steps = strides(data.shape)
    others = [number for number in range(data.rank) if number != axis]
    inside = places([data.shape[n] for n in others], [steps[n] for n in others])
    return [[at * steps[axis] + place for place in inside] for at in range(data.shape[axis])]


def _key(item: Number, own: Hashable) -> Hashable:
    """Equal for equal elements; NaN has a key of its own where `own` is one."""
    if isinstance(item, Complex):
        return (_key(item.re, own), _key(item.im, own))
    if isinstance(item, bytes):
        return item
    if is_nan(item):
        return ("nan", own)
    return _EITHER_ZERO if is_zero(item) else item


def _sorted(
    call: Call, data: Grid, slices: Sequence[Sequence[int]], kept: Sequence[int]
) -> list[int]:
    """The places of the slices in ascending order, element by element."""
    items = [data.items[place] for at in kept for place in slices[at]]
    if any(isinstance(item, Complex) for item in items):
        refuse_if_chosen(call, "order-of-complex-numbers", "real-part-first")
    nan_last = True
    if any(isinstance(item, Special) and is_nan(item) for item in items):
        nan_last = call.choose("order-of-nan", "last", "first") == "last"
    wide = any(isinstance(item, bytes) and not item.isascii() for item in items)
    if wide:
        reading = call.choose("order-of-strings", "code-points", "utf-16")
        wide = reading == "utf-16"

    def rank(item: Number) -> tuple[object, ...]:
        if isinstance(item, Complex):
            return (*rank(item.re), *rank(item.im))
        if isinstance(item, bytes):
            return (item.decode().encode("utf-16-be") if wide else item,)
        if is_nan(item):
            return (1 if nan_last else -1,)
        return (0, *order(ZERO if is_zero(item) else item))

    def key(at: int) -> list[tuple[object, ...]]:
        return [rank(data.items[place]) for place in slices[at]]

    return sorted(kept, key=key)


def _output(
    data: Grid, axis: int | None, slices: Sequence[Sequence[int]], kept: Sequence[Sequence[int]]
) -> Grid:
    """The slices that are kept, each of several that are equal, put together along the axis."""
    shape = (
        (len(kept),) if axis is None else (*data.shape[:axis], len(kept), *data.shape[axis + 1 :])
    )
    inner = math.prod(shape[(axis or 0) + 1 :])
    items: list[Item] = [0] * (len(kept) * (len(slices[kept[0][0]]) if kept else 0))
    for position, equal in enumerate(kept):
        for number in range(len(slices[equal[0]])):
            outer, offset = divmod(number, inner)
            # Of zeros with two signs either stays.
            items[(outer * len(kept) + position) * inner + offset] = any_of(
                data.items[slices[other][number]] for other in equal
            )
    return Grid(data.type, shape, items)
