"""Where kernels lie: padding, strides and dilations of convolutions and pools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...graphs.call import Call
from ...values.formats import Array
from ..shared import by_axis, text


@dataclass(frozen=True)
class Window:
    """The geometry of a kernel.

    Attributes:
        kernel, strides, dilations: by spatial axis.
        before, after: padding of each spatial axis.
        output: spatial shape of the output.
    """

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    output: tuple[int, ...]


def window_of(call: Call, spatial: tuple[int, ...], kernel: tuple[int, ...]) -> Window:
    """The geometry that attributes ask for, over an input of that spatial shape."""
    count = len(spatial)
    strides, dilations = (tuple(by_axis(call, it, count)) for it in ("strides", "dilations"))
    pads = by_axis(call, "pads", 2 * count, 0)
    auto = text(call.attr("auto_pad", b"NOTSET"))
    ceil = bool(call.attr("ceil_mode", 0))
    before, after, output = [], [], []
    for axis in range(count):
        reach = (kernel[axis] - 1) * dilations[axis] + 1
        length, stride = spatial[axis], strides[axis]
        if auto in ("SAME_UPPER", "SAME_LOWER"):
            size = -(-length // stride)
            total = max((size - 1) * stride + reach - length, 0)
            small, large = total // 2, total - total // 2
            first, last = (small, large) if auto == "SAME_UPPER" else (large, small)
        else:
            first, last = (0, 0) if auto == "VALID" else (pads[axis], pads[axis + count])
            room = length + first + last - reach
            size = (-(-room // stride) if ceil else room // stride) + 1
            if ceil and auto == "VALID":
                size = -(-(length - reach + 1) // stride)
            # Windows that would start in the padding at the end are ignored.
            while ceil and size > 1 and (size - 1) * stride >= length + first:
                size -= 1
        before.append(first)
        after.append(last)
        output.append(max(size, 0))
    return Window(kernel, strides, dilations, tuple(before), tuple(after), tuple(output))


def padded(data: Array, window: Window, fill: Any) -> Array:  # noqa: ANN401  an element
    """The input with its padding, and as much more as the last window reaches into."""
    pads = [(0, 0), (0, 0)]
    for axis, length in enumerate(data.shape[2:]):
        reach = (window.kernel[axis] - 1) * window.dilations[axis] + 1
        needed = (window.output[axis] - 1) * window.strides[axis] + reach
        first = window.before[axis]
        pads.append((first, max(needed - length - first, 0)))
    return np.asarray(np.pad(data, pads, constant_values=fill))


def steps_of(
    place: Sequence[int], dilations: Sequence[int], counts: Sequence[int], strides: Sequence[int]
) -> tuple[Any, ...]:
    """Where one place of a kernel comes to lie, by spatial axis, as it moves so many times."""
    parts = zip(place, dilations, counts, strides, strict=True)
    return tuple(
        slice(p * d, p * d + (n - 1) * s + 1, s) if n else slice(0) for p, d, n, s in parts
    )


def at_kernel(data: Array, window: Window, place: tuple[int, ...]) -> Array:
    """For each output position, the padded input under one place of the kernel."""
    every: tuple[Any, ...] = (
        ...,
        *steps_of(place, window.dilations, window.output, window.strides),
    )
    return np.asarray(data[every])
