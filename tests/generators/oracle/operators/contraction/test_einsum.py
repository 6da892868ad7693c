"""Einsum: what an equation says of axes, and of sums."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from onnx_conformance.generators.oracle.accuracy.limits import accepts
from onnx_conformance.generators.oracle.arith.grid import AnyOf, Enclosed, Grid, tensor_of
from onnx_conformance.generators.oracle.arith.numbers import INF, NAN, NEG_INF, Real
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.arith.rounding import round_to
from onnx_conformance.generators.oracle.errors import InvalidCallError
from onnx_conformance.generators.oracle.registry import Call, answers, compute

if TYPE_CHECKING:
    from collections.abc import Sequence


def _call(equation: str, *operands: tuple[Sequence[int], tuple[int, ...]]) -> Call:
    tensors = tuple(tensor_of(Grid("int64", shape, tuple(items))) for items, shape in operands)
    assert all(math.prod(shape) == len(items) for items, shape in operands)
    return Call(12, {"equation": equation}, {"Inputs": tensors}, "Einsum", types={"T": "int64"})


def _result(call: Call) -> tuple[tuple[int, ...], list[int]]:
    (result,) = compute(call)
    assert isinstance(result, Grid)
    return result.shape, list(result.items)


SQUARE = ([1, 2, 3, 4], (2, 2))


@pytest.mark.parametrize(
    ("equation", "shape", "items"),
    [
        ("ab", (2, 2), [1, 2, 3, 4]),
        ("ba", (2, 2), [1, 3, 2, 4]),
        ("aB", (2, 2), [1, 3, 2, 4]),
        ("ii", (), [5]),
        ("ii->i", (2,), [1, 4]),
        ("ij->", (), [10]),
        ("a...", (2, 2), [1, 3, 2, 4]),
        ("... i -> ...", (2,), [3, 7]),
        ("ij...->ji", (2, 2), [1, 3, 2, 4]),
    ],
)
def test_what_an_equation_makes_of_one_matrix(
    equation: str, shape: tuple[int, ...], items: list[int]
) -> None:
    assert (shape, items) == _result(_call(equation, SQUARE))


def test_axes_that_one_operand_has_are_summed() -> None:
    assert ((2,), [9, 21]) == _result(_call("ij,k->i", SQUARE, ([1, 2], (2,))))


def test_three_operands_are_multiplied() -> None:
    ones = ([1, 10], (2,))
    assert ((), [1 + 20 + 30 + 400]) == _result(_call("ij,i,j->", SQUARE, ones, ones))


def test_axes_under_an_ellipsis_are_broadcast() -> None:
    column, row = ([1, 2], (2, 1)), ([3, 4, 5], (1, 3))
    assert ((2, 3), [3, 4, 5, 6, 8, 10]) == _result(_call("...,...->...", column, row))


@pytest.mark.parametrize(
    "equation",
    [
        "ij,jk->ik",
        "i",
        "ijk",
        "ij->k",
        "ij->jj",
        "i1->i",
        "ij->i->j",
        "......",
        "ij->......",
        "i.j",
    ],
)
def test_what_one_matrix_has_no_equation_for(equation: str) -> None:
    with pytest.raises(InvalidCallError):
        compute(_call(equation, SQUARE))


def test_sizes_of_one_letter_that_differ_are_refused() -> None:
    with pytest.raises(InvalidCallError, match="'j' has the sizes 2 and 3"):
        compute(_call("ij,j->i", SQUARE, ([1, 2, 3], (3,))))


def test_ellipses_of_different_numbers_of_axes_are_refused() -> None:
    with pytest.raises(InvalidCallError, match="stand for"):
        compute(_call("...,...", SQUARE, ([1, 2], (2,))))


def test_a_size_of_1_may_be_repeated_or_refused() -> None:
    found = list(answers(_call("ij,j->i", SQUARE, ([10], (1,)))))
    assert ["repeated", "rejected"] == [item.readings["letter-of-size-1"] for item in found]
    assert found[0].result is not None
    assert found[1].result is None


def test_a_narrow_type_may_be_rounded_between_three_operands_alone() -> None:
    third = Fraction(1365, 4096)
    operand = tensor_of(Grid("float16", (3,), (third, Fraction(2), third)))

    def element(equation: str, count: int) -> Enclosed:
        inputs = {"Inputs": (operand,) * count}
        (result,) = compute(Call(12, {"equation": equation}, inputs, "Einsum"))
        assert isinstance(result, Grid)
        (item,) = result.items
        assert isinstance(item, Enclosed)
        return item

    two, three = element("i,i->", 2), element("i,i,i->", 3)
    three_ulp = Fraction(3, 128)  # 2**-7 from 8 on
    assert not accepts("float16", two, round_to("float16", _value(two) + Fraction(1, 128)))
    assert accepts("float16", three, round_to("float16", _value(three) + three_ulp))


def _value(item: Enclosed) -> Fraction:
    assert isinstance(item.value, Fraction)
    return item.value


# --- infinities ------------------------------------------------------------------------------

ONE, ZERO, GREAT = Fraction(1), Fraction(0), Fraction(10**30)


def _floats(equation: str, *operands: list[Real], shape: tuple[int, ...] | None = None) -> object:
    tensors = tuple(
        tensor_of(Grid("float32", shape if shape and not items else (len(items),), items))
        for items in operands
    )
    (result,) = compute(Call(12, {"equation": equation}, {"Inputs": tensors}, "Einsum"))
    assert isinstance(result, Grid)
    return result.items[0]


def test_an_axis_of_one_operand_may_be_summed_before_an_infinity_is_met() -> None:
    assert AnyOf((NAN, INF)) == _floats("i,j->j", [ZERO, ONE], [INF])


def test_where_every_operand_has_the_axis_zero_times_infinity_is_nan() -> None:
    assert NAN == _floats("i,i->", [ZERO, ONE], [INF, ONE])


def test_a_product_may_overflow_against_an_infinity() -> None:
    assert AnyOf((NEG_INF, NAN)) == _floats("i,i->", [GREAT, ONE], [GREAT, NEG_INF])


def test_a_sum_of_nothing_may_be_taken_before_an_infinity_is_met() -> None:
    item = _floats("i,j->j", [], [INF], shape=(0,))
    assert accepts("float32", item, ZERO)  # type: ignore[arg-type]
    assert accepts("float32", item, NAN)  # type: ignore[arg-type]
    assert not accepts("float32", item, INF)  # type: ignore[arg-type]


TINY = 1 / GREAT


def test_two_of_three_operands_may_overflow_before_the_third_is_met() -> None:
    item = _floats("i,i,i->", [GREAT], [GREAT], [TINY])
    assert [True] * 3 == [accepts("float32", item, end) for end in (NEG_INF, INF, NAN)]  # type: ignore[arg-type]


def test_two_of_three_operands_may_underflow_before_the_third_is_met() -> None:
    item = _floats("i,i,i->", [TINY], [TINY], [GREAT])
    assert accepts("float32", item, ZERO)  # type: ignore[arg-type]
    assert not accepts("float32", item, ONE)  # type: ignore[arg-type]


def test_two_of_three_operands_may_be_summed_before_an_infinity_is_met() -> None:
    assert AnyOf((NAN, INF)) == _floats("i,i,j->j", [ZERO, ONE], [ONE, ONE], [INF])


def test_three_operands_of_one_axis_meet_an_infinity_in_each_term() -> None:
    assert NAN == _floats("i,i,i->", [ZERO, ONE], [ONE, ONE], [INF, ONE])


def test_three_operands_that_neither_overflow_nor_underflow_have_one_result() -> None:
    item = _floats("i,i,i->", [Fraction(2)], [Fraction(3)], [Fraction(4)])
    assert isinstance(item, Enclosed)
    assert (24, 24) == (item.low, item.high)
