"""The oracle of LabelEncoder: directions of version 1, keys by their bits, one NaN for all."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.oracle import Call, InvalidCallError, OpenError, compute
from onnx_conformance.generators.oracle.arith.grid import Grid
from onnx_conformance.generators.oracle.arith.numbers import NEG_ZERO

if TYPE_CHECKING:
    from collections.abc import Sequence

DEFAULTS = {"default_int64": -1, "default_string": "_Unused", "default_float": -0.0}


def labels(version: int, x: Tensor, **attributes: object) -> Sequence[object]:
    call = Call(version, {**DEFAULTS, **attributes}, {"X": x}, "LabelEncoder", "ai.onnx.ml")
    (result,) = compute(call)
    assert isinstance(result, Grid)
    assert x.shape == result.shape
    return list(result.items)


def strings(*items: str) -> Tensor:
    return Tensor("string", (len(items),), tuple(item.encode() for item in items))


def floats(*codes: int) -> Tensor:
    return Tensor("float32", (len(codes),), struct.pack(f"<{len(codes)}I", *codes))


def integers(*items: int) -> Tensor:
    return Tensor("int64", (len(items),), struct.pack(f"<{len(items)}q", *items))


ONE, ZERO_BITS, MINUS_ZERO, NAN_BITS, OTHER_NAN = 0x3F800000, 0, 1 << 31, 0x7FC00000, 0xFFC00001


def test_version_1_goes_by_the_type_of_its_input() -> None:
    classes = ("a", "b")
    assert [1, 0, -1] == labels(1, strings("b", "a", "c"), classes_strings=classes)
    assert [b"b", b"_Unused", b"_Unused"] == labels(1, integers(1, 2, -1), classes_strings=classes)


def test_version_1_leaves_a_default_of_the_other_direction_open_for_strings() -> None:
    with pytest.raises(OpenError, match="default-of-the-other-direction"):
        labels(1, strings("b"), classes_strings=("a", "b"), default_string="none")


def test_version_1_leaves_a_default_of_the_other_direction_open_for_integers() -> None:
    with pytest.raises(OpenError, match="default-of-the-other-direction"):
        labels(1, integers(1), classes_strings=("a", "b"), default_int64=7)


def test_version_2_finds_a_nan_of_the_same_bits_alone() -> None:
    keys = (1.0, float("nan"))
    given = floats(NAN_BITS, ONE, OTHER_NAN)
    assert [2, 1, -1] == labels(2, given, keys_floats=keys, values_int64s=(1, 2))


def test_version_2_tells_the_zeros_apart() -> None:
    given = floats(ZERO_BITS, MINUS_ZERO)
    assert [1, -1] == labels(2, given, keys_floats=(0.0,), values_int64s=(1,))


def test_version_4_finds_every_nan() -> None:
    given = floats(NAN_BITS, OTHER_NAN)
    assert [2, 2] == labels(4, given, keys_floats=(float("nan"),), values_int64s=(2,))


def test_version_4_takes_the_last_of_equal_keys() -> None:
    assert [3, 2] == labels(
        4, strings("a", "b"), keys_strings=("a", "b", "a"), values_int64s=(1, 2, 3)
    )


def test_version_2_leaves_equal_keys_open_where_one_is_looked_up() -> None:
    given = {"keys_strings": ("a", "b", "a"), "values_int64s": (1, 2, 3)}
    assert [2] == labels(2, strings("b"), **given)
    with pytest.raises(OpenError):
        labels(2, strings("a"), **given)


def test_values_that_are_a_tensor_have_the_default_of_their_type() -> None:
    values = Tensor("float64", (1,), struct.pack("<d", 1.5))
    assert [NEG_ZERO] == labels(4, strings("x"), keys_strings=("a",), values_tensor=values)
    default = Tensor("float64", (), struct.pack("<d", 2))
    given = {"keys_strings": ("a",), "values_tensor": values, "default_tensor": default}
    assert [2] == labels(4, strings("x"), **given)


def test_keys_in_a_tensor_go_with_a_list_of_values() -> None:
    given = {"keys_tensor": strings("a", "b"), "values_int64s": (3, 4), "default_int64": 42}
    assert [4, 42, 3] == labels(4, strings("b", "x", "a"), **given)


def test_values_in_a_tensor_have_one_dimension() -> None:
    values = Tensor("int64", (1, 1), struct.pack("<q", 1))
    with pytest.raises(InvalidCallError, match="'values_tensor' is no tensor of one dimension"):
        labels(4, strings("a"), keys_strings=("a",), values_tensor=values)


@pytest.mark.parametrize(
    "given",
    [
        {"keys_strings": ("a",)},
        {"values_int64s": (1,)},
        {"keys_strings": ("a",), "keys_floats": (1.0,), "values_int64s": (1,)},
        {"keys_strings": ("a",), "values_int64s": (1, 2)},
        {"keys_int64s": (1,), "values_int64s": (1,)},
    ],
)
def test_lists_that_do_not_fit_are_invalid(given: dict[str, object]) -> None:
    with pytest.raises(InvalidCallError):
        labels(4, strings("a"), **given)
