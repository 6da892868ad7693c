"""Codes and numbers of every element type.

The brute force knows a format by its field widths alone, written down here once more; NumPy and
ml_dtypes are the second witness for what they have.
"""

from __future__ import annotations

import bisect
import math
import struct
from functools import cache
from itertools import pairwise
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onnx_conformance.generators.oracle.accuracy.roots import sqrt
from onnx_conformance.generators.oracle.arith.numbers import (
    INF,
    NAN,
    NEG_INF,
    NEG_ZERO,
    ZERO,
    Complex,
    Number,
    from_float,
)
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.arith.rounding import (
    Rounding,
    decode,
    encode,
    exponent_of,
    fits,
    greatest,
    least_normal,
    least_subnormal,
    limits,
    round_to,
    saturate,
    ulp,
    unit_roundoff,
    wrap,
)

WIDTHS = {
    "float16": 16,
    "bfloat16": 16,
    "float8e4m3fn": 8,
    "float8e4m3fnuz": 8,
    "float8e5m2": 8,
    "float8e5m2fnuz": 8,
    "float6e2m3": 6,
    "float6e3m2": 6,
    "float4e2m1": 4,
    "float8e8m0": 8,
}
SIGNED = [name for name in WIDTHS if name != "float8e8m0"]
DTYPES: dict[str, Any] = {
    "float64": np.float64,
    "float32": np.float32,
    "float16": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
    "float8e4m3fn": ml_dtypes.float8_e4m3fn,
    "float8e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "float8e5m2": ml_dtypes.float8_e5m2,
    "float8e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "float6e2m3": ml_dtypes.float6_e2m3fn,
    "float6e3m2": ml_dtypes.float6_e3m2fn,
    "float4e2m1": ml_dtypes.float4_e2m1fn,
    "float8e8m0": ml_dtypes.float8_e8m0fnu,
}
INTEGERS = ["int2", "uint2", "int4", "uint4", "int8", "uint8", "int16", "uint16", "int32", "uint32"]
INTEGERS += ["int64", "uint64"]


def from_dtype(name: str, code: int) -> Number:
    """What NumPy or ml_dtypes says that a code is."""
    dtype = DTYPES[name]
    unsigned = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}
    bits = np.array([code], unsigned[np.dtype(dtype).itemsize * 8])
    with np.errstate(invalid="ignore"):
        return from_float(float(bits.view(dtype).astype(np.float64)[0]))


@cache
def finite_numbers(name: str) -> tuple[Fraction, ...]:
    """Every finite number of a type in order, one zero only."""
    numbers = {decode(name, code) for code in range(1 << WIDTHS[name])}
    return tuple(sorted(number for number in numbers if isinstance(number, Fraction)))


@pytest.mark.parametrize("name", WIDTHS)
def test_every_code_is_the_number_that_ml_dtypes_says(name: str) -> None:
    codes = range(1 << WIDTHS[name])
    assert [from_dtype(name, code) for code in codes] == [decode(name, code) for code in codes]


@pytest.mark.parametrize("name", WIDTHS)
def test_every_code_of_a_number_comes_back(name: str) -> None:
    codes = [code for code in range(1 << WIDTHS[name]) if decode(name, code) is not NAN]
    assert codes == [encode(name, decode(name, code)) for code in codes]


@pytest.mark.parametrize("name", WIDTHS)
def test_nan_comes_back_where_the_type_has_one(name: str) -> None:
    has_nan = any(decode(name, code) is NAN for code in range(1 << WIDTHS[name]))
    expected = NAN if has_nan else greatest(name)
    assert expected == round_to(name, NAN)


@pytest.mark.parametrize("name", SIGNED)
def test_between_neighbours_the_nearest_is_taken_and_the_even_one_of_two(name: str) -> None:
    codes = {
        number: code
        for code in range(1 << WIDTHS[name])
        if isinstance(number := decode(name, code), Fraction)
    }
    for low, high in pairwise(finite_numbers(name)):
        middle = (low + high) / 2
        even = low if codes[low] % 2 == 0 else high
        least = (high - low) / 2**60
        found = [round_to(name, x) for x in (middle - least, middle, middle + least)]
        signed = [
            NEG_ZERO if x == 0 and middle < 0 and "fnuz" not in name else x
            for x in (low, even, high)
        ]
        assert signed == found


@pytest.mark.parametrize("name", SIGNED)
@pytest.mark.parametrize("rounding", [Rounding.DOWN, Rounding.UP])
def test_a_directed_rounding_takes_the_neighbour_on_its_side(name: str, rounding: Rounding) -> None:
    for low, high in pairwise(finite_numbers(name)):
        for part in (Fraction(1, 2**60), Fraction(1, 2), 1 - Fraction(1, 2**60)):
            x = low + part * (high - low)
            expected: Number = low if rounding is Rounding.DOWN else high
            if expected == 0 and x < 0 and "fnuz" not in name:
                expected = NEG_ZERO
            assert expected == round_to(name, x, rounding=rounding)


@pytest.mark.parametrize("name", SIGNED)
@pytest.mark.parametrize("sign", [1, -1])
def test_numbers_out_of_range(name: str, sign: int) -> None:
    largest = finite_numbers(name)[-1]
    step = largest - finite_numbers(name)[-2]
    below, tie = largest + step / 2 - step / 2**40, largest + step / 2
    infinity = INF if sign > 0 else NEG_INF
    kind = "float4" if name.startswith(("float4", "float6")) else name
    beyond: Number = {"float8e5m2": infinity, "float16": infinity, "bfloat16": infinity}.get(
        kind, NAN
    )
    if kind == "float4":
        beyond = sign * largest
    # A tie goes to the even one: in e4m3fn the greatest number is even, in all others odd.
    at_tie = sign * largest if name == "float8e4m3fn" else beyond
    cases: list[tuple[Number, Number, Number]] = [
        (sign * below, sign * largest, sign * largest),
        (sign * tie, at_tie, sign * largest),
        (sign * (tie + step / 2**40), beyond, sign * largest),
        (sign * tie * 10**6, beyond, sign * largest),
        (infinity, beyond, sign * largest),
    ]
    for x, free, saturated in cases:
        assert free == round_to(name, x)
        assert free == round_to(name, x, saturate=False)
        assert saturated == round_to(name, x, saturate=True)
    towards_zero = Rounding.DOWN if sign > 0 else Rounding.UP
    assert sign * largest == round_to(name, sign * tie * 10, rounding=towards_zero)


@pytest.mark.parametrize("name", ["float8e4m3fnuz", "float8e5m2fnuz"])
def test_a_type_without_a_negative_zero_takes_zero(name: str) -> None:
    assert ZERO == round_to(name, NEG_ZERO)
    assert ZERO == round_to(name, Fraction(-1, 2**200))


@pytest.mark.parametrize("name", ["float64", "float32", "float16", "float8e4m3fn", "float4e2m1"])
def test_a_number_that_vanishes_keeps_its_sign(name: str) -> None:
    half = least_subnormal(name) / 2
    assert [ZERO, NEG_ZERO] == [round_to(name, half), round_to(name, -half)]
    above = half * Fraction(1001, 1000)
    assert [2 * half, -2 * half] == [round_to(name, above), round_to(name, -above)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("float64", 0x7FF8000000000000),
        ("float32", 0x7FC00000),
        ("float16", 0x7E00),
        ("bfloat16", 0x7FC0),
        ("float8e5m2", 0x7E),
        ("float8e4m3fn", 0x7F),
        ("float8e4m3fnuz", 0x80),
        ("float8e5m2fnuz", 0x80),
        ("float8e8m0", 0xFF),
    ],
)
def test_nan_has_one_code(name: str, expected: int) -> None:
    assert expected == encode(name, NAN)
    assert NAN is decode(name, expected)


class TestE8M0:
    """float8e8m0 has powers of two alone: no sign, no zero, no infinity."""

    def test_rounding(self) -> None:
        three = Fraction(3)
        name = "float8e8m0"
        assert 4 == round_to(name, three)
        assert 4 == round_to(name, three, rounding=Rounding.NEAREST_AWAY)
        assert 2 == round_to(name, three, rounding=Rounding.TOWARD_ZERO)
        assert 4 == round_to(name, Fraction(21, 10), rounding=Rounding.AWAY)
        assert 2 == round_to(name, Fraction(29, 10))

    @pytest.mark.parametrize(
        ("x", "saturated"),
        [
            (ZERO, Fraction(1, 2**127)),
            (Fraction(1, 2**130), Fraction(1, 2**127)),
            (Fraction(2**130), Fraction(2**127)),
            (INF, Fraction(2**127)),
        ],
    )
    def test_out_of_range(self, x: Number, saturated: Number) -> None:
        assert saturated == round_to("float8e8m0", x, saturate=True)
        assert NAN is round_to("float8e8m0", x, saturate=False)

    @pytest.mark.parametrize("x", [NEG_ZERO, NEG_INF, Fraction(-1)])
    def test_negative_numbers_have_no_meaning(self, x: Number) -> None:
        with pytest.raises(ValueError, match="no meaning in an unsigned format"):
            encode("float8e8m0", x)


FLOAT64 = st.floats(allow_nan=False) | st.integers(0, 2**64 - 1).map(
    lambda code: struct.unpack("<d", struct.pack("<Q", code))[0]
)


@given(FLOAT64)
@pytest.mark.parametrize("name", DTYPES)
def test_float64_is_rounded_as_numpy_and_ml_dtypes_round(name: str, x: float) -> None:
    if name == "float8e8m0" and (x <= 0 or math.isinf(x) or x < 2.0**-127 or x > 2.0**127):
        return
    if name in ("float4e2m1", "float6e2m3", "float6e3m2") and math.isnan(x):
        return
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        cast = np.array([x], np.float64)
        if name not in ("float64", "float32", "float16"):
            # ml_dtypes goes through float32 for some types: give it what float32 holds.
            cast = cast.astype(np.float32).astype(np.float64)
        expected = from_float(float(cast.astype(DTYPES[name]).astype(np.float64)[0]))
    assert expected == round_to(name, from_float(float(cast[0])))


@given(st.integers(0, 2**64 - 1))
def test_codes_of_float64_come_back(code: int) -> None:
    number = decode("float64", code)
    assert number is NAN or code == encode("float64", number)
    assert from_dtype("float64", code) == number


@given(st.integers(0, 2**32 - 1))
def test_codes_of_float32_come_back(code: int) -> None:
    number = decode("float32", code)
    assert number is NAN or code == encode("float32", number)
    assert from_dtype("float32", code) == number


@given(st.integers(1), st.integers(1), st.sampled_from(["float32", "float64"]))
def test_a_ratio_is_rounded_once(numerator: int, denominator: int, name: str) -> None:
    x = Fraction(numerator, denominator)
    rounded = round_to(name, x)
    if rounded is INF:
        assert x > greatest(name)
        return
    assert isinstance(rounded, Fraction)
    assert abs(rounded - x) <= ulp(name, max(x, rounded)) / 2


def test_float32_halfway_beyond_float64_is_not_rounded_twice() -> None:
    # 1 + 2**-24 + 2**-60: float64 drops the last bit, and then the tie goes to 1.
    x = 1 + Fraction(1, 2**24) + Fraction(1, 2**60)
    assert 1 + Fraction(1, 2**23) == round_to("float32", x)


@given(st.integers(0, 2**31 - 2**23 - 1))
def test_sqrt_of_float32_is_numpys(code: int) -> None:
    x = decode("float32", code)
    expected = np.sqrt(np.array([code], np.uint32).view(np.float32))
    assert not isinstance(x, (bytes, Complex))
    assert int(expected.view(np.uint32)[0]) == encode("float32", sqrt("float32", x))


@given(st.integers(0, 2**63 - 2**52 - 1))
def test_sqrt_of_float64_is_pythons(code: int) -> None:
    x = decode("float64", code)
    assert not isinstance(x, (bytes, Complex))
    value = struct.unpack("<d", struct.pack("<Q", code))[0]
    assert from_float(math.sqrt(value)) == sqrt("float64", x)


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_sqrt_of_every_16_bit_number_is_the_nearest(name: str) -> None:
    numbers = finite_numbers(name)
    for code in range(1, 1 << 15, 7):
        x = decode(name, code)
        if not isinstance(x, Fraction):
            continue
        root = sqrt(name, x)
        assert isinstance(root, Fraction)
        place = bisect.bisect_left(numbers, root)
        below, above = (numbers[place - 1] + root) / 2, (numbers[place + 1] + root) / 2
        assert below**2 <= x <= above**2


def test_sqrt_of_what_is_no_positive_number() -> None:
    given_: list[Any] = [ZERO, NEG_ZERO, INF, NEG_INF, NAN, Fraction(-1)]
    assert [ZERO, NEG_ZERO, INF, NAN, NAN, NAN] == [sqrt("float32", x) for x in given_]


@pytest.mark.parametrize("name", INTEGERS)
def test_integers_wrap_saturate_and_come_back(name: str) -> None:
    bits = int(name.strip("uint"))
    low, high = limits(name)
    assert 2**bits == high - low + 1
    for value in (low, low + 1, 0, 1, high - 1, high):
        assert value == decode(name, encode(name, value))
        assert value == wrap(name, value + 2**bits) == wrap(name, value - 3 * 2**bits)
    assert (low, high) == (wrap(name, high + 1), wrap(name, low - 1))
    assert (high, low) == (saturate(name, high + 1), saturate(name, low - 1))
    assert not fits(name, high + 1)
    assert not fits(name, low - 1)
    with pytest.raises(ValueError, match="does not fit"):
        encode(name, high + 1)


def test_an_integer_of_any_size_is_rounded_into_a_floating_point_type() -> None:
    assert Fraction(2**24) == round_to("float32", 2**24 + 1)
    assert INF is round_to("float32", 2**128)
    assert -(2**63) == round_to("float32", -(2**63))


def test_complex_numbers_are_two_of_their_parts() -> None:
    x = Complex(Fraction(3, 2), NEG_ZERO)
    code = encode("complex64", x)
    assert struct.pack("<ff", 1.5, -0.0) == code.to_bytes(8, "little")
    assert x == decode("complex64", code)
    wide = Complex(INF, Fraction(-1, 3))
    assert Complex(INF, from_float(-1 / 3)) == round_to("complex128", wide)


def test_bools() -> None:
    assert [False, True, True] == [decode("bool", code) for code in (0, 1, 2)]
    assert [0, 1] == [encode("bool", value) for value in (False, True)]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("bool", 1),
        ("int8", Fraction(1)),
        ("float32", b"1"),
        ("complex64", Fraction(1)),
        ("string", b"x"),
        ("int8", b"x"),
        ("float16", Complex(ZERO, ZERO)),
    ],
)
def test_a_number_of_another_kind_is_refused(name: str, value: Number) -> None:
    with pytest.raises(TypeError):
        encode(name, value)


def test_what_a_format_can_hold() -> None:
    assert from_float(float(np.finfo(np.float32).max)) == greatest("float32")
    assert from_float(float(np.finfo(np.float32).tiny)) == least_normal("float32")
    assert from_float(float(np.finfo(np.float32).smallest_subnormal)) == least_subnormal("float32")
    assert Fraction(1, 2**24) == unit_roundoff("float32")
    assert [448, 240, 57344, 57344, 6] == [
        greatest(name)
        for name in ("float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "float4e2m1")
    ]


@given(st.floats(min_value=0, allow_infinity=False))
def test_ulp_is_the_distance_of_neighbours(x: float) -> None:
    assert Fraction(math.ulp(x)) == ulp("float64", Fraction(x))


@given(st.builds(Fraction, st.integers(1, 10**40), st.integers(1, 10**30)))
def test_exponent(x: Fraction) -> None:
    exponent = exponent_of(x)
    assert Fraction(2) ** exponent <= x < Fraction(2) ** (exponent + 1)
