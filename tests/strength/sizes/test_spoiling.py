"""Values with a fault of size in them."""

from __future__ import annotations

import struct

from strength.changing import each_within, shortened
from strength.sizes.places import first
from strength.sizes.spoiling import begun_again, cut_to_16_bits, moved

from onnx_conformance.core.values.sampling import sampled
from onnx_conformance.core.values.tensors import OptionalValue, SequenceValue, Tensor

BYTES = Tensor("uint8", (4,), bytes([1, 2, 3, 4]))
NIBBLES = Tensor("uint4", (3,), bytes([0x21, 0x03]))
TEXTS = Tensor("string", (3,), (b"one", b"three", b""))


def test_nothing_is_zero_or_what_memory_held() -> None:
    assert bytes([1, 2, 0, 0]) == moved(BYTES, first(2)).data
    assert bytes([1, 2, 0xCD, 0xCD]) == moved(BYTES, first(2), 0xCD).data


def test_elements_of_several_bytes_stay_whole() -> None:
    tensor = Tensor("int32", (3,), struct.pack("<3i", 1, -2, 3))
    assert struct.pack("<3i", 1, -2, 0) == moved(tensor, first(2)).data


def test_narrow_elements_and_strings_are_moved_too() -> None:
    assert bytes([0x21, 0x00]) == moved(NIBBLES, first(2)).data
    assert (b"one", b"", b"") == moved(TEXTS, first(1)).data


def test_what_is_too_small_stays_the_same_object() -> None:
    assert moved(BYTES, first(4)) is BYTES


def test_of_a_sample_only_what_is_known_is_moved() -> None:
    some = sampled(BYTES, (0, 3))

    def places(_shape: tuple[int, ...]) -> object:
        import numpy as np

        return np.array([1, 1, 0, 0])  # the second element is not known

    assert bytes([1, 2, 1, 1]) == moved(some, places).data  # type: ignore[arg-type]


def test_every_tensor_in_a_value_is_changed() -> None:
    value = SequenceValue((BYTES, OptionalValue(BYTES), OptionalValue(None)))
    short = moved(BYTES, first(1))
    expected = SequenceValue((short, OptionalValue(short), OptionalValue(None)))
    assert expected == each_within(value, lambda item: moved(item, first(1)))


def test_strings_are_cut_and_other_tensors_are_not() -> None:
    assert (b"one", b"thr", b"") == shortened(TEXTS, 3).data
    assert shortened(BYTES, 0) is BYTES


def test_a_long_sequence_begins_again() -> None:
    items = tuple(Tensor("uint8", (1,), bytes([at])) for at in range(5))
    expected = (*items[:3], *items[:2])
    assert SequenceValue(expected) == begun_again(SequenceValue(items), 3)


def test_indices_keep_16_bits_and_negative_ones_all() -> None:
    tensor = Tensor("int64", (3,), struct.pack("<3q", 65_537, 65_535, -2))
    assert struct.pack("<3q", 1, 65_535, -2) == cut_to_16_bits(tensor).data
    floats = Tensor("float32", (1,), bytes(4))
    assert cut_to_16_bits(floats) is floats
