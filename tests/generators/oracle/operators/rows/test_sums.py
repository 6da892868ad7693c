"""The oracles of ReduceSum and MatMul, where their pages say little."""

from __future__ import annotations

import pytest

from onnx_conformance.generators.oracle.arith.grid import Grid, tensor_of
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, compute


def _ints(shape: tuple[int, ...], items: list[int]) -> Grid:
    return Grid("int64", shape, items)


def _sum(version: int, given: list[int] | None, **attributes: int | tuple[int, ...]) -> Grid:
    inputs = {"data": tensor_of(_ints((2, 3), [1, 2, 3, 4, 5, 6]))}
    if given is not None:
        inputs["axes"] = tensor_of(_ints((len(given),), given))
    (result,) = compute(Call(version, attributes, inputs, "ReduceSum"))
    assert isinstance(result, Grid)
    return result


def _product(one: Grid, other: Grid) -> Grid:
    inputs = {"A": tensor_of(one), "B": tensor_of(other)}
    (result,) = compute(Call(13, {}, inputs, "MatMul"))
    assert isinstance(result, Grid)
    return result


def test_axes_are_an_attribute_before_version_13() -> None:
    assert [5, 7, 9] == list(_sum(11, None, axes=(0,)).items)
    assert [6, 15] == list(_sum(13, [1]).items)


def test_no_axes_are_all_of_them_unless_noop_says_otherwise() -> None:
    assert ((1, 1), [21]) == (_sum(13, []).shape, list(_sum(13, []).items))
    assert (2, 3) == _sum(13, [], noop_with_empty_axes=1, keepdims=0).shape


def test_keepdims_0_takes_the_axes_away() -> None:
    assert (3,) == _sum(13, [0], keepdims=0).shape


def test_an_axis_given_twice_is_an_open_question() -> None:
    with pytest.raises(OpenError, match="axis-given-twice"):
        _sum(13, [1, -1])


def test_a_negative_axis_of_version_1_is_an_open_question() -> None:
    with pytest.raises(OpenError, match="negative-axis"):
        _sum(1, None, axes=(-1,))


def test_a_vector_is_a_row_or_a_column() -> None:
    matrix, vector = _ints((2, 2), [1, 2, 3, 4]), _ints((2,), [1, 10])
    assert ((2,), [31, 42]) == _shown(_product(vector, matrix))
    assert ((2,), [21, 43]) == _shown(_product(matrix, vector))
    assert ((), [101]) == _shown(_product(vector, vector))


def test_stacks_are_broadcast() -> None:
    stack, matrix = _ints((2, 1, 2), [1, 2, 3, 4]), _ints((2, 1), [1, 10])
    assert ((2, 1, 1), [21, 43]) == _shown(_product(stack, matrix))


def test_no_products_sum_to_0() -> None:
    assert ((1, 2), [0, 0]) == _shown(_product(_ints((1, 0), []), _ints((0, 2), [])))


def test_a_scalar_is_no_factor() -> None:
    with pytest.raises(InvalidCallError, match="scalar"):
        _product(_ints((), [1]), _ints((1, 1), [1]))


def test_inner_sizes_must_agree() -> None:
    with pytest.raises(InvalidCallError, match="3 columns do not meet 1 rows"):
        _product(_ints((1, 3), [1, 2, 3]), _ints((1, 1), [1]))


def test_a_float_product_keeps_its_exact_value() -> None:
    one = Grid("float32", (1, 2), [Fraction(1 << 24), Fraction(1)])
    other = Grid("float32", (2, 1), [Fraction(1), Fraction(1)])
    (item,) = _product(one, other).items
    assert Fraction((1 << 24) + 1) == item.value


def _shown(grid: Grid) -> tuple[tuple[int, ...], list[int]]:
    return grid.shape, list(grid.items)
