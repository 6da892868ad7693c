"""TIFF, written. Source: TIFF, revision 6.0 (Adobe, 1992)."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from .deflate import compressed
from .raster import packed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .raster import Raster

_SHORT, _LONG = 3, 4
_INSIDE = 4  # bytes of a list that fit into the directory itself
_KINDS = {"white_is_0": 0, "gray": 1, "rgb": 2, "palette": 3}
_COMPRESSIONS = {"none": 1, "packbits": 32773, "deflate": 8}


def encode(
    raster: Raster,
    kind: str,
    depth: int,
    colours: Sequence[Sequence[int]] = (),
    *,
    order: str = "II",
    compression: str = "none",
    rows_per_strip: int = 0,
) -> bytes:
    """A TIFF file with one image in strips.

    Args:
        raster: samples of `depth` bits as they are stored.
        kind: white_is_0, gray, rgb or palette.
        depth: bits of a sample: 1, 4, 8 or 16.
        colours: the map of colours.
        order: byte order of numbers, II or MM.
        compression: none, packbits or deflate.
        rows_per_strip: 0 puts all rows into one strip.
    """
    mark = "<" if order == "II" else ">"
    height, width = raster.size
    lines = [_line(line, depth, mark) for line in raster.lines()]
    each = rows_per_strip or height
    strips = [_squeezed(lines[at : at + each], compression) for at in range(0, height, each)]
    channels = len(raster.rows[0][0])
    lists = {
        256: (_LONG, [width]),
        257: (_LONG, [height]),
        258: (_SHORT, [depth] * channels),
        259: (_SHORT, [_COMPRESSIONS[compression]]),
        262: (_SHORT, [_KINDS[kind]]),
        273: (_LONG, [0] * len(strips)),
        277: (_SHORT, [channels]),
        278: (_LONG, [each]),
        279: (_LONG, [len(strip) for strip in strips]),
    }
    if colours:
        lists[320] = (_SHORT, [257 * colour[at] for at in range(3) for colour in colours])
    extra_at = 8 + 2 + 12 * len(lists) + 4
    contents = [_numbers(mark, form, numbers) for form, numbers in lists.values()]
    start = extra_at + sum(len(content) for content in contents if len(content) > _INSIDE)
    offsets = [start + sum(map(len, strips[:at])) for at in range(len(strips))]
    lists[273] = (_LONG, offsets)
    head = order.encode() + struct.pack(f"{mark}HIH", 42, 8, len(lists))
    entries, extra = b"", b""
    for tag, (form, numbers) in lists.items():
        content = _numbers(mark, form, numbers)
        entries += struct.pack(f"{mark}HHI", tag, form, len(numbers))
        if len(content) > _INSIDE:
            entries += struct.pack(f"{mark}I", extra_at + len(extra))
            extra += content
        else:
            entries += content.ljust(_INSIDE, b"\0")
    return head + entries + bytes(4) + extra + b"".join(strips)


def _line(line: Sequence[int], depth: int, mark: str) -> bytes:
    return struct.pack(f"{mark}{len(line)}H", *line) if depth == 16 else packed(line, depth)


def _numbers(mark: str, form: int, numbers: Sequence[int]) -> bytes:
    return struct.pack(f"{mark}{len(numbers)}{'H' if form == _SHORT else 'I'}", *numbers)


def _squeezed(lines: Sequence[bytes], compression: str) -> bytes:
    if compression == "deflate":
        return compressed(b"".join(lines))
    if compression == "packbits":
        return b"".join(map(_packbits, lines))
    return b"".join(lines)


def _packbits(line: bytes) -> bytes:
    """Runs of three or more as runs, the rest unchanged, after a no-operation byte."""
    found, at, plain = b"\x80", 0, b""
    while at < len(line):
        run = 1
        while at + run < len(line) and line[at + run] == line[at] and run < 128:
            run += 1
        if run >= 3:
            found += _literal(plain) + bytes([257 - run, line[at]])
            plain = b""
        else:
            plain += line[at : at + run]
        at += run
    return found + _literal(plain)


def _literal(plain: bytes) -> bytes:
    return b"".join(
        bytes([len(plain[at : at + 128]) - 1]) + plain[at : at + 128]
        for at in range(0, len(plain), 128)
    )
