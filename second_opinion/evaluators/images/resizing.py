"""Resize and Upsample, axis by axis: positions, then weights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from ...graphs.call import Call
from ...graphs.registry import evaluates
from ...values.formats import LD, Array
from ...values.tensors import Arr, CannotAnswerError, fit, is_float
from ..products.matrices import from_fraction
from ..shared import text

_HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Axis:
    """How one axis is resized.

    Attributes:
        length, output: before and after.
        scale: by which it grows.
        target: the output's length before it is made whole.
        start, end: of the region, 0 and 1 without one.
    """

    length: int
    output: int
    scale: Fraction
    target: Fraction
    start: Fraction = Fraction(0)
    end: Fraction = Fraction(1)

    def original(self, place: int, mode: str) -> Fraction:
        """The coordinate in the input of a place in the output, by the document's formulas."""
        whole = self.length - 1
        if mode == "align_corners":
            return Fraction(place * whole, self.output - 1) if self.output > 1 else Fraction(0)
        if mode == "asymmetric":
            return place / self.scale
        if mode == "tf_half_pixel_for_nn":
            return (place + _HALF) / self.scale
        if mode == "tf_crop_and_resize":
            if self.output == 1:
                return _HALF * (self.start + self.end) * whole
            return self.start * whole + place * (self.end - self.start) * whole / (self.output - 1)
        if mode == "pytorch_half_pixel" and self.output == 1:
            return Fraction(0)
        half = (place + _HALF) / self.scale - _HALF
        if mode == "half_pixel_symmetric":
            return Fraction(self.length, 2) * (1 - self.output / self.target) + half
        if mode in ("half_pixel", "pytorch_half_pixel"):
            return half
        raise CannotAnswerError(f"coordinate_transformation_mode {mode}")


def _floor(number: Fraction) -> int:
    return number.numerator // number.denominator


def _ceil(number: Fraction) -> int:
    return -(-number.numerator // number.denominator)


def _nearest(position: Fraction, mode: str) -> int:
    if mode == "round_prefer_floor":
        return _ceil(position - _HALF)
    if mode == "round_prefer_ceil":
        return _floor(position + _HALF)
    return _floor(position) if mode == "floor" else _ceil(position)


def cubic(distance: Any, a: Any) -> Any:  # noqa: ANN401  fractions or long doubles
    """The weight of an element at a distance, by cubic convolution with the coefficient a."""
    x = abs(distance)
    if x <= 1:
        return (a + 2) * x**3 - (a + 3) * x**2 + 1
    return a * x**3 - 5 * a * x**2 + 8 * a * x - 4 * a if x < 2 else 0 * x


def _linear(distance: Fraction) -> Fraction:
    return max(1 - abs(distance), Fraction(0))


def _weights(call: Call, axis: Axis, position: Fraction) -> dict[int, Fraction]:
    """The weight of each input element at a position, those outside put where they are read."""
    mode = text(call.attr("mode"))
    if mode == "nearest":
        place = _nearest(position, text(call.attr("nearest_mode", b"round_prefer_floor")))
        return {min(max(place, 0), axis.length - 1): Fraction(1)}
    shrink = Fraction(1)
    if call.attr("antialias", 0):
        shrink = min(axis.scale, Fraction(1))
    reach = (2 if mode == "cubic" else 1) / shrink
    a = Fraction(call.attr("cubic_coeff_a", -0.75))
    raw: dict[int, Fraction] = {}
    for place in range(_floor(position - reach), _ceil(position + reach) + 1):
        distance = (place - position) * shrink
        weight = cubic(distance, a) if mode == "cubic" else _linear(distance)
        if weight:
            raw[place] = weight
    if call.attr("exclude_outside", 0):
        raw = {place: item for place, item in raw.items() if 0 <= place < axis.length}
    total = sum(raw.values(), Fraction(0))
    if not total:
        raise CannotAnswerError("no weight inside the tensor")
    found: dict[int, Fraction] = {}
    for place, item in raw.items():
        inside = min(max(place, 0), axis.length - 1)
        found[inside] = found.get(inside, Fraction(0)) + item / total
    return found


def _resized(data: Array, number: int, axis: Axis, rows: list[dict[int, Fraction]]) -> Array:
    moved = np.moveaxis(data, number, 0)
    made = np.zeros((axis.output, *moved.shape[1:]), data.dtype)
    for place, row in enumerate(rows):
        if len(row) == 1 and next(iter(row.values())) == 1:
            made[place] = moved[next(iter(row))]
            continue
        for source, weight in row.items():
            if weight:
                made[place] += from_fraction(weight) * moved[source]
    return np.moveaxis(made, 0, number)


def _resize(call: Call, axes: dict[int, Axis], mode: str) -> Arr:
    value = call.arr(0)
    how = text(call.attr("mode"))
    exact = how == "nearest"
    data = value.data
    if not exact:
        data = data.astype(np.clongdouble if np.iscomplexobj(data) else LD)
    outside = np.zeros([], bool)
    for number, axis in axes.items():
        if axis.length == axis.output and axis.scale == 1 and mode != "tf_crop_and_resize":
            continue
        if axis.length == 0 and axis.output:
            raise CannotAnswerError("an axis of nothing")
        positions = [axis.original(place, mode) for place in range(axis.output)]
        rows = [_weights(call, axis, item) for item in positions]
        if mode == "tf_crop_and_resize":
            far = np.array([not 0 <= item <= axis.length - 1 for item in positions], bool)
            outside = outside | far.reshape((-1,) + (1,) * (data.ndim - number - 1))
        if exact:
            data = np.take(data, np.array([next(iter(row)) for row in rows], np.int64), number)
        else:
            data = _resized(data, number, axis, rows)
    if outside.any():
        filler = LD(call.attr("extrapolation_value", 0.0))
        data = np.where(outside, filler if is_float(value.type) else int(filler), data)
    if exact or is_float(value.type) or np.iscomplexobj(data):
        return fit(value.type, data)
    # The document is silent on how integers are rounded; limits leave it open.
    return fit(value.type, np.frompyfunc(int, 1, 1)(np.rint(data)))


def _fraction(item: Any) -> Fraction:  # noqa: ANN401  a number
    return Fraction(float(item))


@evaluates("Resize", since=11)
def resize(call: Call) -> Arr:
    """`Resize`: by scales or sizes, in regions, with each of its modes."""
    data = call.data(0)
    mode = text(call.attr("coordinate_transformation_mode"))
    chosen = call.attr("axes")
    numbers = [item % data.ndim for item in (range(data.ndim) if chosen is None else chosen)]
    regions = [(Fraction(0), Fraction(1))] * len(numbers)
    if mode == "tf_crop_and_resize" and call.has(1):
        roi = [_fraction(item) for item in call.data(1).reshape(-1)]
        regions = list(zip(roi[: len(numbers)], roi[len(numbers) :], strict=True))
    axes: dict[int, Axis] = {}
    if call.has(2) and call.data(2).size:
        scales = [_fraction(item) for item in call.data(2).reshape(-1)]
        for number, scale, (start, end) in zip(numbers, scales, regions, strict=True):
            length = data.shape[number]
            target = length * scale * (end - start)
            axes[number] = Axis(length, _floor(target), scale, target, start, end)
    else:
        sizes = _kept(call, [data.shape[number] for number in numbers], call.arr(3).ints)
        for number, size, (start, end) in zip(numbers, sizes, regions, strict=True):
            length = data.shape[number]
            scale = Fraction(size, length) if length else Fraction(1)
            axes[number] = Axis(length, size, scale or Fraction(1), Fraction(size), start, end)
    return _resize(call, axes, mode)


def _kept(call: Call, lengths: list[int], sizes: list[int]) -> list[int]:
    """The sizes, with the aspect ratio kept if the policy says so."""
    policy = text(call.attr("keep_aspect_ratio_policy", b"stretch"))
    if policy == "stretch":
        return sizes
    ratios = [Fraction(size, length) for size, length in zip(sizes, lengths, strict=True)]
    scale = min(ratios) if policy == "not_larger" else max(ratios)
    return [_floor(scale * length + _HALF) for length in lengths]


@evaluates("Resize", until=10)
@evaluates("Upsample")
def upsample(call: Call) -> Arr:
    """`Upsample`, `Resize-10`: `floor(input_dimension * scale)`; asymmetric positions, floored."""
    data = call.data(0)
    if call.operator == "Upsample" and call.version < 7:
        scales = [1.0, 1.0, call.attr("height_scale"), call.attr("width_scale")]
    elif call.operator == "Upsample" and call.version < 9:
        scales = call.attr("scales")
    else:
        scales = list(call.data(1).reshape(-1))
    axes = {}
    for number, scale in enumerate(map(_fraction, scales)):
        target = data.shape[number] * scale
        axes[number] = Axis(data.shape[number], _floor(target), scale, target)
    name = text(call.attr("mode"))
    changed = {"nearest_mode": b"floor", "mode": b"nearest" if name == "nearest" else b"linear"}
    return _resize(replace(call, attributes={**call.attributes, **changed}), axes, "asymmetric")
