"""The oracle of Gemm: sums with an infinity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onnx_conformance.generators.oracle.arith.grid import AnyOf, Enclosed, Grid, tensor_of, value_of
from onnx_conformance.generators.oracle.arith.numbers import (
    INF,
    NAN,
    NEG_INF,
    NEG_ZERO,
    ZERO,
    Real,
    is_finite,
)
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.registry import Call, compute

if TYPE_CHECKING:
    from onnx_conformance.generators.oracle.arith.grid import Item

_GREAT = Fraction(3 * 10**38)


def _product(line: list[Real], stack: list[Real], alpha: float = 1.0) -> Item:
    a = tensor_of(Grid("float32", (1, len(line)), line))
    b = tensor_of(Grid("float32", (len(stack), 1), stack))
    (result,) = compute(Call(13, {"alpha": alpha}, {"A": a, "B": b}, "Gemm"))
    assert isinstance(result, Grid)
    item: Item = result.items[0]
    return item


def test_an_infinite_sum_is_scaled() -> None:
    assert NEG_INF == _product([INF, Fraction(1)], [Fraction(1), Fraction(1)], alpha=-2.0)


def test_a_sum_that_overflows_against_an_infinity_may_be_nan() -> None:
    found = _product([INF, -_GREAT], [Fraction(1), Fraction(2)], alpha=-2.0)
    assert AnyOf((NEG_INF, NAN)) == found


def test_alpha_0_times_a_product_that_overflows_may_be_nan() -> None:
    found = _product([_GREAT], [Fraction(2)], alpha=0.0)
    assert isinstance(found, Enclosed)
    assert found.or_nan
    assert (ZERO, NEG_ZERO) == (found.high, found.low)


def test_half_of_a_product_that_overflows_may_be_infinite_and_is_no_other_sign() -> None:
    found = _product([-_GREAT], [Fraction(2)], alpha=0.5)
    assert isinstance(found, Enclosed)
    assert found.low is NEG_INF
    assert is_finite(found.high)
    assert not found.or_nan


def test_alpha_times_a_factor_may_overflow_first() -> None:
    found = _product([_GREAT], [Fraction(1, 2**64)], alpha=2.0**32)
    assert isinstance(found, Enclosed)
    assert (NEG_INF, INF) == (found.low, found.high)


def test_a_product_that_stays_within_the_type_is_scaled_and_no_infinity() -> None:
    found = _product([Fraction(2**100)], [Fraction(1)], alpha=0.5)
    assert Fraction(2**99) == value_of(found)
    assert not isinstance(found, Enclosed) or is_finite(found.high)
