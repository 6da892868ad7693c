"""The oracle of Resize and Upsample: places and averages that are computed by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from near_ratios import near

from onnx_conformance.generators.oracle.accuracy.limits import accepts
from onnx_conformance.generators.oracle.arith.grid import AnyOf, Enclosed, Grid, tensor_of, value_of
from onnx_conformance.generators.oracle.arith.numbers import NEG_INF
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.arith.rounding import round_to
from onnx_conformance.generators.oracle.errors import InvalidCallError, UnansweredError
from onnx_conformance.generators.oracle.registry import Call, answers, compute

if TYPE_CHECKING:
    from collections.abc import Sequence

_HALF = Fraction(1, 2)


def _tensor(items: Sequence[Any], shape: tuple[int, ...], name: str = "float32") -> Any:  # noqa: ANN401
    whole = name.startswith("int")
    return tensor_of(Grid(name, shape, [item if whole else Fraction(item) for item in items]))


def _call(  # noqa: PLR0913  each but the first has a default
    row: Sequence[Any],
    scale: float | None = None,
    size: int | None = None,
    *,
    version: int = 19,
    roi: tuple[float, float] | None = None,
    name: str = "float32",
    **attributes: Any,  # noqa: ANN401
) -> Call:
    inputs = {"X": _tensor(row, (1, len(row)), name)}
    if scale is not None:
        inputs["scales"] = _tensor([1, scale], (2,))
    if size is not None:
        inputs["sizes"] = _tensor([1, size], (2,), "int64")
    if roi is not None:
        inputs["roi"] = _tensor([0, roi[0], 1, roi[1]], (4,))
    return Call(version, attributes, inputs, "Resize")


def _row(call: Call) -> list[Any]:
    grid = compute(call)[0]
    assert isinstance(grid, Grid)
    return [_number(item) for item in grid.items]


def _number(item: Any) -> Any:  # noqa: ANN401  what an element is
    """The number of an element; of one with limits the fraction that it is near."""
    number = value_of(item)
    return near(number, 1000) if isinstance(number, Fraction) else number


def _readings(call: Call) -> dict[tuple[str, ...], list[Any]]:
    return {
        tuple(answer.readings.values()): [_number(item) for item in answer.result[0].items]  # type: ignore[union-attr]
        for answer in answers(call)
        if answer.result is not None
    }


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("round_prefer_floor", [1, 3]),  # places 0.5 and 2.5
        ("round_prefer_ceil", [2, 4]),
        ("floor", [1, 3]),
        ("ceil", [2, 4]),
    ],
)
def test_a_place_half_way_goes_where_nearest_mode_says(mode: str, expected: list[int]) -> None:
    assert expected == _row(_call([1, 2, 3, 4], 0.5, nearest_mode=mode))


@pytest.mark.parametrize(
    ("transformation", "expected"),
    [
        ("half_pixel", [1, Fraction(5, 4), Fraction(7, 4), 2]),
        ("asymmetric", [1, Fraction(3, 2), 2, 2]),
        ("align_corners", [1, Fraction(4, 3), Fraction(5, 3), 2]),
        ("half_pixel_symmetric", [1, Fraction(5, 4), Fraction(7, 4), 2]),
    ],
)
def test_each_transformation_has_its_places(transformation: str, expected: list[Fraction]) -> None:
    call = _call([1, 2], 2, mode="linear", coordinate_transformation_mode=transformation)
    assert expected == _row(call)


def test_for_nn_is_half_a_pixel_further_and_of_version_11_alone() -> None:
    given: dict[str, Any] = {
        "coordinate_transformation_mode": "tf_half_pixel_for_nn",
        "mode": "linear",
    }
    assert [Fraction(5, 4), Fraction(7, 4), 2, 2] == _row(_call([1, 2], 2, version=11, **given))
    with pytest.raises(InvalidCallError):
        compute(_call([1, 2], 2, version=13, **given))


def test_a_single_place_of_pytorch_is_the_first_element() -> None:
    call = _call([1, 2], size=1, coordinate_transformation_mode="pytorch_half_pixel", mode="cubic")
    assert [1] == _row(call)


def test_a_cubic_average_is_that_of_four_neighbours() -> None:
    # At 1.5 with a = -3/4: weights -3/32, 19/32, 19/32, -3/32.
    call = _call([0, 32, 0, 0], 0.25, mode="cubic")
    assert [19] == _row(call)


def test_excluded_neighbours_have_no_weight() -> None:
    # At 0.5: -3/32 outside, 19/32, 19/32, -3/32, which sum to 35/32.
    call = _call([35, 0, 0, 0], 0.5, mode="cubic", exclude_outside=1)
    assert Fraction(19) == _row(call)[0]


def test_antialiasing_stretches_the_filter() -> None:
    # The places are 1.5 and 5.5, the filter a triangle that reaches 4: 7/8, 5/8, 3/8 and 1/8 on
    # either side, which sum to 4; the first element stands for two outside as well.
    call = _call([32, 0, 0, 0, 0, 0, 0, 0], 0.25, mode="linear", antialias=1)
    assert [5 + 3 + 1, 0] == _row(call)


def test_beyond_an_axis_stands_the_extrapolation_value() -> None:
    call = _call(
        [1, 2, 3, 4, 5],
        size=5,
        roi=(-0.5, 1.5),
        mode="linear",
        coordinate_transformation_mode="tf_crop_and_resize",
        extrapolation_value=9.0,
    )
    assert [9, 1, 3, 5, 9] == _row(call)


def test_a_policy_rounds_a_half_up() -> None:
    call = _call([1, 2, 3, 4, 5], size=2, keep_aspect_ratio_policy="not_smaller")
    # The first axis asks for a scale of 1, the second for 2/5.
    assert [1, 2, 3, 4, 5] == _row(call)


def test_aligned_corners_are_read_in_two_ways_where_a_length_is_rounded() -> None:
    call = _call([1, 2, 3, 4], 0.625, mode="linear", coordinate_transformation_mode="align_corners")
    assert {("of-the-tensor",): [1, 4], ("before-rounding",): [1, 3]} == _readings(call)


def test_a_scale_is_read_in_two_ways_where_a_length_is_rounded() -> None:
    call = _call([0, 8, 16], 0.75, mode="linear", coordinate_transformation_mode="asymmetric")
    found = _readings(call)
    assert {("given",): [0, Fraction(32, 3)], ("of-lengths",): [0, 12]} == found


def test_a_size_just_below_a_whole_number_is_left_to_float32() -> None:
    scale = float(Fraction(11744051, 2**24))  # 0.7 in float32, which is below it
    call = _call(list(range(10)), scale, coordinate_transformation_mode="asymmetric")
    assert {6, 7} == {len(row) for row in _readings(call).values()}


def test_a_place_that_float32_does_not_hold_is_either_neighbour_on_a_boundary() -> None:
    call = _call([1, 2, 3], size=7, coordinate_transformation_mode="asymmetric", mode="linear")
    assert any(isinstance(item, Enclosed) for item in compute(call)[0].items)  # type: ignore[union-attr]


def test_an_integer_average_is_one_of_its_neighbours() -> None:
    grid = compute(_call([0, 3], 2, name="int32", mode="linear"))[0]
    assert isinstance(grid, Grid)
    assert [0, AnyOf((0, 1)), AnyOf((2, 3)), 3] == list(grid.items)


def test_axes_name_what_scales_are_for() -> None:
    inputs = {"X": _tensor([1, 2, 3, 4], (2, 2)), "scales": _tensor([2], (1,))}
    grid = compute(Call(19, {"axes": (-2,)}, inputs, "Resize"))[0]
    assert isinstance(grid, Grid)
    assert ((4, 2), [1, 2, 1, 2, 3, 4, 3, 4]) == (grid.shape, list(grid.items))


def test_scales_and_sizes_exclude_each_other() -> None:
    with pytest.raises(InvalidCallError):
        compute(_call([1, 2], 2, 4))
    with pytest.raises(InvalidCallError):
        compute(_call([1, 2]))


def test_version_10_leaves_the_places_open() -> None:
    x = {"X": _tensor([0, 4], (1, 2)), "scales": _tensor([1, 2], (2,))}
    found = _readings(Call(10, {"mode": "linear"}, x, "Resize"))
    assert {
        ("asymmetric",): [0, 2, 4, 4],
        ("half-pixel",): [0, 1, 3, 4],
        ("align-corners",): [0, Fraction(4, 3), Fraction(8, 3), 4],
    } == found


@pytest.mark.parametrize("scale", [0, -1, _HALF])
def test_upsample_takes_scales_from_1_on(scale: Fraction) -> None:
    x = {"X": _tensor([0, 4], (1, 2)), "scales": _tensor([1, scale], (2,))}
    with pytest.raises(InvalidCallError):
        compute(
            Call(9, {"mode": "nearest"}, x, "Upsample", readings={"nearest-before-11": "floor"})
        )


def test_upsample_repeats_elements_by_a_whole_scale() -> None:
    x = {"X": _tensor([1, 2], (1, 1, 1, 2))}
    attributes = {"mode": "nearest", "height_scale": 1.0, "width_scale": 3.0}
    found = _readings(Call(1, attributes, x, "Upsample"))
    assert [[1, 1, 1, 2, 2, 2]] * 3 == list(found.values())


def test_a_place_that_float32_does_not_hold_is_not_known() -> None:
    call = _call(
        [1, 2], size=3, roi=(-3e38, 3e38), coordinate_transformation_mode="tf_crop_and_resize"
    )
    with pytest.raises(UnansweredError, match="beyond float32"):
        list(answers(call))


def test_the_least_number_may_be_lost_in_halves_and_others_may_not() -> None:
    least = Fraction(1, 1 << 149)
    for element, lost in ((least, [True, True]), (1024 * least, [False, True])):
        inputs = {"X": _tensor([element], (1,)), "scales": _tensor([Fraction(2)], (1,))}
        call = Call(9, {"mode": "linear"}, inputs, "Upsample")
        for answer in answers(call):
            assert answer.result is not None
            grid = answer.result[0]
            assert isinstance(grid, Grid)
            found = [accepts("float32", grid.items[0], way) for way in (0 * least, element)]
            assert lost == found


def test_a_number_beside_an_infinity_without_weight_keeps_its_limits() -> None:
    image = [Fraction(0), Fraction(2239459, 1 << 24), NEG_INF]
    inputs = {
        "X": tensor_of(Grid("float32", (3,), image)),
        "scales": _tensor([Fraction(3, 2)], (1,)),
    }
    call = Call(
        9,
        {"mode": "linear"},
        inputs,
        "Upsample",
        readings={"coordinates-before-11": "asymmetric", "which-scale": "given"},
    )
    grid = compute(call)[0]
    assert isinstance(grid, Grid)
    exact = image[1] * Fraction(2, 3)
    assert accepts(
        "float32", grid.items[1], round_to("float32", exact * (1 + Fraction(1, 1 << 23)))
    )
    assert not accepts("float32", grid.items[1], image[1])
