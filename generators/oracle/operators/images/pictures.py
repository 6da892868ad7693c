"""A decoder's result, and its errors for streams without an image or with an unknown variant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import BadInputError

if TYPE_CHECKING:
    from collections.abc import Sequence

# The most pixels of an image that is decoded here: exact arithmetic in Python is slow.
_MOST_PIXELS = 1 << 20


class BrokenStreamError(Exception):
    """The stream breaks a rule of its format: no image can be decoded."""


class UnknownStreamError(BadInputError):
    """The stream is well-formed as far as it was read, in a variant that no decoder here knows."""


@dataclass(frozen=True)
class Picture:
    """A decoded image.

    Attributes:
        height, width: in pixels.
        channels: 1 for shades of gray, 3 for red, green and blue.
        samples: row by row, the channels of a pixel beside each other: for each sample the values
            that the format permits, the most exact one first.
        depth: the greatest value of a sample.
        alpha: how much each pixel covers its background, up to `depth`; None if all cover it fully.
    """

    height: int
    width: int
    channels: int
    samples: Sequence[tuple[int, ...]]
    depth: int = 255
    alpha: Sequence[int] | None = None


def exact(samples: Sequence[int]) -> list[tuple[int, ...]]:
    """Samples with one value each."""
    return [(item,) for item in samples]


def check_size(height: int, width: int) -> None:
    """BrokenStreamError for an image without pixels, UnknownStreamError for a very large one."""
    if height < 1 or width < 1:
        raise BrokenStreamError(f"an image of {height} x {width} pixels")
    if height * width > _MOST_PIXELS:
        raise UnknownStreamError(f"an image of {height} x {width} pixels is too large")


def packed(row: bytes, bits: int, count: int) -> list[int]:
    """The numbers of 1, 2, 4, 8 or 16 bits in a row of bytes, the first in the highest bits."""
    if len(row) * 8 < bits * count:
        raise BrokenStreamError("a row ends too early")
    if bits == 16:
        return [row[2 * at] << 8 | row[2 * at + 1] for at in range(count)]
    each = 8 // bits
    mask = (1 << bits) - 1
    return [row[at // each] >> (8 - bits - at % each * bits) & mask for at in range(count)]


def spread(values: Sequence[int], greatest: int) -> list[tuple[int, ...]]:
    """Samples of up to 8 bits over the range of 8: 0 stays, and the greatest becomes 255.

    If that is not a whole number, no document says how it is rounded: to the nearest, or down.
    """
    return [_spread(item, greatest) for item in values]


def _spread(value: int, greatest: int) -> tuple[int, ...]:
    nearest = (2 * 255 * value + greatest) // (2 * greatest)
    return tuple(dict.fromkeys((nearest, 255 * value // greatest)))
