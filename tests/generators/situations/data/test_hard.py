"""Arguments whose results are hard to round (`situations/data/hard.py`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.oracle.arith.elementary import enclosure
from onnx_conformance.generators.oracle.arith.grid import grid_of
from onnx_conformance.generators.oracle.arith.intervals import root
from onnx_conformance.generators.oracle.arith.numbers import fraction
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.arith.rounding import Rounding, round_to
from onnx_conformance.generators.situations.data.hard_cases import HARD_CASES
from onnx_conformance.generators.situations.data.profiles import (
    check_profile,
    own_shape,
    profile_tensor,
)

if TYPE_CHECKING:
    from collections.abc import Callable


def arguments(function: str, type_name: str) -> list[Fraction]:
    grid = grid_of(profile_tensor(f"hard:{function}", type_name, (12,), "s"))
    return [fraction(item) for item in grid.items]  # type: ignore[arg-type]


def result(function: str, x: Fraction) -> Fraction:
    """The exact result, to far more bits than the types have."""
    formula = FORMULAS.get(function)
    return formula(x) if formula else near(function, x)


def near(function: str, x: Fraction) -> Fraction:
    """An elementary function, to so many bits that formulas of a few of them lose none we need."""
    found = root(x, BITS) if function == "sqrt" else enclosure(function, x, BITS)
    return fraction(found.low)


def by_tanh(x: Fraction) -> Fraction:
    factor = near("sqrt", 1 / (2 * near("atan", Fraction(1))))
    inside = factor * (x + Fraction(44715, 1000000) * x**3)
    return x / 2 * (1 + near("tanh", shortened(inside)))


def shortened(x: Fraction) -> Fraction:
    """To a denominator that the functions take quickly."""
    return Fraction(round(x * 2**BITS), 2**BITS)


BITS = 200
ALPHA = Fraction("1.67326319217681884765625")
GAMMA = Fraction("1.05070102214813232421875")
FORMULAS: dict[str, Callable[[Fraction], Fraction]] = {
    "elu": lambda x: near("exp", x) - 1,
    "gelu": lambda x: x / 2 * (1 + near("erf", shortened(x / near("sqrt", Fraction(2))))),
    "gelu_by_tanh": by_tanh,
    # tanh(log(y)) is (y^2 - 1) / (y^2 + 1).
    "mish": lambda x: x * (1 - 2 / ((1 + near("exp", x)) ** 2 + 1)),
    "reciprocal": lambda x: 1 / x,
    "selu": lambda x: GAMMA * ALPHA * (near("exp", x) - 1),
    "sigmoid": lambda x: 1 / (1 + near("exp", -x)),
    "softplus": lambda x: near("log", shortened(1 + near("exp", x))),
    "swish": lambda x: x / (1 + near("exp", -x)),
}


def from_halfway(type_name: str, value: Fraction) -> Fraction:
    """How far a value is from the middle of its neighbours, in distances of those."""
    low, high = (
        fraction(round_to(type_name, value, rounding=rounding))  # type: ignore[arg-type]
        for rounding in (Rounding.DOWN, Rounding.UP)
    )
    return abs((value - low) / (high - low) - Fraction(1, 2))


@pytest.mark.parametrize("type_name", ["float32", "float64"])
@pytest.mark.parametrize("function", HARD_CASES)
def test_results_lie_almost_halfway_between_two_numbers(function: str, type_name: str) -> None:
    xs = arguments(function, type_name)
    assert 12 == len(set(xs))
    distances = [from_halfway(type_name, result(function, x)) for x in xs]
    assert max(distances) < Fraction(1, 2**14)


def test_the_profile_has_a_shape_of_its_own() -> None:
    assert (12,) == own_shape("hard:exp", "float32", (3, 4))


@pytest.mark.parametrize("profile", ["hard:relu", "hard:"])
def test_a_function_without_such_numbers_is_refused(profile: str) -> None:
    with pytest.raises(BadInputError, match="has no numbers of float32"):
        check_profile(profile)


def test_a_type_without_such_numbers_is_refused() -> None:
    with pytest.raises(BadInputError, match="has no numbers of int8"):
        profile_tensor("hard:exp", "int8", (12,), "s")
