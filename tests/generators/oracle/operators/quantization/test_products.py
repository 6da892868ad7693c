"""MatMulInteger, ConvInteger and BitCast."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.oracle.arith.grid import Grid, tensor_of
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, compute

if TYPE_CHECKING:
    from collections.abc import Sequence


def _tensor(items: Sequence[int], *shape: int, name: str = "uint8") -> Tensor:
    assert math.prod(shape) == len(items)
    return tensor_of(Grid(name, shape, tuple(items)))


def _result(operator: str, **inputs: Tensor) -> list[int]:
    (result,) = compute(Call(10, {}, inputs, operator))
    assert isinstance(result, Grid)
    return list(result.items)


def test_a_zero_point_for_each_row() -> None:
    a, b = _tensor([3, 5, 3, 5], 2, 2), _tensor([1, 1], 2, 1)
    assert [8, 6] == _result("MatMulInteger", A=a, B=b, a_zero_point=_tensor([0, 1], 2))


def test_a_zero_point_for_each_column() -> None:
    a, b = _tensor([3, 5], 1, 2), _tensor([1, 1, 1, 1], 2, 2)
    assert [8, 0] == _result("MatMulInteger", A=a, B=b, b_zero_point=_tensor([0, 1], 2))


def test_a_zero_point_for_each_row_of_each_batch() -> None:
    a, b = _tensor([3, 5, 3, 5], 2, 1, 2), _tensor([1, 1], 2, 1)
    zeros = _tensor([0, 1], 2, 1, 1)
    assert [8, 6] == _result("MatMulInteger", A=a, B=b, a_zero_point=zeros)


def test_differences_and_products_do_not_overflow() -> None:
    a, b = _tensor([0, 0], 1, 2), _tensor([255, 255], 2, 1)
    assert [-130050] == _result("MatMulInteger", A=a, B=b, a_zero_point=_tensor([255], 1))


def test_two_zero_points_for_three_rows_are_refused() -> None:
    a, b = _tensor([1, 2, 3], 3, 1), _tensor([1], 1, 1)
    with pytest.raises(InvalidCallError):
        _result("MatMulInteger", A=a, B=b, a_zero_point=_tensor([1, 2], 2))


def test_padding_is_the_zero_point() -> None:
    x, w = _tensor([3, 5], 1, 1, 2), _tensor([2, 4], 1, 1, 2)
    zero = _tensor([1])
    call = Call(10, {"pads": (1, 0)}, {"x": x, "w": w, "x_zero_point": zero}, "ConvInteger")
    (result,) = compute(call)
    assert isinstance(result, Grid)
    assert [8, 20] == list(result.items)


def test_each_output_channel_has_its_zero_point() -> None:
    x, w = _tensor([3, 5], 1, 1, 2), _tensor([1, 1, 1, 2], 2, 1, 2)
    assert [8, 5] == _result("ConvInteger", x=x, w=w, w_zero_point=_tensor([0, 1], 2))


def test_zero_points_of_another_number_than_the_channels_are_refused() -> None:
    x, w = _tensor([3, 5], 1, 1, 2), _tensor([1, 1, 1, 2], 2, 1, 2)
    with pytest.raises(InvalidCallError):
        _result("ConvInteger", x=x, w=w, w_zero_point=_tensor([0, 1, 2], 3))


def test_a_vector_of_one_zero_point_may_be_refused_but_for_one_channel() -> None:
    x, w = _tensor([3, 5], 1, 1, 2), _tensor([1, 1, 1, 2], 2, 1, 2)
    one = _tensor([1], 1)
    with pytest.raises(OpenError, match="vector-of-one-zero-point"):
        _result("ConvInteger", x=x, w=w, w_zero_point=one)
    with pytest.raises(OpenError, match="vector-of-one-zero-point"):
        _result("ConvInteger", x=x, w=w, x_zero_point=one)
    assert [5] == _result("ConvInteger", x=x, w=_tensor([1, 2], 1, 1, 2), w_zero_point=one)


def _cast(source: str, data: bytes, to: int) -> Tensor:
    call = Call(26, {"to": to}, {"input": Tensor(source, (1,), data)}, "BitCast")
    (result,) = compute(call)
    assert isinstance(result, Tensor)
    return result


def test_bits_are_read_as_another_type() -> None:
    found = _cast("float32", b"\x00\x00\x80\x3f", 6)
    assert Tensor("int32", (1,), b"\x00\x00\x80\x3f") == found


@pytest.mark.parametrize("to", [7, 5, 8, 0, 99])
def test_a_type_of_another_width_is_refused(to: int) -> None:
    with pytest.raises(InvalidCallError):
        _cast("float32", b"\x00\x00\x80\x3f", to)
