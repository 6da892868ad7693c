"""What is recorded of encoded images, compared with decoders of others: tools/images.py."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from tools import images, runtimes
from tools.images import Pixels, difference
from tools.runtimes import DECODERS

from onnx_conformance.generators.oracle.recorded.streams import FOLDER


def check(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the script where the decoders are; skipped where they are not."""
    here = find_spec("PIL") is not None and find_spec("cv2") is not None
    python = Path(sys.executable) if here else runtimes.FOLDER / DECODERS / "bin" / "python"
    if not python.exists():
        pytest.skip(f"`python -m tools.runtimes {DECODERS}` installs Pillow and OpenCV")
    return subprocess.run(
        [python, images.__file__, str(folder)], capture_output=True, text=True, check=False
    )


def copied(folder: Path, *names: str) -> Path:
    """A folder with some of the streams, and what is recorded of them."""
    listed = json.loads((FOLDER / "index.json").read_bytes())["streams"]
    for path in FOLDER.iterdir():
        if path.name.partition(".")[0] in {name.partition(".")[0] for name in names}:
            shutil.copy(path, folder)
    kept = [item for item in listed if item["stream"] in names]
    assert len(names) == len(kept)
    (folder / "index.json").write_text(json.dumps({"streams": kept}), "utf-8")
    return folder


@pytest.mark.runtime("image-decoders")
def test_pillow_and_opencv_find_what_is_recorded() -> None:
    done = check(FOLDER)
    assert 0 == done.returncode, done.stderr
    found = re.findall(
        r"(?m)^(Pillow|OpenCV) \S+: (\d+) streams as recorded, 1 known$", done.stdout
    )
    total = len(json.loads((FOLDER / "index.json").read_bytes())["streams"])
    assert [("Pillow", str(total - 1)), ("OpenCV", str(total - 1))] == found


@pytest.mark.runtime("image-decoders")
def test_a_pixel_that_decoders_do_not_find_fails_and_is_named(tmp_path: Path) -> None:
    folder = copied(tmp_path, "png_rgb.png", "webp_plain.webp")
    path = folder / "png_rgb.pam"
    data = path.read_bytes()
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    done = check(folder)
    assert 1 == done.returncode
    for decoder in ("Pillow", "OpenCV"):
        assert f"png_rgb.png: {decoder} 1 of 105 samples are others: the first, 104," in done.stderr
    assert "webp_plain" not in done.stderr


@pytest.mark.runtime("image-decoders")
def test_an_image_where_none_is_recorded_and_none_where_one_is_fail(tmp_path: Path) -> None:
    folder = copied(tmp_path, "png_rgb.png", "none_cut_off.png", "bmp_of_8.bmp")
    index = json.loads((folder / "index.json").read_bytes())
    held = [item["holds"] for item in index["streams"]]
    for item, holds in zip(index["streams"], reversed(held), strict=True):
        item["holds"] = holds
    shutil.copy(folder / "png_rgb.pam", folder / "none_cut_off.pam")
    (folder / "index.json").write_text(json.dumps(index), "utf-8")
    done = check(folder)
    assert 1 == done.returncode
    assert "png_rgb.png: OpenCV finds an image" in done.stderr
    assert "none_cut_off.png: Pillow finds no image" in done.stderr


@pytest.mark.runtime("image-decoders")
def test_a_reason_that_no_decoder_needs_any_more_fails(tmp_path: Path) -> None:
    folder = copied(tmp_path, "png_rgb.png")
    index = json.loads((folder / "index.json").read_bytes())
    index["streams"][0]["differs"] = {"OpenCV": "it is said so"}
    (folder / "index.json").write_text(json.dumps(index), "utf-8")
    done = check(folder)
    assert 1 == done.returncode
    assert "png_rgb.png: OpenCV agrees, and index.json says why it does not" in done.stderr


RECORDED = Pixels(1, 2, 1, 255, [7, 9])
LOW, HIGH = Pixels(1, 2, 1, 255, [6, 9]), Pixels(1, 2, 1, 255, [8, 9])


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (RECORDED, None),
        (Pixels(1, 2, 1, 255, [8, 9]), None),
        (Pixels(1, 2, 3, 255, [6, 6, 6, 9, 9, 9]), None),
        (
            Pixels(1, 2, 1, 255, [9, 9]),
            "1 of 2 samples are others: the first, 0, is 9, recorded is 6 to 8",
        ),
        (
            Pixels(1, 2, 3, 255, [6, 6, 7, 9, 9, 9]),
            "1 of 2 samples are others: the first, 0, is -1, recorded is 6 to 8",
        ),
        (Pixels(2, 1, 1, 255, [7, 9]), "finds 2 x 1 pixels"),
        (Pixels(1, 2, 1, 65535, [7, 9]), "finds samples up to 65535"),
        (Pixels(1, 2, 2, 255, [7, 0, 9, 0]), "finds 2 planes"),
        (None, "finds no image"),
    ],
)
def test_what_a_decoder_finds_lies_within_the_limits_or_is_said(
    found: Pixels | None, said: str | None
) -> None:
    assert said == difference(found, RECORDED, LOW, HIGH)
