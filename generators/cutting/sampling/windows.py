"""Pieces of convolutions, pools and LRN: single places with the window that they are made of."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING

from onnx_conformance.core.models.attributes import attributes_of

from ..questions import NotCutError
from .choosing import Chooser
from .pieces import Part, Piece, Sample, Shape, places, position, whole
from .shaping import Windows, changed, windows_of

if TYPE_CHECKING:
    import onnx


# Channels of one place: the window is the same for all of a group.
_CHANNELS = 3
_TRIES = 64
# Where the weights are, and inputs with one number for each output channel.
_WEIGHTS = {"Conv": 1, "ConvInteger": 1, "QLinearConv": 3}
_BY_CHANNEL = {"Conv": (2,), "ConvInteger": (3,), "QLinearConv": (4, 5, 8)}


def convolution(node: onnx.NodeProto, shapes: Sequence[Shape | None], chooser: Chooser) -> Sample:
    """Conv, ConvInteger and QLinearConv: a place for some channels of one group."""
    attributes = attributes_of(node)
    data, weights = shapes[0], shapes[_WEIGHTS[node.op_type]]
    groups = attributes.get("group", 1)
    if data is None or weights is None or len(data) != len(weights) or len(data) < 3:
        raise NotCutError("its input and its weights have other ranks than a convolution takes")
    if data[1] != weights[1] * groups or weights[0] % groups:
        raise NotCutError("the channels of its input and of its weights do not fit")
    kernel = list(attributes.get("kernel_shape") or weights[2:])
    if tuple(kernel) != weights[2:]:
        raise NotCutError("its kernel_shape is not that of its weights")
    windows = windows_of(attributes, data[2:], kernel)
    shape = (data[0], weights[0], *(item.outputs for item in windows))

    def pieces() -> Iterator[Piece]:
        for turn, (batch, spatial) in enumerate(_spots(shape, chooser)):
            here = _inside(windows, spatial)
            if here is None:
                continue  # what such a window holds is a question of its own
            inside, before, after = here
            group, each = chooser.below(groups), weights[0] // groups
            channels = [group * each + item for item in chooser.some(each, 1 + turn % _CHANNELS)]
            into = range(group * weights[1], (group + 1) * weights[1])
            parts = _convolved(node, shapes, ([batch], into, *inside), channels)
            small = changed(
                node,
                ("auto_pad",),
                {"group": 1, "pads": [*before, *after], "strides": [1] * len(spatial)},
            )
            part = ([batch], channels, *([at] for at in spatial))
            output = (1, len(channels), *([1] * len(spatial)))
            yield Piece(small, parts, output, places(part, shape))

    return shape, pieces()


def _inside(windows: Sequence[Windows], spatial: Shape) -> tuple[Part, Shape, Shape] | None:
    """The part of the input in the windows of a place, and what is padded before and behind it."""
    here = [item.at(at) for item, at in zip(windows, spatial, strict=True)]
    if any(item is None for item in here):
        return None
    inside, before, after = zip(*(item for item in here if item is not None), strict=True)
    return inside, before, after


def _convolved(
    node: onnx.NodeProto, shapes: Sequence[Shape | None], data: Part, channels: Sequence[int]
) -> tuple[Part | None, ...]:
    """The parts of a convolution's inputs for some of its output channels."""
    parts: list[Part | None] = []
    for index, shape in enumerate(shapes):
        if shape is None:
            parts.append(None)
        elif index == 0:
            parts.append(data)
        elif index == _WEIGHTS[node.op_type]:
            parts.append((channels, *whole(shape[1:])))
        elif index in _BY_CHANNEL[node.op_type] and math.prod(shape) > 1:
            parts.append((channels,))
        else:
            parts.append(whole(shape))
    return tuple(parts)


def transposed(node: onnx.NodeProto, shapes: Sequence[Shape | None], chooser: Chooser) -> Sample:
    """ConvTranspose: a place with all inputs that reach it, for some channels of one group."""
    attributes = attributes_of(node)
    data, weights = shapes[0], shapes[1]
    groups = attributes.get("group", 1)
    if data is None or weights is None or len(data) != len(weights) or len(data) < 3:
        raise NotCutError("its input and its weights have other ranks than a convolution takes")
    if data[1] != weights[0] or data[1] % groups:
        raise NotCutError("the channels of its input and of its weights do not fit")
    if attributes.get("output_shape") or attributes.get("auto_pad", "NOTSET") != "NOTSET":
        raise NotCutError("its shapes are too much for the oracle, and its padding is computed")
    rank = len(data) - 2
    strides = list(attributes.get("strides") or [1] * rank)
    dilations = list(attributes.get("dilations") or [1] * rank)
    pads = list(attributes.get("pads") or [0] * (2 * rank))
    more = list(attributes.get("output_padding") or [0] * rank)
    reach = [dilations[axis] * (weights[2 + axis] - 1) + 1 for axis in range(rank)]
    spatial = tuple(
        strides[axis] * (data[2 + axis] - 1)
        + more[axis]
        + reach[axis]
        - pads[axis]
        - pads[rank + axis]
        for axis in range(rank)
    )
    shape = (data[0], weights[1] * groups, *spatial)
    small = changed(
        node, ("auto_pad", "output_padding", "output_shape"), {"group": 1, "pads": [0] * (2 * rank)}
    )

    def pieces() -> Iterator[Piece]:
        for turn, (batch, spot) in enumerate(_spots(shape, chooser)):
            inside, inner, made = [], [], []
            for axis, at in enumerate(spot):
                full = at + pads[axis]
                first = max(-(-(full - reach[axis] + 1) // strides[axis]), 0)
                last = min(full // strides[axis], data[2 + axis] - 1)
                inside.append(range(first, last + 1))
                inner.append(full - first * strides[axis])
                made.append((last - first) * strides[axis] + reach[axis])
            if not all(inside) or any(i >= m for i, m in zip(inner, made, strict=True)):
                continue  # nothing reaches it
            each = data[1] // groups
            group = chooser.below(groups)
            into = range(group * each, (group + 1) * each)
            channels = chooser.some(weights[1], 1 + turn % _CHANNELS)
            own = [group * weights[1] + item for item in channels]
            parts: list[Part | None] = [([batch], into, *inside)]
            parts.append((into, channels, *whole(weights[2:])))
            parts += [None if item is None else (own,) for item in shapes[2:]]
            output = (1, len(channels), *made)
            found = tuple(
                (
                    position((0, index, *inner), output),
                    position((batch, channel, *spot), shape),
                )
                for index, channel in enumerate(own)
            )
            yield Piece(small, tuple(parts), output, found)

    return shape, pieces()


def pool(node: onnx.NodeProto, shapes: Sequence[Shape | None], chooser: Chooser) -> Sample:
    """MaxPool, AveragePool and LpPool: a place for some channels."""
    attributes = attributes_of(node)
    (data,) = shapes[:1]
    if data is None or len(data) < 3:
        raise NotCutError("its input has another rank than a pool takes")
    windows = windows_of(attributes, data[2:], list(attributes.get("kernel_shape", ())))
    shape = (*data[:2], *(item.outputs for item in windows))

    def pieces() -> Iterator[Piece]:
        for batch, spatial in _spots(shape, chooser):
            here = _inside(windows, spatial)
            if here is None:
                continue  # what such a window holds is a question of its own
            inside, before, after = here
            channels = chooser.some(data[1], _CHANNELS)
            added = {"pads": [*before, *after], "strides": [1] * len(spatial)}
            small = changed(node, ("auto_pad", "ceil_mode"), added)
            part = ([batch], channels, *([at] for at in spatial))
            output = (1, len(channels), *([1] * len(spatial)))
            yield Piece(small, (([batch], channels, *inside),), output, places(part, shape))

    return shape, pieces()


def neighbours(node: onnx.NodeProto, shapes: Sequence[Shape | None], chooser: Chooser) -> Sample:
    """LRN: a channel with the channels around it, at some places."""
    (data,) = shapes[:1]
    size = attributes_of(node).get("size", 1)
    if data is None or len(data) < 3:
        raise NotCutError("its input has another rank than LRN takes")

    def pieces() -> Iterator[Piece]:
        for channel in chooser.some(data[1], 8):
            first = max(channel - (size - 1) // 2, 0)
            last = min(channel + -(-(size - 1) // 2), data[1] - 1)
            batch = chooser.below(data[0])
            spatial = chooser.grid(data[2:], 3)
            output = (1, last - first + 1, *map(len, spatial))
            found = tuple(
                (
                    position((0, channel - first, *inner), output),
                    position((batch, channel, *spot), data),
                )
                for inner, spot in zip(
                    product(*(range(len(item)) for item in spatial)), product(*spatial), strict=True
                )
            )
            yield Piece(node, (([batch], range(first, last + 1), *spatial),), output, found)

    return data, pieces()


def _spots(shape: Shape, chooser: Chooser) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Places of an output: its corners, then others."""
    if not math.prod(shape):
        return
    yield 0, tuple(0 for _ in shape[2:])
    yield shape[0] - 1, tuple(size - 1 for size in shape[2:])
    for _ in range(_TRIES):
        yield chooser.below(shape[0]), tuple(chooser.below(size) for size in shape[2:])
