"""ImageDecoder's oracle: what is recorded of a stream, presented as the call says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.oracle.arith.grid import AnyOf, Grid
from onnx_conformance.generators.oracle.errors import (
    InvalidCallError,
    OpenError,
    UnansweredError,
)
from onnx_conformance.generators.oracle.operators.images import decoder
from onnx_conformance.generators.oracle.recorded.pictures import Picture
from onnx_conformance.generators.oracle.recorded.streams import stream_named
from onnx_conformance.generators.oracle.registry import Call, compute

if TYPE_CHECKING:
    from typing import Protocol

    class Decoded(Protocol):
        """What a call returns for a stream that holds a picture."""

        def __call__(
            self, picture: Picture | None, pixel_format: str = ..., **readings: str
        ) -> Grid: ...


COLOURS = Picture(1, 2, 3, [(200,), (10,), (20,), (7,), (7,), (7,)])
"""Something red, and a gray."""


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> Decoded:
    def decode(picture: Picture | None, pixel_format: str = "RGB", **readings: str) -> Grid:
        monkeypatch.setattr(decoder, "picture_in", lambda _: picture)
        return ask(b"anything", pixel_format, **readings)

    return decode


def ask(stream: bytes, pixel_format: str = "RGB", **readings: str) -> Grid:
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


def test_channels_come_in_the_order_of_the_pixel_format(decoded: Decoded) -> None:
    assert [200, 10, 20, 7, 7, 7] == list(decoded(COLOURS).items)
    assert [20, 10, 200, 7, 7, 7] == list(decoded(COLOURS, "BGR").items)
    assert (1, 2, 3) == decoded(COLOURS).shape


@pytest.mark.parametrize(("reading", "shade"), [("bt-601", 68), ("bt-709", 51)])
def test_which_shade_a_colour_is_is_open_and_gray_stays(
    decoded: Decoded, reading: str, shade: int
) -> None:
    with pytest.raises(OpenError, match="shade-of-a-colour"):
        decoded(COLOURS, "Grayscale")
    found = decoded(COLOURS, "Grayscale", shade_of_a_colour=reading)
    assert ((1, 2, 1), [shade, 7]) == (found.shape, list(found.items))


def test_gray_has_three_equal_channels(decoded: Decoded) -> None:
    assert [9, 9, 9] == list(decoded(Picture(1, 1, 1, [(9,)]), "BGR").items)
    assert [9] == list(decoded(Picture(1, 1, 1, [(9,)]), "Grayscale").items)


@pytest.mark.parametrize(
    ("reading", "shape"),
    [
        ("three-axes", (0, 0, 3)),
        ("no-channels", (0, 0, 0)),
        ("two-axes", (0, 0)),
        ("one-axis", (0,)),
    ],
)
def test_no_image_is_an_empty_matrix_of_some_shape(
    decoded: Decoded, reading: str, shape: tuple[int, ...]
) -> None:
    found = decoded(None, shape_of_nothing=reading)
    assert (shape, ()) == (found.shape, tuple(found.items))


@pytest.mark.parametrize(("reading", "expected"), [("nearest", [1, 255]), ("high-byte", [0, 255])])
def test_how_16_bits_become_8_is_open(decoded: Decoded, reading: str, expected: list[int]) -> None:
    picture = Picture(1, 2, 1, [(250,), (65535,)], 65535)
    assert expected == list(decoded(picture, "Grayscale", more_than_8_bits=reading).items)


@pytest.mark.parametrize(
    ("reading", "expected"),
    [("dropped", [7, 8]), ("before-black", [0, 8]), ("before-white", [255, 8])],
)
def test_what_becomes_of_transparency_is_open(
    decoded: Decoded, reading: str, expected: list[int]
) -> None:
    picture = Picture(1, 2, 1, [(7,), (8,)], alpha=[0, 255])
    assert expected == list(decoded(picture, "Grayscale", transparency=reading).items)


def test_a_rounded_sample_may_be_either(decoded: Decoded) -> None:
    assert [36, AnyOf((73, 72))] == list(
        decoded(Picture(1, 2, 1, [(36,), (73, 72)]), "Grayscale").items
    )


@pytest.mark.parametrize("pixel_format", ["rgb", "", "RGBA"])
def test_another_pixel_format_is_invalid(decoded: Decoded, pixel_format: str) -> None:
    with pytest.raises(InvalidCallError, match="pixel_format"):
        decoded(COLOURS, pixel_format)


def test_a_stream_of_two_axes_is_open() -> None:
    data = Tensor("uint8", (2, 6), b"P2 1 1 255 9")
    call = Call(20, {"pixel_format": "RGB"}, {"encoded_stream": data}, "ImageDecoder")
    with pytest.raises(OpenError, match="stream-of-another-rank"):
        compute(call)


def test_a_stream_is_answered_from_what_is_recorded() -> None:
    assert [198, 198, 198] == list(ask(stream_named("stream_of_rank_2.pgm")).items)
    with pytest.raises(UnansweredError):
        ask(b"P2 1 1 255 10")
