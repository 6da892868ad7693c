"""Conv and ConvTranspose, all versions. Sources: their pages; ONNX's own examples of them.

The page of Conv has no equation: that the kernel is not turned round, and that the padding is of
zeros, its examples show.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ...accuracy.sums import dot_value
from ...arith.grid import Grid, Item, Shape, indices
from ...arith.numbers import ONE, ZERO, is_finite
from ...arith.windows import Axis, counts, extent, grouped, halves, taps_inside, windows
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from .attributes import Page, auto_pad, padding, positive, window_axes

_CHECKED = 11


@oracle("Conv")
def convolution(call: Call) -> Result:
    """The sums of products of each window with each kernel, and the bias."""
    x, w = call.grid("X"), call.grid("W")
    placement = placement_of(call, x.shape, w.shape)
    bias = bias_of(call, placement.maps)
    items = [
        _sum(call, x.type, *factors, bias[out], missing=missing)
        for out, factors, missing in products(placement, x, w)
    ]
    return (Grid(x.type, placement.shape, items),)


@dataclass(frozen=True)
class Placement:
    """What a convolution does with tensors of given shapes.

    Attributes:
        axes: the window along each spatial axis.
        batch, channels, maps: sizes of X's first two axes, and the number of output channels.
        groups: how many groups channels and maps are divided into.
    """

    axes: tuple[Axis, ...]
    batch: int
    channels: int
    maps: int
    groups: int

    @property
    def shape(self) -> Shape:
        """Of the output."""
        return (self.batch, self.maps, *counts(self.axes))


def placement_of(call: Call, x: Shape, w: Shape) -> Placement:
    """The convolution of X with W by the attributes of Conv, ConvInteger and QLinearConv.

    Raises InvalidCallError where shapes and attributes do not fit.
    """
    kernel = _kernel(call, x, w)
    groups = call.int_attribute("group", 1)
    if groups < 1 or w[1] * groups != x[1]:
        raise InvalidCallError(f"{groups} groups of {w[1]} channels, and X has {x[1]}")
    if w[0] % groups:
        raise InvalidCallError(f"{w[0]} maps do not divide into {groups} groups")
    # Of SAME the page of Conv-1 says no more than that sizes match.
    matched = call.operator == "Conv" and call.since_version < _CHECKED
    axes = window_axes(call, x[2:], kernel, Page(matched=matched))
    if any(not axis.count for axis in axes) and auto_pad(call) in {"NOTSET", "VALID"}:
        refuse_if_chosen(call, "no-place-for-the-kernel", "empty")
    return Placement(axes, x[0], x[1], w[0], groups)


def products(
    placement: Placement, x: Grid, w: Grid
) -> Iterator[tuple[int, tuple[list[Any], list[Any]], list[Any]]]:
    """For each element of the output, in its order, what is multiplied and summed up.

    Yields:
        the output channel; the elements of X with those of W; and the elements of W over padding.
    """
    area, taps = math.prod(axis.size for axis in placement.axes), math.prod(w.shape[2:])
    at = [inside for _, inside in windows(placement.axes)]
    # What lies under a kernel meets all maps of its group, and most places are under all taps.
    over = [tuple(tap for tap, _ in inside) for inside in at]
    depth = w.shape[1]
    for image in range(placement.batch):
        group: Sequence[int] = ()
        under: list[list[Any]] = []
        for out, channels in grouped(placement.channels, placement.maps, placement.groups):
            if channels != group:
                group = channels
                starts = [(image * placement.channels + channel) * area for channel in channels]
                under = [
                    [x.items[start + index] for start in starts for _, index in inside]
                    for inside in at
                ]
            firsts = range(out * depth * taps, (out + 1) * depth * taps, taps or 1)
            parts: dict[tuple[int, ...], tuple[list[Any], list[Any]]] = {}
            for elements, own in zip(under, over, strict=True):
                if own not in parts:
                    rest = [tap for tap in range(taps) if tap not in set(own)]
                    parts[own] = (
                        [w.items[first + tap] for first in firsts for tap in own],
                        [w.items[first + tap] for first in firsts for tap in rest],
                    )
                weights, missing = parts[own]
                yield out, (elements, weights), missing


def _kernel(call: Call, x: Shape, w: Shape) -> Shape:
    """The kernel's shape, which is W's; InvalidCallError where ranks or the attribute differ."""
    if len(x) < 3 or len(w) != len(x):
        raise InvalidCallError(f"X of rank {len(x)} and W of rank {len(w)}")
    kernel = call.ints_attribute("kernel_shape", w[2:])
    if kernel != w[2:]:
        raise InvalidCallError(f"kernel_shape {list(kernel)} for a W of {list(w[2:])}")
    return kernel


def bias_of(call: Call, maps: int, name: str = "B") -> Sequence[Any]:
    """The bias of each output channel, None where there is none."""
    bias = call.optional_grid(name)
    if bias is None:
        return (None,) * maps
    if bias.shape != (maps,):
        raise InvalidCallError(f"{name} has shape {list(bias.shape)}, not [{maps}]")
    items: Sequence[Any] = bias.items
    return items


def _sum(  # noqa: PLR0913  what one element is made of
    call: Call,
    name: str,
    elements: list[Any],
    weights: list[Any],
    bias: Any,  # noqa: ANN401  an element or None
    *,
    missing: Sequence[Any] = (),
) -> Item:
    """The sum of products and the bias; the padding's zeros change it beside infinities alone."""
    if any(not is_finite(item) for item in missing):
        reading = call.choose("padding-times-infinity", "zero-times-it", "left-out")
        if reading == "zero-times-it":
            elements, weights = [*elements, *[ZERO] * len(missing)], [*weights, *missing]
    if bias is not None:
        elements, weights = [*elements, bias], [*weights, ONE]
    return dot_value(name, elements, weights)


# --- the transpose ---------------------------------------------------------------------------


@oracle("ConvTranspose")
def transposed_convolution(call: Call) -> Result:
    """Each element of X spread over the window that a convolution would have made it from."""
    x, w = call.grid("X"), call.grid("W")
    kernel = _kernel(call, x.shape, w.shape)
    groups = call.int_attribute("group", 1)
    channels = x.shape[1]
    if groups < 1 or w.shape[0] != channels or channels % groups:
        raise InvalidCallError(f"{groups} groups, X of {channels} channels, W of {w.shape[0]}")
    maps = w.shape[1] * groups
    axes = _transposed_axes(call, x.shape[2:], kernel)
    bias = bias_of(call, maps)
    sizes = tuple(axis.size for axis in axes)
    met = _met(axes, sizes)
    area, taps = math.prod(x.shape[2:]), math.prod(kernel)
    items = []
    for image in range(x.shape[0]):
        # Seen from the output, X's channels are the maps of a convolution, and W is turned.
        for out, inputs in grouped(channels, maps, groups):
            column = out % w.shape[1]
            for pairs in met:
                elements, weights = [], []
                for channel in inputs:
                    start = (image * channels + channel) * area
                    first = (channel * w.shape[1] + column) * taps
                    elements += [x.items[start + place] for place, _ in pairs]
                    weights += [w.items[first + tap] for _, tap in pairs]
                items.append(_sum(call, x.type, elements, weights, bias[out]))
    return (Grid(x.type, (x.shape[0], maps, *sizes), items),)


def _met(axes: Sequence[Axis], sizes: Shape) -> list[list[tuple[int, int]]]:
    """For each element of the output the places in X, and the taps, that spread to it."""
    met: list[list[tuple[int, int]]] = [[] for _ in range(math.prod(sizes))]
    for place, position in enumerate(indices(counts(axes))):
        for tap, reached in taps_inside(axes, position):
            met[reached].append((place, tap))
    return met


def _transposed_axes(call: Call, sizes: Shape, kernel: Shape) -> tuple[Axis, ...]:
    """The window of the convolution that this is the transpose of, on the axes of the output."""
    rank = len(sizes)
    if any(size < 1 for size in kernel):
        raise InvalidCallError(f"the kernel {list(kernel)} has a size below 1")
    strides = positive(call, "strides", rank)
    dilations = positive(call, "dilations", rank)
    added = _output_padding(call, strides, dilations)
    asked = _output_shape(call, rank)
    if asked is None:
        mode, explicit = padding(call, rank)
    else:
        mode, explicit = auto_pad(call), [(0, 0)] * rank
    axes = []
    for axis, size in enumerate(sizes):
        stride, reach = strides[axis], extent(kernel[axis], dilations[axis])
        full = stride * (size - 1) + added[axis] + reach
        wanted = asked[axis] if asked is not None else None
        if wanted is None and mode in {"SAME_UPPER", "SAME_LOWER"}:
            wanted = size * stride
        if wanted is None:
            begin, end = explicit[axis]
        elif asked is None and full < wanted:
            begin, end = _beyond(call, full - wanted, mode)
        else:
            begin, end = _generated(call, full - wanted, mode)
        out = full - begin - end
        if out < 0:
            raise InvalidCallError(f"axis {axis} of the output has size {out}")
        # What of the output is beyond the full size comes from no element.
        axes.append(Axis(out, kernel[axis], stride, dilations[axis], begin, end=0, count=size))
    return tuple(axes)


def _output_padding(call: Call, strides: Shape, dilations: Shape) -> Shape:
    rank = len(strides)
    added = call.ints_attribute("output_padding", (0,) * rank)
    if len(added) != rank or any(width < 0 for width in added):
        raise InvalidCallError(f"output_padding {list(added)} for {rank} spatial axes")
    if call.since_version >= _CHECKED:
        for width, stride, dilation in zip(added, strides, dilations, strict=True):
            if width >= max(stride, dilation):
                raise InvalidCallError(
                    f"output_padding {width} with stride {stride} and dilation {dilation}"
                )
            if width >= stride:
                refuse_if_chosen(call, "output-padding-below-dilation", "taken")
    return added


def _output_shape(call: Call, rank: int) -> Shape | None:
    if "output_shape" not in call.attributes:
        return None
    shape = call.ints_attribute("output_shape")
    if len(shape) != rank or any(size < 0 for size in shape):
        raise InvalidCallError(f"output_shape {list(shape)} for {rank} spatial axes")
    return shape


def _beyond(call: Call, total: int, mode: str) -> tuple[int, int]:
    """The pads of an axis that auto_pad cannot make as long as it says."""
    reading = call.choose("same-beyond-the-full-one", "padded-below-zero", "not-padded")
    return (0, 0) if reading == "not-padded" else _generated(call, total, mode)


def _generated(call: Call, total: int, mode: str) -> tuple[int, int]:
    """The pads that are made from a total: which end has more of an odd one."""
    if total < 0:
        reading = call.choose(
            "output-beyond-the-full-one", "at-the-end", "halved-down", "halved-to-zero"
        )
        if reading == "at-the-end":
            return 0, total
        if reading == "halved-to-zero":
            less, more = halves(-total, more_at_end=True)
            return (-less, -more) if mode == "SAME_UPPER" else (-more, -less)
    if total % 2 == 0:
        return total // 2, total // 2
    upper = mode == "SAME_UPPER"
    if call.since_version >= _CHECKED:
        return halves(total, more_at_end=upper)
    reading = call.choose("odd-padding-of-version-1", "as-the-equations", "as-the-attribute")
    return halves(total, more_at_end=upper if reading == "as-the-attribute" else not upper)
