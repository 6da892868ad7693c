"""The oracles of RoiAlign and MaxRoiPool: bins that are computed by hand."""

from __future__ import annotations

from typing import Any

import pytest

from onnx_conformance.generators.oracle.arith.grid import Grid, tensor_of, value_of
from onnx_conformance.generators.oracle.arith.numbers import INF, NAN, NEG_INF
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.errors import InvalidCallError
from onnx_conformance.generators.oracle.registry import Call, answers, compute

_ROWS = [[0, 4], [8, 16]]


def _align(
    rows: list[list[Any]],
    region: list[float],
    version: int = 22,
    image: int = 0,
    **attributes: Any,  # noqa: ANN401  of several kinds
) -> Call:
    given = {"mode": "avg", "sampling_ratio": 0, "spatial_scale": 1.0, **attributes}
    if version >= 16:
        given.setdefault("coordinate_transformation_mode", "half_pixel")
    inputs = {
        "X": _image(rows),
        "rois": tensor_of(Grid("float32", (1, 4), [Fraction(one) for one in region])),
        "batch_indices": tensor_of(Grid("int64", (1,), [image])),
    }
    return Call(version, given, inputs, "RoiAlign")


def _pool(rows: list[list[Any]], region: list[float], shape: tuple[int, ...] = (1, 1)) -> Call:
    inputs = {
        "X": _image(rows),
        "rois": tensor_of(Grid("float32", (1, 5), [Fraction(one) for one in region])),
    }
    return Call(22, {"pooled_shape": shape, "spatial_scale": 1.0}, inputs, "MaxRoiPool")


def _image(rows: list[list[Any]]) -> Any:  # noqa: ANN401  a tensor
    items = [Fraction(one) if isinstance(one, int) else one for row in rows for one in row]
    return tensor_of(Grid("float32", (1, 1, len(rows), len(rows[0])), items))


def _items(call: Call) -> list[Any]:
    grid = compute(call)[0]
    assert isinstance(grid, Grid)
    return [value_of(item) for item in grid.items]


def _readings(call: Call) -> dict[str, list[Any]]:
    found = {}
    for answer in answers(call):
        if answer.result is not None:
            grid = answer.result[0]
            assert isinstance(grid, Grid)
            found[" ".join(answer.readings.values())] = [value_of(item) for item in grid.items]
    return found


def test_samples_are_as_many_as_a_bin_is_long() -> None:
    # From -1/2 to 3/2 there are two samples an axis, at 0 and 1.
    assert [7] == _items(_align(_ROWS, [0, 0, 2, 2]))


def test_a_sample_between_elements_is_interpolated() -> None:
    # One sample at x = 1/2 and y = 1/4: 2 in the first row, 12 in the second.
    call = _align(_ROWS, [0.5, 0.25, 1.5, 1.25], sampling_ratio=1)
    assert [Fraction(9, 2)] == _items(call)


def test_nothing_is_taken_from_coordinates_before_16() -> None:
    # One sample at (1, 1), the last element.
    assert [16] == _items(_align(_ROWS, [0, 0, 2, 2], version=10, sampling_ratio=1))


def test_coordinates_are_scaled_before_they_are_shifted() -> None:
    call = _align(_ROWS, [0, 0, 4, 4], spatial_scale=0.5)
    assert [7] == _items(call)


def test_the_border_goes_on_for_one_element() -> None:
    # The samples are at -1/2 and 1/2 along each axis.
    call = _align(_ROWS, [-0.5, -0.5, 1.5, 1.5])
    assert [Fraction(0 + 2 + 4 + 7, 4)] == _items(call)


def test_what_is_further_outside_is_left_open() -> None:
    call = _align(_ROWS, [-5, 0, -3, 2], sampling_ratio=1)
    assert {"zero": [0], "border": [4]} == _readings(call)


def test_the_meaning_of_max_is_left_open() -> None:
    call = _align(_ROWS, [0.5, 0.5, 1.5, 1.5], sampling_ratio=1, mode="max")
    assert {"of-weighted-elements": [4], "of-samples": [7]} == _readings(call)


def test_a_small_region_is_left_open_where_nothing_is_taken() -> None:
    mode = {"coordinate_transformation_mode": "output_half_pixel"}
    # One sample at 1/2 along each axis, or at 1/4.
    call = _align(_ROWS, [0, 0, 0.5, 0.5], sampling_ratio=1, **mode)
    assert {"at-least-1": [7], "as-it-is": [Fraction(13, 4)]} == _readings(call)


def test_an_infinity_without_weight_may_count() -> None:
    call = _align([[1, INF], [2, 3]], [0, 0, 1, 1], sampling_ratio=1)
    grid = compute(call)[0]
    assert isinstance(grid, Grid)
    assert (1, NAN) == grid.items[0].numbers


def test_an_image_that_is_not_there_is_refused() -> None:
    with pytest.raises(InvalidCallError, match="no image"):
        compute(_align(_ROWS, [0, 0, 2, 2], image=1))


def test_the_whole_image_has_one_greatest_element() -> None:
    found = _readings(_pool(_ROWS, [0, 0, 0, 2, 2]))
    assert {16} == {value for values in found.values() for value in values}


def test_the_second_corner_is_left_open() -> None:
    found = _readings(_pool([[1, 2, 3]], [0, 0, 0, 1, 1]))
    assert [2] == found["rounded-with-end"]
    assert [1] == found["rounded-without-end"] == found["outwards"]


def test_bins_touch_or_are_apart() -> None:
    found = _readings(_pool([[1, 9, 2]], [0, 0, 0, 2, 0], (1, 2)))
    assert [9, 9] == found["rounded-with-end touching"]
    assert [1, 9] == found["rounded-with-end apart"]


def test_the_greatest_of_negative_infinities_is_one() -> None:
    found = _readings(_pool([[NEG_INF, NEG_INF]], [0, 0, 0, 2, 1]))
    assert {NEG_INF} == {value for values in found.values() for value in values}


def test_an_index_beyond_the_batch_is_refused() -> None:
    with pytest.raises(InvalidCallError, match="no image 1"):
        compute(_pool(_ROWS, [1, 0, 0, 2, 2]))


def test_the_elements_of_a_region_with_a_corner_far_away_are_open() -> None:
    """From -10^38 to 3 float32 counts no element."""

    def asked(corner: float) -> bool:
        call = _pool([[1, 2, 3]], [0, corner, 0, 3, 1])
        return any("far-corner" in answer.readings for answer in answers(call))

    assert [True, False] == [asked(-1e38), asked(-1000.0)]
