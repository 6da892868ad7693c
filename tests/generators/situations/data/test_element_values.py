from __future__ import annotations

import math
import subprocess
import sys
from itertools import pairwise
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onnx_conformance.core.values.elements import ELEMENT_TYPES, element_type
from onnx_conformance.core.values.floats import (
    FLOAT_FORMATS,
    is_infinite,
    is_nan,
    is_zero,
    numbers,
)
from onnx_conformance.core.values.packing import pack
from onnx_conformance.core.values.tensors import check_tensor
from onnx_conformance.generators.situations.data import element_values
from onnx_conformance.generators.situations.data.element_values import derived_tensor

# float6 is in no operator's constraint that has a spec, and is not packed as ONNX has it.
DERIVED = [item.name for item in ELEMENT_TYPES if not item.name.startswith("float6")]
FLOATS = [name for name in DERIVED if element_type(name).kind == "float"]
MANY = 64


def patterns_of(name: str, count: int = MANY, seed: str = "seed") -> list[int]:
    """The bit patterns of a derived tensor."""
    element = element_type(name)
    data = derived_tensor(name, (count,), seed).data
    assert isinstance(data, bytes)
    if element.bits >= 8:
        width = element.bits // 8
        return [
            int.from_bytes(data[start : start + width], "little")
            for start in range(0, len(data), width)
        ]
    mask, per_byte = (1 << element.bits) - 1, 8 // element.bits
    return [
        data[index // per_byte] >> (index % per_byte * element.bits) & mask
        for index in range(count)
    ]


def dtype_of(name: str) -> np.dtype[np.generic]:
    special = {
        "bfloat16": "bfloat16",
        "float8e4m3fn": "float8_e4m3fn",
        "float8e4m3fnuz": "float8_e4m3fnuz",
        "float8e5m2": "float8_e5m2",
        "float8e5m2fnuz": "float8_e5m2fnuz",
        "float8e8m0": "float8_e8m0fnu",
        "float4e2m1": "float4_e2m1fn",
    }
    return np.dtype(getattr(ml_dtypes, special[name])) if name in special else np.dtype(name)


def finfo(name: str) -> Any:  # noqa: ANN401  ml_dtypes has no types
    return ml_dtypes.finfo(dtype_of(name))  # type: ignore[no-untyped-call]


def floats_of(
    name: str, parts: list[int] | None = None
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The numbers that the patterns stand for, by an independent decoder."""
    dtype = dtype_of(name)
    width = dtype.itemsize
    raw = b"".join(item.to_bytes(width, "little") for item in parts or patterns_of(name))
    with np.errstate(all="ignore"):
        return np.frombuffer(raw, dtype).astype(np.float64)


# --- packing (onnx.proto, TensorProto.raw_data: low bits first) ---


@pytest.mark.parametrize(
    ("name", "patterns", "data"),
    [
        ("int4", [1, -2 & 15, 7, -8 & 15, 3], "e1 87 03"),
        ("uint4", [1, 14, 7, 8, 3], "e1 87 03"),
        ("float4e2m1", [1, 15, 3], "f1 03"),
        ("int2", [1, -2 & 3, 0, -1 & 3, 1], "c9 01"),
        ("uint2", [0, 1, 2, 3, 3], "e4 03"),
        ("int4", [], ""),
        ("uint2", [1], "01"),
        ("uint16", [0x1234, 1], "34 12 01 00"),
        ("int64", [2**64 - 2], "fe ff ff ff ff ff ff ff"),
        ("complex64", [0x3F800000 | 0x40000000 << 32], "00 00 80 3f 00 00 00 40"),
    ],
)
def test_patterns_are_packed_little_endian_and_low_bits_first(
    name: str, patterns: list[int], data: str
) -> None:
    assert bytes.fromhex(data) == pack(element_type(name), patterns)


@pytest.mark.parametrize("name", ["int4", "uint4", "float4e2m1", "int2", "uint2"])
def test_the_unused_bits_of_the_last_byte_are_zero(name: str) -> None:
    element = element_type(name)
    data = pack(element, [(1 << element.bits) - 1])
    assert bytes([(1 << element.bits) - 1]) == data


@given(st.lists(st.integers(0, 15)))
def test_nibbles_come_back(patterns: list[int]) -> None:
    data = pack(element_type("uint4"), patterns)
    unpacked = [half for byte in data for half in (byte & 15, byte >> 4)]
    assert patterns == unpacked[: len(patterns)]


# --- every type ---


@pytest.mark.parametrize("name", DERIVED)
@pytest.mark.parametrize("shape", [(), (0,), (1,), (3, 5), (2, 0, 7), (130,)])
def test_a_derived_tensor_has_the_bytes_of_its_shape(name: str, shape: tuple[int, ...]) -> None:
    tensor = derived_tensor(name, shape, "seed")
    check_tensor(tensor)
    assert (name, shape) == (tensor.type, tensor.shape)


@pytest.mark.parametrize("name", DERIVED)
def test_the_same_seed_gives_the_same_elements_and_another_seed_others(name: str) -> None:
    first, same, other = (derived_tensor(name, (MANY,), seed).data for seed in ("a", "a", "b"))
    assert first == same
    assert first != other


def test_the_elements_are_the_same_in_another_process() -> None:
    program = (
        "from onnx_conformance.generators.situations.data import element_values;"
        "d = element_values.derived_tensor;"
        "print([d(name, (40,), 'x').data for name in ('float64', 'string')])"
    )
    found = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "7", "LC_ALL": "C", "TZ": "Asia/Kathmandu"},
    ).stdout
    expected = f"{[derived_tensor(name, (40,), 'x').data for name in ('float64', 'string')]}\n"
    assert expected == found


@pytest.mark.parametrize("name", [item for item in DERIVED if item != "bool"])
def test_neighbours_differ_so_that_an_element_in_the_wrong_place_is_seen(name: str) -> None:
    if name == "string":
        data = derived_tensor(name, (MANY,), "seed").data
        equal = sum(one == next_ for one, next_ in pairwise(data))
    else:
        patterns = patterns_of(name)
        equal = sum(one == next_ for one, next_ in pairwise(patterns))
    bits = max(element_type(name).bits, 2)
    # By chance one in 2**bits; twice that and a few for narrow types.
    assert equal <= 2 * MANY / 2**bits + (4 if bits < 8 else 1)


# --- floating point ---


@pytest.mark.parametrize("name", FLOATS)
def test_the_largest_and_the_smallest_magnitude_of_the_format_are_there(name: str) -> None:
    info = finfo(name)
    found = np.abs(floats_of(name))
    expected = {float(info.max), float(getattr(info, "smallest_subnormal", info.smallest_normal))}
    assert expected <= set(found.tolist())


@pytest.mark.parametrize("name", [item for item in FLOATS if item != "float8e8m0"])
def test_zeros_of_each_sign_that_the_format_has_are_there(name: str) -> None:
    zeros = floats_of(name)
    signs = {math.copysign(1, item) for item in zeros.tolist() if item == 0}
    assert ({1.0} if name.endswith("fnuz") else {1.0, -1.0}) == signs


@pytest.mark.parametrize("name", ["float16", "float32", "float64", "bfloat16", "float8e5m2"])
def test_both_infinities_are_there(name: str) -> None:
    assert {math.inf, -math.inf} <= set(floats_of(name).tolist())


@pytest.mark.parametrize("name", [item for item in FLOATS if item != "float4e2m1"])
def test_nan_is_there(name: str) -> None:
    assert np.isnan(floats_of(name)).any()


@pytest.mark.parametrize("name", ["float16", "float32", "float64", "bfloat16"])
def test_nans_of_several_payloads_are_there(name: str) -> None:
    patterns = patterns_of(name)
    numbers = floats_of(name, patterns)
    nans = {item for item, value in zip(patterns, numbers, strict=True) if math.isnan(value)}
    assert len(nans) > 1


@pytest.mark.parametrize("name", [item for item in FLOATS if item != "float8e8m0"])
def test_subnormals_are_there(name: str) -> None:
    normal = float(finfo(name).smallest_normal)
    assert any(0 < item < normal for item in np.abs(floats_of(name)).tolist())


@pytest.mark.parametrize(
    ("name", "narrow"),
    [
        ("float64", np.float32),
        ("float32", np.float16),
        ("float32", ml_dtypes.bfloat16),
        ("bfloat16", np.float16),
        ("float16", ml_dtypes.bfloat16),
        ("float16", ml_dtypes.float8_e5m2),
    ],
)
def test_a_conversion_to_a_narrower_type_and_back_is_seen_in_the_first_elements(
    name: str, narrow: type
) -> None:
    numbers = floats_of(name, patterns_of(name, 8))
    with np.errstate(all="ignore"):
        back = numbers.astype(narrow).astype(np.float64)
    assert not np.array_equal(numbers, back, equal_nan=True)


def test_a_float8_has_its_bit_patterns_in_order_of_no_conversion() -> None:
    # 0x80 is -0 in the formats with a signed zero and NaN in the others.
    assert math.copysign(1, floats_of("float8e5m2", [0x80])[0]) == -1
    assert math.isnan(floats_of("float8e4m3fnuz", [0x80])[0])


@pytest.mark.parametrize(("name", "part"), [("complex64", "float32"), ("complex128", "float64")])
def test_each_part_of_a_complex_number_meets_the_special_values(name: str, part: str) -> None:
    bits = element_type(part).bits
    patterns = patterns_of(name)
    for shift in (0, bits):
        numbers = floats_of(part, [item >> shift & (1 << bits) - 1 for item in patterns])
        assert np.isnan(numbers).any()
        assert {math.inf, -math.inf} <= set(numbers.tolist())
        assert any(item == 0 and math.copysign(1, item) < 0 for item in numbers.tolist())


@pytest.mark.parametrize(("name", "part"), [("complex64", "float32"), ("complex128", "float64")])
def test_the_parts_of_a_complex_number_differ(name: str, part: str) -> None:
    bits = element_type(part).bits
    assert all(item >> bits != item & (1 << bits) - 1 for item in patterns_of(name, 16))


# --- integers, truth values, strings ---


@pytest.mark.parametrize("name", [n for n in DERIVED if element_type(n).kind in {"int", "uint"}])
def test_the_extremes_of_an_integer_type_are_there(name: str) -> None:
    element = element_type(name)
    top = 1 << (element.bits - 1)
    expected = {top, top - 1} if element.kind == "int" else {0, (1 << element.bits) - 1}
    assert expected <= set(patterns_of(name))


@pytest.mark.parametrize("name", ["int64", "uint64"])
def test_integers_that_floats_cannot_hold_are_there(name: str) -> None:
    patterns = set(patterns_of(name))
    assert {2**24 + 1, 2**31 + 1, 2**32 + 1, 2**53 + 1} <= patterns


@pytest.mark.parametrize("name", ["int4", "uint4", "float4e2m1", "int2", "uint2"])
def test_every_value_of_a_narrow_type_is_there(name: str) -> None:
    assert set(range(1 << element_type(name).bits)) == set(patterns_of(name))


def test_truth_values_are_one_byte_of_0_or_1() -> None:
    assert {0, 1} == set(patterns_of("bool"))


def strings() -> tuple[bytes, ...]:
    data = derived_tensor("string", (MANY,), "seed").data
    assert isinstance(data, tuple)
    return data


def test_strings_are_utf_8() -> None:
    for item in strings():
        item.decode("utf-8")


def test_no_string_ends_in_nul_as_numpy_would_drop_it() -> None:
    assert not [item for item in strings() if item.endswith(b"\0")]


def test_strings_are_empty_non_ascii_long_and_hold_nul() -> None:
    found = strings()
    assert b"" in found
    assert any(max(item, default=0) > 127 for item in found)
    assert any(b"\0" in item for item in found)
    assert any(ord(max(item.decode(), default=" ")) > 0xFFFF for item in found)
    assert any(len(item) > 22 for item in found)


def test_short_tensors_of_different_seeds_begin_with_different_special_values() -> None:
    first = {patterns_of("float32", 1, f"seed {index}")[0] for index in range(100)}
    assert len(first) == 16


@pytest.mark.parametrize("name", [name for name, form in FLOAT_FORMATS.items() if form.width == 8])
def test_a_format_without_patterns_of_its_own_has_ends_specials_and_zeros(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    form = FLOAT_FORMATS[name]
    every = np.arange(256, dtype=np.uint8)
    special = is_nan(every, form) | is_infinite(every, form)
    ends = numbers(every[~special], form)
    monkeypatch.delitem(element_values._SPECIAL, name)  # noqa: SLF001  as a new type has none
    element_values._special.cache_clear()  # noqa: SLF001
    found = np.array(element_values._special(element_type(name)), np.uint8)  # noqa: SLF001
    element_values._special.cache_clear()  # noqa: SLF001
    values = numbers(found, form)
    assert is_nan(found, form).any()
    assert is_infinite(found, form).any() == is_infinite(every, form).any()
    assert {ends.min(), ends.max()} <= set(values)
    assert set(every[is_zero(every, form)]) <= set(found)
