"""NonMaxSuppression, all versions.

Source: its page, Summary, Inputs and Attributes. Boxes are considered by descending score, as every
implementation does and the examples show; overlaps are exact ratios of areas.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TypeAlias

from ...arith.grid import Grid
from ...arith.numbers import ZERO, fraction, is_finite
from ...arith.rationals import Fraction
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from ...scalars import require_scalar

# The least and the greatest y, then x.
Box: TypeAlias = tuple[Fraction, Fraction, Fraction, Fraction]


@oracle("NonMaxSuppression")
def non_max_suppression(call: Call) -> Result:
    """The indices of batch, class and box of the boxes that no better box overlaps too much."""
    boxes, scores = call.grid("boxes"), call.grid("scores")
    if boxes.rank != 3 or scores.rank != 3 or boxes.shape[2] != 4:
        raise InvalidCallError(f"shapes {list(boxes.shape)} and {list(scores.shape)}")
    batches, classes, count = scores.shape
    if boxes.shape[:2] != (batches, count):
        raise InvalidCallError(f"{list(boxes.shape)} boxes for {list(scores.shape)} scores")
    if not all(is_finite(item) for item in (*boxes.items, *scores.items)):
        raise InvalidCallError("a coordinate or a score is no finite number")
    most = _most(call)
    overlap = _threshold(call, "iou_threshold", ZERO)
    least = _threshold(call, "score_threshold", None)
    if overlap is None or not 0 <= overlap <= 1:
        raise InvalidCallError("iou_threshold is outside [0, 1]")
    read = _centred if call.int_attribute("center_point_box", 0) else _cornered
    found = []
    for batch in range(batches):
        start = batch * count * 4
        here = [
            read([fraction(item) for item in boxes.items[at : at + 4]])
            for at in range(start, start + count * 4, 4)
        ]
        for kind in range(classes):
            at = (batch * classes + kind) * count
            own = [fraction(item) for item in scores.items[at : at + count]]
            order = [box for box in _ordered(call, own) if least is None or own[box] >= least]
            found += [(batch, kind, box) for box in _kept(here, order, overlap)[:most]]
    return (Grid("int64", (len(found), 3), [index for row in found for index in row]),)


def _most(call: Call) -> int:
    """How many boxes of a class are selected at most; none by default."""
    if not call.has("max_output_boxes_per_class"):
        return 0
    require_scalar(call, "max_output_boxes_per_class")
    most = call.integer("max_output_boxes_per_class")
    if most < 0:
        refuse_if_chosen(call, "count-below-0", "none")
    return max(most, 0)


def _threshold(call: Call, name: str, default: Fraction | None) -> Fraction | None:
    if not call.has(name):
        return default
    value = require_scalar(call, name)
    if not is_finite(value):
        raise InvalidCallError(f"{name} is no finite number")
    return fraction(value)


def _ordered(call: Call, scores: Sequence[Fraction]) -> list[int]:
    """The boxes by descending score; which of equal ones is first is left open."""
    order = sorted(range(len(scores)), key=lambda box: -scores[box])
    ties = [list(group) for _, group in groupby(order, key=lambda box: scores[box])]
    if any(len(group) > 1 for group in ties):
        reading = call.choose("equal-scores", "first", "last")
        if reading == "last":
            return [box for group in ties for box in reversed(group)]
    return order


def _kept(boxes: Sequence[Box], order: Sequence[int], overlap: Fraction) -> list[int]:
    """The boxes that overlap none of those before them by more than a part of their union."""
    kept: list[int] = []
    for box in order:
        if all(_overlap(boxes[box], boxes[other]) <= overlap for other in kept):
            kept.append(box)
    return kept


def _overlap(one: Box, other: Box) -> Fraction:
    """The area in both boxes over that in either; 0 where neither has an area."""
    inner = Fraction(1)
    for axis in (0, 2):
        low, high = max(one[axis], other[axis]), min(one[axis + 1], other[axis + 1])
        inner *= max(high - low, ZERO)
    union = _area(one) + _area(other) - inner
    return inner / union if union else ZERO


def _area(box: Box) -> Fraction:
    return (box[1] - box[0]) * (box[3] - box[2])


def _cornered(numbers: Sequence[Fraction]) -> Box:
    """From two corners, [y1, x1, y2, x2], that lie on a diagonal."""
    y1, x1, y2, x2 = numbers
    return min(y1, y2), max(y1, y2), min(x1, x2), max(x1, x2)


def _centred(numbers: Sequence[Fraction]) -> Box:
    """From [x_center, y_center, width, height]."""
    x, y, width, height = numbers
    if width < 0 or height < 0:
        raise InvalidCallError("a box is less than nothing wide or high")
    return y - height / 2, y + height / 2, x - width / 2, x + width / 2
