"""GridSample and AffineGrid."""

from __future__ import annotations

from itertools import product as places_of
from typing import Any

import numpy as np

from ...graphs.call import Call
from ...graphs.registry import evaluates
from ...values.formats import LD, Array
from ...values.tensors import Arr, CannotAnswerError, fit, is_float
from ..shared import text, zeros
from .resizing import cubic


def _reflected(place: Any, low: Any, high: Any) -> Any:  # noqa: ANN401  long doubles
    """A position reflected by the borders until it lies between them."""
    if high <= low:
        return low * 0
    width = high - low
    moved = abs(place - low) % (2 * width)
    return low + (moved if moved <= width else 2 * width - moved)


class _Axis:
    """One axis of the image: positions, and where elements outside are read."""

    def __init__(self, length: int, align: bool, padding: str) -> None:  # noqa: FBT001
        self.length, self.align, self.padding = length, align, padding
        self.low = LD(0) if align else LD(-0.5)
        self.high = LD(length - 1) if align else LD(length) - LD(0.5)

    def position(self, item: Any) -> Any:  # noqa: ANN401  long doubles
        """A normalized position in elements."""
        if self.align:
            return (item + 1) / 2 * (self.length - 1)
        return ((item + 1) * self.length - 1) / 2

    def padded(self, item: Any) -> Any:  # noqa: ANN401  long doubles
        """Where a position outside is looked up; for zeros the position itself."""
        if self.padding == "border":
            return min(max(item, LD(0)), LD(self.length - 1))
        if self.padding == "reflection":
            found = _reflected(item, self.low, self.high)
            return min(max(found, LD(0)), LD(self.length - 1))
        return item


@evaluates("GridSample")
def grid_sample(call: Call) -> Arr:
    """`GridSample`: nearest, linear or cubic, with three kinds of padding."""
    data, grid = call.data(0), call.data(1)
    mode = text(call.attr("mode"))
    mode = {"bilinear": "linear", "bicubic": "cubic"}.get(mode, mode)
    if mode != "nearest" and not call.type.startswith("complex"):
        if call.type == "string":
            raise CannotAnswerError("strings between strings")
        data = data.astype(LD)
    padding = text(call.attr("padding_mode"))
    align = bool(call.attr("align_corners"))
    axes = [_Axis(length, align, padding) for length in data.shape[2:]]
    spatial = grid.shape[1:-1]
    made = zeros(call.type, (*data.shape[:2], *spatial)).astype(data.dtype)
    if made.size and 0 in data.shape:
        raise CannotAnswerError("an image of nothing")
    for batch in range(data.shape[0]):
        for place in np.ndindex(spatial):
            where = grid[(batch, *place)][::-1]
            if not np.isfinite(where).all():
                raise CannotAnswerError("a position that is no number")
            taps = [
                _taps(axis, axis.position(item), mode)
                for axis, item in zip(axes, where, strict=True)
            ]
            made[(batch, slice(None), *place)] = _read(data[batch], taps)
    if mode == "nearest":
        return Arr(call.type, made)
    if is_float(call.type) or call.type.startswith("complex"):
        return fit(call.type, made)
    return fit(call.type, np.frompyfunc(int, 1, 1)(made))


def _taps(axis: _Axis, position: Any, mode: str) -> list[tuple[int, Any]]:  # noqa: ANN401
    """Which elements of an axis are read, each with its weight; -1 stands for a zero."""
    if mode == "nearest":
        return [_tap(axis, np.rint(axis.padded(position)), LD(1))]
    if mode == "linear":
        position = axis.padded(position)
        low = np.floor(position)
        share = position - low
        return [_tap(axis, low, 1 - share), _tap(axis, low + 1, share)]
    low = np.floor(position)
    found = []
    for step in (-1, 0, 1, 2):
        place = low + step
        found.append(_tap(axis, axis.padded(place), cubic(place - position, LD(-0.75))))
    return found


def _tap(axis: _Axis, place: Any, weight: Any) -> tuple[int, Any]:  # noqa: ANN401
    inside = 0 <= place < axis.length
    return (int(place) if inside else -1), weight


def _read(image: Array, taps: list[list[tuple[int, Any]]]) -> Array:
    total = np.zeros(image.shape[0], image.dtype)
    if all(len(item) == 1 for item in taps):
        places = tuple(item[0][0] for item in taps)
        if -1 in places:
            return np.full(image.shape[0], b"", object) if image.dtype == object else total
        return _at(image, places)
    for chosen in places_of(*taps):
        weight = LD(1)
        for _, part in chosen:
            weight = weight * part
        places = tuple(place for place, _ in chosen)
        if weight != 0 and -1 not in places:
            total = total + weight * _at(image, places)
    return total


def _at(image: Array, places: tuple[int, ...]) -> Array:
    """An element of each channel."""
    where: tuple[Any, ...] = (slice(None), *places)
    return np.asarray(image[where])


@evaluates("AffineGrid")
def affine_grid(call: Call) -> Arr:
    """`AffineGrid`: theta applied to evenly spaced positions."""
    theta, size = call.data(0), call.arr(1).ints
    lines = [_evenly(length, bool(call.attr("align_corners"))) for length in size[2:]]
    mesh = np.meshgrid(*lines, indexing="ij")
    # Coordinates go from the innermost dimension to the outermost: x, y, z.
    points = np.stack([*mesh[::-1], np.ones(mesh[0].shape, LD)], -1)
    found = np.stack([points @ matrix.T for matrix in theta]) if len(theta) else points[:0]
    shape = (size[0], *size[2:], len(lines))
    return fit(call.type, found.reshape(shape))


def _evenly(length: int, align: bool) -> Array:  # noqa: FBT001
    places = np.arange(length).astype(LD)
    if not align:
        return (2 * places + 1) / max(length, 1) - 1
    return 2 * places / (length - 1) - 1 if length > 1 else np.zeros(length, LD)
