"""ImageDecoder's oracle: what is recorded of a stream, presented as the call says."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import pytest

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.oracle.arith.grid import AnyOf, Grid
from onnx_conformance.generators.oracle.errors import (
    InvalidCallError,
    OpenError,
    UnansweredError,
)
from onnx_conformance.generators.oracle.operators.images import decoder
from onnx_conformance.generators.oracle.operators.images.pictures import Picture, read_picture
from onnx_conformance.generators.oracle.operators.images.recorded import (
    FOLDER,
    picture_in,
    stream_named,
)
from onnx_conformance.generators.oracle.registry import Call, compute

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Protocol

    class Decoded(Protocol):
        """What a call returns for a stream that holds a picture."""

        def __call__(
            self, picture: Picture | None, pixel_format: str = ..., **readings: str
        ) -> Grid: ...


LISTED = json.loads((FOLDER / "index.json").read_bytes())["streams"]


# --- what is recorded ------------------------------------------------------------------------


def test_every_file_is_listed_and_every_stream_has_the_digest_that_is() -> None:
    expected = {"index.json", "README.md"}
    for item in LISTED:
        stream = FOLDER / item["stream"]
        assert item["sha256"] == hashlib.sha256(stream.read_bytes()).hexdigest(), stream
        ends = {"nothing": (), "pixels": (".pam",), "limits": (".pam", ".low.pam", ".high.pam")}
        expected |= {stream.name, *(f"{stream.stem}{end}" for end in ends[item["holds"]])}
    assert expected == {path.name for path in FOLDER.iterdir()}


@pytest.mark.parametrize("item", LISTED, ids=lambda item: str(item["stream"]))
def test_what_is_recorded_of_a_stream_is_a_whole_picture(item: dict[str, str]) -> None:
    picture = picture_in(stream_named(item["stream"]))
    assert (picture is None) == (item["holds"] == "nothing")
    if picture is not None:
        assert picture.height * picture.width * picture.channels == len(picture.samples)
        assert all(0 <= value <= picture.depth for sample in picture.samples for value in sample)
        assert (item["holds"] == "limits") == any(len(sample) > 1 for sample in picture.samples)


def test_a_stream_that_is_not_recorded_is_not_answered() -> None:
    with pytest.raises(UnansweredError, match="not recorded"):
        picture_in(b"P2 1 1 255 10")
    with pytest.raises(BadInputError, match=r"'some\.png' is no stream of"):
        stream_named("some.png")


def write_pam(path: Path, samples: bytes, planes: int = 1, greatest: int = 255) -> None:
    width = len(samples) // planes // (2 if greatest > 255 else 1)
    head = f"P7\nWIDTH {width}\nHEIGHT 1\nDEPTH {planes}\nMAXVAL {greatest}\nENDHDR\n"
    path.write_bytes(head.encode() + samples)


def test_limits_permit_what_lies_between_them_the_nearest_first(tmp_path: Path) -> None:
    for end, samples in (("", (7, 9)), (".low", (5, 9)), (".high", (8, 9))):
        write_pam(tmp_path / f"a{end}.pam", bytes(samples))
    expected = Picture(1, 2, 1, [(7, 5, 6, 8), (9,)])
    assert expected == read_picture(tmp_path / "a.pam", limits=True)


def test_samples_of_16_bits_have_two_bytes(tmp_path: Path) -> None:
    write_pam(tmp_path / "a.pam", bytes([1, 2, 255, 255]), greatest=65535)
    assert Picture(1, 2, 1, [(258,), (65535,)], 65535) == read_picture(
        tmp_path / "a.pam", limits=False
    )


def test_a_fourth_plane_is_how_much_is_covered(tmp_path: Path) -> None:
    write_pam(tmp_path / "a.pam", bytes([1, 2, 3, 200, 4, 5, 6, 255]), planes=4)
    found = read_picture(tmp_path / "a.pam", limits=False)
    assert (3, [(1,), (2,), (3,), (4,), (5,), (6,)]) == (found.channels, found.samples)
    assert found.alpha is not None
    assert [200, 255] == list(found.alpha)


def test_a_picture_that_is_none_is_said_with_its_file(tmp_path: Path) -> None:
    path = tmp_path / "a.pam"
    with pytest.raises(BadInputError, match=r"a\.pam: No such file"):
        read_picture(path, limits=False)
    for text in (b"", b"P5 1 1 255 1", b"P7\nWIDTH 2\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\nENDHDR\n1"):
        path.write_bytes(text)
        with pytest.raises(BadInputError, match=r"a\.pam: is no PAM"):
            read_picture(path, limits=False)
    write_pam(path, bytes([1, 2]))
    write_pam(tmp_path / "a.low.pam", bytes([1]))
    write_pam(tmp_path / "a.high.pam", bytes([1, 2]))
    with pytest.raises(BadInputError, match="limits are of an image of another form"):
        read_picture(path, limits=True)


# --- the operator ----------------------------------------------------------------------------


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
