"""The elements of a tensor at coordinates, axis by axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

from onnx_conformance.core.values.elements import element_type

from ...arith.grid import AnyOf, Grid, Item, any_of, from_function, place_of, strides, value_of
from ...arith.numbers import ONE
from ...errors import InvalidCallError
from .averages import average, joint
from .coordinates import FORMULAS, Coordinate, Length
from .lengths import Method
from .taps import Kernel, Tap, nearest, weighted

Element = Callable[[tuple[int, ...]], Item]

INTEGERS = {"int", "uint"}


@dataclass(frozen=True)
class Axis:
    """An axis with where each place of the output lies in it."""

    #: Its lengths and the scale.
    length: Length
    #: For each place of the output, its coordinate in the input.
    at: tuple[Coordinate, ...]


def axes_of(method: Method, lengths: Sequence[Length]) -> list[Axis]:
    """Each axis with the coordinates of a method."""
    formula = FORMULAS[method.transformation]
    return [
        Axis(length, tuple(formula(place, length) for place in range(length.resized)))
        for length in lengths
    ]


def resampled(
    x: Grid,
    method: Method,
    axes: Sequence[Axis],
    outside: Callable[[str], Item] | None,
) -> Grid:
    """The output.

    `outside` gives the element for coordinates outside of an axis, where it is not the edge's.
    Raises InvalidCallError for an average of what has none.
    """
    shape = tuple(len(axis.at) for axis in axes)
    if method.mode == "nearest":
        element = _nearest(x, method, axes)
    else:
        if element_type(x.type).kind in {"bool", "string"}:
            raise InvalidCallError(f"there is no average of {x.type}")
        element = _averages(x, method, axes)
    if outside is None:
        return from_function(x.type, shape, element)

    def beside(index: tuple[int, ...]) -> Item:
        within = [
            {0 <= found <= axis.length.original - 1 for found in axis.at[place].found}
            for place, axis in zip(index, axes, strict=True)
        ]
        if all(False not in one for one in within):
            return element(index)
        if any(True not in one for one in within):
            return outside(x.type)
        return AnyOf((value_of(element(index)), value_of(outside(x.type))))

    return from_function(x.type, shape, beside)


def _nearest(x: Grid, method: Method, axes: Sequence[Axis]) -> Element:
    rows = [
        [nearest(method.nearest_mode, one, axis.length.original) for one in axis.at]
        for axis in axes
    ]

    steps = strides(x.shape)

    def element(index: tuple[int, ...]) -> Item:
        ways = [row[place] for row, place in zip(rows, index, strict=True)]
        if all(len(way) == 1 for way in ways):
            return x.items[sum(way[0] * step for way, step in zip(ways, steps, strict=True))]  # type: ignore[no-any-return]
        return any_of(x.items[place_of(x.shape, way)] for way in product(*ways))

    return element


def _averages(x: Grid, method: Method, axes: Sequence[Axis]) -> Element:
    rows = [_weights(method, axis) for axis in axes]
    steps = strides(x.shape)

    def element(index: tuple[int, ...]) -> Item:
        taps = joint([row[place] for row, place in zip(rows, index, strict=True)], steps)
        return average(x.type, [x.items[tap.index] for tap in taps], taps)

    return element


def _weights(method: Method, axis: Axis) -> list[tuple[Tap, ...]]:
    kernel = Kernel(2, method.cubic) if method.mode == "cubic" else Kernel(1)
    antialias = method.antialias and axis.at
    stretch = max(ONE, 1 / axis.length.scale) if antialias else ONE
    return [
        weighted(kernel, one, axis.length.original, stretch=stretch, exclude=method.exclude)
        for one in axis.at
    ]
