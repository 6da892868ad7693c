"""The family of encoded images: pixels written in a format, and expected back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.errors import BadInputError

from ...oracle.operators.images.vp8 import tables as vp8_tables
from ...specs.model import Example, Literal
from ..encoders import bitmaps, jpeg, png, portable, tiff, vp8, webp
from ..encoders.jpeg2000 import codestream as jpeg2000
from ..encoders.raster import Raster, palette, pattern
from ..registry import family

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...specs.model import Case
    from ..operator import Operator

_STREAM, _IMAGE, _FORMAT = "encoded_stream", "image", "pixel_format"
_SIZE = (5, 7)
_STEP = 8  # of a JPEG's coefficients: the mean of a block is then a whole number


@family("images")
def images(
    operator: Operator, *, cases: dict[str, Any], common: dict[str, Any] | None = None
) -> Iterator[Case]:
    """Images that are encoded here from a pattern of pixels, a line a case.

    Where the pixels that come back are settled, the family writes them down, and the oracle's
    decoder must find the same; it computes the others.

    Parameters:
        cases: for each id what the image is: `format` is one of `pnm`, `bmp`, `png`, `tiff`,
            `jpeg`, `jpeg2000`, `webp`, and `vp8`, which is WebP with loss; `size` is height and
            width, [5, 7] otherwise. `cut` leaves so many bytes off the end, and `spoil` changes the
            byte at a place.
            pnm has `kind`, 1 to 6, `greatest` and `comment`; bmp `bits`, `downwards`, `core` and
            `runs`; png `colour` (gray, rgb, palette, gray_alpha, rgb_alpha), `depth`, `filters`,
            `interlaced` and `parts`; tiff `kind` (white_is_0, gray, rgb, palette), `depth`,
            `order`, `compression` and `rows_per_strip`; jpeg `sampling` (gray, 1x1, 2x1, 2x2),
            `waves` for blocks that are not flat, and `interval` between restart markers; jpeg2000
            `gray`, `file` for a JP2 file, and `levels`, `block`, `tile`, `order`, `layers` and
            `mixes`; webp
            `colours`, 3 or 4 for colours with alpha, `indices` of so many colours in their place,
            and `green`, `modes`, `shares`, `indexed`, `references`, `cache` and `groups`; vp8
            `luma` and `chroma`, in turn the modes (dc, ve, he, tm) of macroblocks, and for luma
            `blocks`; `each`, in turn the modes of these (vr, hd, ...); `great` for coefficients of
            every category; `gaps`, every how many macroblocks one has no token; and what the
            header says: `quantizer`, `deltas`, `level`, `sharpness`, `simple`, `adjusted`,
            `segments`, `parts`, `given` and `skips` (`encoders.vp8.Settings`).
            `pixel_format` is the operator's.
        common: what every case has unless it says otherwise.
    """
    for name, given in cases.items():
        drawn = {**(common or {}), **given}
        pixel_format = drawn.pop(_FORMAT, None)
        cut, spoil = drawn.pop("cut", 0), drawn.pop("spoil", None)
        writer = _WRITERS.get(drawn.pop("format", ""))
        if writer is None:
            raise BadInputError(f"case '{name}' has no format of {', '.join(_WRITERS)}")
        size = tuple(drawn.pop("size", _SIZE))
        try:
            stream, pixels = writer(size, **drawn)
        except TypeError as error:
            raise BadInputError(f"case '{name}': {error}") from None
        if spoil is not None:
            stream = stream[:spoil] + bytes([stream[spoil] ^ 255]) + stream[spoil + 1 :]
        stream = stream[: len(stream) - cut]
        inputs = {_STREAM: Literal((len(stream),), tuple(stream))}
        attributes = {} if pixel_format is None else {_FORMAT: pixel_format}
        case = operator.case(name, inputs, attributes, forms=("static",))
        intact = not cut and spoil is None
        outputs = _outputs(pixels, pixel_format or "RGB") if pixels and intact else None
        yield replace(case, examples=(Example(inputs, outputs),))


def _outputs(raster: Raster, pixel_format: str) -> dict[str, Literal] | None:
    """The expected pixels, if they are certain: samples of 8 bits."""
    rows = raster.rows
    channels = len(rows[0][0])
    if channels == 3 and pixel_format == "Grayscale":
        return None
    if channels == 1 and pixel_format != "Grayscale":
        rows = tuple(tuple(pixel * 3 for pixel in row) for row in rows)
    if pixel_format == "BGR":
        rows = tuple(tuple(pixel[::-1] for pixel in row) for row in rows)
    flat = tuple(item for row in rows for pixel in row for item in pixel)
    return {_IMAGE: Literal((*raster.size, len(rows[0][0])), flat)}


def _scaled(raster: Raster) -> Raster | None:
    """Samples scaled to 8 bits, if each is a whole number there."""
    if 255 % raster.greatest:
        return None
    step = 255 // raster.greatest
    rows = tuple(tuple(tuple(step * x for x in pixel) for pixel in row) for row in raster.rows)
    return Raster(rows, 255)


def _looked_up(raster: Raster, colours: Sequence[tuple[int, ...]]) -> Raster:
    return Raster(tuple(tuple(colours[x] for (x,) in row) for row in raster.rows), 255)


def _portable(
    size: tuple[int, int], *, kind: int, greatest: int = 255, comment: str = ""
) -> tuple[bytes, Raster | None]:
    raster = pattern(size, 3 if kind in (3, 6) else 1, 1 if kind in (1, 4) else greatest)
    return portable.encode(raster, kind, comment), _scaled(raster)


def _bitmap(
    size: tuple[int, int],
    *,
    bits: int,
    **more: Any,  # noqa: ANN401
) -> tuple[bytes, Raster | None]:
    if bits > 8:
        raster = pattern(size, 3, 255)
        return bitmaps.encode(raster, bits, **more), raster
    colours = palette(min(1 << bits, 200))
    raster = pattern(size, 1, len(colours) - 1)
    return bitmaps.encode(raster, bits, colours, **more), _looked_up(raster, colours)


def _png(
    size: tuple[int, int],
    *,
    colour: str = "rgb",
    depth: int = 8,
    **more: Any,  # noqa: ANN401
) -> tuple[bytes, Raster | None]:
    channels = {"gray": 1, "rgb": 3, "palette": 1, "gray_alpha": 2, "rgb_alpha": 4}.get(colour)
    if channels is None:
        raise BadInputError(f"'{colour}' is no colour of a PNG")
    if colour == "palette":
        colours = palette(min(1 << depth, 200))
        raster = pattern(size, 1, len(colours) - 1)
        return png.encode(raster, colour, depth, colours, **more), _looked_up(raster, colours)
    raster = pattern(size, channels, (1 << depth) - 1)
    settled = None if "alpha" in colour else _scaled(raster)
    return png.encode(raster, colour, depth, **more), settled


def _tiff(
    size: tuple[int, int],
    *,
    kind: str = "rgb",
    depth: int = 8,
    **more: Any,  # noqa: ANN401
) -> tuple[bytes, Raster | None]:
    if kind == "palette":
        colours = palette(1 << depth)
        raster = pattern(size, 1, len(colours) - 1)
        return tiff.encode(raster, kind, depth, colours, **more), _looked_up(raster, colours)
    raster = pattern(size, 3 if kind == "rgb" else 1, (1 << depth) - 1)
    stream = tiff.encode(raster, kind, depth, **more)
    settled = _scaled(raster)
    if settled and kind == "white_is_0":
        rows = tuple(tuple(tuple(255 - x for x in pixel) for pixel in row) for row in settled.rows)
        settled = Raster(rows, 255)
    return stream, settled


def _jpeg(
    size: tuple[int, int], *, sampling: str = "1x1", waves: bool = False, interval: int = 0
) -> tuple[bytes, Raster | None]:
    known = {"gray": [(1, 1)], "1x1": [(1, 1)] * 3, "2x1": [(2, 1), (1, 1), (1, 1)]}
    known["2x2"] = [(2, 2), (1, 1), (1, 1)]
    if sampling not in known:
        raise BadInputError(f"'{sampling}' is no sampling; known are {', '.join(known)}")

    def block(component: int, row: int, column: int) -> list[int]:
        mean = (37 * row + 71 * column + 101 * component) % 120 - 60
        found = [mean] + [0] * 63
        if waves:
            found[1], found[2], found[17] = 5 - component, 3, -2
            found[40], found[63] = 1, component - 1
        return found

    stream = jpeg.encode(jpeg.Layout(size, known[sampling], _STEP, interval), block)
    if sampling != "gray" or waves:
        return stream, None
    height, width = size
    rows = tuple(
        tuple((128 + block(0, row // 8, column // 8)[0],) for column in range(width))
        for row in range(height)
    )
    return stream, Raster(rows, 255)


def _jpeg2000(
    size: tuple[int, int],
    *,
    gray: bool = False,
    file: bool = False,
    **more: Any,  # noqa: ANN401
) -> tuple[bytes, Raster | None]:
    raster = pattern(size, 1 if gray else 3, 255)
    for key in ("block", "tile"):
        if key in more:
            more[key] = tuple(more[key])
    return jpeg2000.encode(raster, jpeg2000.Style(**more), file=file), raster


def _webp(
    size: tuple[int, int],
    *,
    colours: int = 3,
    indices: int = 0,
    **more: Any,  # noqa: ANN401
) -> tuple[bytes, Raster | None]:
    if indices:
        raster = _looked_up(pattern(size, 1, indices - 1), palette(indices))
    else:
        raster = pattern(size, colours, 255)
    return webp.encode(raster, **more), raster if colours == 3 else None


_MODES = {
    name.lower(): getattr(vp8_tables, name)
    for name in ("DC", "TM", "VE", "HE", "RD", "VR", "LD", "VL", "HD", "HU")
}


def _vp8(
    size: tuple[int, int],
    *,
    luma: Sequence[str] = ("dc",),
    chroma: Sequence[str] = ("dc",),
    each: Sequence[str] = ("dc",),
    great: bool = False,
    gaps: int = 0,
    **header: Any,  # noqa: ANN401
) -> tuple[bytes, Raster | None]:
    across = -(-size[1] // 16)

    def number(*places: int) -> int:
        """Something from 0 to 96 that looks like chance."""
        found = 1
        for place in places:
            found = (31 * found + 17 * place + 5) ** 2 % 9973
        return found % 97

    def coefficient(at: int, block: int, place: int) -> int:
        if block >= 16 and block < 24:  # chroma changes little, as what is between is open
            return number(at, block) % 3 - 1 if place == 0 else 0
        if great and block == 24:
            return (number(at, place) - 48) * (12 if place < 2 else 1)
        if number(at, block, place) % 4 or (place > 9 and block < 16):
            return 0
        return number(place, block, at) % 7 - 3

    def macroblock(row: int, column: int) -> vp8.Macroblock:
        at = row * across + column
        name = luma[at % len(luma)]
        blocks = [[coefficient(at, block, place) for place in range(16)] for block in range(25)]
        return vp8.Macroblock(
            None if name == "blocks" else _MODES[name],
            [_MODES[each[(16 * at + block) % len(each)]] for block in range(16)],
            _MODES[chroma[at % len(chroma)]],
            () if gaps and at % gaps == gaps - 1 else blocks,
            at % 4,
        )

    return vp8.encode(size, vp8.Settings(**header), macroblock), None


_WRITERS: dict[str, Any] = {
    "pnm": _portable,
    "bmp": _bitmap,
    "png": _png,
    "tiff": _tiff,
    "jpeg": _jpeg,
    "jpeg2000": _jpeg2000,
    "webp": _webp,
    "vp8": _vp8,
}
