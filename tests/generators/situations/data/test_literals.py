from __future__ import annotations

import math
import struct

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import ELEMENT_TYPES, ElementType
from onnx_conformance.core.values.tensors import Tensor, check_tensor
from onnx_conformance.generators.situations.data.literals import LARGEST_DERIVED, tensor_of
from onnx_conformance.generators.specs.model import Literal

INTEGERS = [item for item in ELEMENT_TYPES if item.kind in {"int", "uint"}]
WRITABLE = {item.name for item in INTEGERS} | {"float16", "float32", "float64", "bool", "string"}


def message_of(literal: Literal, type_name: str) -> str:
    with pytest.raises(BadInputError) as caught:
        tensor_of(literal, type_name, "seed")
    return str(caught.value)


@pytest.mark.parametrize("element", INTEGERS, ids=lambda item: item.name)
def test_the_extremes_of_an_integer_type_can_be_written(element: ElementType) -> None:
    name, bits, signed = element.name, element.bits, element.kind == "int"
    low = -(2 ** (bits - 1)) if signed else 0
    high = 2 ** (bits - signed) - 1
    literal = Literal((2,), (low, high))
    array = np.array(
        [low, high], getattr(ml_dtypes, name) if hasattr(ml_dtypes, name) else np.dtype(name)
    )
    data = tensor_of(literal, name, "").data
    assert isinstance(data, bytes)
    if bits >= 8:
        assert array.astype(array.dtype.newbyteorder("<")).tobytes() == data
    else:
        patterns = [item & (2**bits - 1) for item in (low, high)]
        assert bytes([patterns[0] | patterns[1] << bits]) == data


@pytest.mark.parametrize("element", INTEGERS, ids=lambda item: item.name)
@pytest.mark.parametrize("beyond", [-1, 1])
def test_an_integer_outside_the_type_is_an_error(element: ElementType, beyond: int) -> None:
    name, bits, signed = element.name, element.bits, element.kind == "int"
    low = -(2 ** (bits - 1)) if signed else 0
    value = low - 1 if beyond < 0 else 2 ** (bits - signed)
    assert f"{value} is outside {name}" == message_of(Literal((), (value,)), name)


@given(st.floats(width=32))
def test_a_float_is_its_bits(value: float) -> None:
    data = tensor_of(Literal((), (value,)), "float32", "").data
    assert struct.pack("<f", value) == data


@pytest.mark.parametrize(
    ("type_name", "value", "data"),
    [
        ("float16", -0.0, b"\x00\x80"),
        ("float16", 65504, b"\xff\x7b"),
        ("float32", math.inf, b"\x00\x00\x80\x7f"),
        ("float64", 2**53, struct.pack("<d", 2.0**53)),
        ("float64", 5e-324, b"\x01" + b"\0" * 7),
    ],
)
def test_a_float_of_each_width(type_name: str, value: float, data: bytes) -> None:
    assert data == tensor_of(Literal((), (value,)), type_name, "").data


@pytest.mark.parametrize(
    ("type_name", "value"),
    [("float16", 65520), ("float32", 1e39), ("float64", 10**400), ("float32", -(10**39))],
    ids=["float16", "float32", "float64_int", "float32_int"],
)
def test_a_float_beyond_the_type_is_an_error(type_name: str, value: float) -> None:
    assert f"{value} is beyond {type_name}" == message_of(Literal((), (value,)), type_name)


def test_booleans_are_bytes() -> None:
    assert b"\x01\x00" == tensor_of(Literal((2,), (True, False)), "bool", "").data


def test_texts_are_utf_8() -> None:
    expected = Tensor("string", (2,), (b"", "é".encode()))
    assert expected == tensor_of(Literal((2,), ("", "é")), "string", "")


def test_a_number_is_no_string() -> None:
    assert "3 is not a text; put it in quotes" == message_of(Literal((), (3,)), "string")


@pytest.mark.parametrize(
    ("type_name", "value", "message"),
    [
        ("int32", "three", "'three' is not a value of int32"),
        ("int32", True, "True is not a value of int32"),
        ("float32", True, "True is not a value of float32"),
        ("bool", 1, "1 cannot be written as a value of bool"),
        ("int32", 1.0, "1.0 cannot be written as a value of int32"),
    ],
)
def test_a_value_of_another_kind_is_an_error(
    type_name: str, value: float | str, message: str
) -> None:
    assert message == message_of(Literal((), (value,)), type_name)


@pytest.mark.parametrize(
    ("type_name", "value", "data"),
    [
        ("bfloat16", 1, b"\x80\x3f"),
        ("float8e5m2", -1.5, b"\xbe"),
        ("float8e4m3fn", 448, b"\x7e"),
        ("float8e8m0", 2.0, b"\x80"),
        ("float4e2m1", 6.0, b"\x07"),
    ],
)
def test_a_narrow_float_that_the_type_has(type_name: str, value: float, data: bytes) -> None:
    assert data == tensor_of(Literal((), (value,)), type_name, "").data


@pytest.mark.parametrize(
    ("type_name", "value"),
    [("bfloat16", 0.1), ("float8e5m2", 1.1), ("float8e4m3fn", 449), ("float4e2m1", 5.0)],
)
def test_a_narrow_float_that_would_be_rounded_is_an_error(type_name: str, value: float) -> None:
    assert f"{value} is no value of {type_name}" == message_of(Literal((), (value,)), type_name)


@pytest.mark.parametrize(("type_name", "format_"), [("complex64", "<ff"), ("complex128", "<dd")])
def test_a_number_is_the_real_part_of_a_complex_one(type_name: str, format_: str) -> None:
    assert struct.pack(format_, -1.5, 0) == tensor_of(Literal((), (-1.5,)), type_name, "").data


def test_the_literals_own_type_goes_first() -> None:
    assert "int8" == tensor_of(Literal((1,), (1,), "int8"), "int64", "").type


def test_elements_that_are_not_given_derive_from_the_seed() -> None:
    literal = Literal((8, 8))
    first, same, other = (tensor_of(literal, "int32", seed) for seed in ("a", "a", "b"))
    assert first == same
    assert first != other
    check_tensor(first)


def test_no_more_is_derived_than_a_vector_holds() -> None:
    count = LARGEST_DERIVED // 4
    assert LARGEST_DERIVED == len(tensor_of(Literal((count,)), "float32", "").data)
    expected = f"{count + 1} elements of float32 are more than a vector holds"
    assert expected == message_of(Literal((count + 1,)), "float32")


def test_huge_dimensions_without_elements_take_no_memory() -> None:
    assert Tensor("float32", (2**62, 0), b"") == tensor_of(Literal((2**62, 0)), "float32", "")
