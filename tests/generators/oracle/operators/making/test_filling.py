"""The oracle of ConstantOfShape: its default, and what is no shape and no value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from onnx_conformance.generators.oracle.arith.grid import Grid, scalar, tensor_of, vector
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, compute

if TYPE_CHECKING:
    from onnx_conformance.core.values.tensors import Tensor


def _filled(shape: Tensor, value: Tensor | None = None) -> Grid:
    attributes = {} if value is None else {"value": value}
    (result,) = compute(Call(25, attributes, {"input": shape}, "ConstantOfShape"))
    assert isinstance(result, Grid)
    return result


def _dims(*dimensions: int) -> Tensor:
    return tensor_of(vector("int64", dimensions))


def test_without_a_value_it_is_zero_of_float32() -> None:
    result = _filled(_dims(2))
    assert (result.type, list(result.items)) == ("float32", [Fraction(0)] * 2)


def test_no_dimensions_make_a_scalar() -> None:
    result = _filled(_dims(), tensor_of(vector("int8", [-3])))
    assert (result.type, result.shape, list(result.items)) == ("int8", (), [-3])


def test_a_dimension_below_0_is_invalid_beside_one_of_0() -> None:
    with pytest.raises(InvalidCallError, match="below 0"):
        _filled(_dims(0, -1))


def test_a_shape_of_int32_is_invalid() -> None:
    with pytest.raises(InvalidCallError, match="int32"):
        _filled(tensor_of(vector("int32", [1])))


def test_a_value_of_two_elements_is_invalid() -> None:
    with pytest.raises(InvalidCallError, match="2 elements"):
        _filled(_dims(1), tensor_of(vector("int8", [1, 2])))


def test_a_value_that_is_a_scalar_is_open() -> None:
    with pytest.raises(OpenError, match="value-of-another-rank"):
        _filled(_dims(1), tensor_of(scalar("int8", 1)))
