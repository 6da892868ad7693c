"""Gathering and scattering, and what selects elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graphs.call import Call
from ...graphs.registry import evaluates
from ...values.formats import LD, Array
from ...values.tensors import Arr, CannotAnswerError, fit, is_float
from ..shared import text, whole


def _places(call: Call, place: int, length: int) -> Array:
    found = call.data(place).astype(np.int64)
    if found.size and (found.min() < -length or found.max() >= length):
        raise IndexError(f"an index beyond {length}")
    return np.asarray(np.where(found < 0, found + length, found))


@evaluates("Gather")
def gather(call: Call) -> Arr:
    """`Gather`: entries of an axis at indices of any rank."""
    data, axis = call.data(0), call.attr("axis")
    return Arr(call.type, np.take(data, _places(call, 1, data.shape[axis]), axis))


@evaluates("GatherElements")
def gather_elements(call: Call) -> Arr:
    """`GatherElements`: the element whose index along axis is that of indices."""
    data, axis = call.data(0), call.attr("axis")
    index = _places(call, 1, data.shape[axis])
    places = list(np.indices(index.shape, sparse=False))
    places[axis] = index
    return Arr(call.type, data[tuple(places)])


@evaluates("GatherND")
def gather_nd(call: Call) -> Arr:
    """`GatherND`: slices at tuples of indices, batch by batch."""
    data, index = call.data(0), call.data(1).astype(np.int64)
    batch = call.attr("batch_dims", 0)
    shape = index.shape[:-1] + data.shape[batch + index.shape[-1] :]
    made = np.empty(shape, data.dtype)
    for place in np.ndindex(index.shape[:-1]):
        made[place] = data[place[:batch] + tuple(int(item) for item in index[place])]
    return Arr(call.type, made)


def _reduced(name: str, reduction: str, old: Any, new: Any) -> Any:  # noqa: ANN401  elements
    if reduction == "none":
        return new
    function: Any = {
        "add": np.add,
        "mul": np.multiply,
        "max": np.maximum,
        "min": np.minimum,
    }[reduction]
    if is_float(name) or name.startswith("complex"):
        return function(old, new)
    if name == "string":
        raise CannotAnswerError("a reduction of strings")
    if name == "bool":
        return {"add": old or new, "max": old or new}.get(reduction, old and new)
    return fit(name, np.asarray(function(object_of(old), object_of(new)), object)).item


def object_of(item: Any) -> Any:  # noqa: ANN401  an integer without a width
    """An integer that no arithmetic overflows."""
    return np.asarray(int(item), object)


def _written(call: Call, data: Array, where: list[tuple[int, ...]], values: list[Any]) -> Arr:
    """Write elements one after the other; a float sum is rounded at the end."""
    reduction = text(call.attr("reduction", "none"))
    made = data.copy()
    for place, value in zip(where, values, strict=True):
        made[place] = _reduced(call.type, reduction, made[place], value)
    return fit(call.type, made) if is_float(call.type) else Arr(call.type, made)


@evaluates("ScatterElements", "Scatter")
def scatter_elements(call: Call) -> Arr:
    """`ScatterElements`: updates at indices along an axis, reduced with what is there."""
    data, updates = call.data(0), call.data(2)
    axis = call.attr("axis") % max(data.ndim, 1)
    index = _places(call, 1, data.shape[axis])
    where, values = [], []
    for place in np.ndindex(index.shape):
        where.append((*place[:axis], int(index[place]), *place[axis + 1 :]))
        values.append(updates[place])
    return _written(call, data, where, values)


@evaluates("ScatterND")
def scatter_nd(call: Call) -> Arr:
    """`ScatterND`: slices of updates at tuples of indices."""
    data, index, updates = call.data(0), call.data(1).astype(np.int64), call.data(2)
    where, values = [], []
    for place in np.ndindex(index.shape[:-1]):
        start = tuple(int(item) % data.shape[axis] for axis, item in enumerate(index[place]))
        for inner in np.ndindex(data.shape[len(start) :]):
            where.append(start + inner)
            values.append(updates[place + inner])
    return _written(call, data, where, values)


@evaluates("TensorScatter")
def tensor_scatter(call: Call) -> Arr:
    """`TensorScatter`: the pseudocode of its document."""
    data, update = call.data(0).copy(), call.data(1)
    axis = call.attr("axis") % data.ndim
    starts = call.arr(2).ints if call.has(2) else [0] * data.shape[0]
    circular = text(call.attr("mode")) == "circular"
    for prefix in np.ndindex(data.shape[:axis]):
        for step in range(update.shape[axis]):
            place = starts[prefix[0]] + step
            place = place % data.shape[axis] if circular else place
            data[(*prefix, place)] = update[(*prefix, step)]
    return Arr(call.type, data)


@evaluates("OneHot")
def one_hot(call: Call) -> Arr:
    """`OneHot`: on_value at the index, off_value elsewhere."""
    index, depth = call.data(0), int(np.trunc(call.arr(1).item))
    index = np.trunc(index).astype(np.int64) if is_float(call.type) else index.astype(object)
    index = np.where((index < 0) & (index >= -depth), index + depth, index)
    values = call.arr(2)
    rank = index.ndim + 1
    axis = call.attr("axis") % rank
    depths = np.arange(depth).reshape((-1,) + (1,) * (rank - axis - 1))
    hot = np.asarray(np.expand_dims(index, axis) == depths).astype(bool)
    return Arr(values.type, np.where(hot, values.data[1], values.data[0]))


@evaluates("NonZero")
def non_zero(call: Call) -> Arr:
    """`NonZero`: indices of elements that are not zero; of a scalar a shape of (0, N)."""
    data = call.data(0)
    found = data != (b"" if call.type == "string" else 0)
    if data.ndim == 0:
        return whole(np.zeros((0, int(found))))
    return whole(np.array(np.nonzero(found)))


@evaluates("Compress")
def compress(call: Call) -> Arr:
    """`Compress`: the slices, or elements of all, whose condition is true."""
    data, axis = call.data(0), call.attr("axis")
    if axis is None:
        data, axis = data.reshape(-1), 0
    kept = np.flatnonzero(call.data(1)[: data.shape[axis]])
    return Arr(call.type, np.take(data, kept, axis))


@evaluates("Unique")
def unique(call: Call) -> tuple[Arr, ...]:
    """`Unique`: values or subtensors, with first places, inverse and counts."""
    data, axis = call.data(0), call.attr("axis")
    moved = data.reshape(-1) if axis is None else np.moveaxis(data, axis, 0)
    keys = [tuple(np.asarray(moved[place]).reshape(-1)) for place in range(len(moved))]
    if call.type == "string" and axis is None:
        keys = [(item,) for item in moved]
    order: dict[Any, list[int]] = {}
    for place, key in enumerate(keys):
        order.setdefault(_same(key), []).append(place)
    names = list(order)
    if call.attr("sorted"):
        names.sort(key=_sortable)
    first = [order[name][0] for name in names]
    inverse = np.zeros(len(keys), np.int64)
    for number, name in enumerate(names):
        inverse[order[name]] = number
    values = np.take(moved, np.array(first, np.int64), 0)
    values = values if axis is None else np.moveaxis(values, 0, axis)
    counts = [len(order[name]) for name in names]
    return Arr(call.type, values), whole(first), whole(inverse), whole(counts)


def _same(key: tuple[Any, ...]) -> tuple[Any, ...]:
    """A NaN is one value here, whatever it is compared with."""
    return tuple("nan" if item != item else item for item in key)  # noqa: PLR0124  NaN


def _sortable(key: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple((isinstance(item, str), 0 if isinstance(item, str) else item) for item in key)


@evaluates("TopK")
def top_k(call: Call) -> tuple[Arr, Arr]:
    """`TopK`: the k largest or smallest along an axis, the lower index first among equals."""
    data, axis = call.data(0), call.attr("axis", -1)
    k = call.attr("k") if call.version < 10 else int(call.arr(1).item)
    keys: Any = data if is_float(call.type) else data.astype(object)
    keys = -keys if call.attr("largest", 1) else keys
    order = np.argsort(keys, axis, kind="stable")
    order = np.take(order, np.arange(k), axis)
    return Arr(call.type, np.take_along_axis(data, order, axis)), whole(order)


@evaluates("ArgMax", "ArgMin")
def arg_extreme(call: Call) -> Arr:
    """`ArgMax`, `ArgMin`: the first or last place of the extreme."""
    data = call.data(0)
    axis = call.attr("axis") % max(data.ndim, 1)
    function: Any = np.argmax if call.operator == "ArgMax" else np.argmin
    if data.size == 0:
        shape = [item if place != axis else 1 for place, item in enumerate(data.shape)]
        empty = np.zeros(shape if call.attr("keepdims") else np.delete(shape, axis))
        if empty.size:
            raise CannotAnswerError("the place of the extreme among no elements")
        return whole(empty)
    if call.attr("select_last_index", 0):
        found = data.shape[axis] - 1 - function(np.flip(data, axis), axis)
    else:
        found = function(data, axis)
    return whole(np.expand_dims(found, axis) if call.attr("keepdims") else np.asarray(found))


@evaluates("CumSum", "CumProd")
def cumulative(call: Call) -> Arr:
    """`CumSum`, `CumProd`: inclusive or exclusive, in either direction."""
    data, axis = call.data(0), int(call.arr(1).item)
    function: Any = np.cumsum if call.operator == "CumSum" else np.cumprod
    wide: Any = LD if is_float(call.type) else object
    moved = np.moveaxis(data.astype(wide), axis, 0)
    moved = moved[::-1] if call.attr("reverse") else moved
    if moved.shape[0] and call.attr("exclusive"):
        neutral = np.full_like(moved[:1], int(call.operator == "CumProd"))
        moved = np.concatenate([neutral, moved[:-1]])
    found = function(moved, axis=0) if moved.size else moved
    found = found[::-1] if call.attr("reverse") else found
    return fit(call.type, np.moveaxis(found, 0, axis))
