"""The oracle of activations: what is at infinities, where the steps of a formula have none."""

from __future__ import annotations

import math

import pytest

from onnx_conformance.generators.oracle.arith.grid import AnyOf, Grid, grid_of, tensor_of
from onnx_conformance.generators.oracle.arith.numbers import (
    INF,
    NAN,
    NEG_INF,
    NEG_ZERO,
    ZERO,
    Number,
)
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.arith.rounding import round_to
from onnx_conformance.generators.oracle.errors import OpenError
from onnx_conformance.generators.oracle.registry import Call, compute


def _swish(alpha: float, *items: Number, **readings: str) -> list[Number]:
    x = tensor_of(Grid("float32", (len(items),), items))
    named = {name.replace("_", "-"): value for name, value in readings.items()}
    (result,) = compute(Call(24, {"alpha": alpha}, {"X": x}, "Swish", readings=named))
    assert isinstance(result, Grid)
    return list(grid_of(tensor_of(result)).items)


@pytest.mark.parametrize(("alpha", "passing"), [(1.0, INF), (-1.0, NEG_INF)])
def test_swish_passes_the_infinity_at_which_its_gate_is_open(alpha: float, passing: Number) -> None:
    assert [passing] == _swish(alpha, passing)


@pytest.mark.parametrize(("alpha", "x"), [(1.0, NEG_INF), (-1.0, INF), (0.0, INF), (0.0, NEG_INF)])
def test_swish_is_open_where_an_infinity_is_multiplied_by_zero(alpha: float, x: Number) -> None:
    with pytest.raises(OpenError, match="formula-or-limit"):
        _swish(alpha, x)
    assert [NAN] == _swish(alpha, x, formula_or_limit="formula")
    limit = x if alpha == 0 else Fraction(0)
    assert [limit] == _swish(alpha, x, formula_or_limit="limit")


def test_swish_halves_where_alpha_is_0() -> None:
    assert [Fraction(-2), Fraction(3)] == _swish(0.0, Fraction(-4), Fraction(6))


@pytest.mark.parametrize("version", [9, 13])
def test_either_zero_is_the_error_function_of_minus_zero(version: int) -> None:
    x = tensor_of(Grid("float32", (2,), (NEG_ZERO, ZERO)))
    (result,) = compute(Call(version, {}, {"input": x}, "Erf"))
    assert isinstance(result, Grid)
    assert [AnyOf((NEG_ZERO, ZERO)), ZERO] == list(result.items)


@pytest.mark.parametrize("alpha", [1.0, 0.0, -1.5])
def test_elu_of_nan_is_nan(alpha: float) -> None:
    x = tensor_of(Grid("float32", (1,), (NAN,)))
    (result,) = compute(Call(22, {"alpha": alpha}, {"X": x}, "Elu"))
    assert isinstance(result, Grid)
    assert [NAN] == list(result.items)


def test_a_sixth_of_hardswish_is_open_in_float64_alone() -> None:
    expected = {"sixth": Fraction(2, 3), "attribute": Fraction(1, 2) + Fraction(11184811, 1 << 26)}
    x = tensor_of(Grid("float64", (2,), (Fraction(1), Fraction(3))))
    with pytest.raises(OpenError, match="sixth-in-float64"):
        compute(Call(22, {}, {"X": x}, "HardSwish"))
    for reading, exact in expected.items():
        readings = {"sixth-in-float64": reading}
        (result,) = compute(Call(22, {}, {"X": x}, "HardSwish", readings=readings))
        assert isinstance(result, Grid)
        nearest = round_to("float64", exact)
        assert [nearest, Fraction(3)] == list(grid_of(tensor_of(result)).items)
    narrow = tensor_of(Grid("float32", (1,), (Fraction(1),)))
    (result,) = compute(Call(22, {}, {"X": narrow}, "HardSwish"))
    assert isinstance(result, Grid)
    assert [round_to("float32", Fraction(2, 3))] == list(grid_of(tensor_of(result)).items)


@pytest.mark.parametrize(("reading", "found"), [("propagates", NAN), ("zero", ZERO)])
def test_what_celu_makes_of_nan_is_open(reading: str, found: Number) -> None:
    x = tensor_of(Grid("float32", (1,), (NAN,)))
    (result,) = compute(
        Call(28, {"alpha": 1.0}, {"X": x}, "Celu", readings={"celu-of-nan": reading})
    )
    assert isinstance(result, Grid)
    assert [found] == list(grid_of(tensor_of(result)).items)


def test_celu_is_open_where_alpha_is_below_0() -> None:
    x = tensor_of(Grid("float32", (2,), (Fraction(-2), NEG_INF)))
    with pytest.raises(OpenError, match="alpha-below-0"):
        compute(Call(28, {"alpha": -1.0}, {"X": x}, "Celu"))
    exact = {"formula": 1 - Fraction(math.exp(2.0)), "body": Fraction(-2)}
    for reading, value in exact.items():
        readings = {"alpha-below-0": reading}
        (result,) = compute(Call(28, {"alpha": -1.0}, {"X": x}, "Celu", readings=readings))
        assert isinstance(result, Grid)
        assert [round_to("float32", value), NEG_INF] == list(grid_of(tensor_of(result)).items)
