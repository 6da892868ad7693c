"""Mutants of formulas: rounding before adding, sums step by step, held intermediates."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from strength.arranging.formulas import Arithmetic, Formulas

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.oracle.arith.grid import Grid, value_of
from onnx_conformance.generators.oracle.arith.numbers import INF, NEG_ZERO, ZERO
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.registry import Call

if TYPE_CHECKING:
    from onnx_conformance.generators.oracle.registry import Result

HALF = Fraction(1, 2)


def quantize(x: float, zero_point: int) -> Call:
    def float32(number: float) -> Tensor:
        return Tensor("float32", (), struct.pack("<f", number))

    inputs = {
        "x": float32(x),
        "y_scale": float32(1.0),
        "y_zero_point": Tensor("uint8", (), bytes([zero_point])),
    }
    types = {"T1": "float32", "T2": "uint8"}
    return Call(10, {}, inputs, operator="QuantizeLinear", types=types)


def element_of(result: Result) -> object:
    grid = result[0]
    assert isinstance(grid, Grid)
    return value_of(grid.items[0])


def answers_of(formulas: Formulas, change: str, call: Call) -> object:
    made = next(item for item in formulas.mutants if change in item.name)
    return element_of(made.make()(call))


def test_rounding_behind_an_addition_shows_at_a_tie_with_an_odd_zero_point() -> None:
    change = "round(stepwise) + offset -> round(stepwise + offset)"
    assert 4 == answers_of(Formulas("", "QuantizeLinear"), change, quantize(2.5, 1))


def test_ties_go_away_from_0() -> None:
    change = "Quantizing.whole: round(stepwise) -> half away from 0"
    assert 3 == answers_of(Formulas("", "QuantizeLinear"), change, quantize(2.5, 0))


def test_a_call_at_which_a_change_gives_the_same_does_not_concern_it() -> None:
    formulas = Formulas("", "QuantizeLinear")
    change = "round(stepwise) + offset -> round(stepwise + offset)"
    number = next(item.number for item in formulas.mutants if change in item.name)
    seen = [
        number in formulas.different(quantize(x, 1), lambda answer, call: answer(call))
        for x in (2.0, 2.5)
    ]
    assert [False, True] == seen


def test_a_watched_oracle_answers_as_the_oracle_does() -> None:
    found: list[object] = []
    formulas = Formulas("", "QuantizeLinear")
    formulas.different(quantize(2.5, 1), lambda answer, call: found.append(answer(call)))
    assert 3 == element_of(found[0])  # type: ignore[arg-type]


def test_half_away_from_0_keeps_the_sign() -> None:
    arithmetic = Arithmetic()
    numbers = [5 * HALF, -5 * HALF, -HALF / 2, HALF]
    assert [3, -3, NEG_ZERO, 1] == [arithmetic.away(item) for item in numbers]


def test_a_sum_rounds_at_each_step() -> None:
    step = Fraction(13421773, 134217728)  # the float32 nearest to 1/10
    summed = Arithmetic().summed(Fraction(0), 10, step)
    assert summed != 10 * step


def test_a_sum_of_integers_is_exact() -> None:
    assert 23 == Arithmetic().summed(3, 10, 2)


def test_what_is_beyond_the_type_is_infinite_and_what_is_below_it_0() -> None:
    arithmetic = Arithmetic("float16")
    numbers = [Fraction(65536), Fraction(1, 2**30), Fraction(1, 2**24)]
    assert [INF, ZERO, Fraction(1, 2**24)] == [arithmetic.held(item) for item in numbers]
