"""Pools."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...graphs.call import Call
from ...graphs.registry import evaluates
from ...values.formats import LD, Array
from ...values.tensors import Arr, CannotAnswerError, fit, is_float
from ..shared import by_axis, lp_norm, whole, zeros
from .windows import Window, at_kernel, padded, window_of


def _stack(data: Array, window: Window, fill: Any) -> Array:  # noqa: ANN401  an element
    """For each output position the elements under the kernel, in a new last dimension."""
    wide = padded(data, window, fill)
    places = np.ndindex(*window.kernel)
    return np.stack([at_kernel(wide, window, place) for place in places], -1)


@evaluates("MaxPool")
def max_pool(call: Call) -> tuple[Arr, ...]:
    """`MaxPool`: the largest element that is no padding, and its place, the first among equals."""
    data = call.data(0)
    window = window_of(call, data.shape[2:], tuple(call.attr("kernel_shape")))
    flat = np.arange(data.size).reshape(data.shape)
    if call.attr("storage_order", 0):
        order = (0, 1, *range(data.ndim - 1, 1, -1))
        swapped = np.arange(data.size).reshape([data.shape[axis] for axis in order])
        flat = swapped.transpose(np.argsort(order))
    row_major = _stack(np.arange(data.size).reshape(data.shape), window, -1)
    places = _stack(flat, window, -1)
    real = row_major >= 0
    values = np.where(real, _stack(data, window, data.dtype.type(0)), _least(data))
    if is_float(call.type):
        keys = np.where(np.isnan(values) & real, np.inf, values)
        nan = (np.isnan(values) & real).any(-1)
        best = np.argmax(np.where(real, keys, -np.inf), -1)
        only_low = ~((keys > -np.inf) & real).any(-1)
        best = np.where(only_low, np.argmax(real, -1), best)
        best = np.where(nan, np.argmax(np.isnan(values) & real, -1), best)
    else:
        keys = np.where(real, values.astype(np.int64), -(10**6))
        best = np.argmax(keys, -1)
    taken = np.take_along_axis(values, best[..., None], -1)[..., 0]
    index = np.take_along_axis(places, best[..., None], -1)[..., 0]
    if not real.any(-1).all():
        raise CannotAnswerError("a window of padding alone")
    return Arr(call.type, taken), whole(index)


def _least(data: Array) -> Any:  # noqa: ANN401  an element
    return data.dtype.type(-np.inf) if data.dtype == LD else np.iinfo(data.dtype).min


@evaluates("AveragePool")
def average_pool(call: Call) -> Arr:
    """`AveragePool`: the mean of the window, with or without its padding."""
    data = call.data(0)
    window = window_of(call, data.shape[2:], tuple(call.attr("kernel_shape")))
    total = np.sum(_stack(data, window, 0), -1)
    inside = np.ones(data.shape, np.int64)
    if call.attr("count_include_pad", 0):
        pads = [(0, 0), (0, 0), *zip(window.before, window.after, strict=True)]
        inside = np.pad(inside, pads, constant_values=1)
        window = replace(window, before=(0,) * len(window.kernel))
    count = np.sum(_stack(inside, window, 0), -1)
    return fit(call.type, total / count)


@evaluates("LpPool")
def lp_pool(call: Call) -> Arr:
    """`LpPool`: the p-norm of each window."""
    data = call.data(0)
    kernel = call.attr("kernel_shape") or data.shape[2:]
    window = window_of(call, data.shape[2:], tuple(kernel))
    values = _stack(data, window, 0)
    return fit(call.type, lp_norm(values, call.attr("p"), (values.ndim - 1,))[..., 0])


@evaluates("GlobalLpPool", "GlobalAveragePool", "GlobalMaxPool")
def global_pool(call: Call) -> Arr:
    """Pools over all spatial dimensions."""
    data = call.data(0)
    axes = tuple(range(2, data.ndim))
    if call.operator == "GlobalMaxPool":
        if any(data.shape[axis] == 0 for axis in axes) and data.shape[0] * data.shape[1]:
            raise CannotAnswerError("the largest of nothing")
        return Arr(call.type, np.max(data, axes, keepdims=True, initial=-np.inf))
    if call.operator == "GlobalAveragePool":
        return fit(call.type, np.mean(data, axes, keepdims=True))
    return fit(call.type, lp_norm(data, call.attr("p"), axes))


@evaluates("MaxUnpool")
def max_unpool(call: Call) -> Arr:
    """`MaxUnpool`: values at their indices of the tensor that was pooled, zeros elsewhere."""
    data, index = call.data(0), call.data(1)
    count = data.ndim - 2
    kernel = call.attr("kernel_shape")
    strides = by_axis(call, "strides", count)
    # With an output_shape, pads are ignored.
    pads = [0] * (2 * count) if call.has(2) else by_axis(call, "pads", 2 * count, 0)
    shape = [
        (data.shape[axis + 2] - 1) * strides[axis] + kernel[axis] - pads[axis] - pads[axis + count]
        for axis in range(count)
    ]
    inferred = (*data.shape[:2], *shape)
    made = zeros(call.type, (int(np.prod(inferred, dtype=np.int64)),))
    made[index.reshape(-1)] = data.reshape(-1)
    made = made.reshape(inferred)
    if not call.has(2):
        return Arr(call.type, made)
    wanted = tuple(call.arr(2).ints)
    if any(a > b for a, b in zip(inferred, wanted, strict=True)):
        raise CannotAnswerError("an output_shape below the inferred one")
    larger = zeros(call.type, wanted)
    larger[tuple(slice(0, item) for item in inferred)] = made
    return Arr(call.type, larger)
