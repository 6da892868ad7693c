"""The oracle of CausalConvWithState: sums that overflow, and the activation of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onnx_conformance.generators.oracle.accuracy.limits import accepts
from onnx_conformance.generators.oracle.arith.grid import AnyOf, Grid, tensor_of
from onnx_conformance.generators.oracle.arith.numbers import (
    INF,
    NAN,
    NEG_INF,
    NEG_ZERO,
    ZERO,
    Real,
)
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.registry import Call, compute

if TYPE_CHECKING:
    from onnx_conformance.generators.oracle.arith.grid import Item

_GREAT = Fraction(3 * 10**38)


def _silu(line: list[Real], weight: list[Real]) -> Item:
    """The last element, whose window is the whole line."""
    given = {
        "input": tensor_of(Grid("float32", (1, 1, len(line)), line)),
        "weight": tensor_of(Grid("float32", (1, 1, len(weight)), weight)),
    }
    found = compute(Call(27, {"activation": "silu"}, given, "CausalConvWithState"))
    assert isinstance(found[0], Grid)
    item: Item = found[0].items[-1]
    return item


def test_an_infinity_that_the_others_may_overflow_against_is_nan_or_what_silu_makes_of_it() -> None:
    assert AnyOf((INF, NAN)) == _silu([INF, -_GREAT], [Fraction(1), Fraction(2)])
    assert AnyOf((NAN, NEG_ZERO, ZERO)) == _silu([NEG_INF, _GREAT], [Fraction(1), Fraction(2)])


def test_a_sum_that_may_be_minus_infinity_may_be_nan() -> None:
    found = _silu([-_GREAT, _GREAT], [Fraction(2), Fraction(1)])
    assert accepts("float32", found, NAN)


def test_a_sum_of_numbers_is_no_nan() -> None:
    found = _silu([-_GREAT, _GREAT], [Fraction(1, 2), Fraction(1, 4)])
    assert not accepts("float32", found, NAN)
