"""Normalizations: mean and variance of some axes."""

from __future__ import annotations

import numpy as np

from ...graphs.call import Call
from ...graphs.registry import evaluates
from ...values.formats import LD, Array
from ...values.tensors import Arr, CannotAnswerError, fit
from ..shared import as_float32, lp_norm, on_axis, type_of_code


def _moments(data: Array, axes: tuple[int, ...]) -> tuple[Array, Array]:
    mean = np.mean(data, axes, keepdims=True)
    return mean, np.mean((data - mean) ** 2, axes, keepdims=True)


@evaluates("BatchNormalization")
def batch(call: Call) -> tuple[Arr, ...]:
    """`(X - mean) / sqrt(var + epsilon) * scale + B` by channel."""
    data = call.data(0)
    epsilon, momentum = as_float32(call, "epsilon", "momentum")
    training = _is_training(call)
    spatial = call.attr("spatial", 1)
    names = [call.arr(place).type for place in range(5)]
    parts = [call.data(place) for place in range(1, 5)]
    if spatial:
        scale, bias, mean, variance = (on_axis(item, data.ndim, 1) for item in parts)
        axes = tuple(axis for axis in range(data.ndim) if axis != 1)
    else:
        scale, bias, mean, variance = (np.expand_dims(item, 0) for item in parts)
        axes = (0,)
    outputs: list[Arr] = []
    if training:
        current = _moments(data, axes if data.ndim > 1 else (0,))
        for place, (old, new) in enumerate(zip((mean, variance), current, strict=True)):
            running = old * momentum + new * (1 - momentum)
            outputs.append(fit(names[3 + place], running.reshape(parts[2].shape)))
        mean, variance = current
        if call.version < 14:
            outputs += [fit(names[3], item.reshape(parts[2].shape)) for item in current]
    found = (data - mean) / np.sqrt(variance + epsilon) * scale + bias
    return (fit(names[0], found), *outputs)


def _is_training(call: Call) -> bool:
    if call.version >= 14:
        return bool(call.attr("training_mode"))
    if call.version < 7:
        return not call.attr("is_test")
    return sum(1 for name in call.outputs if name) > 1


@evaluates("InstanceNormalization")
def instance(call: Call) -> Arr:
    """By instance and channel."""
    data = call.data(0)
    (epsilon,) = as_float32(call, "epsilon")
    mean, variance = _moments(data, tuple(range(2, data.ndim)))
    scale, bias = (on_axis(call.data(place), data.ndim, 1) for place in (1, 2))
    return fit(call.type, scale * (data - mean) / np.sqrt(variance + epsilon) + bias)


@evaluates("GroupNormalization", since=21)
def group(call: Call) -> Arr:
    """By instance and group of channels; scale and bias by channel."""
    data, groups = call.data(0), call.attr("num_groups")
    (epsilon,) = as_float32(call, "epsilon")
    split = data.reshape(data.shape[0], groups, -1)
    mean, variance = _moments(split, (2,))
    first = ((split - mean) / np.sqrt(variance + epsilon)).reshape(data.shape)
    scale, bias = (on_axis(call.data(place), data.ndim, 1) for place in (1, 2))
    return fit(call.type, first * scale + bias)


@evaluates("LayerNormalization")
def layer(call: Call) -> tuple[Arr, ...]:
    """Over the axes from axis on, with scale, bias, mean and inverse deviation."""
    data = call.data(0)
    axes = tuple(range(call.attr("axis") % data.ndim, data.ndim))
    (epsilon,) = as_float32(call, "epsilon")
    stash = type_of_code(call.attr("stash_type"))
    mean, variance = _moments(data, axes)
    inverse = 1 / np.sqrt(variance + epsilon)
    found = (data - mean) * inverse * call.data(1)
    if call.has(2):
        found = found + call.data(2)
    return fit(call.type, found), fit(stash, mean), fit(stash, inverse)


@evaluates("RMSNormalization")
def root_mean_square(call: Call) -> Arr:
    """`X / sqrt(mean(X * X) + epsilon) * scale`; the output has the type of scale."""
    data = call.data(0)
    axes = tuple(range(call.attr("axis") % data.ndim, data.ndim))
    (epsilon,) = as_float32(call, "epsilon")
    root = np.sqrt(np.mean(data * data, axes, keepdims=True) + epsilon)
    return fit(call.arr(1).type, data / root * call.data(1))


@evaluates("MeanVarianceNormalization")
def mean_variance(call: Call) -> Arr:
    """`(X-EX)/sqrt(E(X-EX)^2)`; its function body adds 1e-9 to the deviation."""
    data = call.data(0)
    mean, variance = _moments(data, tuple(call.attr("axes")))
    small = LD(np.float32(1e-9))
    return fit(call.type, (data - mean) / (np.sqrt(variance) + small))


@evaluates("LpNormalization")
def lp(call: Call) -> Arr:
    """`input / Lp_norm(input, axis)`, zero where the norm is zero."""
    data, axis = call.data(0), call.attr("axis")
    if call.attr("p") not in (1, 2):
        raise CannotAnswerError("p is neither 1 nor 2")
    norm = lp_norm(data, call.attr("p"), (axis,))
    return fit(call.type, np.where(norm == 0, LD(0), data / norm))


@evaluates("LRN")
def local_response(call: Call) -> Arr:
    """`X / (bias + alpha / size * square_sum) ^ beta`, over neighbouring channels."""
    data, size = call.data(0), call.attr("size")
    alpha, beta, bias = as_float32(call, "alpha", "beta", "bias")
    channels = data.shape[1]
    sums = np.zeros_like(data)
    for channel in range(channels):
        low = max(0, channel - (size - 1) // 2)
        high = min(channels - 1, channel + -(-(size - 1) // 2))
        sums[:, channel] = np.sum(data[:, low : high + 1] ** 2, 1)
    return fit(call.type, data / (bias + alpha / size * sums) ** beta)
