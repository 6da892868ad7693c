"""The oracle of Normalizer where squares or elements overflow."""

from __future__ import annotations

import pytest

from onnx_conformance.generators.oracle.accuracy.limits import accepts
from onnx_conformance.generators.oracle.arith.grid import Grid, tensor_of
from onnx_conformance.generators.oracle.arith.numbers import NAN
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.registry import Call, compute


@pytest.mark.parametrize(("number", "either"), [(3 * 10**38, True), (3, False)])
def test_a_root_of_squares_that_overflow_may_be_infinity_over_infinity(
    number: int, *, either: bool
) -> None:
    x = tensor_of(Grid("float32", (1, 2), [Fraction(0), Fraction(number)]))
    (y,) = compute(Call(1, {"norm": "L2"}, {"X": x}, "Normalizer", "ai.onnx.ml"))
    assert isinstance(y, Grid)
    assert either == accepts("float32", y.items[1], NAN)


@pytest.mark.parametrize("norm", ["MAX", "L1", "L2"])
@pytest.mark.parametrize(("number", "either"), [(10**300, True), (10**10, False)])
def test_an_element_beyond_the_type_of_the_result_may_be_infinity_over_infinity(
    norm: str, number: int, *, either: bool
) -> None:
    x = tensor_of(Grid("float64", (1, 2), [Fraction(number), Fraction(1)]))
    (y,) = compute(Call(1, {"norm": norm}, {"X": x}, "Normalizer", "ai.onnx.ml"))
    assert isinstance(y, Grid)
    assert accepts("float32", y.items[0], Fraction(1))
    assert either == accepts("float32", y.items[0], NAN)


def test_a_divisor_that_vanishes_in_float32_may_leave_the_row_as_it_is() -> None:
    x = tensor_of(Grid("float64", (1, 2), [Fraction(1, 10**300), Fraction(-1, 2)]))
    readings = {"formula-or-norm": "formula"}
    call = Call(1, {"norm": "MAX"}, {"X": x}, "Normalizer", "ai.onnx.ml", readings=readings)
    (y,) = compute(call)
    assert isinstance(y, Grid)
    assert accepts("float32", y.items[1], Fraction(-1, 2))
