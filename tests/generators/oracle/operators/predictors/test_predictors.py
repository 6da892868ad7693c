"""The oracles of linear models, of their transforms, and of what is beside what."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from onnx_conformance.generators.oracle import Call, InvalidCallError, compute
from onnx_conformance.generators.oracle.accuracy.limits import accepts
from onnx_conformance.generators.oracle.arith.grid import Enclosed, Grid, tensor_of, value_of
from onnx_conformance.generators.oracle.arith.numbers import INF, NAN, NEG_INF, ZERO, from_float
from onnx_conformance.generators.oracle.arith.rationals import Fraction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from onnx_conformance.core.values.tensors import Tensor

PLAIN = {"post_transform": "NONE", "targets": 1, "multi_class": 0}


def floats(*rows: Sequence[float]) -> Tensor:
    items = [from_float(item) for row in rows for item in row]
    return tensor_of(Grid("float32", (len(rows), len(rows[0])), items))


def result(operator: str, x: Tensor, readings: dict[str, str] | None = None, **given: object):  # noqa: ANN201  as compute
    attributes = {**PLAIN, **given}
    return compute(
        Call(1, attributes, {"X": x}, operator, "ai.onnx.ml", readings=readings or {})  # type: ignore[arg-type]
    )


def items(grid: object) -> list[object]:
    assert isinstance(grid, Grid)
    return [value_of(item) for item in grid.items]


def test_coefficients_of_a_target_stand_together() -> None:
    (y,) = result(
        "LinearRegressor",
        floats([1.0, 10.0]),
        targets=2,
        coefficients=(1.0, 2.0, 3.0, 4.0),
        intercepts=(0.5, -0.5),
    )
    assert [Fraction(43, 2), Fraction(85, 2)] == items(y)


def test_as_many_intercepts_as_targets_are_needed() -> None:
    with pytest.raises(InvalidCallError, match="2 intercepts for 1 scores"):
        result("LinearRegressor", floats([1.0]), coefficients=(1.0,), intercepts=(1.0, 2.0))


@pytest.mark.parametrize("targets", [0, -2])
def test_a_regressor_has_a_target(targets: int) -> None:
    with pytest.raises(InvalidCallError, match="2 sets of coefficients for"):
        result("LinearRegressor", floats([1.0]), targets=targets, coefficients=(1.0, 2.0))


def test_probit_is_the_quantile_of_the_normal_distribution() -> None:
    (y,) = result(
        "LinearRegressor",
        floats([0.25]),
        {"probit": "quantile"},
        coefficients=(1.0,),
        post_transform="PROBIT",
    )
    (found,) = items(y)
    assert isinstance(found, Fraction)
    assert abs(found + Fraction("0.6744897501960817")) < Fraction(1, 10**12)


@pytest.mark.parametrize("reading", ["quantile", "approximation"])
def test_probit_ends_in_infinities_and_is_of_probabilities_alone(reading: str) -> None:
    """No page has a formula, and what is no probability has no quantile."""
    (y,) = result(
        "LinearRegressor",
        floats([1.0], [0.0], [2.0], [-0.5], [float("inf")], [float("nan")]),
        {"probit": reading},
        coefficients=(1.0,),
        post_transform="PROBIT",
    )
    assert isinstance(y, Grid)
    first, last, *beyond, nan = y.items
    assert [INF, NEG_INF, NAN] == [first, last, nan]
    for item in beyond:
        assert all(accepts("float32", item, number) for number in (NAN, INF, ZERO, Fraction(2)))


@pytest.mark.parametrize("reading", ["quantile", "approximation"])
def test_probit_of_a_sum_that_may_round_beyond_1_may_be_no_number(reading: str) -> None:
    (y,) = result(
        "LinearRegressor",
        floats([0.7, 0.29999998]),
        {"probit": reading},
        coefficients=(1.0, 1.0),
        post_transform="PROBIT",
    )
    assert isinstance(y, Grid)
    (found,) = y.items
    assert [True, True, False] == [
        accepts("float32", found, number) for number in (NAN, INF, Fraction(0))
    ]


def test_the_approximation_of_a_sum_near_a_half_may_have_either_sign() -> None:
    (y,) = result(
        "LinearRegressor",
        floats([0.3, 0.2]),
        {"probit": "approximation"},
        coefficients=(1.0, 1.0),
        post_transform="PROBIT",
    )
    assert isinstance(y, Grid)
    (found,) = y.items
    assert isinstance(found, Enclosed)
    assert found.low < 0 < found.high  # type: ignore[operator]


def test_a_logistic_function_is_of_each_score_alone() -> None:
    (y,) = result(
        "LinearRegressor",
        floats([float("inf")]),
        targets=3,
        coefficients=(1.0, 0.0, -1.0),
        post_transform="LOGISTIC",
    )
    assert [1, NAN, 0] == items(y)


def test_fewer_support_vectors_than_none_are_open() -> None:
    given = {"n_supports": -1, "coefficients": (2.0, 3.0), "rho": (0.0,), "one_class": 0}
    kernel = {"kernel_type": "LINEAR", "kernel_params": (0.0, 0.0, 0.0)}
    taken = {"negative-supports": "linear-model", "without-supports": "linear-model"}
    (y,) = result("SVMRegressor", floats([1.0, 10.0]), taken, **given, **kernel)
    assert [32] == items(y)
    with pytest.raises(InvalidCallError, match="negative-supports"):
        result("SVMRegressor", floats([1.0]), {"negative-supports": "rejected"}, **given, **kernel)


def test_zeros_stay_beside_a_softmax_of_the_others() -> None:
    (y,) = result(
        "LinearRegressor",
        floats([2.0]),
        targets=3,
        coefficients=(1.0, 0.0, 1.0),
        post_transform="SOFTMAX_ZERO",
    )
    assert [Fraction(1, 2), 0, Fraction(1, 2)] == items(y)


def test_a_score_near_zero_may_be_one_of_the_zeros() -> None:
    """onnxruntime and onnx.reference draw the line at 10^-7; the page draws none."""
    given = {"targets": 2, "coefficients": (1.0, 2.0**40), "post_transform": "SOFTMAX_ZERO"}
    (y,) = result("LinearRegressor", floats([2.0**-40]), **given)
    assert isinstance(y, Grid)
    assert all(accepts("float32", y.items[0], number) for number in (ZERO, Fraction(1, 4)))
    (y,) = result("LinearRegressor", floats([2.0**-20]), **given)
    assert isinstance(y, Grid)
    assert not accepts("float32", y.items[0], Fraction(1, 4))


def test_zeros_may_be_nan_beside_a_softmax_that_overflows() -> None:
    """Software multiplies them by what divides the powers; 0 times NaN is NaN."""
    given = {"targets": 3, "coefficients": (-1.0, 0.0, -2.0), "post_transform": "SOFTMAX_ZERO"}
    (y,) = result("LinearRegressor", floats([-3e38]), **given)
    assert isinstance(y, Grid)
    assert all(accepts("float32", item, NAN) for item in y.items)
    (y,) = result("LinearRegressor", floats([-3e37]), **given)
    assert isinstance(y, Grid)
    assert not any(accepts("float32", item, NAN) for item in y.items)


def test_nothing_is_said_of_scores_that_are_all_nearly_zero() -> None:
    given = {"targets": 2, "coefficients": (-1.0, -2.0), "post_transform": "SOFTMAX_ZERO"}
    (y,) = result("LinearRegressor", floats([1e-20]), **given)
    assert isinstance(y, Grid)
    assert all(accepts("float32", item, number) for item in y.items for number in (NAN, NEG_INF))


def test_a_feature_beyond_the_type_of_the_scores_may_meet_a_weight_of_zero() -> None:
    x = tensor_of(Grid("float64", (1, 2), [Fraction(10**300), Fraction(1)]))
    (y,) = result("LinearRegressor", x, coefficients=(0.0, 1.0))
    assert isinstance(y, Grid)
    assert [True, True] == [accepts("float32", y.items[0], number) for number in (Fraction(1), NAN)]


def test_a_category_goes_both_ways() -> None:
    given = {
        "cats_strings": (b"a", b"b"),
        "cats_int64s": (3, 4),
        "default_int64": -1,
        "default_string": "_Unused",
    }
    strings = tensor_of(Grid("string", (2,), [b"b", b"c"]))
    integers = tensor_of(Grid("int64", (2,), [3, 5]))
    assert [4, -1] == items(result("CategoryMapper", strings, **given)[0])
    assert [b"a", b"_Unused"] == items(result("CategoryMapper", integers, **given)[0])


CATEGORIES = {
    "cats_strings": (b"a",),
    "cats_int64s": (3,),
    "default_int64": -1,
    "default_string": "_Unused",
}


@pytest.mark.parametrize(
    ("question", "taken", "changes"),
    [
        ("default-of-the-other-kind", "by-types", {"default_string": "none"}),
        ("without-lists", "empty-map", {"cats_strings": (), "cats_int64s": ()}),
    ],
)
def test_a_mapper_of_strings_may_refuse_what_the_page_does_not_foresee(
    question: str, taken: str, changes: dict[str, object]
) -> None:
    strings = tensor_of(Grid("string", (1,), [b"c"]))
    given = {**CATEGORIES, **changes}
    assert [-1] == items(result("CategoryMapper", strings, {question: taken}, **given)[0])
    with pytest.raises(InvalidCallError):
        result("CategoryMapper", strings, {question: "rejected"}, **given)


def test_a_mapper_of_integers_may_refuse_a_default_for_strings() -> None:
    integers = tensor_of(Grid("int64", (1,), [5]))
    question, given = "default-of-the-other-kind", {**CATEGORIES, "default_int64": 7}
    assert [b"_Unused"] == items(
        result("CategoryMapper", integers, {question: "by-types"}, **given)[0]
    )
    with pytest.raises(InvalidCallError):
        result("CategoryMapper", integers, {question: "rejected"}, **given)
