"""Shapes, constants, and operators that arrange elements anew."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ...graphs.call import Call
from ...graphs.registry import evaluates
from ...values.formats import LD, Array
from ...values.tensors import Arr, CannotAnswerError, fit, storage
from ..shared import axes_of, text, type_of_code, whole, zeros


@evaluates("Identity")
def same(call: Call) -> Any:  # noqa: ANN401  a value of any kind
    """`Identity`: the input."""
    return call.raw(0)


@evaluates("Constant")
def constant(call: Call) -> Arr:
    """`Constant`: the attribute that is set."""
    for name in ("value", "sparse_value"):
        if name in call.explicit:
            found: Arr = call.attr(name)
            return found
    (name,) = (item for item in call.explicit if item.startswith("value_"))
    held, kind = call.attr(name), name.removeprefix("value_").removesuffix("s")
    if kind == "string":
        data = np.empty(np.shape(held) if isinstance(held, list) else (), object)
        data[...] = held
        return Arr("string", data)
    return Arr("float32", np.array(held, LD)) if kind == "float" else whole(held)


@evaluates("ConstantOfShape")
def constant_of_shape(call: Call) -> Arr:
    """`ConstantOfShape`: a value everywhere, 0 of float32 by default."""
    value = call.attr("value") or Arr("float32", np.zeros(1, LD))
    return Arr(value.type, np.full(tuple(call.arr(0).ints), value.item, storage(value.type)))


@evaluates("Shape")
def shape(call: Call) -> Arr:
    """`Shape`: dimensions from start to end, both clamped."""
    dims = call.arr(0).shape
    rank = len(dims)
    start, end = (
        min(max(item + rank if item < 0 else item, 0), rank)
        for item in (call.attr("start", 0), call.attr("end", rank))
    )
    return whole(dims[start:end])


@evaluates("Size")
def size(call: Call) -> Arr:
    """`Size`: the number of elements."""
    return whole(np.int64(call.arr(0).data.size).reshape(()))


@evaluates("Reshape")
def reshape(call: Call) -> Arr:
    """`Reshape`: 0 keeps a dimension, -1 is what is left."""
    given = list(call.attr("shape")) if call.version < 5 else call.arr(1).ints
    arr, asked = call.arr(0), list(given)
    if not call.attr("allowzero", 0):
        given = [arr.shape[place] if item == 0 else item for place, item in enumerate(given)]
    if -1 in given:
        # A copied dimension is on both sides, so that one of 0 leaves something to infer.
        others = np.prod([it for it, old in zip(given, asked, strict=True) if it > 0 and old != 0])
        copied = {place for place, item in enumerate(asked) if item == 0}
        left = np.prod([item for place, item in enumerate(arr.shape) if place not in copied])
        given[given.index(-1)] = int(left) // int(others)
    return Arr(arr.type, arr.data.reshape(given))


@evaluates("Flatten")
def flatten(call: Call) -> Arr:
    """`Flatten`: the dimensions before axis, and the others."""
    arr, axis = call.arr(0), call.attr("axis")
    axis = axis + len(arr.shape) if axis < 0 else axis
    rows = int(np.prod(arr.shape[:axis], dtype=np.int64))
    columns = int(np.prod(arr.shape[axis:], dtype=np.int64))
    return Arr(arr.type, arr.data.reshape(rows, columns))


@evaluates("Squeeze")
def squeeze(call: Call) -> Arr:
    """`Squeeze`: without dimensions of one."""
    arr = call.arr(0)
    given = call.attr("axes") if call.version < 13 else _ints(call, 1)
    dims = len(arr.shape)
    axes = axes_of(given, dims)
    if given is None:
        axes = tuple(place for place, item in enumerate(arr.shape) if item == 1)
    return Arr(arr.type, arr.data.squeeze(axes))


@evaluates("Unsqueeze")
def unsqueeze(call: Call) -> Arr:
    """`Unsqueeze`: with dimensions of one at these axes of the output."""
    arr = call.arr(0)
    given = call.attr("axes") if call.version < 13 else _ints(call, 1)
    return Arr(arr.type, np.expand_dims(arr.data, axes_of(given, len(arr.shape) + len(given))))


def _ints(call: Call, place: int) -> Any:  # noqa: ANN401  a list or None
    found = call.opt(place)
    return None if found is None else found.ints


@evaluates("Transpose")
def transpose(call: Call) -> Arr:
    """`Transpose`: dimensions in the order of perm, reversed by default."""
    return Arr(call.type, call.data(0).transpose(call.attr("perm")))


@evaluates("Expand")
def expand(call: Call) -> Arr:
    """`Expand`: broadcast both ways with a shape."""
    data = call.data(0)
    return Arr(call.type, np.broadcast_to(data, np.broadcast_shapes(data.shape, call.arr(1).ints)))


@evaluates("Tile")
def tile(call: Call) -> Arr:
    """`Tile`: copies along axes; the first version along one."""
    data = call.data(0)
    if call.version < 6:
        repeats = [1] * data.ndim
        repeats[int(call.arr(2).item)] = int(call.arr(1).item)
        return Arr(call.type, np.tile(data, repeats))
    return Arr(call.type, np.tile(data, call.arr(1).ints) if data.ndim else data)


@evaluates("Concat")
def concat(call: Call) -> Arr:
    """`Concat`: one behind the other along an axis; the first version has a default of 1."""
    axis = call.attr("axis", 1)
    return Arr(call.type, np.concatenate([item.data for item in call.inputs], axis))


@evaluates("Split")
def split(call: Call) -> tuple[Arr, ...]:
    """`Split`: into parts of given lengths, or equal ones, of which the last may be smaller."""
    data, axis = call.data(0), call.attr("axis", 0)
    length, count = data.shape[axis], len(call.outputs)
    lengths = _ints(call, 1) if call.version >= 13 or call.has(1) else call.attr("split")
    if lengths is None:
        count = call.attr("num_outputs", count) if call.version >= 18 else count
        part = -(-length // count)
        lengths = [max(min(part, length - part * place), 0) for place in range(count)]
    ends = np.cumsum([0, *lengths]).tolist()
    return tuple(Arr(call.type, _part(data, axis, *pair)) for pair in pairwise(ends))


def _part(data: Array, axis: int, start: int, end: int) -> Array:
    """What lies between two places of an axis."""
    where: list[Any] = [slice(None)] * data.ndim
    where[axis] = slice(start, end)
    return np.asarray(data[tuple(where)])


@evaluates("Slice")
def slices(call: Call) -> Arr:
    """`Slice`: NumPy's basic slicing with starts, ends, axes and steps."""
    data = call.data(0)
    if call.version < 10:
        starts, ends = call.attr("starts"), call.attr("ends")
        axes, steps = call.attr("axes"), None
    else:
        starts, ends = call.arr(1).ints, call.arr(2).ints
        axes, steps = _ints(call, 3), _ints(call, 4)
    axes = range(len(starts)) if axes is None else axes
    steps = steps or [1] * len(starts)
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        places = _sliced(data.shape[axis], start, end, step)
        data = np.take(data, np.array(places, np.int64), axis)
    return Arr(call.type, data)


def _sliced(length: int, start: int, end: int, step: int) -> range:
    # Going back, a start before the first element is the first one: not as in NumPy.
    ends = ((0, length), (0, length)) if step > 0 else ((0, length - 1), (-1, length - 1))
    first, last = (
        min(max(item + length if item < 0 else item, low), high)
        for item, (low, high) in zip((start, end), ends, strict=True)
    )
    return range(first, last, step)


@evaluates("Pad")
def pad(call: Call) -> Arr:
    """`Pad`: by constant, reflection, edge or wrapping; negative pads remove."""
    data, mode = call.data(0), text(call.attr("mode"))
    if call.version < 11:
        pads = call.attr("paddings") if call.version < 2 else call.attr("pads")
        fill = fit(call.type, np.asarray(LD(call.attr("value")))).item
        axes: Any = range(data.ndim)
    else:
        pads = call.arr(1).ints
        fill = call.arr(2).item if call.has(2) else zeros(call.type, ()).item()
        axes = _ints(call, 3) if call.has(3) else range(data.ndim)
    for place, axis in enumerate(axes):
        before, after = pads[place], pads[place + len(pads) // 2]
        data = _padded(data, axis, before, after, mode, fill)
    return Arr(call.type, data)


def _padded(
    data: Array,
    axis: int,
    before: int,
    after: int,
    mode: str,
    fill: Any,  # noqa: ANN401
) -> Array:
    length = data.shape[axis]
    if mode == "constant":
        shape = list(data.shape)
        shape[axis] = before + length + after
        made = np.empty(shape, data.dtype)
        made[...] = fill
        if made.size:
            start = max(-before, 0)
            end = max(min(length, length + after), start)
            here: list[Any] = [slice(None)] * data.ndim
            here[axis] = slice(start + before, end + before)
            made[tuple(here)] = _part(data, axis, start, end)
        return made
    # A negative pad removes elements before anything is added at the other end.
    start, end = max(-before, 0), length - max(-after, 0)
    data = np.take(data, np.arange(start, max(end, start)), axis)
    length = data.shape[axis]
    places = np.arange(-max(before, 0), length + max(after, 0))
    if length == 0 and len(places):
        raise CannotAnswerError(f"{mode} of nothing")
    if mode == "edge":
        places = np.clip(places, 0, length - 1)
    elif mode == "wrap":
        places %= length
    else:
        period = max(2 * (length - 1), 1)
        places = np.abs(places) % period
        places = np.where(places >= length, period - places, places)
    return np.take(data, places, axis)


@evaluates("CenterCropPad")
def center(call: Call) -> Arr:
    """`CenterCropPad`: a centered window, or zeros on both sides, one more at the end."""
    data = call.data(0)
    axes = range(data.ndim) if call.attr("axes") is None else call.attr("axes")
    for axis, due in zip(axes, call.arr(1).ints, strict=True):
        length = data.shape[axis]
        if due <= length:
            start = (length - due) // 2
            data = _part(data, axis, start, start + due)
        else:
            before = (due - length) // 2
            fill = zeros(call.type, ()).item()
            data = _padded(data, axis, before, due - length - before, "constant", fill)
    return Arr(call.type, data)


@evaluates("DepthToSpace")
def depth_to_space(call: Call) -> Arr:
    """`DepthToSpace`: as its document writes it in NumPy."""
    data, block = call.data(0), call.attr("blocksize")
    b, c, h, w = data.shape
    depth = c // block**2
    if text(call.attr("mode", "DCR")) == "DCR":
        moved = data.reshape(b, block, block, depth, h, w).transpose(0, 3, 4, 1, 5, 2)
    else:
        moved = data.reshape(b, depth, block, block, h, w).transpose(0, 1, 4, 2, 5, 3)
    return Arr(call.type, moved.reshape(b, depth, h * block, w * block))


@evaluates("SpaceToDepth")
def space_to_depth(call: Call) -> Arr:
    """`SpaceToDepth`: the reverse of DepthToSpace of the same mode."""
    data, block = call.data(0), call.attr("blocksize")
    b, c, h, w = data.shape
    parts = data.reshape(b, c, h // block, block, w // block, block)
    order = (0, 3, 5, 1, 2, 4) if text(call.attr("mode", "DCR")) == "DCR" else (0, 1, 3, 5, 2, 4)
    return Arr(
        call.type,
        parts.transpose(order).reshape(b, c * block * block, h // block, w // block),
    )


@evaluates("EyeLike")
def eye(call: Call) -> Arr:
    """`EyeLike`: ones on the diagonal k of a matrix of that shape."""
    name = type_of_code(call.attr("dtype")) if call.attr("dtype") else call.type
    rows, columns = call.arr(0).shape
    return Arr(name, np.eye(rows, columns, call.attr("k")).astype(storage(name)))


@evaluates("Trilu")
def trilu(call: Call) -> Arr:
    """`Trilu`: the elements above or below a diagonal, the others zero."""
    data = call.data(0)
    k = int(call.arr(1).item) if call.has(1) else 0
    rows, columns = (np.arange(item) for item in data.shape[-2:])
    distance = columns[None, :] - rows[:, None]
    kept = distance >= k if call.attr("upper") else distance <= k
    return Arr(call.type, np.where(kept, data, zeros(call.type, ())))


@evaluates("Range")
def ranges(call: Call) -> Arr:
    """`Range`: `start + i * delta` for ceil((limit - start) / delta) places."""
    start, limit, delta = (call.data(place).reshape(()) for place in range(3))
    name = call.type
    if name not in ("float16", "bfloat16", "float32", "float64"):
        numbers = [int(start), int(limit), int(delta)]
        made = list(range(*numbers)) if numbers[2] else []
        return Arr(name, np.array(made, storage(name)))
    count = max(int(np.ceil((limit - start) / delta)), 0)
    return fit(name, start + np.arange(count).astype(LD) * delta)


@evaluates("ReverseSequence")
def reverse_sequence(call: Call) -> Arr:
    """`ReverseSequence`: the first sequence_lens[i] elements of batch i in reverse."""
    batch, time = call.attr("batch_axis"), call.attr("time_axis")
    data = np.moveaxis(call.data(0), (batch, time), (0, 1)).copy()
    for row, length in enumerate(call.arr(1).ints):
        data[row, :length] = data[row, :length][::-1].copy()
    return Arr(call.type, np.moveaxis(data, (0, 1), (batch, time)))


@evaluates("Where")
def where(call: Call) -> Arr:
    """`Where`: X where the condition is true, else Y, broadcast."""
    return Arr(call.arr(1).type, np.where(call.data(0), call.data(1), call.data(2)))
