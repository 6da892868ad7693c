"""Softmax and its relatives, and the losses that are made of it."""

from __future__ import annotations

import numpy as np

from ...graphs.call import Call
from ...graphs.registry import evaluates
from ...values.formats import LD, Array
from ...values.tensors import Arr, CannotAnswerError, fit
from ..shared import text


def softmax(data: Array, axis: int) -> Array:
    """`exp(x) / sum(exp(x))` along an axis, in long double."""
    return np.exp(log_softmax(data, axis))


def log_softmax(data: Array, axis: int) -> Array:
    """Its logarithm."""
    if data.size == 0:
        return data
    top = np.max(data, axis, keepdims=True)
    moved = data - top
    result: Array = moved - np.log(np.sum(np.exp(moved), axis, keepdims=True))
    return result


def _hardmax(data: Array, axis: int) -> Array:
    if data.size == 0:
        return data
    place = np.expand_dims(np.argmax(data, axis), axis)
    made = np.zeros_like(data)
    np.put_along_axis(made, place, LD(1), axis)
    return made


@evaluates("Softmax", "LogSoftmax", "Hardmax")
def softmaxes(call: Call) -> Arr:
    """Along one axis; before opset 13 over all dimensions from axis on."""
    function = {"Softmax": softmax, "LogSoftmax": log_softmax, "Hardmax": _hardmax}[call.operator]
    data, axis = call.data(0), call.attr("axis")
    if call.version >= 13:
        return fit(call.type, function(data, axis % max(data.ndim, 1)) if data.ndim else data)
    axis = axis + data.ndim if axis < 0 else axis
    rows = int(np.prod(data.shape[:axis], dtype=np.int64))
    columns = int(np.prod(data.shape[axis:], dtype=np.int64))
    return fit(call.type, function(data.reshape(rows, columns), 1).reshape(data.shape))


def _loss(call: Call, logs: Array) -> Arr:
    labels = call.data(1).astype(np.int64)
    ignore = call.attr("ignore_index")
    ignored = labels == ignore if ignore is not None else np.zeros(labels.shape, bool)
    places = np.where(ignored, 0, labels)
    if places.size and logs.shape[1] == 0:
        raise CannotAnswerError("no class")
    values = np.take_along_axis(logs, np.expand_dims(places, 1), 1).squeeze(1)
    weights = np.ones(labels.shape, LD)
    if call.has(2):
        weights = call.data(2)[places]
    weights = np.where(ignored, LD(0), weights)
    reduction = text(call.attr("reduction"))
    losses = np.where(ignored, LD(0), -values * weights)
    if reduction == "none":
        return fit(call.type, losses)
    total = np.sum(losses)
    if reduction == "sum":
        return fit(call.type, total)
    divisor = np.sum(weights) if call.has(2) or ignored.any() else LD(losses.size)
    return fit(call.type, np.asarray(total / divisor))


@evaluates("NegativeLogLikelihoodLoss")
def likelihood(call: Call) -> Arr:
    """`-input[n][c][d] * weight[c]`, zero where ignored, summed or averaged by weight."""
    return _loss(call, call.data(0))


@evaluates("SoftmaxCrossEntropyLoss")
def cross_entropy(call: Call) -> tuple[Arr, Arr]:
    """The same of the logarithm of the softmax of the scores."""
    logs = log_softmax(call.data(0), 1)
    return _loss(call, logs), fit(call.type, logs)
