"""The oracle of Pow on integers: exact powers, and what the page leaves open."""

from __future__ import annotations

import pytest

from onnx_conformance.generators.oracle.arith.grid import Grid, tensor_of
from onnx_conformance.generators.oracle.arith.numbers import INF, NAN, Number
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, compute


def _pow(x: int, y: Number, exponent: str = "int64", base: str = "int64", **readings: str) -> int:
    inputs = {"X": tensor_of(Grid(base, (1,), [x])), "Y": tensor_of(Grid(exponent, (1,), [y]))}
    call = Call(15, {}, inputs, "Pow", types={"T": base, "T1": exponent}, readings=readings)
    (found,) = compute(call)
    assert isinstance(found, Grid)
    assert base == found.type
    item: int = found.items[0]
    return item


@pytest.mark.parametrize(
    ("x", "y", "power"),
    [
        (3, 39, 4052555153018976267),
        (-3, 39, -4052555153018976267),
        (2**53 + 1, 1, 2**53 + 1),
        (-1, 2**53 + 1, -1),
        (-1, 2**53, 1),
        (0, 0, 1),
        (0, 2**62, 0),
        (-2, 63, -(2**63)),
    ],
)
def test_a_power_that_the_type_holds_is_exact(x: int, y: int, power: int) -> None:
    assert power == _pow(x, y)


def test_a_whole_exponent_of_floats_is_exact_too() -> None:
    assert 282475249 == _pow(7, 10, "float32")


def test_one_to_any_power_and_anything_to_the_power_of_0_is_1() -> None:
    assert [1, 1, 1] == [_pow(1, NAN, "float32"), _pow(1, INF, "float32"), _pow(9, 0, "float32")]


def test_a_power_beyond_the_type_is_open() -> None:
    with pytest.raises(OpenError, match="integer-overflow"):
        _pow(3, 40)
    question = "integer-overflow"
    assert 3**40 - 2**64 == _pow(3, 40, **{question: "wraps"})
    assert 2**63 - 1 == _pow(3, 2001, **{question: "saturates"})
    assert -(2**63) == _pow(-3, 2001, **{question: "saturates"})


def test_an_exponent_below_zero_is_open() -> None:
    question = "negative-exponent"
    assert [0, -1, 1] == [
        _pow(x, y, **{question: "truncated"}) for x, y in [(2, -1), (-1, -3), (-1, -4)]
    ]
    with pytest.raises(InvalidCallError, match="negative-exponent"):
        _pow(2, -1, **{question: "rejected"})


def test_a_fraction_is_cut_off_or_rounded() -> None:
    question = "fraction-of-a-power"
    found = [
        _pow(3, Fraction(3, 2), "float32", **{question: way}) for way in ("truncated", "nearest")
    ]
    assert [5, 5] == found
    found = [
        _pow(2, Fraction(3, 2), "float32", **{question: way}) for way in ("truncated", "nearest")
    ]
    assert [2, 3] == found


def test_no_integer_stands_for_an_infinite_power_or_nan() -> None:
    for x, y in [(2, INF), (2, NAN), (-8, Fraction(1, 2)), (3, Fraction(2001, 2))]:
        with pytest.raises(OpenError, match="no-integer"):
            _pow(x, y, "float32")
