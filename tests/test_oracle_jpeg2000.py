"""The decoder of JPEG 2000 of ImageDecoder's oracle, part by part and by hand."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.families.encoders.jpeg2000.codestream import Style, encode
from onnx_conformance.generators.families.encoders.raster import pattern
from onnx_conformance.generators.oracle.operators.images.jpeg2000.arithmetic import Decoder
from onnx_conformance.generators.oracle.operators.images.jpeg2000.codestream import decode
from onnx_conformance.generators.oracle.operators.images.jpeg2000.packets import (
    HeaderBits,
    TagTree,
)
from onnx_conformance.generators.oracle.operators.images.jpeg2000.wavelets import (
    colours,
    synthesized,
)
from onnx_conformance.generators.oracle.operators.images.pictures import UnknownStreamError

# The test sequence of the arithmetic coder: T.88, H.2, whose coder is the same.
CODED = "84C73BFCE1A1430402200000410DBB86F4317FFF88FF37471ADB6ADFFFAC"
PLAIN = "00020051000000C00352872AAAAAAAAA82C02000FCD79EF6BF7FED904F46A3BF"


def test_the_arithmetic_decoder_finds_the_test_sequence_of_its_document() -> None:
    decoder = Decoder(bytes.fromhex(CODED), {}, 1)
    found = 0
    for _ in range(len(PLAIN) * 4):
        found = found << 1 | decoder.decide(0)
    assert PLAIN == f"{found:064X}"


def test_a_tag_tree_tells_the_numbers_of_the_documents_example() -> None:
    """Figure B.13: a grid of six by three, whose first numbers are 1, 3, 2."""
    # q3(0,0) = 1, q2(0,0) = 1, q1(0,0) = 1, q0(0,0) = 1; then 3 below q1 = 1; then 2 below q1 = 2.
    bits = HeaderBits(bytes([0b01111001, 0b10100000]), 0)
    tree = TagTree(3, 6)
    assert [1, 3, 2] == [tree.number(bits, 0, column) for column in range(3)]


def test_behind_a_full_byte_a_header_has_seven_bits() -> None:
    bits = HeaderBits(bytes([0xFF, 0x7F]), 0)
    assert (1 << 15) - 1 == bits.number(15)


def test_a_header_that_ends_with_a_full_byte_has_one_more() -> None:
    bits = HeaderBits(bytes([0xFF, 0x00, 0x12]), 0)
    bits.number(8)
    assert 2 == bits.end()


def test_the_low_places_are_even_ones_of_the_grid() -> None:
    one: list[list[int]] = [[5]]
    empty: list[list[int]] = []
    bands = {"LL": one, "HL": [[]], "LH": empty, "HH": empty}
    assert [[5]] == synthesized(bands, 0, 0, (1, 1))
    # At an odd place a single sample is a high one, and was doubled.
    bands = {"LL": empty, "HL": empty, "LH": [[]], "HH": [[12]]}
    assert [[3]] == synthesized(bands, 1, 1, (1, 1))


def test_a_row_is_put_together_from_both_bands() -> None:
    # By hand: even places y - floor((d + d' + 2) / 4), then odd ones d + floor((x + x') / 2).
    bands: dict[str, Any] = {"LL": [[10, 20]], "HL": [[4, -3]], "LH": [], "HH": []}
    assert [[8, 18, 20, 17]] == synthesized(bands, 0, 0, (1, 4))


def test_red_green_and_blue_come_back() -> None:
    red, green, blue = colours([[(7 + 2 * -9 + 100) // 4]], [[100 + 9]], [[7 + 9]])
    assert ([[7]], [[-9]], [[100]]) == (red, green, blue)


def _changed(at: int, byte: int) -> bytes:
    stream = encode(pattern((5, 7), 3, 255), Style(levels=1))
    return stream[:at] + bytes([byte]) + stream[at + 1 :]


CODING = encode(pattern((5, 7), 3, 255), Style(levels=1)).index(b"\xff\x52")


@pytest.mark.parametrize(
    "stream",
    [
        encode(pattern((5, 7), 3, 255), Style())[:-40],
        _changed(CODING + 13, 0),
        _changed(CODING + 12, 1),
        _changed(CODING + 4, 1),
        _changed(CODING + 3, 200),
        struct.pack(">I4s4sI4s", 12, b"jP  ", b"\r\n\x87\n", 4, b"free"),
    ],
    ids=["cut off", "another wavelet", "another style", "precincts", "a length too long", "a box"],
)
def test_what_is_not_coded_without_loss_or_not_whole_is_not_judged(stream: bytes) -> None:
    with pytest.raises(UnknownStreamError):
        decode(stream)


def test_an_order_that_there_is_not_is_named() -> None:
    with pytest.raises(BadInputError, match="'CLRP' is no order; known are LRCP"):
        encode(pattern((5, 7), 3, 255), Style(order="CLRP"))
