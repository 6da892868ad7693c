"""The oracle of NonMaxSuppression, on boxes whose overlaps are computed by hand."""

from __future__ import annotations

from typing import Any

import pytest

from onnx_conformance.generators.oracle.arith.grid import Grid, tensor_of
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.errors import InvalidCallError
from onnx_conformance.generators.oracle.registry import Call, answers, compute

# A unit square, its left half, and one that is apart.
_BOXES = ((0, 0, 1, 1), (0, 0, 1, Fraction(1, 2)), (0, 2, 1, 3))
_ABSENT = object()


def _call(
    boxes: tuple[tuple[Any, ...], ...] = _BOXES,
    scores: tuple[Any, ...] = (3, 2, 1),
    **given: Any,  # noqa: ANN401  what an input or the attribute is
) -> Call:
    def scalar(name: str, item: Any) -> Any:  # noqa: ANN401  a Tensor
        return tensor_of(Grid(name, (), [item]))

    flat = [Fraction(number) for box in boxes for number in box]
    inputs = {
        "boxes": tensor_of(Grid("float32", (1, len(boxes), 4), flat)),
        "scores": tensor_of(Grid("float32", (1, 1, len(scores)), [Fraction(x) for x in scores])),
    }
    most = given.get("most", 9)
    if most is not _ABSENT:
        inputs["max_output_boxes_per_class"] = scalar("int64", most)
    for name in ("iou_threshold", "score_threshold"):
        if name in given:
            inputs[name] = scalar("float32", Fraction(given[name]))
    return Call(11, {"center_point_box": given.get("centred", 0)}, inputs, "NonMaxSuppression")


def _kept(call: Call) -> list[int]:
    grid = compute(call)[0]
    assert isinstance(grid, Grid)
    return list(grid.items[2::3])


def test_a_box_that_overlaps_by_just_the_threshold_is_kept() -> None:
    assert [0, 1, 2] == _kept(_call(iou_threshold=Fraction(1, 2)))
    assert [0, 2] == _kept(_call(iou_threshold=Fraction(7, 16)))


def test_without_a_threshold_any_overlap_suppresses() -> None:
    assert [0, 2] == _kept(_call())


def test_a_score_at_the_threshold_is_kept() -> None:
    assert [0, 1] == _kept(_call(iou_threshold=1, score_threshold=2))


def test_the_best_box_is_first() -> None:
    assert [2, 1] == _kept(_call(scores=(1, 2, 3)))


def test_no_more_boxes_than_the_maximum() -> None:
    assert [0] == _kept(_call(most=1))
    assert [] == _kept(_call(most=_ABSENT))


def test_any_two_opposite_corners_are_a_box() -> None:
    turned = ((1, 0, 0, 1), (1, Fraction(1, 2), 0, 0), (0, 2, 1, 3))
    assert [0, 2] == _kept(_call(turned, iou_threshold=Fraction(7, 16)))


def test_a_centre_comes_with_width_before_height() -> None:
    # [0, 4] by [0, 2], and [2, 6] by [0, 2]: 4 in both of 12 in either.
    boxes = ((2, 1, 4, 2), (4, 1, 4, 2))
    assert [0, 1] == _kept(_call(boxes, (2, 1), centred=1, iou_threshold=Fraction(3, 8)))
    assert [0] == _kept(_call(boxes, (2, 1), centred=1, iou_threshold=Fraction(5, 16)))


def test_equal_scores_leave_the_order_open() -> None:
    found = {tuple(answer.readings.values()) for answer in answers(_call(scores=(1, 1, 0)))}
    assert {("first",), ("last",)} == found


def test_a_threshold_outside_0_to_1_is_invalid() -> None:
    with pytest.raises(InvalidCallError):
        compute(_call(iou_threshold=2))
