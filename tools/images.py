"""Holds the pictures of `specs/images` against decoders of others: Pillow and OpenCV.

    python tools/images.py [FOLDER]

Needs `pip install pillow opencv-python-headless` in whatever environment runs it, and nothing of
ours; `python -m tools.runtimes image-decoders` makes one. Each stream that holds an image is
decoded by both. Where formats settle the pixels these must be the same; where they leave decoders
room, each sample must lie within the limits that are recorded. A stream that holds nothing must be
refused, by both. Where a decoder does otherwise, `index.json` names it below `differs`, with the
reason; a reason that no decoder needs any more is an error as well.

Prints a line for each difference, and how many pictures each decoder confirms. The exit code is 1
for a difference, 2 where a decoder is not installed.
"""

from __future__ import annotations

import hashlib
import io
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "specs" / "images"


@dataclass(frozen=True)
class Pixels:
    """Samples of an image, row by row, as a decoder gives them or as they are recorded.

    Attributes:
        height, width, planes: the planes are a shade or red, green and blue, and perhaps coverage.
        depth: the greatest value of a sample.
        samples: the planes of a pixel beside each other.
    """

    height: int
    width: int
    planes: int
    depth: int
    samples: Sequence[int]


def read_pam(path: Path) -> Pixels:
    """The samples of a portable arbitrary map."""
    head, _, body = path.read_bytes().partition(b"ENDHDR\n")
    said = dict(line.split() for line in head.decode("ascii").splitlines()[1:])
    size = 2 if int(said["MAXVAL"]) > 255 else 1
    samples = [int.from_bytes(body[at : at + size], "big") for at in range(0, len(body), size)]
    height, width, planes = int(said["HEIGHT"]), int(said["WIDTH"]), int(said["DEPTH"])
    if len(samples) != height * width * planes:
        raise ValueError(f"{path}: has {len(samples)} samples, not {height * width * planes}")
    return Pixels(height, width, planes, int(said["MAXVAL"]), samples)


def by_pillow(stream: bytes) -> Pixels | None:
    """What Pillow makes of a stream; None where it refuses it."""
    from PIL import Image

    try:
        image = Image.open(io.BytesIO(stream))
        image.load()
    except (OSError, SyntaxError, ValueError):
        return None
    wide = image.mode.startswith("I")
    if image.mode not in ("L", "RGB", "RGBA", "LA") and not wide:
        image = image.convert("L" if image.mode == "1" else "RGB")
    planes = 1 if wide else len(image.getbands())
    data = memoryview(image.convert("I").tobytes()).cast("i") if wide else image.tobytes()
    return Pixels(image.height, image.width, planes, 65535 if wide else 255, list(data))


def by_opencv(stream: bytes) -> Pixels | None:
    """What OpenCV makes of a stream; None where it refuses it."""
    import cv2
    import numpy as np

    try:
        found = cv2.imdecode(np.frombuffer(stream, np.uint8), cv2.IMREAD_UNCHANGED)
    except cv2.error:
        return None
    if found is None:
        return None
    array: Any = found.reshape(*found.shape[:2], -1)
    height, width, planes = array.shape
    if planes >= 3:  # blue, green and red
        array = array[..., [2, 1, 0, *range(3, planes)]]
    depth = 255 if array.dtype == np.uint8 else 65535
    return Pixels(height, width, planes, depth, array.reshape(-1).tolist())


DECODERS: Mapping[str, Callable[[bytes], Pixels | None]] = {
    "Pillow": by_pillow,
    "OpenCV": by_opencv,
}


def difference(found: Pixels | None, recorded: Pixels, low: Pixels, high: Pixels) -> str | None:
    """In words, how what a decoder found differs from what is recorded; None if it does not."""
    if found is None:
        return "finds no image"
    if (found.height, found.width) != (recorded.height, recorded.width):
        return f"finds {found.height} x {found.width} pixels"
    if found.depth != recorded.depth:
        return f"finds samples up to {found.depth}"
    samples = found.samples
    if found.planes in (3, 4) and recorded.planes in (1, 2):
        samples = _gray(found)
    elif found.planes != recorded.planes:
        return f"finds {found.planes} planes"
    wrong = [
        at
        for at, (one, least, most) in enumerate(
            zip(samples, low.samples, high.samples, strict=True)
        )
        if not least <= one <= most
    ]
    if not wrong:
        return None
    at = wrong[0]
    return (
        f"{len(wrong)} of {len(samples)} samples are others: the first, {at}, is {samples[at]},"
        f" recorded is {low.samples[at]} to {high.samples[at]}"
    )


def _gray(pixels: Pixels) -> list[int]:
    """Shades, with coverage where there is some; -1 where the colours are not all equal."""
    shades = []
    for at in range(0, len(pixels.samples), pixels.planes):
        red, green, blue, *cover = pixels.samples[at : at + pixels.planes]
        shades += [red if red == green == blue else -1, *cover]
    return shades


def compare(folder: Path) -> Iterator[tuple[str, str, str | None, str]]:
    """For each stream and decoder: both names, a difference or None, and the reason that is known.

    Raises ValueError where a file is not the one that the index lists.
    """
    for item in json.loads((folder / "index.json").read_bytes())["streams"]:
        path = folder / item["stream"]
        stream = path.read_bytes()
        if hashlib.sha256(stream).hexdigest() != item["sha256"]:
            raise ValueError(f"{path}: has another digest than index.json lists")
        for name, decode in DECODERS.items():
            found = decode(stream)
            if item["holds"] == "nothing":
                said = None if found is None else "finds an image"
            else:
                recorded = read_pam(path.with_suffix(".pam"))
                low = high = recorded
                if item["holds"] == "limits":
                    low = read_pam(path.with_suffix(".low.pam"))
                    high = read_pam(path.with_suffix(".high.pam"))
                said = difference(found, recorded, low, high)
            yield item["stream"], name, said, item.get("differs", {}).get(name, "")


def main() -> int:
    """Compare everything."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    try:
        import cv2
        import PIL
    except ImportError as error:
        print(f"{error}: pip install pillow opencv-python-headless", file=sys.stderr)
        return 2
    confirmed = dict.fromkeys(DECODERS, 0)
    known = dict.fromkeys(DECODERS, 0)
    bad = False
    for stream, decoder, said, reason in compare(folder):
        if said is None and not reason:
            confirmed[decoder] += 1
        elif said is not None and reason:
            known[decoder] += 1
        else:
            bad = True
            what = said or "agrees, and index.json says why it does not: take that out"
            print(f"{stream}: {decoder} {what}", file=sys.stderr)
    for name, version in (("Pillow", PIL.__version__), ("OpenCV", cv2.__version__)):
        print(f"{name} {version}: {confirmed[name]} streams as recorded, {known[name]} known")
    return 1 if bad or not all(confirmed.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
