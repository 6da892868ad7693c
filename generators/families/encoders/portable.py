"""Netpbm's formats, written. Source: pbm(5), pgm(5), ppm(5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .raster import packed

if TYPE_CHECKING:
    from .raster import Raster


def encode(raster: Raster, kind: int, comment: str = "") -> bytes:
    """A file of the type P1 to P6.

    Args:
        raster: one sample for a pixel, or three for P3 and P6; in P1 and P4, 1 is white as
            elsewhere.
        kind: the digit of the type.
        comment: a line of text between the type and the sizes.
    """
    height, width = raster.size
    remark = f"# {comment}\n" if comment else ""
    bilevel = kind in (1, 4)
    head = f"P{kind}\n{remark}{width} {height}\n"
    head += "" if bilevel else f"{raster.greatest}\n"
    lines = raster.lines()
    if bilevel:
        lines = [[1 - item for item in line] for line in lines]
    if kind <= 3:
        gap = "" if bilevel else " "
        return (head + "".join(gap.join(map(str, line)) + "\n" for line in lines)).encode()
    bits = 1 if bilevel else 8 if raster.greatest < 256 else 16
    return head.encode() + b"".join(packed(line, bits) for line in lines)
