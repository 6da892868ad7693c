"""The decoders of ImageDecoder's oracle: by hand, by our writers, and by Pillow where it is."""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any

import pytest

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.families.encoders import jpeg as jpeg_writer
from onnx_conformance.generators.families.kinds.images import _WRITERS
from onnx_conformance.generators.oracle.arith.grid import AnyOf, Grid
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.operators.images import jpeg
from onnx_conformance.generators.oracle.operators.images.decoder import _picture
from onnx_conformance.generators.oracle.operators.images.jpeg_blocks import samples, zigzag
from onnx_conformance.generators.oracle.operators.images.pictures import (
    BrokenStreamError,
    Picture,
    UnknownStreamError,
)
from onnx_conformance.generators.oracle.operators.images.webp import _guess
from onnx_conformance.generators.oracle.operators.images.webp_codes import _neighbours
from onnx_conformance.generators.oracle.registry import Call, compute

GRAYS: dict[str, Any] = {"colour": "gray", "depth": 8}
WRITTEN = [
    *(("pnm", {"kind": kind}) for kind in range(1, 7)),
    ("pnm", {"kind": 5, "greatest": 15}),
    ("pnm", {"kind": 6, "comment": "of 7 words, with 3 numbers in it: 1 2"}),
    *(("bmp", {"bits": bits}) for bits in (1, 4, 8, 24, 32)),
    ("bmp", {"bits": 24, "downwards": True}),
    ("bmp", {"bits": 24, "core": True}),
    ("bmp", {"bits": 8, "core": True}),
    ("bmp", {"bits": 8, "runs": True}),
    *(("png", {"colour": "gray", "depth": depth}) for depth in (1, 2, 4, 8)),
    *(("png", {"colour": "palette", "depth": depth}) for depth in (1, 2, 4, 8)),
    *(("png", {"filters": [kind]}) for kind in range(5)),
    ("png", {"filters": [4, 3, 2, 1, 0], "interlaced": True, "parts": 3}),
    *(
        ("tiff", {"kind": kind, "depth": depth, "order": order})
        for order in ("II", "MM")
        for kind, depth in (("rgb", 8), ("gray", 1), ("white_is_0", 8), ("palette", 4))
    ),
    *(
        ("tiff", {"compression": compression, "rows_per_strip": 2})
        for compression in ("none", "packbits", "deflate")
    ),
    ("jpeg", {"sampling": "gray"}),
    ("jpeg", {"sampling": "gray", "interval": 1}),
    *(("jpeg2000", {"levels": levels, "file": True}) for levels in (0, 1, 2, 5)),
    *(("jpeg2000", {"gray": True, "block": (4, 8), "order": order}) for order in ("LRCP", "RPCL")),
    *(("jpeg2000", {"layers": 3, "order": order}) for order in ("RLCP", "PCRL", "CPRL")),
    ("jpeg2000", {"tile": (7, 5), "levels": 1, "mixes": False}),
    ("webp", {}),
    ("webp", {"green": True, "shares": [40, -20, -100], "groups": 2}),
    *(("webp", {"modes": [mode]}) for mode in range(14)),
    ("webp", {"modes": range(14), "green": True}),
    *(("webp", {"indices": count, "indexed": True}) for count in (2, 4, 16, 40)),
    ("webp", {"indices": 5, "references": True}),
    ("webp", {"indices": 30, "cache": 4, "references": True, "groups": 3}),
]
ROUNDED = [
    ("jpeg", {"sampling": sampling, "waves": waves, "interval": 2})
    for sampling in ("gray", "1x1", "2x1", "2x2")
    for waves in (False, True)
]
ROUNDED += [
    ("vp8", {"luma": ["blocks"], "each": [mode, "tm"], "quantizer": quantizer})
    for quantizer, mode in enumerate(("dc", "tm", "ve", "he", "rd", "vr", "ld", "vl", "hd", "hu"))
]
ROUNDED += [
    ("vp8", {"luma": [mode, "dc"], "chroma": ["dc", mode], **more})
    for mode in ("dc", "ve", "he", "tm")
    for more in (
        {"gaps": 2, "skips": True},
        {"great": True, "level": 9},
        {"level": 30, "simple": True, "sharpness": 5},
        {"level": 50, "gaps": 2, "adjusted": [3, -5]},
        {"level": 0, "adjusted": [9, 9]},
        {"level": 12, "segments": [[10, 5], [30, 20], [60, 0], [90, 63]], "parts": 2},
        {"given": [[33, 3], [300, 77], [533, 9]], "deltas": [-15, 7, -4, 15, -8], "quantizer": 30},
    )
]
OF_ALPHA: list[Any] = [
    ("png", {"colour": "rgb_alpha"}),
    ("png", {"colour": "gray_alpha", "depth": 16}),
]


def _stream(written: tuple[str, dict[str, Any]], size: tuple[int, int] = (5, 7)) -> bytes:
    stream, _ = _WRITERS[written[0]](size, **written[1])
    return bytes(stream)


def _first(picture: Picture) -> list[int]:
    return [item[0] for item in picture.samples]


@pytest.mark.parametrize("written", WRITTEN, ids=str)
@pytest.mark.parametrize("size", [(5, 7), (1, 1), (17, 19)])
def test_what_the_writers_wrote_is_found(
    written: tuple[str, dict[str, Any]], size: tuple[int, int]
) -> None:
    stream, raster = _WRITERS[written[0]](size, **written[1])
    picture = _picture(stream)
    assert (*size, len(raster.rows[0][0])) == (picture.height, picture.width, picture.channels)
    assert [item for line in raster.lines() for item in line] == _first(picture)
    assert {1} == {len(item) for item in picture.samples}


@pytest.mark.parametrize("written", WRITTEN + ROUNDED + OF_ALPHA, ids=str)
def test_pillow_finds_the_same(written: tuple[str, dict[str, Any]]) -> None:
    image = pytest.importorskip("PIL.Image")
    stream = _stream(written, (19, 37))
    picture, found = _picture(stream), image.open(io.BytesIO(stream))
    if "A" in found.mode or picture.depth > 255:
        pytest.skip("what becomes of transparency and of 16 bits is open")
    pixels = found.convert("L" if picture.channels == 1 else "RGB").tobytes()
    assert (37, 19) == found.size
    wrong = [
        place
        for place, (one, allowed) in enumerate(zip(pixels, picture.samples, strict=True))
        if one not in allowed
    ]
    assert [] == wrong


# --- by hand ---------------------------------------------------------------------------------


def test_bits_as_text_are_black_where_they_are_1() -> None:
    picture = _picture(b"P1 # a comment\n3 2\n101 0\n1 0")
    assert [0, 255, 0, 255, 0, 255] == _first(picture)


def test_a_greatest_value_is_scaled_to_255() -> None:
    assert [(0,), (51,), (255,)] == list(_picture(b"P2 3 1 5 0 1 5").samples)
    # 255 / 7 lies between two whole numbers.
    assert [(36,), (73, 72)] == list(_picture(b"P2 2 1 7 1 2").samples)


def test_rows_of_a_bitmap_come_from_the_bottom_and_fill_four_bytes() -> None:
    head = struct.pack("<2sIHHI", b"BM", 0, 0, 0, 54) + struct.pack("<IiiHHI", 40, 1, 2, 1, 24, 0)
    stream = head + bytes(20) + bytes([1, 2, 3, 0]) + bytes([4, 5, 6, 0])
    assert [6, 5, 4, 3, 2, 1] == _first(_picture(stream))


def test_sixteen_bits_a_pixel_have_five_a_colour() -> None:
    head = struct.pack("<2sIHHI", b"BM", 0, 0, 0, 54) + struct.pack("<IiiHHI", 40, 1, 1, 1, 16, 0)
    (red, green, blue) = _picture(head + bytes(20) + b"\x1f\x7c\0\0").samples
    assert {255, 248} == set(red) == set(blue)
    assert (0,) == green


def test_run_lengths_move_and_end_lines() -> None:
    head = struct.pack("<2sIHHI", b"BM", 0, 0, 0, 62) + struct.pack("<IiiHHI", 40, 3, 2, 1, 8, 1)
    table = struct.pack("<IiiII", 0, 0, 0, 2, 0) + bytes([0, 0, 0, 0, 9, 9, 9, 0])
    runs = bytes([1, 1, 0, 0]) + bytes([0, 2, 1, 0]) + bytes([2, 1, 0, 1])
    picture = _picture(head + table + runs)
    assert [0, 9, 9, 9, 0, 0] == _first(picture)[::3]


def _png(lines: bytes, width: int, *chunks: tuple[bytes, bytes]) -> bytes:
    height = len(lines) // (width + 1)
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    all_chunks = [(b"IHDR", head), *chunks, (b"IDAT", zlib.compress(lines)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(content))
        + name
        + content
        + struct.pack(">I", zlib.crc32(name + content))
        for name, content in all_chunks
    )


def test_filters_add_left_above_their_mean_and_the_nearest_of_three() -> None:
    lines = bytes([1, 250, 10, 1]) + bytes([2, 1, 1, 1]) + bytes([3, 1, 1, 1]) + bytes([4, 1, 1, 1])
    above = [251, 5, 6]
    mean = [1 + 251 // 2, 1 + (126 + 5) // 2, 1 + (66 + 6) // 2]
    # left + above - corner: 127 + 66 - 126 = 67, nearest is 66; 67 + 37 - 66 = 38, nearest is 37.
    nearest = [126 + 1, 66 + 1, 37 + 1]
    assert [250, 4, 5, *above, *mean, *nearest] == _first(_picture(_png(lines, 3)))


def test_an_unknown_critical_chunk_is_unknown_and_another_is_skipped() -> None:
    assert [7] == _first(_picture(_png(bytes([0, 7]), 1, (b"teXt", b"x"))))
    with pytest.raises(UnknownStreamError, match="critical chunk"):
        _picture(_png(bytes([0, 7]), 1, (b"NEXt", b"x")))


def test_a_colour_can_be_transparent() -> None:
    assert [0, 255] == _picture(_png(bytes([0, 7, 8]), 2, (b"tRNS", b"\0\7"))).alpha


def test_the_zigzag_goes_along_diagonals() -> None:
    assert [0, 1, 8, 16, 9, 2, 3, 10, 17, 24] == zigzag()[:10]
    assert [62, 63] == zigzag()[-2:]
    assert list(range(64)) == sorted(zigzag())


def test_a_flat_block_is_exact_and_another_is_near_its_cosines() -> None:
    steps = [1] * 64
    (flat,) = set(samples([80] + [0] * 63, steps))
    assert (138, 138, 138) == (flat.low, flat.nearest, flat.high)
    wave = samples([0, 100] + [0] * 62, steps)
    # 100 / 4 / sqrt 2 times the cosine of (2x + 1) pi / 16.
    assert [145, 143, 138, 131, 125, 118, 113, 111] == [item.nearest for item in wave[:8]]
    assert (144, 146) == (wave[0].low, wave[0].high)


def test_chroma_of_half_the_width_is_interpolated_by_the_page() -> None:
    means = {0: (0, 0), 1: (0, 0), 2: (-28, 13)}  # the steps of 8 make each mean this number

    def block(component: int, _row: int, column: int) -> list[int]:
        return [means[component][min(column, 1)]] + [0] * 63

    layout = jpeg_writer.Layout((1, 32), [(2, 1), (1, 1), (1, 1)])
    picture = jpeg.decode(jpeg_writer.encode(layout, block))
    chroma = [100, 110, 131, 141]  # (3 * 100 + 141 + 2) // 4 and (100 + 3 * 141 + 1) // 4
    reds = [128 + 1.402 * (item - 128) for item in chroma]
    found = [picture.samples[3 * column] for column in range(14, 18)]
    assert [True] * 4 == [
        min(allowed) <= red <= max(allowed) and max(allowed) - min(allowed) == 1
        for red, allowed in zip(reds, found, strict=True)
    ]


def test_the_nearest_pixels_have_the_least_distances() -> None:
    assert [(0, 1), (1, 0), (1, 1), (-1, 1), (0, 2), (2, 0)] == _neighbours()[:6]
    of_25 = [place for place in _neighbours() if place[0] ** 2 + place[1] ** 2 == 25]
    assert [(0, 5), (3, 4), (-3, 4), (4, 3), (-4, 3), (5, 0)] == of_25
    assert 120 == len(set(_neighbours()))


def test_half_of_a_difference_is_cut_off_towards_zero() -> None:
    grays = [0x010101 * item for item in (10, 13)]
    assert 0x090909 == _guess(13, grays[0], grays[0], grays[1], 0)
    assert 0x0E0E0E == _guess(13, grays[1], grays[1], grays[0], 0)


# --- what is no image ------------------------------------------------------------------------


@pytest.mark.parametrize("written", [*WRITTEN, *ROUNDED], ids=str)
def test_a_stream_that_ends_early_is_broken_or_says_so(
    written: tuple[str, dict[str, Any]],
) -> None:
    stream = _stream(written)
    # An image can be made of the first half of a JPEG 2000 stream.
    ends_early = UnknownStreamError if written[0] == "jpeg2000" else BrokenStreamError
    for end in (0, 1):
        with pytest.raises(BrokenStreamError):
            _picture(stream[:end])
    for end in (len(stream) // 4, len(stream) // 2):
        with pytest.raises(ends_early):
            _picture(stream[:end])


@pytest.mark.parametrize(
    "stream",
    [
        b"\0\0\0\x0cjP  \r\n\x87\n",
        b"RIFF\x14\0\0\0WEBPALPH\0\0\0\0VP8 \0\0\0\0",
        b"\xff\xd8\xff\xc2\0\x0b\x08\0\1\0\1\1\1\x11\0\xff\xd9",
        b"P7\n",
    ],
    ids=["jpeg 2000 without an image", "transparent lossy webp", "progressive", "pam"],
)
def test_a_format_without_a_decoder_is_said_to_be_unknown(stream: bytes) -> None:
    with pytest.raises(UnknownStreamError):
        _picture(stream)


@pytest.mark.parametrize(
    "stream",
    [
        b"hello",
        b"P5 0 1 255 ",
        b"P5 1 1 0 \0",
        b"P2 1 1 5 6",
        b"P2 x 1 5 6",
        b"P1 1 1 2",
        b"RIFF\x04\0\0\0WAVE",
        b"RIFF\x04\0\0\0WEBP",
        _png(bytes([5, 1]), 1),
    ],
)
def test_a_rule_that_is_broken_is_found(stream: bytes) -> None:
    with pytest.raises(BrokenStreamError):
        _picture(stream)


# --- the operator ----------------------------------------------------------------------------


def _decoded(stream: bytes, pixel_format: str = "RGB", **readings: str) -> Grid:
    call = Call(
        20,
        {"pixel_format": pixel_format},
        {"encoded_stream": Tensor("uint8", (len(stream),), stream)},
        "ImageDecoder",
        readings={key.replace("_", "-"): value for key, value in readings.items()},
    )
    (result,) = compute(call)
    assert isinstance(result, Grid)
    return result


RED_AND_GRAY = b"P3 2 1 255  200 10 20  7 7 7"


def test_channels_come_in_the_order_of_the_pixel_format() -> None:
    assert [200, 10, 20, 7, 7, 7] == list(_decoded(RED_AND_GRAY).items)
    assert [20, 10, 200, 7, 7, 7] == list(_decoded(RED_AND_GRAY, "BGR").items)
    assert (1, 2, 3) == _decoded(RED_AND_GRAY).shape


@pytest.mark.parametrize(("reading", "shade"), [("bt-601", 68), ("bt-709", 51)])
def test_which_shade_a_colour_is_is_open_and_gray_stays(reading: str, shade: int) -> None:
    with pytest.raises(OpenError, match="shade-of-a-colour"):
        _decoded(RED_AND_GRAY, "Grayscale")
    found = _decoded(RED_AND_GRAY, "Grayscale", shade_of_a_colour=reading)
    assert ((1, 2, 1), [shade, 7]) == (found.shape, list(found.items))


def test_gray_has_three_equal_channels() -> None:
    assert [9, 9, 9] == list(_decoded(b"P2 1 1 255 9", "BGR").items)
    assert [9] == list(_decoded(b"P2 1 1 255 9", "Grayscale").items)


@pytest.mark.parametrize(
    ("reading", "shape"),
    [
        ("three-axes", (0, 0, 3)),
        ("no-channels", (0, 0, 0)),
        ("two-axes", (0, 0)),
        ("one-axis", (0,)),
    ],
)
def test_no_image_is_an_empty_matrix_of_some_shape(reading: str, shape: tuple[int, ...]) -> None:
    found = _decoded(b"hello", shape_of_nothing=reading)
    assert (shape, ()) == (found.shape, tuple(found.items))


@pytest.mark.parametrize(("reading", "expected"), [("nearest", [1, 255]), ("high-byte", [0, 255])])
def test_how_16_bits_become_8_is_open(reading: str, expected: list[int]) -> None:
    stream = b"P5 2 1 65535 " + struct.pack(">HH", 250, 65535)
    assert expected == list(_decoded(stream, "Grayscale", more_than_8_bits=reading).items)


@pytest.mark.parametrize(
    ("reading", "expected"),
    [("dropped", [7, 8]), ("before-black", [0, 8]), ("before-white", [255, 8])],
)
def test_what_becomes_of_transparency_is_open(reading: str, expected: list[int]) -> None:
    stream = _png(bytes([0, 7, 8]), 2, (b"tRNS", b"\0\7"))
    assert expected == list(_decoded(stream, "Grayscale", transparency=reading).items)


def test_a_rounded_sample_may_be_either() -> None:
    assert [36, AnyOf((73, 72))] == list(_decoded(b"P2 2 1 7 1 2", "Grayscale").items)


@pytest.mark.parametrize("pixel_format", ["rgb", "", "RGBA"])
def test_another_pixel_format_is_invalid(pixel_format: str) -> None:
    with pytest.raises(InvalidCallError, match="pixel_format"):
        _decoded(RED_AND_GRAY, pixel_format)


def test_a_stream_of_two_axes_is_open() -> None:
    data = Tensor("uint8", (2, 6), b"P2 1 1 255 9")
    call = Call(20, {"pixel_format": "RGB"}, {"encoded_stream": data}, "ImageDecoder")
    with pytest.raises(OpenError, match="stream-of-another-rank"):
        compute(call)
