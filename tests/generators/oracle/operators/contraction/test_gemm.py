"""The oracle of Gemm: sums with an infinity."""

from __future__ import annotations

from onnx_conformance.generators.oracle.arith.grid import AnyOf, Grid, tensor_of
from onnx_conformance.generators.oracle.arith.numbers import INF, NAN, NEG_INF, Real
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.registry import Call, compute

_GREAT = Fraction(3 * 10**38)


def _product(line: list[Real], stack: list[Real], alpha: float = 1.0) -> object:
    a = tensor_of(Grid("float32", (1, len(line)), line))
    b = tensor_of(Grid("float32", (len(stack), 1), stack))
    (result,) = compute(Call(13, {"alpha": alpha}, {"A": a, "B": b}, "Gemm"))
    assert isinstance(result, Grid)
    return result.items[0]


def test_an_infinite_sum_is_scaled() -> None:
    assert NEG_INF == _product([INF, Fraction(1)], [Fraction(1), Fraction(1)], alpha=-2.0)


def test_a_sum_that_overflows_against_an_infinity_may_be_nan() -> None:
    found = _product([INF, -_GREAT], [Fraction(1), Fraction(2)], alpha=-2.0)
    assert AnyOf((NEG_INF, NAN)) == found
