"""The oracle of GridSample: elements and averages that are computed by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from onnx_conformance.generators.oracle.accuracy.limits import accepts
from onnx_conformance.generators.oracle.arith.grid import AnyOf, Grid, tensor_of, value_of
from onnx_conformance.generators.oracle.arith.numbers import NAN, Complex
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.errors import InvalidCallError, UnansweredError
from onnx_conformance.generators.oracle.registry import Call, answers, compute


def _call(
    row: list[int],
    positions: list[Fraction | float],
    version: int = 22,
    name: str = "float32",
    **attributes: Any,  # noqa: ANN401  of several kinds
) -> Call:
    """A call for one row of an image, at positions along it."""
    given = {"mode": "linear", "padding_mode": "zeros", "align_corners": 0, **attributes}
    elements = row if name != "float32" else [Fraction(one) for one in row]
    at = [Fraction(number) for one in positions for number in (one, 0)]
    inputs = {
        "X": tensor_of(Grid(name, (1, 1, 1, len(row)), elements)),
        "grid": tensor_of(Grid("float32", (1, 1, len(positions), 2), at)),
    }
    return Call(version, given, inputs, "GridSample")


def _items(call: Call) -> list[Any]:
    grid = compute(call)[0]
    assert isinstance(grid, Grid)
    return [item if isinstance(item, AnyOf) else value_of(item) for item in grid.items]


def _readings(call: Call) -> dict[str, list[Any]]:
    found = {}
    for answer in answers(call):
        assert answer.result is not None
        grid = answer.result[0]
        assert isinstance(grid, Grid)
        found[" ".join(answer.readings.values())] = [value_of(item) for item in grid.items]
    return found


def test_edges_of_pixels_are_at_the_ends() -> None:
    # The centres of two pixels are at -1/2 and 1/2; zeros lie beyond the edges.
    assert [4, 10, 16, 2] == _items(_call([4, 16], [-0.5, 0, 0.5, -1]))


def test_centres_of_pixels_are_at_the_ends() -> None:
    assert [4, 7, 10, 16] == _items(_call([4, 16], [-1, -0.5, 0, 1], align_corners=1))


def test_a_half_goes_to_the_even_index_since_20() -> None:
    found = _items(_call([1, 2, 3, 4], [-0.5, 0, 0.5, 1], mode="nearest"))
    assert [1, 3, 3, 0] == found


def test_a_half_goes_to_either_index_before_20() -> None:
    (found,) = _items(_call([1, 2, 3, 4], [0], version=16, mode="nearest"))
    assert AnyOf((Fraction(2), Fraction(3))) == found


def test_reflection_goes_to_and_fro_between_centres() -> None:
    call = _call([10, 20, 40], [-3.5, 5.25], padding_mode="reflection", align_corners=1)
    assert [30, 35] == _items(call)


def test_reflection_is_at_edges_or_at_pixels() -> None:
    # The place is -5/4; its image is 1/4 by the edge, and 5/4 by the first pixel.
    call = _call([10, 20, 40], [Fraction(-3, 2)], padding_mode="reflection")
    assert {"edges": [Fraction(25, 2)], "margin-pixels": [25]} == _readings(call)


def test_cubic_has_the_coefficient_of_the_examples() -> None:
    assert [111] == _items(_call([0, 64, 128, 32], [0], mode="cubic"))


def test_the_border_of_cubic_is_left_open() -> None:
    call = _call([0, 64, 128, 32], [1], mode="cubic", padding_mode="border")
    found = _readings(call)
    assert {"place", "place-outside", "elements-beyond"} == set(found)
    assert [32] == found["place"]
    # 19/32 and 19/32 of the last pixel, -3/32 of the one before it and of the border.
    assert [23] == found["elements-beyond"] == found["place-outside"]


def test_integers_are_cut_off() -> None:
    call = _call([-7, 4], [-0.5, 0.5], name="int8", align_corners=1)
    assert [-4, 1] == _items(call)


def test_a_place_outside_is_zero_or_has_elements_near() -> None:
    call = _call([4, 16], [Fraction(5, 4)], align_corners=1)
    assert {"of-elements": [14], "of-places": [0]} == _readings(call)


def test_a_mode_of_another_version_is_refused() -> None:
    with pytest.raises(InvalidCallError, match="bilinear"):
        compute(_call([1], [0], mode="bilinear"))


def test_far_away_there_is_the_border() -> None:
    call = _call([10, 20], [1e30, -1e30], padding_mode="border")
    assert [20, 10] == _items(call)


def test_an_average_of_integers_far_beyond_the_working_type_is_open() -> None:
    call = _call([2**62 + 1, 2**62 - 1], [0], name="int64")
    assert {"nearest": [2**62], "anything": [2**62]} == _readings(call)


def test_the_places_of_a_narrow_grid_may_be_computed_in_its_type() -> None:
    position = Fraction(-985, 16384)  # 1 + it is no float16
    for name, due in (("float16", [True, False]), ("float32", [False, False])):
        inputs = {
            "X": tensor_of(Grid("float32", (1, 1, 1, 1), [Fraction(1)])),
            "grid": tensor_of(Grid(name, (1, 1, 1, 2), [Fraction(0), position])),
        }
        given = {"mode": "linear", "padding_mode": "zeros", "align_corners": 0}
        grid = compute(Call(22, given, inputs, "GridSample"))[0]
        assert isinstance(grid, Grid)
        exact = 1 + position / 2
        ways = [exact + Fraction(1, 1 << 13), exact + Fraction(1, 1 << 8)]
        assert due == [accepts("float32", grid.items[0], way) for way in ways]


def test_one_pixel_beside_zeros_is_rounded_after_each_axis() -> None:
    image = [Fraction(1), Fraction(16777213)]  # odd: three quarters and five eighths of it round
    inputs = {
        "X": tensor_of(Grid("float32", (1, 1, 1, 2), image)),
        "grid": tensor_of(Grid("float32", (1, 1, 1, 2), [Fraction(3, 4), Fraction(-3, 4)])),
    }
    given = {"mode": "linear", "padding_mode": "zeros", "align_corners": 0}
    grid = compute(Call(22, given, inputs, "GridSample"))[0]
    assert isinstance(grid, Grid)
    exact = image[1] * Fraction(15, 32)
    assert accepts("float32", grid.items[0], Fraction(round(exact * 2) + 1, 2))


@pytest.mark.parametrize(
    ("row", "position", "given"),
    [
        ([1.0, NAN], -32, {"padding_mode": "border"}),
        ([NAN, 1.0], -3, {"align_corners": 1}),
    ],
)
def test_a_pixel_without_weight_may_count(
    row: list[Any], position: int, given: dict[str, Any]
) -> None:
    elements = [one if one is NAN else Fraction(one) for one in row]
    call = _call([0, 0], [position], **given)
    image = tensor_of(Grid("float32", (1, 1, 1, 2), elements))
    found = [
        grid.items[0]
        for answer in answers(replace(call, inputs={**call.inputs, "X": image}))
        if answer.result is not None and isinstance(grid := answer.result[0], Grid)
    ]
    assert any(accepts("float32", item, NAN) for item in found)
    assert not any(accepts("float32", item, Fraction(5)) for item in found)


def test_a_complex_average_that_is_rounded_has_no_answer_and_nan_fills_both_parts() -> None:
    def found(*image: Complex) -> Any:  # noqa: ANN401  an item
        call = _call([0, 0], [0.25], align_corners=1)
        given = tensor_of(Grid("complex64", (1, 1, 1, 2), list(image)))
        grid = compute(replace(call, inputs={**call.inputs, "X": given}))[0]
        assert isinstance(grid, Grid)
        return grid.items[0]

    odd = Complex(Fraction(16777215), Fraction(0))
    with pytest.raises(UnansweredError):
        found(odd, Complex(Fraction(16777213), Fraction(0)))
    nothing = found(odd, Complex(NAN, Fraction(0)))
    assert Complex(NAN, NAN) in nothing.numbers
