"""Pairs of values around every edge, and laws that hold for all pairs."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onnx_conformance.core.values.comparing import SHAPE, TYPE, VALUE, compare
from onnx_conformance.core.values.elements import ELEMENT_TYPES, element_type
from onnx_conformance.core.values.tensors import (
    ForeignValue,
    MapValue,
    OptionalValue,
    SequenceValue,
    Tensor,
)
from onnx_conformance.core.values.tolerance import EXACT, Tolerance

if TYPE_CHECKING:
    from collections.abc import Iterable

    from onnx_conformance.core.values.tensors import Value

ONE_ULP = Tolerance("ulp", ulps=1)
TEN_ULPS = Tolerance("ulp", ulps=10)
ONNX_PAIR = Tolerance("absolute-relative", rtol=1e-3, atol=1e-7, signed_zero=False)
SIGNED_PAIR = Tolerance("absolute-relative", rtol=1e-3, atol=1e-7)
TOLERANCES = [EXACT, ONE_ULP, ONNX_PAIR, SIGNED_PAIR]
INFINITY = float("inf")
NAN = float("nan")
# width -> code of struct
CODES = {"float16": "e", "float32": "f", "float64": "d"}
# The codes of NaNs: quiet, signalling, negative, with other payloads.
NANS = {
    "float64": (8, [0x7FF8000000000000, 0x7FF0000000000001, 0xFFF8000000000000, 2**64 - 1]),
    "float32": (4, [0x7FC00000, 0x7F800001, 0xFFC00000, 0xFFFFFFFF]),
    "float16": (2, [0x7E00, 0x7C01, 0xFE00, 0xFFFF]),
    "bfloat16": (2, [0x7FC0, 0x7F81, 0xFFC0, 0xFFFF]),
    "float8e4m3fn": (1, [0x7F, 0xFF]),
    "float8e5m2": (1, [0x7D, 0x7E, 0x7F, 0xFD, 0xFE, 0xFF]),
}
# The least code above zero, the greatest finite one and what comes after it.
EDGES = {
    "float16": (2, 0x7BFF, 0x7C00),
    "bfloat16": (2, 0x7F7F, 0x7F80),
    "float32": (4, 0x7F7FFFFF, 0x7F800000),
    "float64": (8, 0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000),
    "float8e5m2": (1, 0x7B, 0x7C),
}


def tensor(name: str, values: Iterable[float], shape: tuple[int, ...] | None = None) -> Tensor:
    values = list(values)
    data = struct.pack(f"<{len(values)}{CODES[name]}", *values)
    return Tensor(name, (len(values),) if shape is None else shape, data)


def coded(name: str, *codes: int) -> Tensor:
    size = element_type(name).bits // 8
    return Tensor(name, (len(codes),), b"".join(code.to_bytes(size, "little") for code in codes))


def integers(*values: int, name: str = "int64") -> Tensor:
    return Tensor(name, (len(values),), np.array(values, name).tobytes())


def strings(*values: bytes) -> Tensor:
    return Tensor("string", (len(values),), values)


def equal(expected: Value, got: Value, tolerance: Tolerance = EXACT) -> bool:
    return compare(expected, got, tolerance).difference is None


# --- type and shape before values ----------------------------------------------------------


def test_another_element_type_is_a_difference_of_type() -> None:
    difference = compare(integers(2, 3), integers(2, 3, name="int32")).difference
    assert (TYPE, "int64 [2] = [2, 3]", "int32 [2] = [2, 3]") == (
        difference.aspect,
        difference.expected,
        difference.got,
    )


def test_type_is_judged_before_shape() -> None:
    other = Tensor("int32", (1, 2), np.array([9, 9], "int32").tobytes())
    assert TYPE == compare(integers(2, 3), other).difference.aspect


def test_another_shape_is_a_difference_of_shape() -> None:
    got = Tensor("float32", (2, 1), bytes(8))
    assert SHAPE == compare(tensor("float32", [0, 0]), got).difference.aspect


def test_a_scalar_is_not_a_list_of_one() -> None:
    assert SHAPE == compare(tensor("float32", [1], ()), tensor("float32", [1])).difference.aspect


def test_empty_tensors_of_different_shape_differ() -> None:
    assert not equal(Tensor("float32", (0, 3), b""), Tensor("float32", (3, 0), b""))


def test_empty_tensors_of_equal_shape_are_equal() -> None:
    assert equal(Tensor("float32", (0, 2**40), b""), Tensor("float32", (0, 2**40), b""))


def test_equal_bytes_are_equal_without_numpy() -> None:
    program = (
        "import sys\n"
        "from onnx_conformance.core.values.comparing import compare\n"
        "from onnx_conformance.core.values.tensors import Tensor\n"
        "one, two = (Tensor('float32', (2,), bytes(8)) for _ in range(2))\n"
        "assert compare(one, two).difference is None\n"
        "sys.exit(int('numpy' in sys.modules))\n"
    )
    assert 0 == subprocess.run([sys.executable, "-c", program], check=False).returncode


# --- exact ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [item.name for item in ELEMENT_TYPES if item.bits >= 8])
def test_one_bit_makes_a_difference_in_every_type(name: str) -> None:
    bits = element_type(name).bits
    ones = Tensor(name, (1,), (1).to_bytes(bits // 8, "little"))
    zeros = Tensor(name, (1,), bytes(bits // 8))
    assert VALUE == compare(zeros, ones).difference.aspect


@pytest.mark.parametrize("name", NANS)
def test_any_nan_equals_any_nan(name: str) -> None:
    size, codes = NANS[name]
    for code in codes:
        expected = Tensor(name, (1,), codes[0].to_bytes(size, "little"))
        got = Tensor(name, (1,), code.to_bytes(size, "little"))
        for tolerance in TOLERANCES:
            assert equal(expected, got, tolerance)


@pytest.mark.parametrize("name", ["float8e4m3fnuz", "float8e5m2fnuz"])
def test_the_nan_of_the_unsigned_zero_formats_is_no_zero(name: str) -> None:
    for tolerance in TOLERANCES:
        assert not equal(coded(name, 0x80), coded(name, 0), tolerance)


def test_the_nan_of_e8m0_is_not_its_greatest_number() -> None:
    for tolerance in TOLERANCES:
        assert not equal(coded("float8e8m0", 0xFF), coded("float8e8m0", 0xFE), tolerance)


def test_the_greatest_number_of_e4m3fn_is_not_nan() -> None:
    for tolerance in TOLERANCES:
        assert not equal(coded("float8e4m3fn", 0x7E), coded("float8e4m3fn", 0x7F), tolerance)


def test_float4_has_no_nan_every_code_is_told_from_every_other() -> None:
    for one in range(16):
        for other in range(16):
            first = Tensor("float4e2m1", (1,), bytes([one]))
            second = Tensor("float4e2m1", (1,), bytes([other]))
            assert (one == other) == equal(first, second)


@pytest.mark.parametrize("tolerance", TOLERANCES, ids=str)
@pytest.mark.parametrize("other", [0.0, 1.0, INFINITY, -INFINITY])
def test_nan_equals_no_number(tolerance: Tolerance, other: float) -> None:
    assert not equal(tensor("float32", [NAN]), tensor("float32", [other]), tolerance)
    assert not equal(tensor("float32", [other]), tensor("float32", [NAN]), tolerance)


def test_negative_zero_is_not_zero() -> None:
    assert not equal(tensor("float32", [0.0]), tensor("float32", [-0.0]))


@pytest.mark.parametrize("part", [0, 1])
@pytest.mark.parametrize("name", ["complex64", "complex128"])
def test_nan_in_a_part_of_a_complex_number_says_nothing_of_the_other_part(
    name: str, part: int
) -> None:
    expected = np.zeros((1, 2), "f4" if name == "complex64" else "f8")
    expected[0, part] = NAN
    got = expected.copy()
    got[0, 1 - part] = 1
    difference = compare(
        Tensor(name, (1,), expected.tobytes()), Tensor(name, (1,), got.tobytes())
    ).difference
    assert [0] == difference.facts["index"]


@pytest.mark.parametrize("code", [0x7FC00000, 0xFFC00001])
def test_nan_equals_nan_in_each_part_of_a_complex_number(code: int) -> None:
    expected = struct.pack("<2I", 0x7FC00000, 0x3F800000)
    got = struct.pack("<2I", code, 0x3F800000)
    assert equal(Tensor("complex64", (1,), expected), Tensor("complex64", (1,), got))


@pytest.mark.parametrize(
    ("name", "count", "expected", "got"),
    [
        ("int4", 3, b"\x21\x03", b"\x21\xf3"),
        ("uint4", 1, b"\x07", b"\xa7"),
        ("float4e2m1", 1, b"\x07", b"\x17"),
        ("int2", 5, b"\xe4\x01", b"\xe4\xfd"),
        ("uint2", 1, b"\x02", b"\x56"),
        ("float6e2m3", 1, b"\x3f", b"\xff"),
    ],
)
def test_unused_high_bits_of_packed_elements_are_ignored(
    name: str, count: int, expected: bytes, got: bytes
) -> None:
    assert equal(Tensor(name, (count,), expected), Tensor(name, (count,), got))


@pytest.mark.parametrize(
    ("name", "count", "expected", "got", "index"),
    [
        ("int4", 3, b"\x21\x03", b"\x31\x03", [1]),
        ("uint4", 3, b"\x21\x03", b"\x21\x02", [2]),
        ("int2", 5, b"\xe4\x01", b"\xe4\x00", [4]),
        ("uint2", 4, b"\xe4", b"\xe5", [0]),
    ],
)
def test_a_packed_element_that_differs_is_found(
    name: str, count: int, expected: bytes, got: bytes, index: list[int]
) -> None:
    difference = compare(Tensor(name, (count,), expected), Tensor(name, (count,), got)).difference
    assert index == difference.facts["index"]


def test_packed_elements_are_shown_with_their_sign() -> None:
    difference = compare(Tensor("int4", (1,), b"\x08"), Tensor("int4", (1,), b"\x07")).difference
    assert ("-8", "7") == (difference.expected, difference.got)


def test_any_nonzero_byte_is_true_and_is_noted() -> None:
    comparison = compare(Tensor("bool", (2,), b"\x01\x00"), Tensor("bool", (2,), b"\xff\x00"))
    assert (None, ("1 true elements are bytes other than 1",)) == (
        comparison.difference,
        comparison.notes,
    )


def test_true_is_not_false() -> None:
    assert not equal(Tensor("bool", (1,), b"\x00"), Tensor("bool", (1,), b"\x02"))


def test_strings_are_compared_with_their_trailing_nul() -> None:
    difference = compare(strings(b"a", b"b\0"), strings(b"a", b"b")).difference
    assert ([1], "b'b\\x00'", "b'b'") == (
        difference.facts["index"],
        difference.expected,
        difference.got,
    )


def test_strings_need_not_be_utf_8() -> None:
    assert equal(strings(b"\xff\xfe"), strings(b"\xff\xfe"))


def test_integers_beyond_the_precision_of_double_are_told_apart() -> None:
    difference = compare(integers(2**53), integers(2**53 + 1)).difference
    assert (str(2**53), str(2**53 + 1)) == (difference.expected, difference.got)


# --- distances -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", CODES)
@pytest.mark.parametrize("tolerance", TOLERANCES, ids=str)
def test_the_greatest_number_is_not_infinity(name: str, tolerance: Tolerance) -> None:
    size, greatest, infinity = EDGES[name]
    expected = Tensor(name, (1,), greatest.to_bytes(size, "little"))
    got = Tensor(name, (1,), infinity.to_bytes(size, "little"))
    assert not equal(expected, got, tolerance)
    assert not equal(got, expected, tolerance)


@pytest.mark.parametrize("name", ["bfloat16", "float8e5m2"])
def test_the_greatest_number_of_a_type_without_numpy_is_not_infinity(name: str) -> None:
    size, greatest, infinity = EDGES[name]
    expected = Tensor(name, (1,), greatest.to_bytes(size, "little"))
    got = Tensor(name, (1,), infinity.to_bytes(size, "little"))
    assert not equal(expected, got, TEN_ULPS)


@pytest.mark.parametrize("name", EDGES)
def test_the_greatest_number_is_one_ulp_from_its_neighbour(name: str) -> None:
    size, greatest, _ = EDGES[name]
    expected = Tensor(name, (1,), greatest.to_bytes(size, "little"))
    got = Tensor(name, (1,), (greatest - 1).to_bytes(size, "little"))
    assert 1 == compare(expected, got, ONE_ULP).max_ulp


def test_infinities_of_opposite_sign_differ_whatever_the_tolerance() -> None:
    wide = Tolerance("absolute-relative", rtol=1e9, atol=1e9)
    assert not equal(tensor("float32", [INFINITY]), tensor("float32", [-INFINITY]), wide)


def test_no_finite_number_is_near_infinity_whatever_the_tolerance() -> None:
    wide = Tolerance("absolute-relative", rtol=INFINITY, atol=INFINITY)
    assert not equal(tensor("float64", [INFINITY]), tensor("float64", [1.0]), wide)


def test_equal_infinities_are_equal_under_every_tolerance() -> None:
    for tolerance in TOLERANCES:
        assert equal(tensor("float32", [INFINITY]), tensor("float32", [INFINITY]), tolerance)


def test_float16_overflow_to_infinity_is_not_forgiven() -> None:
    assert not equal(tensor("float16", [65504.0]), tensor("float16", [INFINITY]), ONNX_PAIR)


def test_an_ulp_tolerance_takes_its_bound_and_no_more() -> None:
    one = coded("float32", 0x3F800000)
    assert equal(one, coded("float32", 0x3F80000A), TEN_ULPS)
    assert not equal(one, coded("float32", 0x3F80000B), TEN_ULPS)


def test_subnormals_count_in_ulps_like_any_number() -> None:
    assert equal(coded("float32", 0), coded("float32", 1), ONE_ULP)
    assert not equal(coded("float32", 0), coded("float32", 2), ONE_ULP)


def test_the_smallest_numbers_of_opposite_sign_have_no_distance() -> None:
    comparison = compare(coded("float32", 1), coded("float32", 0x80000001), TEN_ULPS)
    assert (VALUE, None) == (comparison.difference.aspect, comparison.max_ulp)


def test_ulps_are_not_counted_through_the_sign_of_zero() -> None:
    assert not equal(coded("float32", 0), coded("float32", 0x80000001), TEN_ULPS)


def test_negative_zero_is_not_zero_under_an_ulp_tolerance() -> None:
    assert not equal(tensor("float32", [0.0]), tensor("float32", [-0.0]), TEN_ULPS)


def test_the_sign_of_zero_counts_under_a_pair_unless_it_says_otherwise() -> None:
    zeros = tensor("float32", [0.0]), tensor("float32", [-0.0])
    assert [False, True] == [equal(*zeros, SIGNED_PAIR), equal(*zeros, ONNX_PAIR)]


def test_a_pair_forgives_what_is_within_atol_on_either_side_of_zero() -> None:
    assert equal(tensor("float32", [5e-8]), tensor("float32", [-4e-8]), ONNX_PAIR)


def test_a_pair_is_relative_to_what_was_expected() -> None:
    tolerance = Tolerance("absolute-relative", rtol=0.5)
    one, two = tensor("float64", [1.0]), tensor("float64", [2.0])
    assert [True, False] == [equal(two, one, tolerance), equal(one, two, tolerance)]


@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
@given(data=st.data())
def test_a_pair_agrees_with_numpy_allclose(name: str, data: st.DataObject) -> None:
    floats = st.floats(width=element_type(name).bits)
    expected = np.array(data.draw(st.lists(floats, min_size=1, max_size=5)), name)
    factors = st.sampled_from([1.0, 1.0009, 0.9991, 1.0011, -1.0])
    with np.errstate(all="ignore"):
        got = (expected * data.draw(factors)).astype(name)
        # In float64, as we compute: NumPy's own rounding in float16 is coarser than the bound.
        wide = expected.astype(np.float64), got.astype(np.float64)
        near = np.allclose(wide[1], wide[0], rtol=1e-3, atol=1e-7, equal_nan=True)
    values = [Tensor(name, item.shape, item.tobytes()) for item in (expected, got)]
    assert near == equal(*values, ONNX_PAIR)


@pytest.mark.parametrize(
    ("name", "expected", "got"),
    [("int64", 10000, 10010), ("uint64", 2**64 - 1, 2**64 - 2**50)],
)
def test_a_pair_applies_to_integers(name: str, expected: int, got: int) -> None:
    pair = Tolerance("absolute-relative", rtol=1e-3, integers=True)
    assert equal(integers(expected, name=name), integers(got, name=name), pair)


@pytest.mark.parametrize(
    ("name", "expected", "got"),
    [
        ("int64", 10000, 10011),
        ("int8", -100, -99),
        ("uint64", 2**64 - 1, 0),
        ("int64", -(2**63), 2**63 - 1),
    ],
)
def test_a_pair_does_not_wrap_integers(name: str, expected: int, got: int) -> None:
    pair = Tolerance("absolute-relative", rtol=1e-3, integers=True)
    assert not equal(integers(expected, name=name), integers(got, name=name), pair)


def test_a_pair_knows_the_sign_of_packed_integers() -> None:
    pair = Tolerance("absolute-relative", atol=1, integers=True)
    assert equal(Tensor("int4", (1,), b"\x0f"), Tensor("int4", (1,), b"\x00"), pair)
    assert not equal(Tensor("uint4", (1,), b"\x0f"), Tensor("uint4", (1,), b"\x00"), pair)


def test_an_ulp_tolerance_leaves_integers_exact() -> None:
    assert not equal(integers(5), integers(6), TEN_ULPS)


# --- what is reported ----------------------------------------------------------------------


def test_the_largest_distance_is_reported_where_the_values_pass() -> None:
    got = coded("float32", 0x3F800003, 0x40000001)
    comparison = compare(coded("float32", 0x3F800000, 0x40000000), got, TEN_ULPS)
    assert (None, 3) == (comparison.difference, comparison.max_ulp)


def test_what_has_no_distance_does_not_hide_the_largest_one() -> None:
    expected = tensor("float32", [NAN, INFINITY, 0.0, 1.0])
    got = tensor("float32", [1.0, 1.0, -0.0, 1.0000001])
    assert 1 == compare(expected, got).max_ulp


def test_the_distance_of_integers_is_none() -> None:
    assert compare(integers(1), integers(2)).max_ulp is None


def test_the_first_difference_is_counted_and_placed() -> None:
    expected = tensor("float32", [1, 2, 3, 4, 5, 6], (2, 3))
    got = tensor("float32", [1, 2, 3, 4, 7, 8], (2, 3))
    difference = compare(expected, got).difference
    assert {
        "index": [1, 1],
        "differing": 2,
        "elements": 6,
        "expected_bits": "0x40a00000",
        "got_bits": "0x40e00000",
        "ulps": 0x400000,
    } == difference.facts


def test_a_scalar_that_differs_has_an_empty_index() -> None:
    difference = compare(tensor("float32", [1], ()), tensor("float32", [2], ())).difference
    assert [] == difference.facts["index"]


def test_infinity_is_told_without_a_distance() -> None:
    difference = compare(tensor("float32", [1]), tensor("float32", [INFINITY])).difference
    assert ("inf", False) == (difference.got, "ulps" in difference.facts)


def test_complex_numbers_are_shown_whole() -> None:
    expected = Tensor("complex64", (1,), struct.pack("<2f", 1.5, -0.0))
    got = Tensor("complex64", (1,), struct.pack("<2f", 1.5, 0.0))
    difference = compare(expected, got).difference
    assert ("1.5-0.0i", "1.5+0.0i") == (difference.expected, difference.got)


# --- sequences, optionals, maps ------------------------------------------------------------


def test_sequences_of_equal_items_are_equal() -> None:
    assert equal(
        SequenceValue((integers(1), integers(2))), SequenceValue((integers(1), integers(2)))
    )


def test_the_item_of_a_sequence_that_differs_is_named() -> None:
    expected = SequenceValue((integers(1), integers(2, 3)))
    difference = compare(expected, SequenceValue((integers(1), integers(2, 4)))).difference
    assert (VALUE, "item 1 [1]") == (difference.aspect, difference.place)


def test_sequences_of_different_length_differ_in_shape() -> None:
    assert SHAPE == compare(SequenceValue((integers(1),)), SequenceValue(())).difference.aspect


def test_a_sequence_is_not_a_tensor() -> None:
    assert TYPE == compare(SequenceValue((integers(1),)), integers(1)).difference.aspect


def test_the_order_of_a_sequence_counts() -> None:
    one, two = integers(1), integers(2)
    assert not equal(SequenceValue((one, two)), SequenceValue((two, one)))


def test_the_largest_distance_of_a_sequence_is_that_of_any_item() -> None:
    expected = SequenceValue((coded("float32", 10), coded("float32", 10)))
    got = SequenceValue((coded("float32", 11), coded("float32", 14)))
    assert 4 == compare(expected, got, TEN_ULPS).max_ulp


def test_absent_optionals_are_equal() -> None:
    assert equal(OptionalValue(None), OptionalValue(None))


def test_an_absent_optional_is_no_value() -> None:
    assert VALUE == compare(OptionalValue(None), integers(1)).difference.aspect
    assert VALUE == compare(OptionalValue(integers(1)), OptionalValue(None)).difference.aspect


def test_an_absent_optional_where_none_is_due_is_of_another_type() -> None:
    assert TYPE == compare(integers(1), OptionalValue(None)).difference.aspect


def test_an_optional_that_holds_a_value_is_that_value() -> None:
    assert equal(OptionalValue(integers(1)), integers(1))
    assert equal(integers(1), OptionalValue(integers(1)))


def test_an_optional_that_holds_another_value_differs() -> None:
    assert not equal(OptionalValue(integers(1)), OptionalValue(integers(2)))


def test_maps_are_compared_by_key_not_by_order() -> None:
    first = MapValue(integers(1, 2), (integers(10), integers(20)))
    second = MapValue(integers(2, 1), (integers(20), integers(10)))
    assert equal(first, second)


def test_the_key_of_a_map_whose_value_differs_is_named() -> None:
    first = MapValue(strings(b"a", b"b"), (integers(10), integers(20)))
    second = MapValue(strings(b"b", b"a"), (integers(21), integers(10)))
    assert "key b [0]" == compare(first, second).difference.place


def test_a_map_with_another_key_differs() -> None:
    first = MapValue(integers(1), (integers(10),))
    assert "keys" == compare(first, MapValue(integers(2), (integers(10),))).difference.place


def test_a_map_that_has_a_key_twice_differs() -> None:
    first = MapValue(integers(1), (integers(10),))
    assert not equal(first, MapValue(integers(1, 1), (integers(10), integers(10))))


def test_a_map_with_keys_of_another_type_differs_in_type() -> None:
    first = MapValue(integers(1), (integers(10),))
    second = MapValue(strings(b"1"), (integers(10),))
    assert TYPE == compare(first, second).difference.aspect


# --- laws ----------------------------------------------------------------------------------


@st.composite
def tensors(draw: st.DrawFn) -> Tensor:
    element = draw(st.sampled_from(ELEMENT_TYPES))
    shape = tuple(draw(st.lists(st.integers(0, 3), max_size=3)))
    count = int(np.prod(shape))
    if element.kind == "string":
        items = st.lists(st.binary(max_size=3), min_size=count, max_size=count)
        return Tensor("string", shape, tuple(draw(items)))
    size = element.byte_count(count)
    return Tensor(element.name, shape, draw(st.binary(min_size=size, max_size=size)))


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Tensor, Tensor]:
    """Two tensors of one type and shape, equal in most bytes."""
    first = draw(tensors())
    if isinstance(first.data, tuple):
        return first, Tensor(first.type, first.shape, tuple(reversed(first.data)))
    flips = draw(st.binary(min_size=len(first.data), max_size=len(first.data)))
    keep = draw(st.booleans())
    data = bytes(a if keep and b < 200 else a ^ b for a, b in zip(first.data, flips, strict=True))
    return first, Tensor(first.type, first.shape, data)


@given(tensors(), st.sampled_from(TOLERANCES))
def test_every_value_equals_itself(value: Tensor, tolerance: Tolerance) -> None:
    assert equal(value, Tensor(value.type, value.shape, value.data), tolerance)


@given(pairs(), st.sampled_from([EXACT, ONE_ULP, TEN_ULPS]))
def test_exact_and_ulp_comparisons_are_symmetric(
    pair: tuple[Tensor, Tensor], tolerance: Tolerance
) -> None:
    first, second = pair
    assert equal(first, second, tolerance) == equal(second, first, tolerance)


@given(pairs())
def test_the_largest_distance_is_symmetric(pair: tuple[Tensor, Tensor]) -> None:
    first, second = pair
    assert compare(first, second).max_ulp == compare(second, first).max_ulp


@given(pairs())
def test_what_is_exactly_equal_is_equal_under_every_tolerance(pair: tuple[Tensor, Tensor]) -> None:
    first, second = pair
    if equal(first, second):
        assert all(equal(first, second, tolerance) for tolerance in TOLERANCES)


@given(pairs())
def test_no_ulp_at_all_is_exactness(pair: tuple[Tensor, Tensor]) -> None:
    first, second = pair
    assert equal(first, second) == equal(first, second, Tolerance("ulp", ulps=0))


@given(pairs())
def test_every_difference_can_be_written_as_json(pair: tuple[Tensor, Tensor]) -> None:
    difference = compare(*pair).difference
    if difference is not None:
        json.dumps(vars(difference), allow_nan=False)


def test_a_value_that_onnx_does_not_know_is_of_the_wrong_type() -> None:
    comparison = compare(Tensor("int64", (), bytes(8)), ForeignValue("a Python int"))
    assert comparison.difference is not None
    assert (TYPE, "a Python int, which is no ONNX value") == (
        comparison.difference.aspect,
        comparison.difference.got,
    )
