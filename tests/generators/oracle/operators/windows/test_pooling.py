"""The oracle of windows: how many positions, what lies under them, and what is made of it."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from onnx_conformance.generators.oracle.arith.grid import AnyOf, Grid, tensor_of, value_of
from onnx_conformance.generators.oracle.arith.numbers import NAN, NEG_INF
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.arith.windows import (
    Axis,
    halves,
    positions,
    positions_before_end,
    taps_inside,
)
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, answers, compute

_DEFAULTS: dict[str, dict[str, Any]] = {
    "MaxPool": {"auto_pad": "NOTSET", "ceil_mode": 0, "storage_order": 0},
    "AveragePool": {"auto_pad": "NOTSET", "ceil_mode": 0, "count_include_pad": 0},
    "LpPool": {"auto_pad": "NOTSET", "ceil_mode": 0, "p": 2},
    "Conv": {"auto_pad": "NOTSET", "group": 1},
    "ConvTranspose": {"auto_pad": "NOTSET", "group": 1},
}


def _tensor(shape: tuple[int, ...], items: list[Any]) -> Any:  # noqa: ANN401  a Tensor
    numbers = [Fraction(item) if isinstance(item, (int, float)) else item for item in items]
    return tensor_of(Grid("float32", shape, numbers))


def _call(operator: str, inputs: dict[str, Any], version: int = 22, **attributes: Any) -> Call:  # noqa: ANN401
    return Call(version, {**_DEFAULTS[operator], **attributes}, inputs, operator)


def _pool(operator: str, row: list[Any], **attributes: Any) -> list[Any]:  # noqa: ANN401
    x = _tensor((1, 1, len(row)), row)
    grid = compute(_call(operator, {"X": x}, **attributes))[0]
    assert isinstance(grid, Grid)
    return [value_of(item) for item in grid.items]


# --- the arithmetic --------------------------------------------------------------------------


def test_positions_are_those_that_a_walk_over_the_axis_finds() -> None:
    for size, reach, stride, padding in itertools.product(
        range(9), range(1, 6), range(1, 4), range(4)
    ):
        walked = sum(
            start + reach <= size + padding for start in range(0, size + padding + 1, stride)
        )
        assert walked == max(positions(size, reach, stride, padding), 0)


def test_rounding_up_adds_the_window_that_reaches_beyond() -> None:
    assert (2, 3) == (positions(6, 3, 2, 0), positions(6, 3, 2, 0, up=True))
    assert (3, 3) == (positions(7, 3, 2, 0), positions(7, 3, 2, 0, up=True))


def test_a_window_that_starts_on_the_last_element_is_before_the_end() -> None:
    assert (3, 2) == (positions_before_end(3, 7, 3, 0), positions_before_end(3, 6, 3, 0))


def test_an_odd_padding_has_more_at_the_end_or_at_the_begin() -> None:
    assert ((1, 2), (2, 1)) == (halves(3, more_at_end=True), halves(3, more_at_end=False))


def test_taps_over_padding_are_not_inside() -> None:
    axis = Axis(3, 3, stride=2, dilation=2, begin=2, end=2, count=2)
    assert [[(1, 0), (2, 2)], [(0, 0), (1, 2)]] == [axis.inside(0), axis.inside(1)]


def test_taps_over_elements_or_padding_end_where_the_padding_does() -> None:
    axis = Axis(3, 2, stride=2, begin=1, end=1, count=3)
    assert [2, 2, 1] == [axis.over(position) for position in range(3)]


def test_places_are_in_row_major_order_of_kernel_and_axes() -> None:
    axes = (Axis(3, 2, count=2), Axis(4, 2, count=3))
    assert [(0, 6), (1, 7), (2, 10), (3, 11)] == taps_inside(axes, (1, 2))


# --- pools -----------------------------------------------------------------------------------


def test_the_greatest_of_negative_infinities_is_negative_infinity() -> None:
    assert [NEG_INF] == _pool("MaxPool", [NEG_INF, NEG_INF], kernel_shape=(2,))


def test_the_greatest_of_nan_alone_is_nan() -> None:
    assert [NAN] == _pool("MaxPool", [NAN, NAN], kernel_shape=(2,))


def test_nan_beside_a_number_is_open() -> None:
    with pytest.raises(OpenError, match="nan-among-elements"):
        _pool("MaxPool", [NAN, 1], kernel_shape=(2,))


@pytest.mark.parametrize("operator", ["GlobalMaxPool", "GlobalAveragePool"])
def test_a_channel_without_an_axis_is_one_element_or_refused(operator: str) -> None:
    call = Call(22, {}, {"X": _tensor((2, 2), [1, 2, 3, 4])}, operator)
    computed, refused = (item.result for item in answers(call))
    assert computed is not None
    assert isinstance(computed[0], Grid)
    assert ((2, 2), [1, 2, 3, 4]) == (computed[0].shape, [*map(value_of, computed[0].items)])
    assert refused is None


def test_a_batch_without_channels_is_invalid() -> None:
    with pytest.raises(InvalidCallError):
        compute(Call(22, {}, {"X": _tensor((2,), [1, 2])}, "GlobalMaxPool"))


def test_the_index_of_one_of_equal_elements_is_any_of_theirs() -> None:
    call = _call("MaxPool", {"X": _tensor((1, 1, 3), [1, 3, 3])}, kernel_shape=(3,))
    indices = compute(call)[1]
    assert isinstance(indices, Grid)
    assert [AnyOf((1, 2))] == list(indices.items)


def test_column_major_indices_count_the_first_spatial_axis_fastest() -> None:
    x = _tensor((1, 1, 2, 3), [1, 2, 3, 4, 5, 6])
    indices = compute(_call("MaxPool", {"X": x}, kernel_shape=(1, 1), storage_order=1))[1]
    assert isinstance(indices, Grid)
    assert [0, 2, 4, 1, 3, 5] == list(indices.items)


def test_auto_pad_counts_the_dilated_kernel() -> None:
    found = _pool(
        "MaxPool", [1, 2, 3, 4, 5], kernel_shape=(2,), dilations=(2,), auto_pad="SAME_UPPER"
    )
    assert [2, 3, 4, 5, 4] == found


def test_valid_has_no_window_beyond_the_end_with_ceil_mode() -> None:
    found = _pool(
        "MaxPool", [1, 2, 3], kernel_shape=(2,), strides=(2,), ceil_mode=1, auto_pad="VALID"
    )
    assert [2] == found


def test_lp_pool_has_two_equations_for_valid_with_ceil_mode() -> None:
    attributes = {"kernel_shape": (2,), "strides": (2,), "p": 1}
    attributes |= {"ceil_mode": 1, "auto_pad": "VALID"}
    with pytest.raises(OpenError, match="valid-with-ceil-mode"):
        _pool("LpPool", [1, 2, 3], **attributes)
    assert [3, 7] == _pool("LpPool", [1, 2, 3, 4], **attributes)


def test_a_window_that_starts_in_the_padding_is_left_out_since_22() -> None:
    attributes = {"kernel_shape": (2,), "strides": (3,), "pads": (0, 1), "ceil_mode": 1}
    assert 2 == len(_pool("MaxPool", [1, 2, 3, 4, 5, 6], **attributes))
    with pytest.raises(OpenError, match="window-starts-in-end-padding"):
        _pool("MaxPool", [1, 2, 3, 4, 5, 6], version=12, **attributes)


def test_what_is_beyond_the_padding_does_not_count() -> None:
    found = _pool(
        "AveragePool", [1, 2, 3], kernel_shape=(2,), strides=(2,), ceil_mode=1, count_include_pad=1
    )
    assert [Fraction(3, 2), 3] == found


def test_padding_counts_as_it_is_asked() -> None:
    attributes = {"kernel_shape": (2,), "pads": (1, 0)}
    assert [2, 3] == _pool("AveragePool", [2, 4], **attributes)
    assert [1, 3] == _pool("AveragePool", [2, 4], count_include_pad=1, **attributes)


def test_pads_beside_auto_pad_are_ignored_or_count_instead_of_it() -> None:
    attributes = {"kernel_shape": (2,), "pads": (0, 0), "auto_pad": "SAME_LOWER"}
    x = _tensor((1, 1, 3), [1, 3, 2])
    found = {
        tuple(item.readings.values()): item.result
        and [value_of(one) for one in item.result[0].items]  # type: ignore[union-attr]
        for item in answers(_call("MaxPool", {"X": x}, **attributes))
    }
    assert {
        ("pads-ignored",): [1, 3, 3],
        ("auto-pad-ignored",): [3, 3],
        ("rejected",): None,
    } == found


def test_version_11_rounds_the_sizes_of_auto_pad_in_two_ways() -> None:
    call = _call(
        "AveragePool",
        {"X": _tensor((1, 1, 4), [1, 2, 3, 4])},
        11,
        kernel_shape=(3,),
        strides=(3,),
        auto_pad="SAME_UPPER",
    )
    shapes = {
        answer.readings["size-of-auto-pad"]: answer.result[0].shape  # type: ignore[union-attr, index]
        for answer in answers(call)
        if answer.result
    }
    assert {"rounded-up": (1, 1, 2), "rounded-down": (1, 1, 1)} == shapes


def test_same_of_conv_1_divides_by_the_stride_or_keeps_the_size() -> None:
    call = _call(
        "Conv",
        {"X": _tensor((1, 1, 3), [1, 2, 3]), "W": _tensor((1, 1, 2), [1, 10])},
        1,
        strides=(2,),
        auto_pad="SAME_UPPER",
    )
    found = {
        answer.readings["size-that-matches"]: [value_of(one) for one in answer.result[0].items]  # type: ignore[union-attr, index]
        for answer in answers(call)
    }
    assert {"divided-by-the-stride": [21, 3], "of-the-input": [10, 32, 0]} == found


def test_equations_of_lp_pool_count_dilations_or_do_not() -> None:
    x = _tensor((1, 1, 4), [1, 2, 4, 8])
    call = _call("LpPool", {"X": x}, kernel_shape=(2,), dilations=(2,), p=1)
    found = {
        answer.readings["dilations-in-the-equations"]: [
            value_of(one) for one in answer.result[0].items
        ]  # type: ignore[union-attr, index]
        for answer in answers(call)
    }
    assert {"extent": [5, 10], "kernel": [5, 10, 4]} == found


def test_a_norm_of_what_is_not_there_is_that_of_the_rest() -> None:
    assert [5, 5] == _pool("LpPool", [3, 4, 5], kernel_shape=(2,), strides=(2,), ceil_mode=1)


@pytest.mark.parametrize(
    "change",
    [
        {"strides": (0,)},
        {"strides": (1, 1)},
        {"pads": (-1, 0)},
        {"pads": (1,)},
        {"kernel_shape": (0,)},
        {"kernel_shape": (2, 2)},
        {"kernel_shape": (5,)},
        {"auto_pad": "SAME"},
        {"storage_order": 2},
    ],
)
def test_a_window_that_cannot_be_is_invalid(change: dict[str, Any]) -> None:
    with pytest.raises(InvalidCallError):
        _pool("MaxPool", [1, 2, 3], **{"kernel_shape": (2,), **change})


# --- convolutions ----------------------------------------------------------------------------


def _convolved(operator: str, x: Any, w: Any, **attributes: Any) -> list[Any]:  # noqa: ANN401
    grid = compute(_call(operator, {"X": x, "W": w}, **attributes))[0]
    assert isinstance(grid, Grid)
    return [value_of(item) for item in grid.items]


def test_the_kernel_of_a_convolution_is_not_turned() -> None:
    x, w = _tensor((1, 1, 3), [1, 2, 3]), _tensor((1, 1, 2), [1, 10])
    assert [21, 32] == _convolved("Conv", x, w)


def test_a_map_sees_the_channels_of_its_group() -> None:
    x, w = _tensor((1, 4, 1), [1, 2, 3, 4]), _tensor((2, 2, 1), [1, 10, 100, 1000])
    assert [21, 4300] == _convolved("Conv", x, w, group=2)


def test_no_channel_sums_to_zero() -> None:
    assert [0, 0] == _convolved("Conv", _tensor((1, 0, 2), []), _tensor((1, 0, 1), []))


def test_an_infinite_weight_over_padding_is_open() -> None:
    x, w = _tensor((1, 1, 1), [1]), _tensor((1, 1, 2), [NEG_INF, 1])
    with pytest.raises(OpenError, match="padding-times-infinity"):
        _convolved("Conv", x, w, pads=(1, 0))


def test_the_transpose_spreads_each_element_over_its_window() -> None:
    x, w = _tensor((1, 1, 3), [1, 2, 3]), _tensor((1, 1, 3), [1, 10, 100])
    assert [1, 10, 102, 20, 203, 30, 300] == _convolved("ConvTranspose", x, w, strides=(2,))


def test_the_transpose_of_same_upper_with_output_padding_is_input_times_stride() -> None:
    x, w = _tensor((1, 1, 3), [1, 2, 3]), _tensor((1, 1, 3), [1, 10, 100])
    found = _convolved(
        "ConvTranspose", x, w, strides=(2,), auto_pad="SAME_UPPER", output_padding=(1,)
    )
    assert [10, 102, 20, 203, 30, 300] == found


def test_output_padding_takes_elements_that_pads_left_out() -> None:
    x, w = _tensor((1, 1, 3), [1, 2, 3]), _tensor((1, 1, 3), [1, 10, 100])
    found = _convolved("ConvTranspose", x, w, strides=(2,), pads=(0, 2), output_padding=(1,))
    assert [1, 10, 102, 20, 203, 30] == found


def test_output_padding_as_wide_as_stride_and_dilation_is_invalid() -> None:
    x, w = _tensor((1, 1, 3), [1, 2, 3]), _tensor((1, 1, 3), [1, 10, 100])
    with pytest.raises(InvalidCallError, match="output_padding 2"):
        _convolved("ConvTranspose", x, w, strides=(2,), output_padding=(2,))


# --- Gemm ------------------------------------------------------------------------------------


def _gemm(a: Any, b: Any, c: Any = None, **attributes: Any) -> list[Any]:  # noqa: ANN401
    inputs = {"A": a, "B": b, **({} if c is None else {"C": c})}
    settled = {"alpha": 1.0, "beta": 1.0, "transA": 0, "transB": 0, **attributes}
    grid = compute(Call(13, settled, inputs, "Gemm"))[0]
    assert isinstance(grid, Grid)
    return [value_of(item) for item in grid.items]


def test_c_is_scaled_where_there_is_nothing_to_sum() -> None:
    found = _gemm(_tensor((1, 0), []), _tensor((0, 2), []), _tensor((2,), [3, 4]), beta=2.0)
    assert [6, 8] == found


def test_a_factor_of_zero_beside_nan_is_open() -> None:
    one = _tensor((1, 1), [1])
    with pytest.raises(OpenError, match="zero-times-infinity"):
        _gemm(one, one, _tensor((1, 1), [NAN]), beta=0.0)


def test_factors_are_transposed_before_they_are_multiplied() -> None:
    found = _gemm(_tensor((1, 2), [1, 2]), _tensor((2, 1), [1, 10]), transA=1, transB=1)
    assert [1, 10, 2, 20] == found
