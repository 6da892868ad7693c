"""Elements of large tensors: repeated, numbered, or long texts."""

from __future__ import annotations

import struct

import pytest

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.situations.data.profiles import check_profile, profile_tensor


def floats(profile: str, count: int, seed: str = "") -> list[float]:
    found = profile_tensor(profile, "float32", (count,), seed)
    assert isinstance(found.data, bytes)
    return list(struct.unpack(f"<{count}f", found.data))


def test_a_cycle_begins_again_after_so_many_elements() -> None:
    found = floats("cycle251:distinct", 1000)
    assert found[:749] == found[251:]
    assert 251 == len(set(found))


def test_a_cycle_is_the_same_in_every_vector() -> None:
    assert floats("cycle251:tame", 300, "one") == floats("cycle251:tame", 300, "another")


@pytest.mark.parametrize("block", [8, 16, 32, 64, 128, 256, 1024, 4096, 65_536, 131_072])
def test_no_block_begins_as_the_next_one_does(block: int) -> None:
    found = floats("cycle251:distinct", block + 300)
    assert found[:300] != found[block:]


def test_another_row_of_values_stands_elsewhere() -> None:
    one, other = floats("cycle251:distinct", 502), floats("cycle251x1:distinct", 502)
    assert all(first != second for first, second in zip(one, other, strict=True))
    assert set(one) == set(other)


def test_packed_elements_are_repeated_across_bytes() -> None:
    found = profile_tensor("cycle3:distinct", "uint4", (7,), "")
    first = profile_tensor("distinct", "uint4", (3,), "cycle 0")
    assert isinstance(first.data, bytes)
    low, high, third = first.data[0] & 15, first.data[0] >> 4, first.data[1]
    due = bytes([low | high << 4, third | low << 4, high | third << 4, low])
    assert Tensor("uint4", (7,), due) == found


@pytest.mark.parametrize("length", [62, 1031, 65 * 1031])
def test_peaks_grow_to_the_last_element(length: int) -> None:
    found = floats("peaks251:distinct", length)
    assert max(found) == found[-1]
    assert found[-1] > found[-62] > max(found[-61:-1])


def test_dips_fall_to_the_last_element() -> None:
    found = floats("dips251:distinct", 1031)
    assert min(found) == found[-1] < found[-62]


def test_a_spread_has_each_number_once() -> None:
    found = profile_tensor("below300:spread", "int64", (300,), "")
    assert isinstance(found.data, bytes)
    numbers = struct.unpack("<300q", found.data)
    assert list(range(300)) == sorted(numbers) != list(numbers)
    upto = profile_tensor("upto7:spread", "int32", (7,), "")
    assert isinstance(upto.data, bytes)
    assert list(range(1, 8)) == sorted(struct.unpack("<7i", upto.data))


def test_lines_have_their_length_and_their_number() -> None:
    found = profile_tensor("text65:lines", "string", (300,), "")
    assert {65} == set(map(len, found.data))
    assert 300 == len(set(found.data))
    assert all(b"\r\n" in text for text in found.data)  # type: ignore[operator]


@pytest.mark.parametrize(
    ("profile", "kind", "words"),
    [
        ("text9:lines", "float32", "a tensor of float32"),
        ("below300:spread", "float32", "does not hold the indices below 300"),
        ("below300:spread", "int8", "does not hold the indices below 300"),
    ],
)
def test_a_type_that_cannot_hold_them_is_told(profile: str, kind: str, words: str) -> None:
    with pytest.raises(BadInputError, match=words):
        profile_tensor(profile, kind, (300,), "")


@pytest.mark.parametrize("profile", ["cycle0:tame", "cycle:tame", "below300:tame", "texts:lines"])
def test_a_profile_that_is_none_is_told(profile: str) -> None:
    with pytest.raises(BadInputError, match="data profile"):
        check_profile(profile)
