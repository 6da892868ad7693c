"""The oracles of Reduce*, where a page or a function body decides, and where none does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from onnx_conformance.generators.oracle.arith.grid import AnyOf, Enclosed, Grid, tensor_of
from onnx_conformance.generators.oracle.arith.numbers import INF, NAN, NEG_INF, ZERO, Number
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, compute

if TYPE_CHECKING:
    from onnx_conformance.generators.oracle.arith.grid import Item
    from onnx_conformance.generators.oracle.registry import Result


def _of_row(
    operator: str,
    name: str,
    row: list[Number],
    version: int = 18,
    *,
    readings: dict[str, str] | None = None,
    **attributes: int,
) -> Item:
    """What becomes of one row of elements."""
    inputs = {"data": tensor_of(Grid(name, (len(row),), row))}
    call = Call(version, {"keepdims": 0, **attributes}, inputs, operator, readings=readings or {})
    (result,) = compute(call)
    assert isinstance(result, Grid)
    item: Item = result.items[0]
    return item


def _whole(operator: str, row: list[int], **readings: str) -> Item:
    taken = {name.replace("_", "-"): reading for name, reading in readings.items()}
    return _of_row(operator, "int32", [*row], readings=taken)


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        ("ReduceSum", ZERO),
        ("ReduceProd", Fraction(1)),
        ("ReduceL2", ZERO),
        ("ReduceLogSum", NEG_INF),
        ("ReduceLogSumExp", NEG_INF),
        ("ReduceMax", NEG_INF),
        ("ReduceMin", INF),
    ],
)
def test_of_nothing_each_has_its_own_value(operator: str, expected: Number) -> None:
    item = _of_row(operator, "float32", [])
    assert expected == (item.value if isinstance(item, Enclosed) else item)


def test_of_no_integers_the_ends_of_the_type_stand() -> None:
    assert -(2**31) == _whole("ReduceMax", [])
    assert 2**31 - 1 == _whole("ReduceMin", [])


def test_an_integer_mean_is_exact_where_it_is_whole() -> None:
    assert 2**30 - 1 == _whole("ReduceMean", [2**31 - 3, 1])


def test_an_integer_mean_with_a_fraction_is_open() -> None:
    found = [
        _whole("ReduceMean", [-7, -4], fraction_of_a_mean=reading)
        for reading in ("truncated", "rounded-down", "nearest")
    ]
    assert [-5, -6, -6] == found


def test_a_mean_whose_sum_is_infinite_in_its_type_is_open() -> None:
    row: list[Number] = [Fraction(60000)] * 4
    with pytest.raises(OpenError, match="infinite-sum"):
        _of_row("ReduceMean", "float16", row)
    assert INF == _of_row("ReduceMean", "float16", row, readings={"infinite-sum": "infinite"})


def test_a_partial_product_beyond_the_type_may_stay_there() -> None:
    item = _of_row("ReduceProd", "float32", [Fraction(2) ** 100] * 2 + [Fraction(2) ** -100])
    assert isinstance(item, Enclosed)
    assert (Fraction(2) ** 100, INF) == (item.value, item.high)


def test_an_infinity_times_zero_is_no_number() -> None:
    assert NAN == _of_row("ReduceProd", "float32", [INF, ZERO])


@pytest.mark.parametrize(
    ("operator", "expected"), [("ReduceSumSquare", 9), ("ReduceL1", 3), ("ReduceL2", 3)]
)
def test_without_axes_to_reduce_each_element_is_reduced_by_itself(
    operator: str, expected: int
) -> None:
    assert expected == _of_row(operator, "int32", [-3], noop_with_empty_axes=1)


def test_the_norm_of_integers_has_no_fraction() -> None:
    assert [1, 5, 9] == [_whole("ReduceL2", row) for row in ([1, 1], [3, 4], [7, 7])]


def test_a_norm_of_doubles_may_be_rooted_in_float32_as_the_body_has_it() -> None:
    row: list[Number] = [Fraction(1), Fraction(1)]
    with pytest.raises(OpenError, match="root-of-doubles"):
        _of_row("ReduceL2", "float64", row)
    item = _of_row("ReduceL2", "float64", row, 13)
    assert isinstance(item, Enclosed)


def test_the_logarithm_of_powers_of_minus_infinity_is_minus_infinity() -> None:
    assert NEG_INF == _of_row("ReduceLogSumExp", "float32", [NEG_INF, NEG_INF])
    assert INF == _of_row("ReduceLogSumExp", "float32", [INF, NEG_INF])


def test_powers_beyond_doubles_may_be_infinite() -> None:
    item = _of_row("ReduceLogSumExp", "float32", [Fraction(1000)] * 2)
    assert isinstance(item, Enclosed)
    assert item.high is INF
    item = _of_row("ReduceLogSumExp", "float32", [Fraction(100)] * 2)
    assert isinstance(item, Enclosed)
    assert item.high is not INF


def test_a_whole_logarithm_may_be_one_less_as_a_double_may_have_it() -> None:
    readings = {"logarithm-of-integers": "converted"}
    assert AnyOf((7, 6)) == _of_row("ReduceLogSumExp", "int32", [7], readings=readings)


def test_whether_a_scalar_is_a_list_of_axes_is_asked() -> None:
    data = Grid("float32", (1, 2), [Fraction(1), Fraction(2)])
    given = {"data": tensor_of(data), "axes": tensor_of(Grid("int64", (), [1]))}

    def of_scalar(**readings: str) -> Result:
        named = {name.replace("_", "-"): reading for name, reading in readings.items()}
        return compute(Call(18, {"keepdims": 0}, given, "ReduceMax", readings=named))

    with pytest.raises(OpenError, match="axes-of-rank-0"):
        of_scalar()
    with pytest.raises(InvalidCallError):
        of_scalar(axes_of_rank_0="rejected")
    assert (Grid("float32", (1,), [Fraction(2)]),) == of_scalar(axes_of_rank_0="one-axis")


def test_an_empty_list_of_axes_is_not_the_default() -> None:
    inputs = {"data": tensor_of(Grid("int32", (2,), [1, 2]))}
    with pytest.raises(OpenError, match="no-axes-in-the-list"):
        compute(Call(11, {"axes": ()}, inputs, "ReduceMax"))
