"""The oracle of Cast, where its tables differ between versions."""

from __future__ import annotations

from fractions import Fraction

import pytest

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.generators.oracle.arith.grid import Grid, tensor_of, vector
from onnx_conformance.generators.oracle.arith.numbers import INF, NAN, NEG_INF, Real
from onnx_conformance.generators.oracle.registry import Call, compute


def _cast(version: int, items: list[Real], target: str) -> list[object]:
    attributes = {"to": element_type(target).code, "saturate": 1}
    call = Call(version, attributes, {"input": tensor_of(vector("float32", items))}, "Cast")
    (result,) = compute(call)
    assert isinstance(result, Grid)
    return list(result.items)


@pytest.mark.parametrize("target", ["float8e4m3fnuz", "float8e5m2fnuz"])
def test_before_version_24_an_infinity_is_nan_in_the_fnuz_types(target: str) -> None:
    assert _cast(23, [INF, NEG_INF], target) == [NAN, NAN]


def test_since_version_24_an_infinity_is_the_greatest_number_of_a_fnuz_type() -> None:
    assert _cast(24, [INF, NEG_INF], "float8e4m3fnuz") == [Fraction(240), Fraction(-240)]


def test_at_every_version_a_number_that_is_too_great_saturates() -> None:
    assert _cast(19, [Fraction(1000)], "float8e4m3fnuz") == [Fraction(240)]


def test_at_every_version_an_infinity_saturates_in_float8e5m2() -> None:
    assert _cast(19, [INF], "float8e5m2") == [Fraction(57344)]
