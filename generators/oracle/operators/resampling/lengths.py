"""How long each axis of a Resize is afterwards, and by what scale.

Source: Resize's page, Summary, Inputs roi, scales and sizes, keep_aspect_ratio_policy and axes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...accuracy.profiles import HALF
from ...arith.grid import Grid, normalize_axis
from ...arith.numbers import ONE, ZERO, fraction, is_finite
from ...arith.rationals import Fraction
from ...attributes import word
from ...errors import InvalidCallError
from ...registry import Call, refuse_if_chosen
from .coordinates import BY_SCALE, Length, rounded32

CROP = "tf_crop_and_resize"
_AXES_SINCE = 18
_MOST_ELEMENTS = 1 << 20
_EXCLUSIVE_SINCE = 13


@dataclass(frozen=True)
class Method:
    """How an axis is resized.

    Attributes:
        mode: `nearest`, `linear` or `cubic`.
        transformation: the coordinate_transformation_mode.
        nearest_mode: where a coordinate between two elements goes.
        cubic: the coefficient of the cubic kernel.
        antialias, exclude: the attributes antialias and exclude_outside.
    """

    mode: str
    transformation: str = "half_pixel"
    nearest_mode: str = "round_prefer_floor"
    cubic: Fraction = Fraction(-3, 4)
    antialias: bool = False
    exclude: bool = False


def chosen_axes(call: Call, rank: int) -> tuple[int, ...]:
    """The axes that roi, scales and sizes are for, counted from the front."""
    given = call.attributes.get("axes")
    if call.since_version < _AXES_SINCE or given is None:
        return tuple(range(rank))
    axes = tuple(normalize_axis(axis, rank) for axis in call.ints_attribute("axes"))
    if len(set(axes)) != len(axes):
        refuse_if_chosen(call, "repeated-axis", "last-counts")
    return axes


def lengths_of(call: Call, x: Grid, axes: Sequence[int], method: Method) -> list[Length]:
    """Each axis before and after."""
    count = len(axes)
    rois = [(ZERO, ONE)] * x.rank
    if method.transformation == CROP:
        for place, (axis, ends) in enumerate(zip(axes, _roi(call, count), strict=True)):
            rois[axes[place]] = ends if axis == axes[place] else rois[axis]
    policies = ("stretch", "not_larger", "not_smaller")
    policy = word(call, "keep_aspect_ratio_policy", policies, "stretch")
    if _by_scales(call):
        if policy != "stretch":
            refuse_if_chosen(call, "policy-beside-scales", "without-effect")
        scales = dict(zip(axes, scales_of(call, count, least=0), strict=True))
        found = [
            scaled_length(call, size, scales.get(axis, ONE), rois[axis])
            for axis, size in enumerate(x.shape)
        ]
    else:
        found = _sized(call, x, axes, policy)
    return settled(
        call, [replace(one, roi=roi) for one, roi in zip(found, rois, strict=True)], method
    )


def _by_scales(call: Call) -> bool:
    """Whether scales and not sizes are given: an empty tensor is none at version 11, later open."""
    given = [name for name in ("scales", "sizes") if call.has(name)]
    if len(given) == 2:
        given = [name for name in given if call.grid(name).items]
        if len(given) == 1 and call.since_version >= _EXCLUSIVE_SINCE:
            refuse_if_chosen(call, "empty-for-absent", "absent")
    if given == ["scales"] and not call.grid("X").rank:
        refuse_if_chosen(call, "no-axis-at-all", "as-it-is")
    if len(given) != 1:
        raise InvalidCallError("one of scales and sizes is to be given")
    return given == ["scales"]


def _roi(call: Call, count: int) -> list[tuple[Fraction, Fraction]]:
    if not call.has("roi"):
        refuse_if_chosen(call, "crop-without-roi", "everything")
        return [(ZERO, ONE)] * count
    roi = call.grid("roi")
    if roi.rank != 1 or len(roi.items) != 2 * count:
        raise InvalidCallError(f"roi has shape {list(roi.shape)} for {count} axes")
    if not all(is_finite(item) for item in roi.items):
        raise InvalidCallError("a number of the roi is not finite")
    numbers = [fraction(item) for item in roi.items]
    return list(zip(numbers[:count], numbers[count:], strict=True))


def scales_of(call: Call, count: int, *, least: int) -> list[Fraction]:
    """The input or attribute `scales`; at least 1 where it is Upsample's, else above 0."""
    scales = call.grid("scales")
    if scales.shape != (count,):
        raise InvalidCallError(f"scales has shape {list(scales.shape)} for {count} axes")
    return checked(list(scales.items), least=least)


def checked(scales: Sequence[object], *, least: int) -> list[Fraction]:
    """Scales that an operator takes: at least 1, or above 0."""
    if not all(is_finite(scale) for scale in scales):  # type: ignore[arg-type]  # elements
        raise InvalidCallError("a scale is not finite")
    numbers = [fraction(scale) for scale in scales]  # type: ignore[arg-type]
    if any(scale < least or not scale for scale in numbers):
        raise InvalidCallError("a scale is below what the page asks for")
    return numbers


def scaled_length(
    call: Call, size: int, scale: Fraction, roi: tuple[Fraction, Fraction] = (ZERO, ONE)
) -> Length:
    """`floor(input_dimension * (roi_end - roi_start) * scale)`."""
    part = roi[1] - roi[0]
    if part != 1:
        reading = call.choose("size-of-a-roi", "of-the-roi", "of-the-axis")
        part = part if reading == "of-the-roi" else ONE
    full = size * part * scale
    if full < 0:
        raise InvalidCallError("the output would be shorter than nothing")
    resized = math.floor(full)
    if math.floor(rounded32(full)) != resized:
        reading = call.choose("size-beside-a-whole-number", "exact", "in-float32")
        full = full if reading == "exact" else rounded32(full)
        resized = math.floor(full)
    return Length(size, resized, scale, given=True, full=full, roi=roi)


def _sized(call: Call, x: Grid, axes: Sequence[int], policy: str) -> list[Length]:
    """By sizes, or by one scale for all axes that some size sets."""
    sizes = call.integers("sizes")
    if call.grid("sizes").shape != (len(axes),):
        raise InvalidCallError(f"sizes for {len(axes)} axes has shape {call.grid('sizes').shape}")
    if any(size < 0 for size in sizes):
        raise InvalidCallError("a size is below 0")
    wanted = dict(zip(axes, sizes, strict=True))
    if any(not size and x.shape[axis] for axis, size in wanted.items()):
        refuse_if_chosen(call, "size-of-0", "nothing")
    if any(size and not x.shape[axis] for axis, size in wanted.items()):
        raise InvalidCallError("elements of an axis that has none")
    if policy != "stretch" and wanted:
        choose = min if policy == "not_larger" else max
        common = choose(Fraction(size, x.shape[axis]) for axis, size in wanted.items())
        found = []
        for axis, size in enumerate(x.shape):
            scale = common if axis in wanted else ONE
            resized = math.floor(scale * size + HALF)
            found.append(Length(size, resized, scale, given=False, full=scale * size))
        return found
    return [
        Length(size, to, Fraction(to, size or 1), given=False, full=Fraction(to))
        for size, to in ((size, wanted.get(axis, size)) for axis, size in enumerate(x.shape))
    ]


def _require_room(lengths: Sequence[Length]) -> None:
    """InvalidCallError for an output that nobody can hold, such as a scale of 1e38 asks for."""
    if math.prod(one.resized for one in lengths) > _MOST_ELEMENTS:
        raise InvalidCallError("the output has more elements than can be held")


def settled(call: Call, lengths: Sequence[Length], method: Method) -> list[Length]:
    """The axes with one scale and one length each: the page has two of both."""
    _require_room(lengths)
    uneven = [one for one in lengths if not _is_whole(one)]
    by_scale = method.transformation in BY_SCALE or (method.antialias and method.mode != "nearest")
    if uneven and by_scale:
        reading = call.choose("which-scale", "given", "of-lengths")
        if reading == "of-lengths":
            lengths = [
                one
                if _is_whole(one)
                else replace(one, scale=Fraction(one.resized, one.original), given=False)
                for one in lengths
            ]
    if method.transformation in {"align_corners", CROP}:
        if uneven:
            reading = call.choose("length-resized", "of-the-tensor", "before-rounding")
        if not uneven or reading == "of-the-tensor":
            lengths = [replace(one, full=Fraction(one.resized)) for one in lengths]
    elif method.transformation == "half_pixel_symmetric":
        lengths = [
            replace(one, full=Fraction(one.resized)) if _is_whole(one) else one for one in lengths
        ]
    return list(lengths)


def _is_whole(one: Length) -> bool:
    """Whether the length is whole before it is rounded, as far as float32 tells."""
    return rounded32(one.full) == one.resized
