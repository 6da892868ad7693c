"""What a stream holds, as it is recorded: pixels, with limits where formats let decoders differ.

A picture is a file in the portable arbitrary map of Netpbm (PAM), one for the values nearest to the
exact ones and, with limits, one for the least and one for the greatest of each sample.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from onnx_conformance.core.errors import BadInputError

_END = b"ENDHDR\n"


@dataclass(frozen=True)
class Picture:
    """A decoded image.

    Attributes:
        height, width: in pixels.
        channels: 1 for shades of gray, 3 for red, green and blue.
        samples: row by row, the channels of a pixel beside each other: for each sample the values
            that the format permits, the nearest to the exact one first, the others upwards.
        depth: the greatest value of a sample.
        alpha: how much each pixel covers its background, up to `depth`; None if all cover it fully.
    """

    height: int
    width: int
    channels: int
    samples: Sequence[tuple[int, ...]]
    depth: int = 255
    alpha: Sequence[int] | None = None


def read_picture(path: Path, *, limits: bool) -> Picture:
    """The picture in `NAME.pam`, with `limits` those of `NAME.low.pam` and `NAME.high.pam`.

    Raises BadInputError for a file that is not there, or holds something else.
    """
    header, nearest = _read(path)
    low = high = nearest
    if limits:
        of_low, low = _read(path.with_suffix(".low.pam"))
        of_high, high = _read(path.with_suffix(".high.pam"))
        if not header == of_low == of_high:
            raise BadInputError(f"{path}: its limits are of an image of another form")
    planes = header["DEPTH"]
    channels = planes - 1 if planes in (2, 4) else planes
    samples = [
        _permitted(*sample)
        for at, sample in enumerate(zip(nearest, low, high, strict=True))
        if at % planes < channels
    ]
    alpha = nearest[channels::planes] if channels < planes else None
    return Picture(header["HEIGHT"], header["WIDTH"], channels, samples, header["MAXVAL"], alpha)


def _permitted(nearest: int, low: int, high: int) -> tuple[int, ...]:
    return (nearest, *(value for value in range(low, high + 1) if value != nearest))


def _read(path: Path) -> tuple[Mapping[str, int], Sequence[int]]:
    """The numbers in the header of a PAM, by key, and its samples."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BadInputError(f"{path}: {error.strerror}") from None
    head, end, body = data.partition(_END)
    words = [line.split() for line in head.decode("ascii", "replace").splitlines()[1:]]
    header = {key: int(value) for key, value in words if key != "TUPLTYPE"}
    size = 2 if header.get("MAXVAL", 0) > 255 else 1
    count = header.get("WIDTH", 0) * header.get("HEIGHT", 0) * header.get("DEPTH", 0)
    if not head.startswith(b"P7\n") or not end or not count or len(body) != size * count:
        raise BadInputError(f"{path}: is no PAM with as many samples as its header says")
    return header, [int.from_bytes(body[at : at + size], "big") for at in range(0, len(body), size)]
