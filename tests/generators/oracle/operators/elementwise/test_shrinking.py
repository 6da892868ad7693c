"""The oracle of Shrink: which line an element takes, and attributes that its type cannot hold."""

from __future__ import annotations

import pytest

from onnx_conformance.generators.oracle.arith.grid import AnyOf, Grid, tensor_of
from onnx_conformance.generators.oracle.arith.numbers import INF, NAN, NEG_INF, NEG_ZERO, ZERO
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.errors import InvalidCallError
from onnx_conformance.generators.oracle.registry import Call, answers, compute

EITHER_ZERO = AnyOf((ZERO, NEG_ZERO))


def _call(name: str, items: list[object], lambd: float, bias: float) -> Call:
    inputs = {"input": tensor_of(Grid(name, (len(items),), items))}
    return Call(9, {"lambd": lambd, "bias": bias}, inputs, "Shrink")


def _of(name: str, items: list[object], lambd: float, bias: float) -> object:
    (result,) = compute(_call(name, items, lambd, bias))
    assert isinstance(result, Grid)
    return list(result.items)


def _each(name: str, items: list[object], lambd: float, bias: float) -> list[object]:
    """The result under each reading of what is open."""
    found: list[object] = []
    for answer in answers(_call(name, items, lambd, bias)):
        assert answer.result is not None
        (grid,) = answer.result
        assert isinstance(grid, Grid)
        found.append(list(grid.items))
    return found


def test_an_element_at_the_threshold_is_dropped() -> None:
    assert [-2, 0, 0, 2] == _of("int32", [-3, -2, 2, 3], 2.0, 1.0)


def test_nan_becomes_zero() -> None:
    assert [EITHER_ZERO] == _of("float32", [NAN], 0.5, 1.0)


def test_infinities_stay() -> None:
    assert [NEG_INF, INF] == _of("float32", [NEG_INF, INF], 0.5, 1.0)


def test_below_a_negative_threshold_the_first_line_counts() -> None:
    assert [Fraction(1, 4), Fraction(7, 4)] == _of(
        "float32", [Fraction(0), Fraction(2)], -1.0, 0.25
    )


def test_a_fraction_of_the_bias_is_cut_off_before_or_after() -> None:
    assert [[-1, 1], [-2, 2]] == _each("int32", [-3, 3], 1.0, 1.5)


def test_a_result_beyond_the_type_wraps_or_saturates() -> None:
    assert [[-128], [127]] == _each("int8", [127], 1.0, -1.0)


def test_a_threshold_that_is_no_number_is_no_threshold_of_integers() -> None:
    with pytest.raises(InvalidCallError, match="lambd"):
        _of("int32", [3], float("nan"), 0.0)
