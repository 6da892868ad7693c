"""An image as rows of pixels, and how its samples become bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True)
class Raster:
    """Pixels to be encoded.

    Attributes:
        rows: for each row the pixels, each a tuple of samples.
        greatest: the greatest value that a sample can have.
    """

    rows: tuple[tuple[tuple[int, ...], ...], ...]
    greatest: int

    @property
    def size(self) -> tuple[int, int]:
        """Height and width."""
        return len(self.rows), len(self.rows[0])

    def lines(self) -> list[list[int]]:
        """The samples of each row, pixel by pixel."""
        return [[item for pixel in row for item in pixel] for row in self.rows]


def pattern(size: Sequence[int], channels: int, greatest: int) -> Raster:
    """Pixels that differ from their neighbours, from row to row, and from channel to channel."""
    height, width = size
    return Raster(
        tuple(
            tuple(
                tuple(
                    (greatest * (37 * row + 71 * column + 101 * channel + row * column) // 255)
                    % (greatest + 1)
                    if greatest > 15
                    else (3 * row + 5 * column + 7 * channel + row * column // 2) % (greatest + 1)
                    for channel in range(channels)
                )
                for column in range(width)
            )
            for row in range(height)
        ),
        greatest,
    )


def packed(samples: Iterable[int], bits: int) -> bytes:
    """Samples of 1 to 16 bits in whole bytes, the first in the highest bits."""
    number, count = 0, 0
    for item in samples:
        number, count = number << bits | item, count + bits
    spare = -count % 8
    return (number << spare).to_bytes((count + spare) // 8, "big")


def palette(colours: int) -> list[tuple[int, int, int]]:
    """Colours of which no two are equal, and none is gray."""
    return [
        ((53 * n + 9) % 256, (97 * n + 130) % 256, (151 * n + 60) % 256) for n in range(colours)
    ]
