"""Lossy WebP: planes of VP8 as colours. Sources: RFC 9649, 2.5, and BT.601.

RFC 9649 names BT.601 for the colours and says nothing of rounding, nor of how chroma becomes as
large as luma. A sample may be any within 1 of the exact result for any chroma between the nearest
sample and the mean of the four around, weighted by nearness.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .pictures import Picture
from .vp8.frame import decode_frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    _Rows = Sequence[Sequence[int]]
    _Range = tuple[int, int, int]  # the least, the greatest, and the likeliest, in parts of 16

# Of BT.601: how much of luma from 16 to 235 and of chroma from 16 to 240 is in a colour from 0 to
# 255, in millionths; chroma is less 128 in blue and in red.
_UNIT = 1_000_000
_LUMA = 1_164_384
_SHARES = ((0, 1_596_027), (-391_762, -812_968), (2_017_232, 0))
_BLACK, _GRAY = 16, 128


def decode_lossy(data: bytes) -> Picture:
    """The image of a chunk `VP8 `; BrokenStreamError where it breaks a rule of RFC 6386."""
    planes = decode_frame(data)
    height, width = planes.height, planes.width
    blue, red = (_enlarged(plane, height, width) for plane in planes.chroma)
    samples: list[tuple[int, ...]] = []
    for y in range(height):
        for x in range(width):
            samples += [
                _values(planes.luma[y][x], blue[y][x], red[y][x], shares) for shares in _SHARES
            ]
    return Picture(height, width, 3, samples)


def _enlarged(plane: _Rows, height: int, width: int) -> list[list[_Range]]:
    """For each pixel the chroma that it may have; beyond the edges the last sample goes on."""
    down, across = (height + 1) // 2, (width + 1) // 2
    found = []
    for y in range(height):
        other_y = min(max(y // 2 + (1 if y % 2 else -1), 0), down - 1)
        line = []
        for x in range(width):
            other_x = min(max(x // 2 + (1 if x % 2 else -1), 0), across - 1)
            here = 16 * plane[y // 2][x // 2]
            mean = (
                9 * plane[y // 2][x // 2]
                + 3 * (plane[y // 2][other_x] + plane[other_y][x // 2])
                + plane[other_y][other_x]
            )
            # The mean may be rounded to either whole number before it becomes a colour.
            line.append((min(here, mean // 16 * 16), max(here, -(-mean // 16) * 16), mean))
        found.append(line)
    return found


def _values(luma: int, blue: _Range, red: _Range, shares: tuple[int, int]) -> tuple[int, ...]:
    """The values that a colour may have, the likeliest first."""
    whole = 16 * _UNIT

    def colour(b: int, r: int) -> int:
        chroma = shares[0] * (b - 16 * _GRAY) + shares[1] * (r - 16 * _GRAY)
        return 16 * _LUMA * (luma - _BLACK) + chroma

    ends = [colour(b, r) for b in blue[:2] for r in red[:2]]
    low, high = -(-(min(ends) - whole) // whole), (max(ends) + whole) // whole
    nearest = (2 * colour(blue[2], red[2]) + whole) // (2 * whole)
    low, high, nearest = (min(max(item, 0), 255) for item in (low, high, nearest))
    return tuple(dict.fromkeys((nearest, *range(low, high + 1))))
