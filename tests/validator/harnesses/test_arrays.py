from __future__ import annotations

import sys

import ml_dtypes
import numpy as np
import pytest

from onnx_conformance.core.values.elements import ELEMENT_TYPES, ElementType
from onnx_conformance.validator.harnesses.arrays import (
    dtype_of,
    from_array,
    from_numpy,
    to_array,
    to_numpy,
)
from onnx_conformance.validator.harnesses.kit import UnsupportedError
from onnx_conformance.validator.harnesses.values import (
    ForeignValue,
    MapValue,
    OptionalValue,
    SequenceValue,
    Tensor,
    decode,
    encode,
)

FIXED_WIDTH = [e for e in ELEMENT_TYPES if e.kind != "string"]


@pytest.mark.parametrize("element", FIXED_WIDTH, ids=lambda element: element.name)
def test_every_bit_pattern_survives_the_way_to_numpy_and_back(element: ElementType) -> None:
    data = bytes([0, 1]) * 96 if element.kind == "bool" else bytes(range(192))
    count = 192 * 8 // element.bits
    tensor = Tensor(element.name, (2, count // 2), data)
    assert tensor == from_array(to_array(tensor))


@pytest.mark.parametrize("element", FIXED_WIDTH, ids=lambda element: element.name)
def test_a_scalar_stays_without_dimensions(element: ElementType) -> None:
    tensor = Tensor(element.name, (), bytes([1] + [0] * (max(element.bits // 8, 1) - 1)))
    array = to_array(tensor)
    assert () == array.shape
    assert tensor == from_array(array)


@pytest.mark.parametrize("element", FIXED_WIDTH, ids=lambda element: element.name)
def test_an_empty_tensor_keeps_its_dimensions(element: ElementType) -> None:
    tensor = Tensor(element.name, (3, 0, 2), b"")
    assert tensor == from_array(to_array(tensor))


def test_the_first_4_bit_element_is_in_the_low_bits() -> None:
    array = to_array(Tensor("int4", (3,), bytes([0xF1, 0x08])))
    assert [1, -1, -8] == array.astype(int).tolist()


def test_the_unused_bits_of_packed_data_are_cleared() -> None:
    assert bytes([0x21, 0x03]) == from_array(np.array([1, 2, 3], ml_dtypes.uint4)).data


def test_2_bit_elements_are_packed_over_the_whole_tensor() -> None:
    array = np.array([[1, -1, 0], [-2, 1, 1]], ml_dtypes.int2)
    assert Tensor("int2", (2, 3), bytes([0b10_00_11_01, 0b01_01])) == from_array(array)


def test_trailing_nuls_of_strings_are_kept() -> None:
    tensor = Tensor("string", (2,), [b"a\0", b"\0"])
    assert tensor == from_array(to_array(tensor))


def test_bytes_that_are_no_utf8_are_unsupported() -> None:
    with pytest.raises(UnsupportedError, match="UTF-8"):
        to_array(Tensor("string", (1,), [b"\xff"]))


def test_a_zero_size_array_beyond_numpy_is_unsupported_with_its_shape() -> None:
    with pytest.raises(UnsupportedError, match=r"\[0, 4611686018427387904\]"):
        to_array(Tensor("float32", (0, 2**62), b""))


def test_a_type_without_ml_dtypes_is_unsupported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    dtype_of.cache_clear()
    try:
        with pytest.raises(UnsupportedError, match="NumPy has no bfloat16 without ml_dtypes"):
            to_array(Tensor("bfloat16", (1,), b"\0\0"))
    finally:
        dtype_of.cache_clear()


def test_an_array_is_read_in_row_major_order_whatever_its_strides() -> None:
    array = np.arange(6, dtype=np.uint8).reshape(2, 3).T
    assert Tensor("uint8", (3, 2), bytes([0, 3, 1, 4, 2, 5])) == from_array(array)


def test_a_big_endian_array_is_sent_little_endian() -> None:
    assert Tensor("int16", (1,), b"\x01\x00") == from_array(np.array([1], ">i2"))


def test_a_numpy_scalar_is_a_tensor_without_dimensions() -> None:
    assert Tensor("int64", (), bytes([5, 0, 0, 0, 0, 0, 0, 0])) == from_numpy(np.int64(5))


@pytest.mark.parametrize("array_type", ["U2", "S2", object])
def test_each_of_numpys_string_types_is_a_string_tensor(array_type: object) -> None:
    array = np.array([b"ab" if array_type == "S2" else "ab"], dtype=array_type)
    assert Tensor("string", (1,), [b"ab"]) == from_numpy(array)


@pytest.mark.parametrize(
    ("result", "description"),
    [
        (5, "a Python int"),
        ("text", "a Python str"),
        (np.array(["2020-01-01"], "M8[D]"), "a NumPy array of datetime64[D]"),
        (np.array(["a", None], object), "a NumPy array of objects with a NoneType in it"),
        ({1.5: None}, "a dict whose keys are neither all str nor all int"),
    ],
    ids=["int", "str", "dates", "objects", "dict"],
)
def test_what_is_no_onnx_value_is_said_in_words(result: object, description: str) -> None:
    assert ForeignValue(description) == from_numpy(result)


def test_a_map_holds_scalars() -> None:
    keys = Tensor("int64", (1,), bytes(8))
    floats = to_numpy(MapValue(keys, [Tensor("float32", (), bytes(4))]))
    assert ({0: 0.0}, np.float32) == (floats, type(floats[0]))
    assert {0: "é"} == to_numpy(MapValue(keys, [Tensor("string", (), ["é".encode()])]))


def test_sequences_maps_and_optionals_survive_both_ways() -> None:
    one = Tensor("int64", (1,), bytes(8))
    value = SequenceValue([one, SequenceValue([]), MapValue(one, [one])])
    assert value == from_numpy(to_numpy(value))
    assert OptionalValue(None) == from_numpy(to_numpy(OptionalValue(None)))
    assert value == decode(encode(value))
    assert OptionalValue(one) == decode(encode(OptionalValue(one)))
