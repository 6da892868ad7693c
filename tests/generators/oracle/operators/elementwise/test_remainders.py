"""The oracle of Mod: signs, what a version takes with fmod, and numbers that are none."""

from __future__ import annotations

import pytest

from onnx_conformance.generators.oracle.arith.grid import AnyOf, Grid, tensor_of
from onnx_conformance.generators.oracle.arith.numbers import (
    INF,
    NAN,
    NEG_INF,
    NEG_ZERO,
    ZERO,
    Number,
)
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, compute


def _of(name: str, x: Number, y: Number, version: int, fmod: int, **readings: str) -> object:
    inputs = {"A": tensor_of(Grid(name, (1,), [x])), "B": tensor_of(Grid(name, (1,), [y]))}
    taken = {key.replace("_", "-"): value for key, value in readings.items()}
    (result,) = compute(Call(version, {"fmod": fmod}, inputs, "Mod", readings=taken))
    assert isinstance(result, Grid)
    return result.items[0]


def test_the_remainder_has_the_sign_of_the_divisor() -> None:
    assert [2, -2, -1, 1] == [
        _of("int32", x, y, 13, 0) for x, y in ((-7, 3), (7, -3), (-7, -3), (7, 3))
    ]


def test_with_fmod_it_has_the_sign_of_the_dividend() -> None:
    assert [-1, 1] == [
        _of("int32", x, y, 13, 1, integers_with_fmod="truncated") for x, y in ((-7, 3), (7, -3))
    ]
    assert Fraction(-3, 2) == _of("float32", Fraction(-15, 2), Fraction(2), 13, 1)


def test_the_least_integer_by_minus_1_leaves_nothing() -> None:
    assert 0 == _of("int32", -(2**31), -1, 13, 0)


def test_floats_need_fmod_before_version_28() -> None:
    with pytest.raises(InvalidCallError, match="fmod 1"):
        _of("float32", Fraction(3), Fraction(2), 13, 0)
    assert Fraction(1) == _of("float32", Fraction(3), Fraction(2), 28, 0)


def test_an_integer_divided_by_zero_is_open() -> None:
    with pytest.raises(OpenError, match="division-by-zero"):
        _of("int32", 7, 0, 13, 0)


def test_minus_zero_by_a_number_above_zero_leaves_either_zero() -> None:
    assert AnyOf((NEG_ZERO, ZERO)) == _of("float32", NEG_ZERO, Fraction(3), 13, 1)


def test_of_an_infinite_divisor_the_floored_remainder_is_one_of_the_two() -> None:
    one = Fraction(1)
    assert [one, NEG_INF] == [_of("float32", one, y, 28, 0) for y in (INF, NEG_INF)]
    assert NAN == _of("float32", INF, one, 28, 0)


def test_a_formula_in_steps_may_round_its_quotient() -> None:
    with pytest.raises(OpenError, match="rounded-quotient"):
        _of("float32", Fraction(10) ** 20, Fraction(3), 28, 0)
