"""Derivatives: exact numbers against secants, ONNX's own models, and names that cannot be read."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.interpreter import run_model
from onnx_conformance.generators.interpreter.outcomes import LOAD, NoOracleError, RefusedError
from onnx_conformance.generators.oracle.arith.grid import Grid, grid_of, tensor_of
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.operators.training import duals
from onnx_conformance.generators.oracle.operators.training.duals import Dual
from onnx_conformance.generators.whole_models.variants import parsed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

HEAD = '<ir_version: 8, opset_import: ["": 17, "ai.onnx.preview.training": 1]>'
GRADIENT = "ai.onnx.preview.training.Gradient"
STEP = 1e-6
FUNCTIONS: dict[str, Callable[[float], float]] = {
    "Exp": math.exp,
    "Log": math.log,
    "Sqrt": math.sqrt,
    "Sigmoid": lambda x: 1 / (1 + math.exp(-x)),
    "Tanh": math.tanh,
    "Sin": math.sin,
    "Cos": math.cos,
}
PLACES = {"Log": 1, "Sqrt": Fraction(9, 4)}


def _derivative(function: Callable[[duals.Slope], duals.Slope], x: Fraction) -> duals.Slope:
    return duals.parts(function(Dual(1, x, Fraction(1))), 1)[1]


def _run(graph: str, **feeds: Sequence[int | float]) -> dict[str, list[float]]:
    """The outputs of a model of float32 vectors and scalars."""
    values = {
        name: tensor_of(
            Grid("float32", (len(items),), [Fraction(item) for item in items])
            if isinstance(items, list)
            else Grid("float32", (), [Fraction(items)])  # type: ignore[arg-type]
        )
        for name, items in feeds.items()
    }
    found = run_model(parsed(f"{HEAD} {graph}"), values)
    return {
        name: [float(item) for item in grid_of(value).items]
        for name, value in found.items()
        if isinstance(value, Tensor)
    }


@pytest.mark.parametrize("name", FUNCTIONS)
def test_slopes_of_functions_are_those_of_their_secants(name: str) -> None:
    x = Fraction(PLACES.get(name, 0))
    exact = _derivative(lambda item: duals.function(name, item), x)
    secant = (FUNCTIONS[name](float(x) + STEP) - FUNCTIONS[name](float(x) - STEP)) / (2 * STEP)
    assert math.isclose(secant, float(duals.value_of(exact)), rel_tol=1e-8, abs_tol=1e-8)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_second_slopes_of_functions_are_those_of_their_parabolas(name: str) -> None:
    x = Fraction(PLACES.get(name, 0))
    twice = duals.function(name, Dual(2, Dual(1, x, Fraction(1)), Fraction(1)))
    second = duals.parts(duals.parts(twice, 2)[1], 1)[1]
    step = 1e-3
    around = [FUNCTIONS[name](float(x) + place * step) for place in (-1, 0, 1)]
    parabola = (around[0] - 2 * around[1] + around[2]) / step**2
    assert math.isclose(parabola, float(duals.value_of(second)), rel_tol=1e-4, abs_tol=1e-4)


def test_slopes_of_rational_functions_are_limits_of_secants() -> None:
    def ratio(x: duals.Slope) -> duals.Slope:
        above = duals.plus(duals.power(x, 3), duals.minus(x))
        return duals.times(above, duals.inverse(duals.plus(duals.power(x, 2), Fraction(1))))

    step = Fraction(1, 1 << 60)
    for x in (Fraction(2), Fraction(-1, 3), Fraction(7, 5)):
        ends = [duals.value_of(ratio(x + side * step)) for side in (1, -1)]
        secant = (ends[0] - ends[1]) / (2 * step)
        assert abs(duals.value_of(_derivative(ratio, x)) - secant) < Fraction(1, 1 << 100)


def test_a_negative_power_is_that_of_the_inverse() -> None:
    assert Fraction(-3, 16) == _derivative(lambda x: duals.power(x, -3), Fraction(2))


def test_values_that_are_no_rational_numbers_have_no_answer() -> None:
    for name, x in (("Exp", 1), ("Sqrt", 2), ("Sqrt", 0), ("Log", 2)):
        with pytest.raises(BadInputError, match="no rational number"):
            _derivative(lambda item, name=name: duals.function(name, item), Fraction(x))  # type: ignore[misc]


def test_onnx_own_examples_come_out_as_onnx_has_them() -> None:
    import numpy as np
    from onnx.backend.test.case.model import collect_testcases

    seen = 0
    for case in collect_testcases():
        if not case.name.startswith("test_gradient"):
            continue
        seen += 1
        ((inputs, outputs),) = case.data_sets
        names = [item.name for item in case.model.graph.input]
        feeds = {
            name: Tensor("float32", np.shape(value), np.asarray(value, np.float32).tobytes())
            for name, value in zip(names, inputs, strict=True)
        }
        found = run_model(case.model, feeds)
        expected = [np.asarray(value, np.float32).tobytes() for value in outputs]
        assert expected == [found[item.name].data for item in case.model.graph.output]  # type: ignore[union-attr]
    assert seen == 2


def test_a_derivative_of_a_derivative_is_the_second_one() -> None:
    """Of x^4: 4 x^3, 12 x^2."""
    found = _run(
        "g (float x) => (float d, float e) { a = Mul(x, x)  y = Mul(a, a)"
        f' d = {GRADIENT} <xs = ["x"], y = "y"> (x) e = {GRADIENT} <xs = ["x"], y = "d"> (x) }}',
        x=3,  # type: ignore[arg-type]
    )
    assert {"d": [108.0], "e": [108.0]} == found


def test_levels_are_not_mixed_up() -> None:
    """The derivative by x of x times that of x y by y is 2 x, and not what one e for all gives."""
    found = _run(
        "g (float x, float y) => (float r) { p = Mul(x, y)"
        f' d = {GRADIENT} <xs = ["y"], zs = ["x"], y = "p"> (y, x) q = Mul(x, d)'
        f' r = {GRADIENT} <xs = ["x"], zs = ["y"], y = "q"> (x, y) }}',
        x=5,  # type: ignore[arg-type]
        y=7,  # type: ignore[arg-type]
    )
    assert {"r": [10.0]} == found


def test_no_slope_is_found_at_a_bend() -> None:
    for operator in ("Relu", "Abs"):
        with pytest.raises(NoOracleError, match="bend"):
            _run(
                f"g (float x) => (float d) {{ y = {operator}(x)"
                f' d = {GRADIENT} <xs = ["x"], y = "y"> (x) }}',
                x=0,  # type: ignore[arg-type]
            )


def test_an_operator_without_a_rule_has_no_answer() -> None:
    with pytest.raises(NoOracleError, match="the derivative of Erf-13 is not known"):
        _run(
            f'g (float x) => (float d) {{ y = Erf(x) d = {GRADIENT} <xs = ["x"], y = "y"> (x) }}',
            x=0,  # type: ignore[arg-type]
        )


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ('xs = ["x", "x"], y = "y"', "stands twice"),
        ('xs = ["x", "h"], y = "y"', "'h' follows from others"),
        ('xs = ["x", "z"], y = "nothing"', "'nothing' is no name"),
        ('xs = ["x"], zs = ["nothing"], y = "y"', "'nothing' is no name"),
        ('xs = ["x", "z"], y = "later"', "comes later"),
        ('xs = ["x", "w"], y = "y"', "needs 'z'"),
    ],
)
def test_names_that_cannot_be_differentiated_by_are_refused(names: str, words: str) -> None:
    text = (
        "g (float x, float z, float w) => (float d, float later)"
        f" {{ h = Mul(x, x)  y = Mul(h, z)  d = {GRADIENT} <{names}> (x, z)  later = Neg(y) }}"
    )
    with pytest.raises(RefusedError, match=words) as raised:
        _run(text, x=1, z=2, w=3)  # type: ignore[arg-type]
    assert LOAD == raised.value.phase
