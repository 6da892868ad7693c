"""The oracles of the normalizations: statistics, modes, groups and norms, computed by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from near_ratios import near

from onnx_conformance.generators.oracle.accuracy.limits import accepts
from onnx_conformance.generators.oracle.arith.grid import AnyOf, Grid, grid_of, tensor_of
from onnx_conformance.generators.oracle.arith.numbers import INF, NAN, NEG_INF
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, compute

if TYPE_CHECKING:
    from collections.abc import Sequence

    from onnx_conformance.core.values.tensors import Tensor


def _tensor(shape: Sequence[int], *items: float, name: str = "float32") -> Tensor:
    return tensor_of(Grid(name, tuple(shape), [Fraction(item) for item in items]))


def _numbers(call: Call, version: int | None = None, **readings: str) -> list[list[Any]]:
    """The elements of each output that is there, rounded to its type."""
    asked = Call(
        version or call.since_version,
        call.attributes,
        call.inputs,
        call.operator,
        outputs=call.outputs,
        types=call.types,
        readings={name.replace("_", "-"): value for name, value in readings.items()},
    )
    return [
        list(grid_of(tensor_of(item)).items) for item in compute(asked) if isinstance(item, Grid)
    ]


# --- BatchNormalization ----------------------------------------------------------------------

_LISTS = {
    "scale": _tensor([1], 2),
    "B": _tensor([1], 1),
    "mean": _tensor([1], 5),
    "var": _tensor([1], 8),
}
_NEW_NAMES = {"mean": "input_mean", "var": "input_var"}
_TRAINED = {"epsilon": 0.0, "momentum": 0.5}


def test_an_infinite_scale_may_meet_itself_where_the_mean_is_folded_into_the_bias() -> None:
    lists = {"B": 0, "input_mean": 1, "input_var": 1}
    inputs = {
        "X": _tensor([1, 1, 3], 2, 1, -3),
        "scale": tensor_of(Grid("float32", (1,), [INF])),
        **{name: _tensor([1], value) for name, value in lists.items()},
    }
    found, *_ = compute(Call(15, {}, inputs, "BatchNormalization"))
    assert isinstance(found, Grid)
    # x * inf + (0 - 1 * inf): NaN where x is above 0, and -inf either way below it.
    assert [AnyOf((INF, NAN)), NAN, NEG_INF] == list(found.items)


def _batch(version: int, *outputs: str, **attributes: float) -> Call:
    lists = {
        (_NEW_NAMES.get(name, name) if version >= 14 else name): value
        for name, value in _LISTS.items()
    }
    inputs = {"X": _tensor([4, 1, 1, 1], 1, 5, 1, 5), **lists}
    given = {**_TRAINED, **attributes}
    return Call(version, given, inputs, "BatchNormalization", outputs=outputs)


def test_training_normalizes_by_the_batch_and_moves_the_given_statistics() -> None:
    """The mean is 3 and the variance 4; halves of them and of 5 and 8."""
    assert [[-1, 3, -1, 3], [4], [6]] == _numbers(_batch(15, training_mode=1))


def test_further_outputs_are_those_of_training() -> None:
    with pytest.raises(InvalidCallError, match="training"):
        compute(_batch(15, "Y", "running_mean"))


def test_an_old_node_with_more_outputs_trains() -> None:
    call = _batch(9, "Y", "mean_out", "var_out", "saved_mean", "saved_var")
    found = _numbers(call, running_variance="population", saved_variance="inverse-deviation")
    assert [[-1, 3, -1, 3], [4], [6], [3], [Fraction(1, 2)]] == found


def test_the_running_variance_may_be_that_of_a_sample() -> None:
    """16 / 3 in place of 4."""
    call = _batch(9, "Y", "var_out")
    _, _, variance, *_ = _numbers(call, running_variance="sample")
    assert [Fraction(20, 3)] == [near(item, 100) for item in variance]


def test_a_test_has_one_output() -> None:
    with pytest.raises(InvalidCallError, match="training"):
        compute(_batch(6, "Y", "mean_out", is_test=1))


def test_is_test_0_with_one_output_is_an_open_question() -> None:
    call = _batch(6, "Y", is_test=0)
    assert [[-1, 3, -1, 3]] == _numbers(call, mode_of_one_output="training")
    with pytest.raises(OpenError, match="mode-of-one-output"):
        compute(call)


def test_version_1_has_four_axes() -> None:
    call = _batch(1, "Y", is_test=1)
    inputs = {**call.inputs, "X": _tensor([2, 1], 1, 5)}
    with pytest.raises(InvalidCallError, match="rank 2"):
        compute(Call(1, call.attributes, inputs, "BatchNormalization", outputs=("Y",)))


def test_each_place_may_have_statistics() -> None:
    lists = {name: _tensor([1, 2], 1, 2) for name in ("scale", "B", "mean", "var")}
    attributes = {"epsilon": 0.0, "spatial": 0}
    inputs = {"X": _tensor([2, 1, 2], 1, 2, 2, 2), **lists}
    call = Call(7, attributes, inputs, "BatchNormalization", outputs=("Y",))
    assert [[1, 2, 2, 2]] == _numbers(call)


# --- InstanceNormalization, GroupNormalization -----------------------------------------------


def test_a_channel_of_an_image_has_its_own_statistics() -> None:
    inputs = {
        "input": _tensor([2, 1, 2], 1, 5, 8, 0),
        "scale": _tensor([1], 3),
        "B": _tensor([1], 1),
    }
    assert [[-2, 4, 4, -2]] == _numbers(Call(22, {"epsilon": 0.0}, inputs, "InstanceNormalization"))


def test_a_matrix_has_no_spatial_axes() -> None:
    inputs = {"input": _tensor([1, 1], 3), "scale": _tensor([1], 3), "B": _tensor([1], 1)}
    call = Call(22, {"epsilon": 1.0}, inputs, "InstanceNormalization")
    assert [[1]] == _numbers(call, no_spatial_axes="one-place")
    with pytest.raises(OpenError, match="no-spatial-axes"):
        compute(call)


def _group(groups: int, name: str = "float32", stash: int = 1) -> Call:
    inputs = {
        "X": _tensor([1, 4, 1], 1, 5, 300, -300, name=name),
        "scale": _tensor([4], 1, 2, 3, 4, name=name),
        "bias": _tensor([4], 0, 0, 0, 1, name=name),
    }
    attributes = {"epsilon": 0.0, "num_groups": groups, "stash_type": stash}
    return Call(21, attributes, inputs, "GroupNormalization")


def test_channels_of_a_group_are_neighbours() -> None:
    assert [[-1, 2, 3, -3]] == _numbers(_group(2))


def test_squares_of_a_group_may_be_beyond_float16() -> None:
    assert [[-1, 2, 3, -3]] == _numbers(_group(2, "float16"))


def test_groups_divide_the_channels() -> None:
    for groups in (0, -2, 3, 8):
        with pytest.raises(InvalidCallError, match="do not divide"):
            compute(_group(groups))


def test_the_first_stage_is_in_a_floating_point_type() -> None:
    with pytest.raises(InvalidCallError, match="stash_type"):
        compute(_group(2, stash=7))


# --- RMSNormalization ------------------------------------------------------------------------


def _rms(
    shape: Sequence[int], scale: Tensor, axis: int, *items: float, name: str = "float32"
) -> Call:
    attributes = {"epsilon": 0.0, "axis": axis, "stash_type": 1}
    inputs = {"X": _tensor(shape, *items, name=name), "scale": scale}
    return Call(23, attributes, inputs, "RMSNormalization")


def test_a_row_is_divided_by_its_root_mean_square() -> None:
    call = _rms([1, 4], _tensor([4], 1, 2, 3, 4), -1, 0, 8, 0, 0)
    assert [[0, 4, 0, 0]] == _numbers(call)


def test_a_row_has_all_axes_from_the_axis_on() -> None:
    call = _rms([1, 2, 2], _tensor([], 1), 1, 0, 8, 0, 0)
    assert [[0, 2, 0, 0]] == _numbers(call)


def test_squares_of_a_row_may_be_beyond_float16() -> None:
    call = _rms([1, 2], _tensor([1], 1, name="float16"), -1, 300, -300, name="float16")
    assert [[1, -1]] == _numbers(call)


def test_two_types_are_an_open_question() -> None:
    call = _rms([1, 2], _tensor([1], 1), -1, 300, -300, name="float16")
    assert [[1, -1]] == _numbers(call, types_that_differ="type-of-the-scale")
    with pytest.raises(OpenError, match="types-that-differ"):
        compute(call)


def test_a_row_without_elements_has_no_mean() -> None:
    with pytest.raises(OpenError, match="nothing-to-normalize"):
        compute(_rms([2, 0], _tensor([1], 1), -1))


def test_a_scale_that_does_not_broadcast_to_a_row_is_an_open_question() -> None:
    call = _rms([2, 2], _tensor([2, 1], 1, 3), -1, 1, 1, 2, 2)
    assert [[1, 1, 3, 3]] == _numbers(call, scale_beyond_the_row="broadcast")
    with pytest.raises(OpenError, match="scale-beyond-the-row"):
        compute(call)


# --- LpNormalization, MeanVarianceNormalization, LRN -----------------------------------------


def test_an_empty_channel_has_no_mean() -> None:
    inputs = {"input": _tensor([1, 1, 0]), "scale": _tensor([1], 3), "B": _tensor([1], 1)}
    with pytest.raises(OpenError, match="nothing-to-normalize"):
        compute(Call(22, {"epsilon": 1.0}, inputs, "InstanceNormalization"))


def _lp(p: int, *items: float, axis: int = -1) -> Call:
    inputs = {"input": _tensor([1, len(items)], *items)}
    return Call(22, {"p": p, "axis": axis}, inputs, "LpNormalization")


def test_the_first_norm_is_a_sum_of_sizes() -> None:
    assert [[Fraction(-1, 4), Fraction(3, 4)]] == _numbers(_lp(1, -1, 3))


def test_the_second_norm_is_a_root_of_squares() -> None:
    found = [near(item, 10) for item in _numbers(_lp(2, 3, -4))[0]]
    assert [Fraction(3, 5), Fraction(-4, 5)] == found


def test_a_row_of_zeros_stays_zero() -> None:
    assert [[0, 0]] == _numbers(_lp(2, 0, 0))


def test_there_is_no_third_norm() -> None:
    with pytest.raises(InvalidCallError, match="p is 3"):
        compute(_lp(3, 1, 2))


def test_an_axis_below_minus_1_is_an_open_question() -> None:
    assert [[1, 1]] == _numbers(_lp(1, 1, 3, axis=-2), axis_below_minus_1="from-the-back")
    with pytest.raises(OpenError, match="axis-below-minus-1"):
        compute(_lp(1, 1, 3, axis=-2))


def _mean_variance(version: int, axes: tuple[int, ...], *items: float) -> Call:
    inputs = {"X": _tensor([2, 2], *items)}
    return Call(version, {"axes": axes}, inputs, "MeanVarianceNormalization")


def test_elements_are_standardized_over_the_axes() -> None:
    assert [[-1, 1, 1, -1]] == _numbers(_mean_variance(13, (0,), 1, 5, 5, 1))


def test_a_constant_is_0_by_the_function_body_and_nan_by_the_formula() -> None:
    call = _mean_variance(13, (1,), 2, 2, 1, 5)
    assert [[0, 0, -1, 1]] == _numbers(call, constant_row="function-body")
    assert "nan" == str(_numbers(call, constant_row="formula")[0][0]).lower().rpartition(".")[2]


def test_negative_axes_of_version_9_are_an_open_question() -> None:
    assert [[-1, 1, -1, 1]] == _numbers(_mean_variance(13, (-1,), 1, 5, 2, 4))
    with pytest.raises(OpenError, match="negative-axes"):
        compute(_mean_variance(9, (-1,), 1, 5, 2, 4))


def test_an_empty_list_of_axes_is_all_of_them_or_none() -> None:
    call = _mean_variance(13, (), 1, 5, 1, 5)
    assert [[-1, 1, -1, 1]] == _numbers(
        call, no_axes_in_the_list="all", constant_row="function-body"
    )
    none = {"no_axes_in_the_list": "none", "constant_row": "function-body"}
    assert [[0, 0, 0, 0]] == _numbers(call, **none)


def _response(size: int, **attributes: float) -> Call:
    given = {"alpha": float(size), "beta": 1.0, "bias": 0.0, "size": size, **attributes}
    inputs = {"X": _tensor([1, 4, 1, 1], 1, 2, 3, 4)}
    return Call(13, given, inputs, "LRN")


def test_a_region_of_even_size_has_one_channel_more_behind() -> None:
    found = [near(item, 100) for item in _numbers(_response(2))[0]]
    assert [Fraction(1, 5), Fraction(2, 13), Fraction(3, 25), Fraction(4, 16)] == found


def test_a_region_ends_with_the_channels() -> None:
    found = [near(item, 100) for item in _numbers(_response(3))[0]]
    assert [Fraction(1, 5), Fraction(2, 14), Fraction(3, 29), Fraction(4, 25)] == found


def test_alpha_is_divided_by_the_size() -> None:
    found = [near(item, 100) for item in _numbers(_response(3, alpha=1.0, bias=2.0))[0]]
    assert Fraction(3, 11) == found[0]


@pytest.mark.parametrize(
    ("share", "taken"),
    [(1 / 3, True), (float(np.float32(1) / np.float32(3)), True), (0.33325, False)],
    ids=["float64", "float32", "float16"],
)
def test_alpha_may_be_divided_by_the_size_in_the_type_of_attributes(
    share: float, taken: object
) -> None:
    given = {"alpha": 1.0, "beta": 1.0, "bias": 1.0, "size": 3}
    inputs = {"X": _tensor([1, 1, 1, 1], 3, name="float64")}
    (found,) = compute(Call(13, given, inputs, "LRN"))
    assert isinstance(found, Grid)
    assert taken == accepts("float64", found.items[0], Fraction(3 / (1 + share * 9)))


def test_an_infinite_scale_of_a_channel_may_meet_itself_too() -> None:
    inputs = {
        "input": _tensor([1, 1, 3], 1, 2, 6),
        "scale": tensor_of(Grid("float32", (1,), [INF])),
        "B": _tensor([1], 0),
    }
    (found,) = compute(Call(22, {"epsilon": 0.0}, inputs, "InstanceNormalization"))
    assert isinstance(found, Grid)
    assert accepts("float32", found.items[2], INF)
    assert accepts("float32", found.items[2], NAN)
    assert not accepts("float32", found.items[2], NEG_INF)


@pytest.mark.parametrize(("great", "may_be_nan"), [(2e19, True), (1e10, False)])
def test_the_mean_of_the_squares_may_overflow_against_the_square_of_the_mean(
    great: float, may_be_nan: object
) -> None:
    inputs = {
        "X": _tensor([1, 2, 2], 0, great, 0, great),
        "scale": _tensor([2], 0, 0),
        "bias": _tensor([2], 1, 1),
    }
    attributes = {"num_groups": 1, "epsilon": 1e-5, "stash_type": 1}
    (found,) = compute(Call(21, attributes, inputs, "GroupNormalization"))
    assert isinstance(found, Grid)
    assert may_be_nan == accepts("float32", found.items[0], NAN)


def test_a_norm_that_underflows_may_be_zero() -> None:
    """Then an element is itself by 0, an infinity, or the 0 that the page defines; 0 by 0 NaN."""
    call = Call(22, {"axis": -1, "p": 2}, {"input": _tensor((2,), 3e-30, 0)}, "LpNormalization")
    (result,) = compute(call)
    assert isinstance(result, Grid)
    first, second = result.items
    assert all(accepts("float32", first, number) for number in (Fraction(1), Fraction(0), INF, NAN))
    assert not accepts("float32", first, Fraction(-1))
    assert accepts("float32", second, NAN)
    assert not accepts("float32", second, Fraction(1))


def test_a_norm_of_greater_elements_is_not_zero() -> None:
    call = Call(22, {"axis": -1, "p": 1}, {"input": _tensor((2,), 3e-30, 0)}, "LpNormalization")
    (result,) = compute(call)
    assert isinstance(result, Grid)
    assert not any(accepts("float32", result.items[0], number) for number in (Fraction(0), NAN))
