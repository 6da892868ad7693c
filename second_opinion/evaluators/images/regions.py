"""Regions of interest and boxes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graphs.call import Call
from ...graphs.registry import evaluates
from ...values.formats import LD, Array
from ...values.tensors import Arr, CannotAnswerError, fit
from ..shared import as_float32, text, whole


@evaluates("RoiAlign")
def roi_align(call: Call) -> Arr:
    """`RoiAlign`: the mean or the largest of bilinear samples in each bin."""
    data, rois, batches = call.data(0), call.data(1), call.arr(2).ints
    (spatial,) = as_float32(call, "spatial_scale")
    rows, columns = call.attr("output_height"), call.attr("output_width")
    half = text(call.attr("coordinate_transformation_mode", b"output_half_pixel")) == "half_pixel"
    shift = LD(0.5) if half else LD(0)
    made = np.zeros((len(rois), data.shape[1], rows, columns), LD)
    if rows == 0 or columns == 0:
        return fit(call.type, made)
    for number, (roi, batch) in enumerate(zip(rois, batches, strict=True)):
        left, top, right, bottom = (item * spatial - shift for item in roi)
        if not np.isfinite([left, top, right, bottom]).all():
            raise CannotAnswerError("a region that is no number")
        width, height = right - left, bottom - top
        if not half:
            width, height = max(width, LD(1)), max(height, LD(1))
        lines = [
            _samples(start, extent, count, call.attr("sampling_ratio"))
            for start, extent, count in ((top, height, rows), (left, width, columns))
        ]
        for row in range(rows):
            for column in range(columns):
                values = [
                    _bilinear(data[batch], y, x) for y in lines[0][row] for x in lines[1][column]
                ]
                if not values:
                    made[number, :, row, column] = 0
                elif text(call.attr("mode")) == "max":
                    made[number, :, row, column] = np.max(values, 0)
                else:
                    made[number, :, row, column] = np.mean(values, 0)
    return fit(call.type, made)


def _samples(start: Any, extent: Any, count: int, ratio: int) -> list[list[Any]]:  # noqa: ANN401
    """The positions of the samples in each bin of an axis."""
    size = extent / count
    number = ratio if ratio > 0 else max(int(np.ceil(extent / count)), 0)
    return [
        [start + place * size + (step + LD(0.5)) * size / number for step in range(number)]
        for place in range(count)
    ]


def _bilinear(image: Array, y: Any, x: Any) -> Array:  # noqa: ANN401  long doubles
    height, width = image.shape[1:]
    if y < -1 or y > height or x < -1 or x > width:
        return np.zeros(image.shape[0], LD)
    y, x = (min(max(item, LD(0)), LD(size - 1)) for item, size in ((y, height), (x, width)))
    low_y, low_x = int(np.floor(y)), int(np.floor(x))
    part_y, part_x = y - low_y, x - low_x
    total = np.zeros(image.shape[0], LD)
    for row, by_row in ((low_y, 1 - part_y), (low_y + 1, part_y)):
        for column, by_column in ((low_x, 1 - part_x), (low_x + 1, part_x)):
            if by_row * by_column != 0:
                total = total + by_row * by_column * image[:, row, column]
    return total


@evaluates("MaxRoiPool")
def max_roi_pool(call: Call) -> Arr:
    """`MaxRoiPool`: the largest element of each bin of a region in whole elements, as in Caffe."""
    data, rois = call.data(0), call.data(1)
    (scale,) = as_float32(call, "spatial_scale")
    rows, columns = call.attr("pooled_shape")
    height, width = data.shape[2:]
    made = np.zeros((len(rois), data.shape[1], rows, columns), LD)
    for number, roi in enumerate(rois):
        batch = int(roi[0])
        left, top, right, bottom = (_away(item * scale) for item in roi[1:])
        tall, wide = max(bottom - top + 1, 1), max(right - left + 1, 1)
        for row in range(rows):
            for column in range(columns):
                first_y, last_y = _bin(row, tall, rows, top, height)
                first_x, last_x = _bin(column, wide, columns, left, width)
                part = data[batch, :, first_y:last_y, first_x:last_x]
                if part.shape[1] and part.shape[2]:
                    made[number, :, row, column] = part.max((1, 2))
    return Arr(call.type, made)


def _away(item: Any) -> int:  # noqa: ANN401  a long double
    """The nearest integer, halves away from zero."""
    return int(np.sign(item) * np.floor(abs(item) + LD(0.5)))


def _bin(place: int, extent: int, count: int, start: int, length: int) -> tuple[int, int]:
    first = place * extent // count + start
    last = -(-(place + 1) * extent // count) + start
    return min(max(first, 0), length), min(max(last, 0), length)


@evaluates("NonMaxSuppression")
def suppression(call: Call) -> Arr:
    """`NonMaxSuppression`: by batch and class, the best box that overlaps no better one."""
    boxes, scores = call.data(0), call.data(1)
    most = int(call.arr(2).item) if call.has(2) else 0
    overlap = call.arr(3).item if call.has(3) else LD(0)
    least = call.arr(4).item if call.has(4) else None
    center = bool(call.attr("center_point_box"))
    found: list[tuple[int, int, int]] = []
    for batch in range(scores.shape[0]):
        corners = [_corners(box, center) for box in boxes[batch]]
        for label in range(scores.shape[1]):
            row = scores[batch, label]
            keys = [(-item, place) for place, item in enumerate(row)]
            order = [place for _, place in sorted(keys)]
            if least is not None:
                order = [place for place in order if row[place] >= least]
            kept: list[int] = []
            for place in order:
                if len(kept) >= most:
                    break
                if all(_iou(corners[place], corners[other]) <= overlap for other in kept):
                    kept.append(place)
            found += [(batch, label, place) for place in kept]
    return whole(np.array(found, np.int64).reshape(-1, 3))


def _corners(box: Array, center: bool) -> tuple[Any, ...]:  # noqa: FBT001
    if center:
        x, y, width, height = box
        return y - height / 2, x - width / 2, y + height / 2, x + width / 2
    y1, x1, y2, x2 = box
    return min(y1, y2), min(x1, x2), max(y1, y2), max(x1, x2)


def _iou(first: tuple[Any, ...], second: tuple[Any, ...]) -> Any:  # noqa: ANN401  a long double
    height = min(first[2], second[2]) - max(first[0], second[0])
    width = min(first[3], second[3]) - max(first[1], second[1])
    shared = max(height, LD(0)) * max(width, LD(0))
    areas = [(item[2] - item[0]) * (item[3] - item[1]) for item in (first, second)]
    union = areas[0] + areas[1] - shared
    return shared / union if union > 0 else LD(0)
