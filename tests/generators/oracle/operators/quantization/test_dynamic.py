"""DynamicQuantizeLinear."""

from __future__ import annotations

import pytest

from onnx_conformance.generators.oracle.arith.grid import Enclosed, Grid, tensor_of, vector
from onnx_conformance.generators.oracle.arith.numbers import NAN, Real
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, compute


def _result(items: list[Real], **readings: str) -> list[list[object]]:
    named = {name.replace("_", "-"): reading for name, reading in readings.items()}
    tensor = tensor_of(vector("float32", items))
    outputs = compute(Call(11, {}, {"x": tensor}, "DynamicQuantizeLinear", readings=named))
    return [list(item.items) for item in outputs if isinstance(item, Grid)]


def test_the_range_is_widened_to_hold_zero() -> None:
    y, (scale,), zero = _result([Fraction(255), Fraction(5, 2), Fraction(1)])
    assert isinstance(scale, Enclosed)
    assert scale.value == 1
    assert [0] == zero
    assert [255, 1] == [y[0], y[2]]


def test_the_least_element_becomes_zero_and_zero_the_zero_point() -> None:
    y, _, zero = _result([Fraction(-51), Fraction(204), Fraction(0)])
    assert [51] == zero
    assert [0, 255, 51] == y


def test_without_a_range_the_scale_is_open() -> None:
    assert [[0], [1], [0]] == _result([Fraction(0)], no_range="one")
    assert [[0], [0], [0]] == _result([Fraction(0)], no_range="zero")


def test_what_is_no_number_may_be_refused() -> None:
    with pytest.raises(InvalidCallError):
        _result([NAN, Fraction(1)], range_not_finite="rejected")
    assert [0, 255] == _result([NAN, Fraction(1)], range_not_finite="ignored")[0]


def test_a_scale_that_underflows_is_open_as_where_there_is_no_range() -> None:
    with pytest.raises(OpenError, match="no-range"):
        _result([Fraction(1, 2**149)])
    _, _, zero = _result([Fraction(1, 2**149)], no_range="one")
    assert [0] == zero
