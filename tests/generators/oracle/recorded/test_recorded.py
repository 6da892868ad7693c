"""What is recorded of encoded images: every file is listed, whole, and what the index says."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import pytest

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.oracle.errors import UnansweredError
from onnx_conformance.generators.oracle.recorded.pictures import Picture, read_picture
from onnx_conformance.generators.oracle.recorded.streams import FOLDER, picture_in, stream_named

if TYPE_CHECKING:
    from pathlib import Path

LISTED = json.loads((FOLDER / "index.json").read_bytes())["streams"]


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
