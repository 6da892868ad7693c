"""The oracle of AffineGrid: positions that are computed by hand."""

from __future__ import annotations

from typing import Any

import pytest
from near_ratios import near

from onnx_conformance.generators.oracle.arith.grid import Grid, tensor_of, value_of
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.errors import InvalidCallError
from onnx_conformance.generators.oracle.registry import Call, answers, compute

_AS_IT_IS = (1, 0, 0, 0, 1, 0)


def _call(size: tuple[int, ...], theta: tuple[int, ...] = _AS_IT_IS, corners: int = 0) -> Call:
    axes = len(size) - 2
    matrix = Grid("float32", (1, axes, axes + 1), [Fraction(number) for number in theta])
    inputs = {
        "theta": tensor_of(matrix),
        "size": tensor_of(Grid("int64", (len(size),), list(size))),
    }
    return Call(20, {"align_corners": corners}, inputs, "AffineGrid")


def _grid(call: Call) -> tuple[tuple[int, ...], list[Any]]:
    grid = compute(call)[0]
    assert isinstance(grid, Grid)
    return grid.shape, [near(value_of(item), 100) for item in grid.items]  # type: ignore[union-attr]


def test_centres_of_pixels_lie_between_the_edges() -> None:
    half = Fraction(1, 2)
    expected = [-half, -half, half, -half, -half, half, half, half]
    assert ((1, 2, 2, 2), expected) == _grid(_call((1, 1, 2, 2)))


def test_corners_lie_at_the_ends() -> None:
    expected = [-1, -1, 0, -1, 1, -1, -1, 1, 0, 1, 1, 1]
    assert ((1, 2, 3, 2), expected) == _grid(_call((1, 1, 2, 3), corners=1))


def test_the_last_axis_is_the_first_coordinate() -> None:
    # x' = 3y, y' = x + 1 at the only row, whose y is 0.
    expected = [0, Fraction(1, 2), 0, Fraction(3, 2)]
    assert ((1, 1, 2, 2), expected) == _grid(_call((1, 1, 1, 2), (0, 3, 0, 1, 0, 1)))


def test_a_volume_has_three_coordinates() -> None:
    theta = (1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0)
    shape, items = _grid(_call((1, 1, 2, 1, 1), theta))
    assert ((1, 2, 1, 1, 3), [0, 0, Fraction(-1, 2), 0, 0, Fraction(1, 2)]) == (shape, items)


def test_a_single_pixel_between_corners_is_left_open() -> None:
    found = {tuple(answer.readings.values()) for answer in answers(_call((1, 1, 1, 2), corners=1))}
    assert {("first",), ("centre",), ("last",)} == found


def test_a_matrix_for_another_number_of_axes_is_invalid() -> None:
    with pytest.raises(InvalidCallError):
        compute(_call((2, 1, 2, 2)))
