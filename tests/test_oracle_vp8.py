"""Key frames of VP8 by hand; whole streams stand against Pillow in test_oracle_images.py."""

from __future__ import annotations

import pytest

from onnx_conformance.generators.families.encoders import vp8
from onnx_conformance.generators.families.encoders.vp8_bits import BoolWriter
from onnx_conformance.generators.oracle.operators.images.pictures import (
    BrokenStreamError,
    Picture,
    UnknownStreamError,
)
from onnx_conformance.generators.oracle.operators.images.vp8.bits import Bools
from onnx_conformance.generators.oracle.operators.images.vp8.frame import decode_frame
from onnx_conformance.generators.oracle.operators.images.vp8.prediction import predicted_block
from onnx_conformance.generators.oracle.operators.images.vp8.tables import DC, HE, HU, LD, TM, VE
from onnx_conformance.generators.oracle.operators.images.webp import decode

FRAME = 20  # bytes before a frame: RIFF, WEBP and the name and size of the chunk


def stream(mode: int | None = DC, size: tuple[int, int] = (16, 16), level: int = 0) -> bytes:
    """A picture without tokens."""
    macroblock = vp8.Macroblock(mode, [DC] * 16, DC, ())
    return vp8.encode(size, vp8.Settings(level=level), lambda _row, _column: macroblock)


def decoded(data: bytes) -> Picture:
    return decode(data)


def test_what_is_written_is_read() -> None:
    writer = BoolWriter()
    values = [(at * 7 % 5 == 0, 1 + at * 37 % 255) for at in range(500)]
    for value, probability in values:
        writer.put(int(value), probability)
    reader = Bools(writer.finished())
    assert [int(value) for value, _ in values] == [reader.take(chance) for _, chance in values]
    assert not reader.ended


def test_without_neighbours_a_macroblock_is_128() -> None:
    planes = decode_frame(stream()[FRAME:])
    assert [[128] * 16] * 16 == planes.luma
    assert [[128] * 8] * 8 == planes.chroma[0]


def test_beyond_the_top_is_127_and_beyond_the_left_edge_129() -> None:
    assert [127] * 16 == decode_frame(stream(VE)[FRAME:]).luma[0]
    assert [129] * 16 == decode_frame(stream(HE)[FRAME:]).luma[0]
    assert [129] * 16 == decode_frame(stream(TM)[FRAME:]).luma[0]


def test_gray_of_128_is_130_by_bt_601() -> None:
    picture = decoded(stream(size=(1, 2)))
    assert (1, 2, 3) == (picture.height, picture.width, picture.channels)
    assert [130] * 6 == [item[0] for item in picture.samples]
    assert {130, 131} == set(picture.samples[0])


@pytest.mark.parametrize(
    ("mode", "row", "expected"),
    [
        (VE, 3, [23, 30, 40, 50]),
        (HE, 0, [6, 6, 6, 6]),
        (LD, 0, [30, 40, 50, 60]),
        (LD, 3, [60, 70, 80, 88]),
        (HU, 0, [2, 2, 3, 3]),
        (HU, 3, [4, 4, 4, 4]),
        (DC, 2, [19, 19, 19, 19]),
        (TM, 1, [2, 12, 22, 32]),
    ],
)
def test_a_block_is_predicted_from_its_neighbours(mode: int, row: int, expected: list[int]) -> None:
    above, left = [20, 30, 40, 50, 60, 70, 80, 90], [1, 2, 3, 4]
    block = predicted_block(mode, above, left, 20)
    assert expected == block[4 * row : 4 * row + 4]


@pytest.mark.parametrize(
    ("at", "byte", "error"),
    [(0, 0x11, BrokenStreamError), (3, 0, BrokenStreamError), (0, 0x12, UnknownStreamError)],
    ids=["no key frame", "start code", "profile"],
)
def test_a_header_that_breaks_a_rule_is_found(at: int, byte: int, error: type[Exception]) -> None:
    frame = bytearray(stream()[FRAME:])
    frame[at] = byte
    with pytest.raises(error):
        decode_frame(bytes(frame))


@pytest.mark.parametrize("length", [5, 12])
def test_a_frame_that_ends_early_is_broken(length: int) -> None:
    with pytest.raises(BrokenStreamError):
        decode_frame(stream()[FRAME : FRAME + length])
