"""Windows that slide over the axes of a tensor: their positions, and the elements under each.

Along one axis a window has `kernel` taps, `dilation` apart; it is placed at every `stride`-th place
of the axis with its padding. Pooling, convolution and its transpose, and Col2Im all use this
arithmetic, and differ in what they compute from the elements. Only integers are used: the caller
reads the elements.

Sources: the equations on the pages MaxPool, ConvTranspose and Col2Im.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from .grid import Shape, indices, strides


@dataclass(frozen=True)
class Axis:
    """A window on one axis.

    Attributes:
        size: length of the axis that the window slides over, without padding.
        kernel: how many taps the window has.
        stride: how far apart neighbouring positions are.
        dilation: how far apart neighbouring taps are.
        begin, end: the padding at both ends; if negative, how many places are left out.
        count: how many positions there are.
    """

    size: int
    kernel: int
    stride: int = 1
    dilation: int = 1
    begin: int = 0
    end: int = 0
    count: int = 0

    @property
    def extent(self) -> int:
        """How many places the window extends over."""
        return extent(self.kernel, self.dilation)

    def inside(self, position: int) -> list[tuple[int, int]]:
        """The taps that are over elements at a position, each with the element's index."""
        start = position * self.stride - self.begin
        first, last = max(0, -self.begin), self.size - 1 - max(0, -self.end)
        return [
            (tap, start + tap * self.dilation)
            for tap in range(self.kernel)
            if first <= start + tap * self.dilation <= last
        ]

    def over(self, position: int) -> int:
        """How many taps are over elements or padding, not beyond the padding's end."""
        start = position * self.stride
        room = self.begin + self.size + self.end
        return sum(start + tap * self.dilation < room for tap in range(self.kernel))


def extent(kernel: int, dilation: int) -> int:
    """How many places a window with this many taps extends over."""
    return (kernel - 1) * dilation + 1


def positions(size: int, reach: int, stride: int, padding: int, *, up: bool = False) -> int:
    """How many positions a window has on a padded axis.

    Args:
        size: length of the axis.
        reach: the window's extent.
        stride: the window's stride.
        padding: the padding of both ends together.
        up: whether to count a last window that extends beyond the padding; `ceil_mode`.

    The result is negative if the window is longer than the padded axis by more than a stride.
    """
    room = size + padding - reach
    return (-(-room // stride) if up else room // stride) + 1


def positions_before_end(count: int, size: int, stride: int, begin: int) -> int:
    """How many of the positions start before the padding at the axis' end."""
    return min(count, -(-(size + begin) // stride))


def same_padding(size: int, reach: int, stride: int, count: int) -> int:
    """The padding of both ends together with which a window has exactly this many positions.

    It is negative if the stride skips places.
    """
    return (count - 1) * stride + reach - size


def halves(total: int, *, more_at_end: bool) -> tuple[int, int]:
    """A padding split into begin and end; of an odd one the end or the begin has more."""
    less = total // 2
    return (less, total - less) if more_at_end else (total - less, less)


def counts(axes: Sequence[Axis]) -> Shape:
    """The number of positions along each axis."""
    return tuple(axis.count for axis in axes)


def taps_inside(axes: Sequence[Axis], position: Sequence[int]) -> list[tuple[int, int]]:
    """The taps over elements at a position, as places: in the kernel, and in the tensor's axes.

    Both are in row-major order, which is the order of the list.
    """
    kernel_steps = strides(tuple(axis.kernel for axis in axes))
    steps = strides(tuple(axis.size for axis in axes))
    along = [axis.inside(at) for axis, at in zip(axes, position, strict=True)]
    return [
        (
            sum(tap * step for (tap, _), step in zip(taps, kernel_steps, strict=True)),
            sum(index * step for (_, index), step in zip(taps, steps, strict=True)),
        )
        for taps in product(*along)
    ]


def taps_over(axes: Sequence[Axis], position: Sequence[int]) -> int:
    """How many taps are over elements or padding at a position."""
    return math.prod(axis.over(at) for axis, at in zip(axes, position, strict=True))


def windows(axes: Sequence[Axis]) -> Iterator[tuple[Shape, list[tuple[int, int]]]]:
    """Each position in row-major order, with its `taps_inside`."""
    for position in indices(counts(axes)):
        yield position, taps_inside(axes, position)


def grouped(channels: int, maps: int, groups: int) -> Iterator[tuple[int, range]]:
    """For each output channel of a grouped convolution, the input channels that it uses."""
    width = channels // groups
    for out in range(maps):
        first = out // (maps // groups) * width
        yield out, range(first, first + width)
