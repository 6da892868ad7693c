"""QLinearMatMul and QLinearConv."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from onnx_conformance.generators.oracle.arith.grid import AnyOf, Grid, tensor_of
from onnx_conformance.generators.oracle.arith.numbers import INF
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.errors import InvalidCallError
from onnx_conformance.generators.oracle.registry import Call, answers, compute

if TYPE_CHECKING:
    from collections.abc import Sequence

    from onnx_conformance.core.values.tensors import Tensor


def _tensor(items: Sequence[object], *shape: int, name: str = "uint8") -> Tensor:
    assert math.prod(shape) == len(items)
    return tensor_of(Grid(name, shape, tuple(items)))


def _scale(*items: object, shape: tuple[int, ...] = ()) -> Tensor:
    return _tensor(items, *shape, name="float32")


HALF, ONE, ZERO = _scale(Fraction(1, 2)), _scale(Fraction(1)), _tensor([0])


def _product(**inputs: Tensor) -> list[object]:
    given = {
        "a_scale": ONE,
        "a_zero_point": ZERO,
        "b": _tensor([1], 1, 1),
        "b_scale": ONE,
        "b_zero_point": ZERO,
        "y_scale": ONE,
        "y_zero_point": ZERO,
    }
    (result,) = compute(Call(21, {}, {**given, **inputs}, "QLinearMatMul"))
    assert isinstance(result, Grid)
    return list(result.items)


def test_a_tie_is_rounded_to_even_before_the_zero_point_is_added() -> None:
    a = _tensor([1, 3, 5, 7], 4, 1)
    assert [1, 3, 3, 5] == _product(a=a, a_scale=HALF, y_zero_point=_tensor([1]))


def test_a_quotient_beside_a_tie_by_the_error_of_the_scales_may_go_either_way() -> None:
    tenth = Fraction(13421773, 1 << 27)  # 0.1 in float32
    found = _product(a=_tensor([5, 10], 2, 1), a_scale=_scale(tenth))
    assert [AnyOf((1, 0)), 1] == found


def test_the_ends_hold_what_is_beyond() -> None:
    a = _tensor([0, 4, 200], 3, 1)
    found = _product(
        a=a, a_zero_point=_tensor([4]), b=_tensor([3], 1, 1), y_zero_point=_tensor([9])
    )
    assert [0, 9, 255] == found


def test_each_row_has_its_scale() -> None:
    scales = _scale(Fraction(1), Fraction(2), shape=(2,))
    a = _tensor([3, 3], 2, 1)
    assert [3, 4] == _product(a=a, a_scale=scales, a_zero_point=_tensor([0, 1], 2))


def test_infinite_numbers_are_at_the_ends() -> None:
    found = _product(a=_tensor([1, 3], 2, 1), a_zero_point=_tensor([2]), a_scale=_scale(INF))
    assert [0, 255] == found


@pytest.mark.parametrize(
    "inputs",
    [
        {"y_scale": _scale(*[Fraction(1)] * 3, shape=(3,)), "y_zero_point": _tensor([0] * 3, 3)},
        {"a_zero_point": _tensor([0, 0], 2)},
        {"a_scale": _scale(*[Fraction(1)] * 3, shape=(3,)), "a_zero_point": _tensor([0] * 3, 3)},
    ],
)
def test_scales_of_other_shapes_are_refused(inputs: dict[str, Tensor]) -> None:
    with pytest.raises(InvalidCallError):
        _product(a=_tensor([1, 2], 2, 1), **inputs)


def test_float8_is_the_nearest_number() -> None:
    kind = "float8e4m3fn"
    zero = _tensor([Fraction(0)], name=kind)
    a = _tensor([Fraction(17), Fraction(448)], 2, 1, name=kind)
    b = _tensor([Fraction(1, 2)], 1, 1, name=kind)
    found = _product(a=a, a_zero_point=zero, b=b, b_zero_point=zero, y_zero_point=zero)
    assert [Fraction(8), Fraction(224)] == [Fraction(item) for item in found]  # type: ignore[call-overload]


def _convolution(attributes: dict[str, tuple[int, ...]] | None = None, **inputs: Tensor) -> Call:
    given = {
        "x_scale": ONE,
        "x_zero_point": ZERO,
        "w": _tensor([1], 1, 1, 1),
        "w_scale": ONE,
        "w_zero_point": ZERO,
        "y_scale": ONE,
        "y_zero_point": ZERO,
    }
    return Call(10, attributes or {}, {**given, **inputs}, "QLinearConv")


def _items(call: Call) -> list[object]:
    (result,) = compute(call)
    assert isinstance(result, Grid)
    return list(result.items)


def test_padding_stands_for_0() -> None:
    x, zero = _tensor([3, 5], 1, 1, 2), _tensor([2])
    call = _convolution({"pads": (1, 0)}, x=x, x_zero_point=zero, w=_tensor([2, 4], 1, 1, 2))
    assert [4, 14] == _items(call)


def test_the_page_names_no_rule_for_a_tie() -> None:
    call = _convolution(x=_tensor([1, 2, 5], 1, 1, 3), x_scale=HALF)
    assert [AnyOf((0, 1)), 1, AnyOf((2, 3))] == _items(call)


def test_the_bias_has_the_scale_of_both() -> None:
    bias = _tensor([10], 1, name="int32")
    call = _convolution(x=_tensor([4], 1, 1, 1), x_scale=HALF, w_scale=HALF, y_scale=HALF, B=bias)
    assert [7] == _items(call)


def test_a_bias_may_leave_32_bits_in_three_ways() -> None:
    bias = _tensor([2**31 - 1], 1, name="int32")
    call = _convolution(x=_tensor([4], 1, 1, 1), B=bias, y_scale=_scale(Fraction(1 << 24)))
    found = {item.readings["sum-beyond-32-bits"]: item.result for item in answers(call)}
    assert {"wide": [128], "wraps": [0], "saturates": [128]} == {
        reading: list(result[0].items)  # type: ignore[index, union-attr]
        for reading, result in found.items()
    }
