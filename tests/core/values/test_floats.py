"""Every code of every small format, and the neighbours of the large ones, against other sources."""

from __future__ import annotations

import struct
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onnx_conformance.core.values.floats import (
    FLOAT_FORMATS,
    is_infinite,
    is_nan,
    is_negative,
    is_zero,
    numbers,
    ulps_between,
)

SMALL = {
    "float8e4m3fn": ml_dtypes.float8_e4m3fn,
    "float8e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "float8e5m2": ml_dtypes.float8_e5m2,
    "float8e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "float8e8m0": ml_dtypes.float8_e8m0fnu,
    "float4e2m1": ml_dtypes.float4_e2m1fn,
    "float6e2m3": ml_dtypes.float6_e2m3fn,
    "float6e3m2": ml_dtypes.float6_e3m2fn,
}
NUMPY = {"float64": "u8", "float32": "u4", "float16": "u2"}


def all_codes(name: str) -> np.ndarray[Any, np.dtype[np.uint8]]:
    return np.arange(1 << FLOAT_FORMATS[name].width, dtype=np.uint8)


def other_values(
    name: str, codes: np.ndarray[Any, np.dtype[np.uint8]]
) -> np.ndarray[Any, np.dtype[np.float64]]:
    with np.errstate(all="ignore"):
        return codes.view(SMALL[name]).astype(np.float64)


@pytest.mark.parametrize("name", SMALL)
def test_each_code_of_a_small_format_has_the_value_that_ml_dtypes_gives_it(name: str) -> None:
    codes = all_codes(name)
    expected, found = other_values(name, codes), numbers(codes, FLOAT_FORMATS[name])
    np.testing.assert_array_equal(expected, found)
    signs = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(expected[signs]), np.signbit(found[signs]))


@pytest.mark.parametrize("name", SMALL)
def test_nan_of_a_small_format_is_nan_in_ml_dtypes(name: str) -> None:
    codes = all_codes(name)
    np.testing.assert_array_equal(
        np.isnan(other_values(name, codes)), is_nan(codes, FLOAT_FORMATS[name])
    )


@pytest.mark.parametrize("name", SMALL)
def test_infinity_of_a_small_format_is_infinite_in_ml_dtypes(name: str) -> None:
    codes = all_codes(name)
    np.testing.assert_array_equal(
        np.isinf(other_values(name, codes)), is_infinite(codes, FLOAT_FORMATS[name])
    )


@pytest.mark.parametrize("name", SMALL)
def test_zero_of_a_small_format_is_zero_in_ml_dtypes(name: str) -> None:
    codes = all_codes(name)
    np.testing.assert_array_equal(
        other_values(name, codes) == 0, is_zero(codes, FLOAT_FORMATS[name])
    )


@pytest.mark.parametrize("name", SMALL)
def test_neighbouring_values_of_a_small_format_are_one_ulp_apart(name: str) -> None:
    form = FLOAT_FORMATS[name]
    codes = all_codes(name)
    finite = codes[~is_nan(codes, form) & ~is_infinite(codes, form) & ~is_negative(codes, form)]
    ordered = finite[np.argsort(numbers(finite, form))]
    assert {1} == set(ulps_between(ordered[:-1], ordered[1:], form).tolist())


def test_each_code_of_bfloat16_has_the_value_that_ml_dtypes_gives_it() -> None:
    codes = np.arange(1 << 16, dtype=np.uint16)
    with np.errstate(all="ignore"):
        expected = codes.view(ml_dtypes.bfloat16).astype(np.float64)
    np.testing.assert_array_equal(expected, numbers(codes, FLOAT_FORMATS["bfloat16"]))


def test_each_code_of_float16_has_the_value_that_numpy_gives_it() -> None:
    codes = np.arange(1 << 16, dtype=np.uint16)
    with np.errstate(all="ignore"):
        expected = codes.view(np.float16).astype(np.float64)
    np.testing.assert_array_equal(expected, numbers(codes, FLOAT_FORMATS["float16"]))


@pytest.mark.parametrize("name", NUMPY)
@given(data=st.data())
def test_numpy_nextafter_is_one_ulp_away(name: str, data: st.DataObject) -> None:
    width = FLOAT_FORMATS[name].width
    value = data.draw(st.floats(min_value=0, width=width, allow_infinity=False))
    dtype = np.dtype(name)
    one = np.array([value], dtype)
    towards = 0 if value > 1 else 2
    other = np.nextafter(one, np.array([towards], dtype))
    assert 1 == ulps_between(one.view(NUMPY[name]), other.view(NUMPY[name]), FLOAT_FORMATS[name])[0]


@given(st.floats(width=64), st.floats(width=64))
def test_ulp_distance_is_symmetric(first: float, second: float) -> None:
    one, other = (np.array([struct.unpack("<Q", struct.pack("<d", x))[0]]) for x in (first, second))
    one, other = one.astype(np.uint64), other.astype(np.uint64)
    form = FLOAT_FORMATS["float64"]
    assert ulps_between(one, other, form)[0] == ulps_between(other, one, form)[0]


def test_a_power_of_two_is_one_ulp_from_its_lower_neighbour() -> None:
    one = np.array([1.0], np.float32)
    below = np.nextafter(one, np.float32(0))
    assert 1 == ulps_between(one.view("u4"), below.view("u4"), FLOAT_FORMATS["float32"])[0]


def test_the_greatest_subnormal_is_one_ulp_from_the_smallest_normal() -> None:
    bits = np.array([0x007FFFFF, 0x00800000], np.uint32)
    assert 1 == ulps_between(bits[:1], bits[1:], FLOAT_FORMATS["float32"])[0]


def test_e8m0_has_no_zero_and_no_sign() -> None:
    codes = all_codes("float8e8m0")
    form = FLOAT_FORMATS["float8e8m0"]
    assert not is_zero(codes, form).any()
    assert not is_negative(codes, form).any()
