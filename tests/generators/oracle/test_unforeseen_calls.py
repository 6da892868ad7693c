"""Calls that no case asks for: found by calls drawn at random, each answered wrongly once."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from onnx_conformance.generators.oracle.accuracy.limits import accepts
from onnx_conformance.generators.oracle.arith.grid import Grid, tensor_of
from onnx_conformance.generators.oracle.arith.numbers import (
    INF,
    NAN,
    NEG_INF,
    ZERO,
    from_float,
)
from onnx_conformance.generators.oracle.registry import Answer, Call, answers
from onnx_conformance.generators.situations.asking import value_of_output

if TYPE_CHECKING:
    from collections.abc import Sequence

    from onnx_conformance.core.values.tensors import Tensor

INFINITE, NOT_A_NUMBER = math.inf, math.nan


def floats(values: Sequence[float], *shape: int, name: str = "float32") -> Tensor:
    return tensor_of(Grid(name, shape or (len(values),), [from_float(item) for item in values]))


def scalar(value: float) -> Tensor:
    return tensor_of(Grid("float32", (), [from_float(value)]))


def whole(name: str, values: Sequence[int], *shape: int, rank_0: bool = False) -> Tensor:
    return tensor_of(Grid(name, () if rank_0 else shape or (len(values),), list(values)))


def answers_of(
    operator: str, version: int, inputs: dict[str, Tensor], **attributes: object
) -> list[Answer]:
    return list(answers(Call(version, attributes, inputs, operator)))  # type: ignore[arg-type]


def firsts(found: Sequence[Answer]) -> dict[tuple[str, ...], object]:
    """The first element of the first output by the readings; None where they refuse the call."""
    result = {}
    for answer in found:
        grid = answer.result[0] if answer.result else None
        if isinstance(grid, Grid):
            value_of_output(grid)  # it must be a value of its type
        result[tuple(answer.readings.values())] = grid.items[0] if isinstance(grid, Grid) else None
    return result


def only(found: Sequence[Answer]) -> object:
    (item,) = firsts(found).values()
    return item


# --- reductions ---------------------------------------------------------------------------------


def test_a_logarithm_of_powers_does_not_lose_the_great_ones_for_a_very_small_one() -> None:
    data = {"data": whole("int32", [1, 0, -511291868])}
    found = firsts(answers_of("ReduceLogSumExp", 18, data, keepdims=0))
    assert {1, None} == set(found.values())


def test_a_norm_that_its_integers_do_not_hold_ends_at_the_greatest() -> None:
    data = {"data": whole("int32", [2_000_000_000, 2_000_000_000])}
    found = firsts(answers_of("ReduceL2", 18, data, keepdims=0))
    assert 2**31 - 1 == found["exact",]


@pytest.mark.parametrize(
    ("row", "accepted"),
    [
        ([1e8, 1.0, -1e8], (NAN, NEG_INF, ZERO)),
        ([1.0, 0.1, -1.1], (NAN, NEG_INF, from_float(-15.0))),
    ],
)
def test_the_logarithm_of_a_sum_that_cancels_may_be_none(
    row: list[float], accepted: tuple[object, ...]
) -> None:
    item = only(answers_of("ReduceLogSum", 18, {"data": floats(row)}, keepdims=0))
    assert all(accepts("float32", item, number) for number in accepted)  # type: ignore[arg-type]


@pytest.mark.parametrize("row", [[1e-30, 1e-30, 1e30, 1e30], [INFINITE, 1e-30, 1e-30]])
def test_a_product_that_may_be_zero_times_infinity_may_be_no_number(row: list[float]) -> None:
    item = only(answers_of("ReduceProd", 18, {"data": floats(row)}, keepdims=0))
    assert accepts("float32", item, NAN)  # type: ignore[arg-type]


def test_axes_of_rank_0_may_be_refused_or_taken_for_a_list_of_one() -> None:
    inputs = {"data": floats([1.0, 2.0]), "axes": whole("int64", [0], rank_0=True)}
    found = firsts(answers_of("ReduceSum", 13, inputs))
    sum_of_both = found["one-axis",]
    assert accepts("float32", sum_of_both, from_float(3.0))  # type: ignore[arg-type]
    assert None is found["rejected",]


# --- parameters that are not finite -------------------------------------------------------------


@pytest.mark.parametrize(
    ("epsilon", "expected"), [(INFINITE, ZERO), (NOT_A_NUMBER, NAN), (-5.0, NAN)]
)
def test_any_epsilon_has_a_result(epsilon: float, expected: object) -> None:
    inputs = {
        "input": floats([1.0, 2.0, 3.0, 4.0], 1, 2, 2),
        "scale": floats([1.0, 1.0]),
        "B": floats([0.0, 0.0]),
    }
    item = only(answers_of("InstanceNormalization", 22, inputs, epsilon=epsilon))
    assert accepts("float32", item, expected)  # type: ignore[arg-type]


def test_a_power_of_a_negative_base_is_no_number() -> None:
    inputs = {"X": floats([1.0], 1, 1, 1)}
    settings = {"size": 1, "alpha": 1e-4, "beta": 0.75, "bias": -5.0}
    assert NAN is only(answers_of("LRN", 13, inputs, **settings))


@pytest.mark.parametrize("scale", [INFINITE, NOT_A_NUMBER])
def test_a_region_at_a_scale_that_is_no_number_is_refused(scale: float) -> None:
    inputs = {"X": floats([1.0, 2.0, 3.0, 4.0], 1, 1, 2, 2), "rois": floats([0, 0, 0, 1, 1], 1, 5)}
    (found,) = answers_of("MaxRoiPool", 22, inputs, pooled_shape=(1, 1), spatial_scale=scale)
    assert "spatial_scale is no finite number" == found.invalid


def test_a_quotient_by_an_infinite_scale_is_the_zero_point() -> None:
    inputs = {
        "x": whole("uint8", [3], 1, 1, 1),
        "w": whole("uint8", [1], 1, 1, 1),
        **{f"{name}_scale": scalar(1.0) for name in "xw"},
        "y_scale": scalar(INFINITE),
        **{f"{name}_zero_point": whole("uint8", [0], rank_0=True) for name in "xw"},
        "y_zero_point": whole("uint8", [7], rank_0=True),
    }
    assert 7 == only(answers_of("QLinearConv", 10, inputs))


# --- what is left open --------------------------------------------------------------------------


def test_a_min_of_infinity_may_be_limited_by_the_default_of_max() -> None:
    inputs = {"input": floats([1.0]), "min": scalar(INFINITE)}
    found = firsts(answers_of("Clip", 13, inputs))
    assert (INF, from_float(3.4028234663852886e38)) == (found["kept",], found["greatest-number",])


def test_with_a_max_a_min_of_infinity_is_limited_by_it() -> None:
    inputs = {"input": floats([1.0]), "min": scalar(INFINITE), "max": scalar(2.0)}
    assert from_float(2.0) == only(answers_of("Clip", 13, inputs))


@pytest.mark.parametrize(("size", "readings"), [(2, {"per-tensor", "rejected"}), (-1, set())])
def test_a_block_size_beside_one_scale_is_open_unless_it_is_negative(
    size: int, readings: set[str]
) -> None:
    inputs = {"x": whole("uint8", [3]), "x_scale": scalar(1.0)}
    found = answers_of("DequantizeLinear", 23, inputs, axis=1, block_size=size)
    assert readings == {reading for answer in found for reading in answer.readings.values()}
    assert (size < 0) == (found[0].result is None)


def test_an_n_gram_of_no_length_is_none() -> None:
    settings = {
        "mode": "TF",
        "min_gram_length": 0,
        "max_gram_length": 1,
        "max_skip_count": 0,
        "ngram_counts": (0,),
        "ngram_indexes": (0, 1),
        "pool_int64s": (1, 2),
    }
    found = firsts(answers_of("TfIdfVectorizer", 9, {"X": whole("int64", [1, 1])}, **settings))
    assert {("none-of-it",): from_float(2.0), ("rejected",): None} == found


def test_training_that_asks_for_y_alone_may_be_refused() -> None:
    lists = {name: floats([1.0]) for name in ("scale", "B", "input_mean", "input_var")}
    inputs = {"X": floats([1.0, 2.0], 2, 1), **lists}
    call = Call(15, {"training_mode": 1}, inputs, "BatchNormalization", outputs=("Y",))
    assert ["computed", "rejected"] == [
        reading for answer in answers(call) for reading in answer.readings.values()
    ]


# --- sums beyond the type -----------------------------------------------------------------------


def test_an_infinity_among_terms_that_may_overflow_against_it_may_give_no_number() -> None:
    item = only(answers_of("ReduceSum", 13, {"data": floats([INFINITE, -3e38, -3e38])}))
    assert [True, True, False] == [
        accepts("float32", item, number)  # type: ignore[arg-type]
        for number in (INF, NAN, NEG_INF)
    ]
    assert INF is only(answers_of("ReduceSum", 13, {"data": floats([INFINITE, -3e38, 3e38])}))


def test_a_gate_whose_terms_overflow_either_way_may_be_open_or_closed() -> None:
    inputs = {
        "X": floats([3.0, -3e38], 1, 1, 2),
        "W": floats([3e38, 3e22], 1, 1, 2),
        "R": floats([0.0], 1, 1, 1),
    }
    item = only(answers_of("RNN", 14, inputs, hidden_size=1))
    assert accepts("float32", item, from_float(1.0))  # type: ignore[arg-type]
    assert accepts("float32", item, from_float(-1.0))  # type: ignore[arg-type]


def test_a_float64_gelu_may_have_the_constants_of_the_function_body() -> None:
    inputs = {"X": floats([-2.4], name="float64")}
    item = only(answers_of("Gelu", 20, inputs, approximate="tanh"))
    for number in (-0.019276848665493063, -0.019276846155601716):
        assert accepts("float64", item, from_float(number))  # type: ignore[arg-type]


def test_an_element_without_weight_may_have_a_part_if_it_is_infinite() -> None:
    inputs = {
        "X": floats([1.0, INFINITE], 1, 1, 1, 2),
        "W": floats([1.0], 1, 1, 1, 1),
        "offset": floats([0.0] * 4, 1, 2, 1, 2),
    }
    found = firsts(answers_of("DeformConv", 22, inputs, kernel_shape=(1, 1)))
    assert {("left-out",), ("zero-times-it",)} == set(found)
    assert NAN is found["zero-times-it",]


def test_a_state_that_nobody_gave_may_be_left_out_of_a_product_with_infinity() -> None:
    inputs = {
        "X": floats([1.0], 1, 1, 1),
        "W": floats([1.0], 1, 1, 1),
        "R": floats([INFINITE], 1, 1, 1),
    }
    found = answers_of("RNN", 14, inputs, hidden_size=1)
    assert {"zero-times-it", "anything"} == {one for a in found for one in a.readings.values()}
    given = {**inputs, "initial_h": floats([0.0], 1, 1, 1)}
    assert NAN is only(answers_of("RNN", 14, given, hidden_size=1))
