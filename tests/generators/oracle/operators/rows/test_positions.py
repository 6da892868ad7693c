"""The oracles of ArgMax, ArgMin and Hardmax: ties, NaN, zeros, and rows by version."""

from __future__ import annotations

import pytest

from onnx_conformance.generators.oracle.arith.grid import Grid, tensor_of
from onnx_conformance.generators.oracle.arith.numbers import NAN, NEG_ZERO, ZERO, Number
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, compute


def _position(
    operator: str,
    row: list[Number],
    version: int = 13,
    *,
    readings: dict[str, str] | None = None,
    **attributes: int,
) -> Number:
    inputs = {"data": tensor_of(Grid("float32", (len(row),), row))}
    (result,) = compute(Call(version, attributes, inputs, operator, readings=readings or {}))
    assert isinstance(result, Grid)
    found: int = result.items[0]
    return found


def _ones(
    shape: tuple[int, ...],
    items: list[Number],
    version: int = 13,
    *,
    axis: int = 1,
    readings: dict[str, str] | None = None,
) -> list[int]:
    """Where Hardmax puts ones."""
    inputs = {"input": tensor_of(Grid("float32", shape, items))}
    call = Call(version, {"axis": axis}, inputs, "Hardmax", readings=readings or {})
    (result,) = compute(call)
    assert isinstance(result, Grid)
    return [place for place, item in enumerate(result.items) if item == 1]


def _numbers(*items: float) -> list[Number]:
    return [Fraction(item) for item in items]


def test_of_equal_elements_the_first_or_the_last_is_taken() -> None:
    row = _numbers(1, 2, 2, 1)
    assert (1, 2) == (_position("ArgMax", row), _position("ArgMax", row, select_last_index=1))
    assert (0, 3) == (_position("ArgMin", row), _position("ArgMin", row, select_last_index=1))


@pytest.mark.parametrize(("reading", "position"), [("ignored", 0), ("first-nan", 1)])
def test_nan_is_passed_over_or_taken(reading: str, position: int) -> None:
    row = [Fraction(3), NAN, Fraction(1)]
    assert position == _position("ArgMax", row, readings={"nan-in-a-row": reading})


def test_zeros_of_both_signs_are_equal_or_in_order() -> None:
    for reading, position in (("equal", 0), ("ordered", 1)):
        found = _position("ArgMax", [NEG_ZERO, ZERO], readings={"zeros-of-both-signs": reading})
        assert position == found


def test_version_11_alone_rules_out_an_empty_input() -> None:
    with pytest.raises(InvalidCallError, match="empty"):
        _position("ArgMax", [], 11)
    with pytest.raises(OpenError, match="no-element"):
        _position("ArgMax", [], 13)


def test_one_first_maximum_stands_in_a_row_of_the_matrix_or_along_the_axis() -> None:
    zeros: list[Number] = [ZERO] * 8
    assert [0, 4] == _ones((2, 2, 2), zeros, 11)
    assert [0, 1, 4, 5] == _ones((2, 2, 2), zeros, 13)


@pytest.mark.parametrize(
    ("reading", "ones"), [("nan-is-greatest", [1]), ("ignored", [2]), ("none", [])]
)
def test_a_row_with_nan_has_a_one_at_nan_at_a_number_or_nowhere(
    reading: str, ones: list[int]
) -> None:
    row = [Fraction(1), NAN, Fraction(2)]
    assert ones == _ones((1, 3), row, readings={"nan-in-a-row": reading})
