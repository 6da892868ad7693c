"""Arguments whose results are hard to round (`situations/data/hard.py`)."""

from __future__ import annotations

from fractions import Fraction

import pytest

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.oracle.arith.elementary import enclosure
from onnx_conformance.generators.oracle.arith.grid import grid_of
from onnx_conformance.generators.oracle.arith.intervals import root
from onnx_conformance.generators.oracle.arith.numbers import fraction
from onnx_conformance.generators.oracle.arith.rounding import Rounding, round_to
from onnx_conformance.generators.situations.data.hard_cases import HARD_CASES
from onnx_conformance.generators.situations.data.profiles import (
    check_profile,
    own_shape,
    profile_tensor,
)


def arguments(function: str, type_name: str) -> list[Fraction]:
    grid = grid_of(profile_tensor(f"hard:{function}", type_name, (12,), "s"))
    return [fraction(item) for item in grid.items]  # type: ignore[arg-type]


def result(function: str, x: Fraction) -> Fraction:
    """The exact result, to far more bits than the types have."""
    if function == "reciprocal":
        return 1 / x
    found = root(x, 160) if function == "sqrt" else enclosure(function, x, 160)
    return fraction(found.low)


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
