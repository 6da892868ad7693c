"""Convolutions, in long double or integers of any size."""

from __future__ import annotations

from itertools import product as places_of
from typing import Any

import numpy as np

from ...graphs.call import Call
from ...graphs.registry import evaluates
from ...values.formats import LD, Array
from ...values.tensors import Arr, fit
from ..elementwise.functions import sigmoid
from ..shared import by_axis, on_axis, text, zeros
from .matrices import exact, zero_point
from .windows import Window, at_kernel, padded, steps_of, window_of


def convolve(data: Array, weights: Array, window: Window, groups: int, fill: Any = 0) -> Array:  # noqa: ANN401
    """The cross-correlation of a padded input with a kernel, group by group."""
    wide = padded(data, window, fill)
    batch, maps = data.shape[0], weights.shape[0]
    made = np.zeros((batch, maps, *window.output), data.dtype)
    if made.size == 0:
        return made
    inner, outer = weights.shape[1], maps // groups
    for place in np.ndindex(*window.kernel):
        part = at_kernel(wide, window, place)
        for group in range(groups):
            here = part[:, group * inner : (group + 1) * inner]
            rows: tuple[Any, ...] = (slice(group * outer, (group + 1) * outer), slice(None))
            kernel = weights[rows + place]
            found = np.tensordot(kernel, here, (1, 1))
            made[:, group * outer : (group + 1) * outer] += np.moveaxis(found, 0, 1)
    return made


@evaluates("Conv")
def conv(call: Call) -> Arr:
    """`Conv`."""
    data, weights = call.data(0), call.data(1)
    window = window_of(call, data.shape[2:], weights.shape[2:])
    found = convolve(data, weights, window, call.attr("group"))
    if call.has(2):
        found = found + on_axis(call.data(2), data.ndim, 1)
    return fit(call.type, found)


@evaluates("ConvInteger")
def conv_integer(call: Call) -> Arr:
    """`ConvInteger`: zero points subtracted, padding with the zero point of x."""
    return fit("int32", integer_convolution(call, call.opt(2), call.opt(3), 0, 1))


def integer_convolution(
    call: Call, x_zero: Arr | None, w_zero: Arr | None, x: int, w: int
) -> Array:
    """The accumulated convolution of quantized values, exactly."""
    data = call.data(x).astype(object)
    weights = call.data(w).astype(object)
    if x_zero is not None:
        data = data - x_zero.data.astype(object).reshape(-1)[0]
    weights = weights - zero_point(w_zero, weights.ndim, 0)
    window = window_of(call, data.shape[2:], weights.shape[2:])
    return convolve(data, weights, window, call.attr("group"))


@evaluates("ConvTranspose")
def conv_transpose(call: Call) -> Arr:
    """`ConvTranspose`: each input element spreads the kernel over the output."""
    data, weights = call.data(0), call.data(1)
    spatial, kernel = data.shape[2:], weights.shape[2:]
    count, groups = len(spatial), call.attr("group")
    strides, dilations = (by_axis(call, name, count) for name in ("strides", "dilations"))
    extra = by_axis(call, "output_padding", count, 0)
    full = [
        strides[axis] * (spatial[axis] - 1) + (kernel[axis] - 1) * dilations[axis] + 1
        for axis in range(count)
    ]
    reached = [size + more for size, more in zip(full, extra, strict=True)]
    before, output = _transposed_shape(call, spatial, strides, reached)
    outer = weights.shape[1]
    inner = data.shape[1] // groups
    room = [max(full[axis], before[axis] + output[axis]) for axis in range(count)]
    made = np.zeros((data.shape[0], outer * groups, *room), LD)
    for place in np.ndindex(*kernel):
        target = steps_of(place, dilations, spatial, strides)
        for group in range(groups):
            rows = slice(group * inner, (group + 1) * inner)
            found = np.tensordot(weights[(rows, slice(None), *place)], data[:, rows], (0, 1))
            outputs = slice(group * outer, (group + 1) * outer)
            made[(slice(None), outputs, *target)] += np.moveaxis(found, 0, 1)
    cut: list[Any] = [slice(b, b + o) for b, o in zip(before, output, strict=True)]
    found = made[(slice(None), slice(None), *cut)]
    if call.has(2):
        found = found + on_axis(call.data(2), data.ndim, 1)
    return fit(call.type, found)


def _transposed_shape(
    call: Call, spatial: tuple[int, ...], strides: list[int], full: list[int]
) -> tuple[list[int], list[int]]:
    """Padding before each axis, and the output's spatial shape."""
    count = len(spatial)
    pads = by_axis(call, "pads", 2 * count, 0)
    auto = text(call.attr("auto_pad"))
    output = call.attr("output_shape")
    if output is None and auto in ("SAME_UPPER", "SAME_LOWER"):
        output = [length * stride for length, stride in zip(spatial, strides, strict=True)]
    if output is None:
        pads = [0] * (2 * count) if auto == "VALID" else pads
        return pads[:count], [full[axis] - pads[axis] - pads[axis + count] for axis in range(count)]
    output = output[-count:]
    before = []
    for axis in range(count):
        total = max(full[axis] - output[axis], 0)
        small = total // 2
        upper = auto == "SAME_UPPER"
        if call.version < 11 and auto == "NOTSET":
            upper = True
        before.append(small if upper else total - small)
    return before, list(output)


@evaluates("CausalConvWithState")
def causal(call: Call) -> tuple[Arr, Arr]:
    """`CausalConvWithState`: each channel over the present and k - 1 earlier positions."""
    data, weights = call.data(0), call.data(1)
    kept = weights.shape[2] - 1
    past = call.data(3) if call.has(3) else np.zeros((*data.shape[:2], kept), LD)
    whole = np.concatenate([past, data], 2)
    length = data.shape[2]
    found = np.zeros(data.shape, LD)
    for place in range(kept + 1):
        found = found + whole[:, :, place : place + length] * weights[None, :, 0, place, None]
    if call.has(2):
        found = found + call.data(2)[None, :, None]
    if text(call.attr("activation")) in ("silu", "swish"):
        found = found * sigmoid(found)
    return fit(call.type, found), fit(call.type, whole[:, :, whole.shape[2] - kept :])


@evaluates("Col2Im")
def col_to_image(call: Call) -> Arr:
    """`Col2Im`: blocks added up where they overlap."""
    columns, image, block = exact(call.data(0), call.type), call.arr(1).ints, call.arr(2).ints
    count = len(image)
    strides, dilations = (by_axis(call, name, count) for name in ("strides", "dilations"))
    pads = by_axis(call, "pads", 2 * count, 0)
    room = [image[axis] + pads[axis] + pads[axis + count] for axis in range(count)]
    blocks = [
        (room[axis] - dilations[axis] * (block[axis] - 1) - 1) // strides[axis] + 1
        for axis in range(count)
    ]
    batch = columns.shape[0]
    size = int(np.prod(block, dtype=np.int64))
    channels = columns.shape[1] // size
    parts = columns.reshape(batch, channels, *block, *blocks)
    made = zeros(call.type, (batch, channels, *room)).astype(columns.dtype)
    for place in np.ndindex(*block):
        target = steps_of(place, dilations, blocks, strides)
        made[(slice(None), slice(None), *target)] += parts[(slice(None), slice(None), *place)]
    cut: list[Any] = [slice(pads[axis], pads[axis] + image[axis]) for axis in range(count)]
    return fit(call.type, made[(slice(None), slice(None), *cut)])


@evaluates("DeformConv")
def deformable(call: Call) -> Arr:
    """`DeformConv`: the kernel's places moved by offsets, read by linear interpolation."""
    data, weights, offset = call.data(0), call.data(1), call.data(2)
    window = window_of(call, data.shape[2:], weights.shape[2:])
    count, groups, parts = len(window.kernel), call.attr("group"), call.attr("offset_group")
    size = int(np.prod(window.kernel, dtype=np.int64))
    batch, channels = data.shape[:2]
    moved = offset.reshape(batch, parts, size, count, *window.output)
    mask = np.ones((batch, parts, size, *window.output), LD)
    if call.has(4):
        mask = call.data(4).reshape(mask.shape)
    inner, outer = weights.shape[1], weights.shape[0] // groups
    made = np.zeros((batch, weights.shape[0], *window.output), LD)
    grid = np.indices(window.output).astype(LD)
    kernels = weights.reshape(weights.shape[0], inner, size)
    for number, place in enumerate(np.ndindex(*window.kernel)):
        for item in range(batch):
            base = [
                grid[axis] * window.strides[axis]
                - window.before[axis]
                + place[axis] * window.dilations[axis]
                for axis in range(count)
            ]
            for channel in range(channels):
                part = channel // (channels // parts)
                where = [base[axis] + moved[item, part, number, axis] for axis in range(count)]
                read = _interpolated(data[item, channel], where) * mask[item, part, number]
                group = channel // inner
                rows = slice(group * outer, (group + 1) * outer)
                kernel = kernels[rows, channel % inner, number]
                made[item, rows] += kernel.reshape((-1,) + (1,) * count) * read
    if call.has(3):
        made = made + on_axis(call.data(3), data.ndim, 1)
    return fit(call.type, made)


def _interpolated(image: Array, where: list[Array]) -> Array:
    """Linear interpolation at real positions, zeros around the image."""
    total = np.zeros(where[0].shape, LD)
    low = [np.floor(item) for item in where]
    for corner in places_of((0, 1), repeat=len(where)):
        weight = np.ones(where[0].shape, LD)
        inside = np.ones(where[0].shape, bool)
        places = []
        for axis, step in enumerate(corner):
            share = where[axis] - low[axis]
            weight = weight * (share if step else 1 - share)
            place = low[axis] + step
            inside &= (place >= 0) & (place < image.shape[axis])
            places.append(np.clip(np.where(inside, place, 0), 0, image.shape[axis] - 1))
        read = image[tuple(item.astype(np.int64) for item in places)]
        # A weight of zero reads nothing, so that an infinity beside does no harm.
        total = total + np.where(inside & (weight != 0), weight * read, LD(0))
    return np.where(np.isnan(sum(where)), LD(np.nan), total)
