"""The oracles of CumSum and CumProd: which elements each result is made of."""

from __future__ import annotations

import pytest

from onnx_conformance.generators.oracle.arith.grid import Enclosed, Grid, tensor_of
from onnx_conformance.generators.oracle.arith.numbers import NEG_ZERO, ZERO
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, compute


def _of(operator: str, grid: Grid, axis: Grid | None = None, **attributes: int) -> Grid:
    given = axis or Grid("int64", (), [grid.rank - 1])
    inputs = {"x": tensor_of(grid), "axis": tensor_of(given)}
    (result,) = compute(Call(26 if operator == "CumProd" else 14, attributes, inputs, operator))
    assert isinstance(result, Grid)
    return result


def _ints(*items: int) -> Grid:
    return Grid("int32", (len(items),), items)


@pytest.mark.parametrize(
    ("attributes", "sums", "products"),
    [
        ({}, [2, 5, 9], [2, 6, 24]),
        ({"exclusive": 1}, [0, 2, 5], [1, 2, 6]),
        ({"reverse": 1}, [9, 7, 4], [24, 12, 4]),
        ({"exclusive": 1, "reverse": 1}, [7, 4, 0], [12, 4, 1]),
    ],
)
def test_each_result_is_made_of_the_elements_on_its_side(
    attributes: dict[str, int], sums: list[int], products: list[int]
) -> None:
    assert sums == _of("CumSum", _ints(2, 3, 4), **attributes).items
    assert products == _of("CumProd", _ints(2, 3, 4), **attributes).items


def test_the_first_element_is_copied_with_its_sign() -> None:
    assert NEG_ZERO is _of("CumSum", Grid("float32", (1,), [NEG_ZERO])).items[0]


def test_a_sum_that_starts_from_zero_may_lose_the_sign() -> None:
    items = _of("CumSum", Grid("float32", (2,), [NEG_ZERO, NEG_ZERO]), exclusive=1).items
    assert isinstance(items[1], Enclosed)
    assert (NEG_ZERO, ZERO) == (items[1].low, items[1].high)


def test_a_sum_of_float16_may_be_kept_in_float16() -> None:
    ones = [Fraction(2048), Fraction(1), Fraction(1)]
    item = _of("CumSum", Grid("float16", (3,), ones)).items[2]
    assert isinstance(item, Enclosed)
    assert isinstance(item.low, Fraction)
    assert item.low <= 2048


def test_an_axis_with_a_dimension_is_refused() -> None:
    with pytest.raises(InvalidCallError, match="0-D"):
        _of("CumSum", _ints(1, 2), Grid("int64", (1,), [0]))


def test_a_sum_beyond_the_type_is_open() -> None:
    with pytest.raises(OpenError, match="integer-overflow"):
        _of("CumSum", _ints(2**31 - 1, 1))
