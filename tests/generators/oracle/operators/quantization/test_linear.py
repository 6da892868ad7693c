"""Scales and zero points: QuantizeLinear and DequantizeLinear."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from near_ratios import near

from onnx_conformance.generators.oracle.arith.grid import AnyOf, Enclosed, Grid, tensor_of, vector
from onnx_conformance.generators.oracle.arith.numbers import INF, NAN, NEG_INF, NEG_ZERO, ZERO, Real
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, compute

if TYPE_CHECKING:
    from collections.abc import Sequence

    from onnx_conformance.core.values.tensors import Tensor


def _tensor(name: str, items: Sequence[Real], shape: tuple[int, ...] | None = None) -> Tensor:
    grid = vector(name, items)
    return tensor_of(grid if shape is None else grid.reshaped(shape))


def _result(
    operator: str,
    inputs: dict[str, Tensor],
    attributes: dict[str, int] | None = None,
    version: int = 25,
    **readings: str,
) -> list[object]:
    named = {name.replace("_", "-"): reading for name, reading in readings.items()}
    call = Call(version, attributes or {}, inputs, operator, readings=named)
    (result,) = compute(call)
    assert isinstance(result, Grid)
    return list(result.items)


def _quantized(
    items: Sequence[Real], scale: Real, zero: tuple[str, Real], **readings: str
) -> list[object]:
    inputs = {
        "x": _tensor("float32", items),
        "y_scale": _tensor("float32", [scale], ()),
        "y_zero_point": _tensor(zero[0], [zero[1]], ()),
    }
    return _result("QuantizeLinear", inputs, **readings)


def _back(items: Sequence[int], scale: tuple[str, Real], zero: tuple[str, int]) -> list[object]:
    inputs = {
        "x": _tensor(zero[0], items),
        "x_scale": _tensor(scale[0], [scale[1]], ()),
        "x_zero_point": _tensor(zero[0], [zero[1]], ()),
    }
    return _result("DequantizeLinear", inputs)


def test_a_tie_goes_to_the_even_integer() -> None:
    items: list[Real] = [Fraction(1), Fraction(3), Fraction(5), Fraction(-1)]
    assert [0, 2, 2, 0] == _quantized(items, Fraction(2), ("int8", 0))


def test_the_zero_point_is_added_before_saturation() -> None:
    assert [255, 0, 129] == _quantized(
        [Fraction(200), Fraction(-200), Fraction(1)], Fraction(1), ("uint8", 128)
    )


def test_numbers_far_beyond_and_infinities_become_the_ends() -> None:
    items: list[Real] = [Fraction(3 * 10**9), INF, NEG_INF]
    assert [127, 127, -128] == _quantized(items, Fraction(1), ("int8", 0))


def test_a_quotient_near_a_tie_may_go_either_way() -> None:
    item, scale = near(Fraction(0.15), 2**30), Fraction(0.1)
    (found,) = _quantized([item], scale, ("int8", 0))
    assert isinstance(found, AnyOf)
    assert {1, 2} == set(found.numbers)


def test_what_nan_becomes_is_asked() -> None:
    assert [7] == _quantized([NAN], Fraction(1), ("int8", 7), nan_to_integer="zero-point")
    assert [-128] == _quantized([NAN], Fraction(1), ("int8", 7), nan_to_integer="lowest")


def test_a_scale_of_zero_may_be_refused() -> None:
    with pytest.raises(InvalidCallError):
        _quantized([Fraction(1)], ZERO, ("int8", 0), division_by_zero="rejected")
    assert [127] == _quantized([Fraction(1)], ZERO, ("int8", 0), division_by_zero="ends")


@pytest.mark.parametrize("zero", [ZERO, Fraction(1)])
def test_a_quotient_in_the_precision_of_an_integer_scale_becomes_float8(zero: Real) -> None:
    inputs = {
        "x": _tensor("float32", [Fraction(3), Fraction(4)]),
        "y_scale": _tensor("int32", [2], ()),
        "y_zero_point": _tensor("float8e4m3fn", [zero], ()),
    }
    offset = 0 if zero is ZERO else 1
    for reading, quotient in (("rounded", Fraction(3, 2)), ("truncated", Fraction(1))):
        found = _result(
            "QuantizeLinear", inputs, integer_scale=reading, zero_point_in_floats="added"
        )
        assert [quotient + offset, Fraction(2) + offset] == found


def test_a_zero_point_in_float8_may_be_left_out_of_integers_too() -> None:
    inputs = {
        "x": _tensor("int32", [8, -6]),
        "y_scale": _tensor("int32", [2], ()),
        "y_zero_point": _tensor("float8e5m2", [Fraction(2)], ()),
    }
    added = _result("QuantizeLinear", inputs, zero_point_in_floats="added")
    ignored = _result("QuantizeLinear", inputs, zero_point_in_floats="ignored")
    assert ([6, -1], [4, -3]) == (added, ignored)


def test_integers_are_divided_in_the_precision_that_the_attribute_names() -> None:
    inputs = {
        "x": _tensor("int32", [7, -7]),
        "y_scale": _tensor("int32", [2], ()),
        "y_zero_point": _tensor("int8", [0], ()),
    }
    assert [4, -4] == _result("QuantizeLinear", inputs, {"precision": 1})


def _by_power_of_two(items: Sequence[Real], **readings: str) -> list[object]:
    inputs = {
        "x": _tensor("float32", items),
        "y_scale": _tensor("float8e8m0", [Fraction(1, 4)], ()),
        "y_zero_point": _tensor("int8", [0], ()),
    }
    return _result("QuantizeLinear", inputs, **readings)


def test_a_power_of_two_by_a_power_of_two_is_one_in_any_precision() -> None:
    assert [1, 4, 32] == _by_power_of_two([Fraction(1, 4), Fraction(1), Fraction(8)])


def test_another_quotient_by_a_power_of_two_is_asked() -> None:
    items: list[Real] = [Fraction(5, 4), Fraction(-3)]
    with pytest.raises(OpenError, match="power-of-two-scale"):
        _by_power_of_two(items)
    assert [5, -12] == _by_power_of_two(items, power_of_two_scale="of-the-data")
    assert [4, -12] == _by_power_of_two(items, power_of_two_scale="of-the-scale")


def test_beside_a_tie_a_quotient_by_a_power_of_two_goes_one_way() -> None:
    below = Fraction(1, 2) - Fraction(1, 2**25)
    assert [0] == _quantized([below], Fraction(1), ("int8", 0))
    assert [AnyOf((0, 1))] == _quantized([below * 3], Fraction(3), ("int8", 0))


def test_a_zero_in_float8_may_keep_its_sign() -> None:
    items: list[Real] = [NEG_ZERO, Fraction(1000)]
    found = _quantized(items, Fraction(1), ("float8e4m3fn", ZERO))
    assert [AnyOf((NEG_ZERO, ZERO)), Fraction(448)] == found


def test_a_vector_of_scales_goes_along_the_axis() -> None:
    inputs = {
        "x": _tensor("float32", [Fraction(8)] * 4, (2, 2)),
        "y_scale": _tensor("float32", [Fraction(2), Fraction(4)]),
    }
    assert [4, 2, 4, 2] == _result("QuantizeLinear", inputs, {"axis": 1})
    assert [4, 4, 2, 2] == _result("QuantizeLinear", inputs, {"axis": -2})


def test_blocks_share_a_scale_and_the_last_may_be_shorter() -> None:
    inputs = {
        "x": _tensor("float32", [Fraction(8)] * 3, (1, 3)),
        "y_scale": _tensor("float32", [Fraction(2), Fraction(4)], (1, 2)),
    }
    assert [4, 4, 2] == _result("QuantizeLinear", inputs, {"axis": 1, "block_size": 2})
    with pytest.raises(InvalidCallError, match="scales of shape"):
        _result("QuantizeLinear", inputs, {"axis": 1, "block_size": 3})


def test_the_zero_point_has_the_shape_of_the_scale() -> None:
    inputs = {
        "x": _tensor("float32", [Fraction(8)]),
        "y_scale": _tensor("float32", [Fraction(2)], ()),
        "y_zero_point": _tensor("int8", [0, 0]),
    }
    with pytest.raises(InvalidCallError, match="zero point of shape"):
        _result("QuantizeLinear", inputs)


def test_a_zero_point_of_one_element_may_do_for_a_scalar() -> None:
    inputs = {
        "x": _tensor("float32", [Fraction(8)]),
        "y_scale": _tensor("float32", [Fraction(2)], ()),
        "y_zero_point": _tensor("int8", [1]),
    }
    assert [5] == _result("QuantizeLinear", inputs, one_element_zero_point="per-tensor")
    with pytest.raises(InvalidCallError):
        _result("QuantizeLinear", inputs, one_element_zero_point="rejected")


def test_the_attribute_names_the_type_of_the_result() -> None:
    scale = _tensor("float32", [Fraction(1)], ())
    inputs = {"x": _tensor("float32", [Fraction(-9)]), "y_scale": scale}
    assert [-8] == _result("QuantizeLinear", inputs, {"output_dtype": 22})
    assert [0] == _result("QuantizeLinear", inputs)


def test_a_product_is_rounded_once_where_its_factors_are_held() -> None:
    assert [Fraction(254), Fraction(-256)] == _back(
        [255, 0], ("float32", Fraction(2)), ("uint8", 128)
    )


def test_a_difference_that_the_type_lacks_has_limits() -> None:
    (found,) = _back([32767], ("float16", Fraction(1, 4)), ("int16", -2))
    assert isinstance(found, Enclosed)
    assert found.value == Fraction(32769, 4)


def test_int32_with_a_zero_point_may_be_refused() -> None:
    inputs = {
        "x": _tensor("int32", [5]),
        "x_scale": _tensor("float32", [Fraction(1)], ()),
        "x_zero_point": _tensor("int32", [3], ()),
    }
    assert [2] == _result("DequantizeLinear", inputs, int32_zero_point="formula")
    with pytest.raises(InvalidCallError):
        _result("DequantizeLinear", inputs, int32_zero_point="rejected")


def test_one_block_of_a_vector_may_be_refused() -> None:
    inputs = {"x": _tensor("int8", [1, 2, 3]), "x_scale": _tensor("float32", [Fraction(1, 2)])}
    attributes = {"axis": 0, "block_size": 3}
    with pytest.raises(OpenError, match="block-size-of-one-scale"):
        _result("DequantizeLinear", inputs, attributes)
    readings = {"block_size_of_one_scale": "per-tensor"}
    found = _result("DequantizeLinear", inputs, attributes, **readings)
    assert [Fraction(1, 2), Fraction(1), Fraction(3, 2)] == found


def test_no_integer_type_is_a_result_of_dequantizing() -> None:
    given = {"x": _tensor("int4", [-7]), "x_scale": _tensor("float32", [Fraction(1)], ())}
    with pytest.raises(InvalidCallError, match="uint16, no type of floats"):
        _result("DequantizeLinear", given, {"output_dtype": 4})
