"""The images of ONNX's own cases, decoded by others, against what is recorded of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from onnx.backend.test.case.node import _image_decoder_data as frozen

from onnx_conformance.generators.oracle.recorded.streams import picture_in

if TYPE_CHECKING:
    from onnx_conformance.generators.oracle.recorded.pictures import Picture


def recorded(stream: bytes) -> Picture:
    picture = picture_in(stream)
    assert picture is not None
    return picture


@pytest.mark.parametrize("name", ["bmp_rgb", "jpeg2k_rgb", "png_rgb", "pnm_rgb", "tiff_rgb"])
def test_a_format_without_loss_is_the_same_bit_for_bit(name: str) -> None:
    case = getattr(frozen, f"image_decoder_decode_{name}")
    found = recorded(bytes(case.data))
    assert case.output.shape == (found.height, found.width, found.channels)
    assert [(item,) for item in case.output.flatten().tolist()] == list(found.samples)


@pytest.mark.parametrize(("name", "step"), [("jpeg_rgb", 1), ("jpeg_bgr", -1), ("webp_rgb", 1)])
def test_what_others_make_of_a_stream_with_loss_is_within_the_limits(name: str, step: int) -> None:
    case = getattr(frozen, f"image_decoder_decode_{name}")
    found = recorded(bytes(case.data))
    given = case.output[..., ::step].flatten().tolist()
    assert len(given) == len(found.samples)
    assert [] == [
        place
        for place, (one, allowed) in enumerate(zip(given, found.samples, strict=True))
        if one not in allowed
    ]


def test_the_shades_of_the_jpeg_are_those_of_its_colours() -> None:
    case = frozen.image_decoder_decode_jpeg_grayscale
    samples = [item[0] for item in recorded(bytes(case.data)).samples]
    pixels = [samples[at : at + 3] for at in range(0, len(samples), 3)]
    shades = [0.299 * red + 0.587 * green + 0.114 * blue for red, green, blue in pixels]
    given = case.output.flatten().tolist()
    assert 2 > max(abs(one - shade) for one, shade in zip(given, shades, strict=True))
