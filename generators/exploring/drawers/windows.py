"""Operators that slide windows over spatial axes, or sample between elements."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .values import exact

if TYPE_CHECKING:
    from .sketch import Shape, Sketch


_AVERAGED = ("float32", "float16", "float64", "bfloat16", "int32", "uint8", "int8")


def _geometry(d: Sketch, rank: int, *, dilate: bool = True) -> tuple[Shape, Shape, Shape]:
    """Sizes of the axes, kernels, and paddings (begins, then ends); each kernel fits.

    Strides, dilations, pads or auto_pad are given by the way, where the version has them.
    """
    kernel = tuple(d.pick(1, 2, 2, 3) for _ in range(rank))
    stride = tuple(d.pick(1, 1, 2, 3) for _ in range(rank))
    may = dilate and d.has("dilations") and d.often(0.3)
    dilation = tuple(d.pick(1, 2) if may else 1 for _ in range(rank))
    extent = [(k - 1) * w + 1 for k, w in zip(kernel, dilation, strict=True)]
    pads: Shape = ()
    auto = d.pick("NOTSET", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER") if d.often(0.35) else ""
    if auto:
        d.give("auto_pad", auto)
    if auto in ("", "NOTSET") and d.often(0.6):
        pads = tuple(d.chance.randint(0, k - 1) for _ in range(2) for k in kernel)
        d.give("pads", pads)
    if any(item > 1 for item in stride) or d.often(0.3):
        d.give("strides", stride)
    if may:
        d.give("dilations", dilation)
    room = 9 if rank == 1 else 6 if rank == 2 else 4
    sizes = tuple(max(e, d.chance.randint(1, room)) for e in extent)
    return sizes, kernel, pads


def convolution(d: Sketch) -> None:
    """Data in groups of channels, kernels that fit, a bias for each map."""
    d.most = 80
    rank = d.pick(1, 1, 2, 2, 2, 3)
    sizes, kernel, _ = _geometry(d, rank)
    groups = d.pick(1, 1, 1, 2, 3)
    own, maps = d.pick(1, 1, 2, 3), groups * d.pick(1, 1, 2)
    x, w = d.version.inputs[0].name, d.version.inputs[1].name
    if d.takes("x_scale"):
        x, w = "x", "w"
    batch = d.pick(1, 1, 2)
    d.data(x, (batch, groups * own, *sizes))
    transposed = d.has("output_padding")
    if transposed:
        d.data(w, (groups * own, maps // groups, *kernel))
        d.attributes.pop("auto_pad", None)
    else:
        d.data(w, (maps, own, *kernel))
    if groups > 1:
        d.give("group", groups)
    d.sometimes("kernel_shape", kernel)
    if d.takes("x_scale"):
        _scales(d, maps)
    elif d.takes("x_zero_point"):
        for name in ("x_zero_point", "w_zero_point"):
            if d.often():
                d.data(name, ())
    elif d.takes("B") and d.often():
        d.data("B", (maps,))


def _scales(d: Sketch, maps: int) -> None:
    """Scales and zero points of QLinearConv."""
    for name in ("x", "w", "y"):
        d.data(f"{name}_scale", (), least=0)
        d.data(f"{name}_zero_point", ())
    if d.often(0.4):
        d.data("B", (maps,))


def pooling(d: Sketch) -> None:
    """Windows that lie on some element."""
    d.most = 80
    rank = d.pick(1, 2, 2, 3)
    sizes, kernel, _ = _geometry(d, rank)
    d.data("X", (d.pick(1, 1, 2), d.pick(1, 2, 3), *sizes))
    d.give("kernel_shape", kernel)
    if "auto_pad" not in d.attributes:
        d.flag("ceil_mode")
    d.flag("count_include_pad")
    if d.has("p"):
        d.sometimes("p", d.pick(1, 2, 3))
    if d.has("storage_order"):
        d.flag("storage_order")
        d.requested = ("Y",) if d.often() else ()


def global_pooling(d: Sketch) -> None:
    """All spatial axes are one window."""
    d.most = 80
    d.data("X", (d.pick(1, 2), d.pick(1, 2, 3), *d.full(1, 2, 3)))
    if d.has("p"):
        d.sometimes("p", d.pick(1, 2, 3))


def resize(d: Sketch) -> None:
    """Factors that are powers of two mostly; sizes with rank 1 to 4."""
    d.most = 40
    shape = tuple(min(size, 6) for size in d.full(1, 2, 3, 4))
    modes = ["nearest", "linear"]
    if d.version.since_version >= 11:
        modes.append("cubic")
    mode = d.pick(*modes)
    d.give("mode", mode)
    if mode != "nearest":
        d.retype("T1", *_AVERAGED)
        d.retype("T", *_AVERAGED)
    d.data("X", shape)
    moved = [d.pick(1.0, 2.0, 0.5, 1.5, 3.0) for _ in shape]
    if mode != "nearest" and len(shape) > 2:
        moved[: len(shape) - 2] = [1.0] * (len(shape) - 2)
    if d.takes("sizes") and d.often(0.4):
        d.whole("sizes", [max(1, math.floor(s * f)) for s, f in zip(shape, moved, strict=True)])
    else:
        d.floats("scales", moved)
    if d.takes("roi") and d.version.since_version < 13:
        d.floats("roi", [0.0] * len(shape) + [1.0] * len(shape))
        if "sizes" in d.inputs:
            d.floats("scales", [])
    _resizing(d, mode)


def _resizing(d: Sketch, mode: str) -> None:
    """How places are found and rounded."""
    if d.has("coordinate_transformation_mode"):
        known = ["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"]
        d.sometimes("coordinate_transformation_mode", d.pick(*known))
    if mode == "nearest":
        known = ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"]
        d.sometimes("nearest_mode", d.pick(*known))
    elif d.often(0.3):
        d.flag("antialias")
    if mode == "cubic":
        d.number("cubic_coeff_a", -0.75, -0.5)
        d.flag("exclude_outside")


def upsample(d: Sketch) -> None:
    """Factors of at least 1."""
    d.most = 24
    shape = tuple(min(size, 5) for size in d.full(4))
    mode = d.pick("nearest", "linear") if d.version.since_version >= 7 else "nearest"
    d.give("mode", mode)
    if mode == "linear":
        d.retype("T", *_AVERAGED)
    d.data("X", shape)
    factors = [1.0, 1.0, d.pick(1.0, 2.0, 3.0), d.pick(1.0, 2.0, 1.5)]
    if d.takes("scales"):
        d.floats("scales", factors)
    elif d.has("scales"):
        d.give("scales", tuple(factors))
    else:
        d.give("height_scale", factors[2])
        d.give("width_scale", factors[3])


def grid_sample(d: Sketch) -> None:
    """Places near the image."""
    d.most = 40
    rank = 2 if d.version.since_version < 20 else d.pick(2, 2, 3)
    sizes = tuple(d.pick(1, 2, 3, 4) for _ in range(rank))
    batch = d.pick(1, 2)
    d.retype("T1", *_AVERAGED)
    d.data("X", (batch, d.pick(1, 2), *sizes))
    dims = (batch, *[d.pick(1, 2, 3) for _ in range(rank)], rank)
    d.inputs["grid"] = exact(d.type_of("grid"), dims, d.chance)
    modes = (
        ["bilinear", "nearest", "bicubic"]
        if d.version.since_version < 20
        else ["linear", "nearest"]
    )
    d.sometimes("mode", d.pick(*modes))
    d.sometimes("padding_mode", d.pick("zeros", "border", "reflection"))
    d.flag("align_corners")


def roi_align(d: Sketch) -> None:
    """Regions within the image."""
    d.most = 40
    height, width, count = d.pick(2, 3, 5), d.pick(2, 3, 4), d.pick(1, 2)
    batch = d.pick(1, 2)
    d.data("X", (batch, d.pick(1, 2), height, width))
    corners = []
    for _ in range(count):
        x, y = d.chance.randrange(width), d.chance.randrange(height)
        corners += [x, y, d.chance.randint(x, width), d.chance.randint(y, height)]
    d.whole("rois", corners, (count, 4))
    d.whole("batch_indices", [d.chance.randrange(batch) for _ in range(count)])
    d.sometimes("output_height", d.pick(1, 2, 3))
    d.sometimes("output_width", d.pick(1, 2))
    d.sometimes("sampling_ratio", d.pick(1, 2))
    d.sometimes("mode", d.pick("avg", "max"))
    d.number("spatial_scale", 1.0, 0.5)


def max_roi_pool(d: Sketch) -> None:
    """Regions within the image, with its number in front."""
    height, width, count, batch = d.pick(2, 3, 5), d.pick(2, 3, 4), d.pick(1, 2), d.pick(1, 2)
    d.data("X", (batch, d.pick(1, 2), height, width))
    corners = []
    for _ in range(count):
        x, y = d.chance.randrange(width), d.chance.randrange(height)
        corners += [
            d.chance.randrange(batch),
            x,
            y,
            d.chance.randint(x, width - 1),
            d.chance.randint(y, height - 1),
        ]
    d.whole("rois", corners, (count, 5))
    d.give("pooled_shape", (d.pick(1, 2), d.pick(1, 2)))


def affine_grid(d: Sketch) -> None:
    """A matrix for each image of a size."""
    rank = d.pick(2, 3)
    batch = d.pick(1, 2)
    d.data("theta", (batch, rank, rank + 1))
    d.whole("size", [batch, 1, *[d.pick(1, 2, 3) for _ in range(rank)]])
    d.flag("align_corners")


def unpooling(d: Sketch) -> None:
    """Different indices within the output."""
    height, width = d.pick(1, 2), d.pick(1, 2, 3)
    d.data("X", (1, 1, height, width))
    places = d.chance.sample(range(4 * height * width), height * width)
    d.whole("I", places, (1, 1, height, width))
    d.give("kernel_shape", (2, 2))
    d.give("strides", (2, 2))


def columns(d: Sketch) -> None:
    """Blocks of an image, as many as there are places."""
    height, width, kernel, batch, channels = (
        d.pick(2, 3, 4),
        d.pick(2, 3),
        d.pick(1, 2),
        1,
        d.pick(1, 2),
    )
    places = (height - kernel + 1) * (width - kernel + 1)
    d.data("input", (batch, channels * kernel * kernel, places))
    d.whole("image_shape", [height, width])
    d.whole("block_shape", [kernel, kernel])


def non_max_suppression(d: Sketch) -> None:
    """Boxes with corners in order."""
    boxes, classes, batch = d.some(5), d.some(3), d.pick(1, 2)
    corners = []
    for _ in range(batch * boxes):
        y, x = d.chance.randint(0, 4), d.chance.randint(0, 4)
        corners += [y, x, y + d.pick(1, 2, 3), x + d.pick(1, 2, 3)]
    d.whole("boxes", corners, (batch, boxes, 4))
    d.inputs["scores"] = d.positive("float32", (batch, classes, boxes))
    if d.often(0.8):
        d.whole(
            "max_output_boxes_per_class",
            [d.pick(0, 1, 2, 9)],
            d.pick((), (1,)) if d.version.since_version >= 11 else (1,),
        )
    if d.often(0.5) and "max_output_boxes_per_class" in d.inputs:
        d.floats("iou_threshold", [d.pick(0.0, 0.5, 1.0, 0.25)])
        if d.often(0.5):
            d.floats("score_threshold", [d.pick(0.0, 1.5, 2.0)])
