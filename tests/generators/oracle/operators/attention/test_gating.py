"""The oracle of SwiGLU: which input is the gate, and where the page is silent."""

from __future__ import annotations

import pytest

from onnx_conformance.generators.oracle.arith.grid import Grid, grid_of, tensor_of
from onnx_conformance.generators.oracle.arith.numbers import INF, NAN, NEG_INF, Number
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, compute


def _of(a: list[Number], b: list[Number], alpha: float = 1.0, **readings: str) -> list[Number]:
    inputs = {
        name: tensor_of(Grid("float32", (len(items),), items))
        for name, items in (("A", a), ("B", b))
    }
    named = {name.replace("_", "-"): value for name, value in readings.items()}
    (result,) = compute(Call(28, {"alpha": alpha}, inputs, "SwiGLU", readings=named))
    assert isinstance(result, Grid)
    return list(grid_of(tensor_of(result)).items)


def test_the_first_input_is_the_gate() -> None:
    assert [300] == _of([Fraction(100)], [Fraction(3)])
    assert [0] == _of([Fraction(0)], [Fraction(3)])


def test_alpha_0_halves() -> None:
    assert [-10] == _of([Fraction(-4)], [Fraction(5)], 0.0)


def test_an_open_gate_passes_infinities() -> None:
    assert [NEG_INF, INF] == _of([INF, Fraction(1)], [Fraction(-2), INF])


def test_a_closed_gate_at_an_infinity_is_open() -> None:
    with pytest.raises(OpenError, match="formula-or-limit"):
        _of([NEG_INF], [Fraction(1)])
    assert [NAN] == _of([NEG_INF], [Fraction(1)], formula_or_limit="formula")
    assert [0] == _of([NEG_INF], [Fraction(1)], formula_or_limit="limit")


def test_of_a_gate_without_its_sigmoid_an_infinity_is_open() -> None:
    assert [NAN, INF] == _of(
        [INF, Fraction(2)], [Fraction(1), INF], 0.0, formula_or_limit="formula"
    )
    assert [NEG_INF] == _of([NEG_INF], [Fraction(3)], 0.0, formula_or_limit="limit")


def test_which_infinity_closes_follows_the_sign_of_alpha() -> None:
    assert [NAN, INF] == _of([NEG_INF, INF], [Fraction(1)] * 2, 0.5, formula_or_limit="formula")
    assert [NEG_INF, NAN] == _of(
        [NEG_INF, INF], [Fraction(1)] * 2, -0.5, formula_or_limit="formula"
    )


def test_nothing_is_broadcast() -> None:
    with pytest.raises(InvalidCallError):
        _of([Fraction(1)], [Fraction(1), Fraction(2)])
