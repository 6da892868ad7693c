"""The oracle of TopK: ties, what may be anywhere, and where NaN may be."""

from __future__ import annotations

import pytest

from onnx_conformance.generators.oracle.arith.grid import AnyOf, Grid, tensor_of
from onnx_conformance.generators.oracle.arith.numbers import NAN, NEG_ZERO, ZERO, Number
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, compute


def _top(
    row: list[Number], count: int, *, readings: dict[str, str] | None = None, **attributes: int
) -> tuple[Grid, Grid]:
    inputs = {
        "X": tensor_of(Grid("float32", (len(row),), row)),
        "K": tensor_of(Grid("int64", (1,), [count])),
    }
    values, positions = compute(Call(11, attributes, inputs, "TopK", readings=readings or {}))
    assert isinstance(values, Grid)
    assert isinstance(positions, Grid)
    return values, positions


def _numbers(*items: float) -> list[Number]:
    return [Fraction(item) for item in items]


def test_of_equal_elements_the_lower_index_stands_first() -> None:
    assert [1, 2, 0] == _top(_numbers(1, 3, 3), 3)[1].items
    assert [1, 3, 0] == _top(_numbers(2, 1, 2, 1), 3, largest=0)[1].items


def test_without_an_order_each_of_those_taken_may_stand_anywhere() -> None:
    values, positions = _top(_numbers(1, 3, 2), 2, sorted=0)
    assert [AnyOf((1, 2)), AnyOf((2, 1))] == positions.items
    assert AnyOf((Fraction(3), Fraction(2))) == values.items[0]


@pytest.mark.parametrize(("reading", "positions"), [("greatest", [1, 2]), ("least", [2, 0])])
def test_a_nan_is_above_or_below_all_numbers(reading: str, positions: list[int]) -> None:
    row = [Fraction(1), NAN, Fraction(3)]
    with pytest.raises(OpenError, match="nan-in-a-row"):
        _top(row, 2)
    assert positions == _top(row, 2, readings={"nan-in-a-row": reading})[1].items


def test_zeros_are_equal_or_in_order() -> None:
    for reading, first in (("equal", 0), ("ordered", 1)):
        found = _top([NEG_ZERO, ZERO], 1, readings={"zeros-of-both-signs": reading})
        assert [first] == found[1].items


def test_more_elements_than_there_are_are_refused() -> None:
    with pytest.raises(InvalidCallError, match="3 of 2"):
        _top(_numbers(1, 2), 3)


def test_no_element_is_open() -> None:
    with pytest.raises(OpenError, match="none-retrieved"):
        _top(_numbers(1, 2), 0)
