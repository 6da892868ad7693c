"""ImageDecoder: an encoded image as pixels, of a stream that is recorded.

Source: the ImageDecoder page. What a stream holds is recorded (`oracle.recorded`); how pixels are
presented is computed, and what the page leaves open, such as how many bits become eight, is left
open here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...arith.grid import Grid, any_of
from ...attributes import word
from ...errors import InvalidCallError
from ...recorded.pictures import Picture
from ...recorded.streams import picture_in
from ...registry import Call, Result, oracle, refuse_if_chosen

_RGB, _BGR, _GRAYSCALE = "RGB", "BGR", "Grayscale"
_BYTE = 255


@oracle("ImageDecoder")
def image_decoder(call: Call) -> Result:
    """Height, width and channels of the image; an empty matrix if there is none.

    UnansweredError for a stream that is not recorded.
    """
    stream = call.grid("encoded_stream")
    if stream.type != "uint8":
        raise InvalidCallError(f"the stream is {stream.type}")
    if stream.rank != 1:
        refuse_if_chosen(call, "stream-of-another-rank", "row-major")
    pixel_format = word(call, "pixel_format", (_RGB, _BGR, _GRAYSCALE))
    picture = picture_in(bytes(stream.items))
    if picture is None:
        return (_nothing(call, 1 if pixel_format == _GRAYSCALE else 3),)
    if picture.alpha is not None and any(item < picture.depth for item in picture.alpha):
        picture = _covered(call, picture, picture.alpha)
    if picture.depth > _BYTE:
        picture = _narrowed(call, picture)
    channels = 1 if pixel_format == _GRAYSCALE else 3
    pixels = _pixels(call, picture, pixel_format)
    items = [any_of(sample) for pixel in pixels for sample in pixel]
    return (Grid("uint8", (picture.height, picture.width, channels), items),)


def _nothing(call: Call, channels: int) -> Grid:
    """The empty matrix: the page does not say of which shape."""
    shapes = {"three-axes": (0, 0, channels), "no-channels": (0, 0, 0), "two-axes": (0, 0)}
    shapes["one-axis"] = (0,)
    return Grid("uint8", shapes[call.choose("shape-of-nothing", *shapes)], ())


def _covered(call: Call, picture: Picture, alpha: Sequence[int]) -> Picture:
    """Transparent pixels without their transparency: the output has no channel for it."""
    reading = call.choose("transparency", "dropped", "before-black", "before-white")
    if reading == "dropped":
        return picture
    depth = picture.depth
    behind = depth if reading == "before-white" else 0
    samples = []
    for at, (value, *_) in enumerate(picture.samples):
        cover = alpha[at // picture.channels]
        samples.append(((2 * (value * cover + behind * (depth - cover)) + depth) // (2 * depth),))
    return replace(picture, samples=samples, alpha=None)


def _narrowed(call: Call, picture: Picture) -> Picture:
    """Samples of more than 8 bits in 8: the high byte, or the nearest."""
    reading = call.choose("more-than-8-bits", "nearest", "high-byte")
    depth = picture.depth
    samples = [
        (
            (2 * _BYTE * value + depth) // (2 * depth)
            if reading == "nearest"
            else value * (_BYTE + 1) // (depth + 1),
        )
        for (value, *_) in picture.samples
    ]
    return replace(picture, samples=samples, depth=_BYTE)


def _pixels(call: Call, picture: Picture, pixel_format: str) -> Sequence[Sequence[tuple[int, ...]]]:
    samples = picture.samples
    if picture.channels == 1:
        return [(item,) * (1 if pixel_format == _GRAYSCALE else 3) for item in samples]
    pixels = [tuple(samples[at : at + 3]) for at in range(0, len(samples), 3)]
    if pixel_format == _RGB:
        return pixels
    if pixel_format == _BGR:
        return [pixel[::-1] for pixel in pixels]
    return [(_gray(call, pixel),) for pixel in pixels]


def _gray(call: Call, pixel: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The gray value of a colour: its channels if all are equal; else by weights no page gives."""
    if len(set(pixel)) == 1:
        return pixel[0]
    reading = call.choose("shade-of-a-colour", "bt-601", "bt-709")
    weights = (299, 587, 114) if reading == "bt-601" else (213, 715, 72)
    total = sum(weight * item[0] for weight, item in zip(weights, pixel, strict=True))
    return ((2 * total + 1000) // 2000,)
