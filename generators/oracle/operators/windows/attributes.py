"""What the attributes of pools and convolutions say of their windows, axis by axis.

Sources: the pages MaxPool, AveragePool, LpPool and Conv, Attributes; the equations of MaxPool,
which those pages share. Conv has no equation of its own, and is assumed to mean the same; so has
LpPool before version 18, and none of its equations counts dilations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...arith.windows import (
    Axis,
    halves,
    positions,
    positions_before_end,
    same_padding,
)
from ...attributes import word
from ...errors import InvalidCallError
from ...registry import Call

AUTO_PADS = ("NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")
# What becomes of windows that would start in the padding at the end.
KEPT, UNSTATED, IGNORED = "kept", "unstated", "ignored"


@dataclass(frozen=True)
class Page:
    """What the page of an operator version says of windows, where pages differ.

    Attributes:
        at_end: what it says of windows that would start in the padding at the end: KEPT (it has
            none of that), UNSTATED, IGNORED.
        rounded_down: whether it gives two sizes for `auto_pad` without `ceil_mode`.
        matched: whether all that it says of SAME is that sizes match, strides or not.
        undilated: whether its equations have the kernel's size for what it extends over.
    """

    at_end: str = KEPT
    rounded_down: bool = False
    matched: bool = False
    undilated: bool = False


_CONV = Page()


def window_axes(
    call: Call, sizes: Sequence[int], kernel: Sequence[int], page: Page = _CONV
) -> tuple[Axis, ...]:
    """The window of `auto_pad`, `ceil_mode`, `dilations`, `kernel_shape`, `pads` and `strides`.

    Args:
        call: whose attributes they are; one that the operator does not have is not looked at.
        sizes: of the spatial axes.
        kernel: the taps along each axis.
        page: what the page says of windows.

    Raises InvalidCallError for a list of another length, a number that no window can have, or a
    size below zero.
    """
    rank = len(sizes)
    if len(kernel) != rank:
        raise InvalidCallError(f"a kernel of {len(kernel)} axes for {rank} spatial ones")
    strides = positive(call, "strides", rank)
    dilations = positive(call, "dilations", rank)
    if any(size < 1 for size in kernel):
        raise InvalidCallError(f"kernel_shape {list(kernel)} has a size below 1")
    mode, begins_ends = padding(call, rank)
    return tuple(
        _axis(call, mode, Axis(size, taps, stride, dilation, *padding), page)
        for size, taps, stride, dilation, padding in zip(
            sizes, kernel, strides, dilations, begins_ends, strict=True
        )
    )


def auto_pad(call: Call) -> str:
    """The attribute `auto_pad`; InvalidCallError for a mode that no page lists."""
    return word(call, "auto_pad", AUTO_PADS, "NOTSET")


def positive(call: Call, name: str, rank: int) -> tuple[int, ...]:
    """Strides or dilations: 1 along each axis unless given; InvalidCallError below 1."""
    values = call.ints_attribute(name, (1,) * rank)
    if len(values) != rank:
        raise InvalidCallError(f"{len(values)} {name} for {rank} spatial axes")
    if any(value < 1 for value in values):
        raise InvalidCallError(f"{name} {list(values)} has a number below 1")
    return values


def padding(call: Call, rank: int) -> tuple[str, list[tuple[int, int]]]:
    """The mode of `auto_pad`, and the explicit padding of each axis, which NOTSET alone has.

    The pages exclude the two together and do not say which one counts.
    """
    mode, explicit = auto_pad(call), pads(call, rank)
    if mode == "NOTSET":
        return mode, explicit
    if "pads" in call.attributes:
        question = "pads-beside-auto-pad"
        reading = call.choose(question, "pads-ignored", "auto-pad-ignored", "rejected")
        if reading == "rejected":
            raise InvalidCallError(f"{question}: read as invalid")
        if reading == "auto-pad-ignored":
            return "NOTSET", explicit
    return mode, [(0, 0)] * rank


def pads(call: Call, rank: int) -> list[tuple[int, int]]:
    """The padding of each axis by `pads`: none unless given."""
    if "pads" not in call.attributes:
        return [(0, 0)] * rank
    given = call.ints_attribute("pads")
    if len(given) != 2 * rank:
        raise InvalidCallError(f"{len(given)} pads for {rank} spatial axes")
    if any(width < 0 for width in given):
        raise InvalidCallError(f"pads {list(given)} has a number below 0")
    return list(zip(given[:rank], given[rank:], strict=True))


def _axis(call: Call, mode: str, axis: Axis, page: Page) -> Axis:
    """The axis with its padding and the number of positions."""
    up = call.int_attribute("ceil_mode", 0) != 0
    reach = _reach(call, axis) if page.undilated else axis.extent
    if mode == "NOTSET":
        count = positions(axis.size, reach, axis.stride, axis.begin + axis.end, up=up)
        return _with(axis, _started(call, axis, count, page.at_end, up=up))
    if mode == "VALID":
        count = positions(axis.size, reach, axis.stride, 0)
        floored = (axis.size - reach + 1) // axis.stride
        return _with(axis, _rounded(call, count, floored, asked=page.rounded_down and not up))
    count = _matching(call, axis) if page.matched else -(-axis.size // axis.stride)
    floored = axis.size // axis.stride
    count = _rounded(call, count, floored, asked=page.rounded_down and not up)
    begin, end = _split(call, same_padding(axis.size, reach, axis.stride, count), mode)
    return _with(replace(axis, begin=begin, end=end), count)


def _reach(call: Call, axis: Axis) -> int:
    """The places of a window as the equations of LpPool count them."""
    if axis.extent == axis.kernel:
        return axis.kernel
    reading = call.choose("dilations-in-the-equations", "extent", "kernel")
    return axis.extent if reading == "extent" else axis.kernel


def _matching(call: Call, axis: Axis) -> int:
    """The number of positions with which "the output spatial size match the input"."""
    divided = -(-axis.size // axis.stride)
    if divided == axis.size:
        return divided
    reading = call.choose("size-that-matches", "divided-by-the-stride", "of-the-input")
    return divided if reading == "divided-by-the-stride" else axis.size


def _with(axis: Axis, count: int) -> Axis:
    if count < 0:
        raise InvalidCallError(
            f"a window over {axis.extent} places has no place on an axis of {axis.size} with"
            f" padding {axis.begin} and {axis.end}"
        )
    return replace(axis, count=count)


def _started(call: Call, axis: Axis, count: int, at_end: str, *, up: bool) -> int:
    """The positions without those that start in the padding at the end, where they do not count."""
    kept = positions_before_end(count, axis.size, axis.stride, axis.begin)
    if kept == count or at_end == KEPT or (at_end == UNSTATED and not up):
        return count
    if at_end == IGNORED and up:
        return kept
    reading = call.choose("window-starts-in-end-padding", "ignored", "counted")
    return kept if reading == "ignored" else count


def _rounded(call: Call, count: int, floored: int, *, asked: bool) -> int:
    if not asked or count == floored:
        return count
    reading = call.choose("size-of-auto-pad", "rounded-up", "rounded-down")
    return count if reading == "rounded-up" else floored


def _split(call: Call, total: int, mode: str) -> tuple[int, int]:
    """The padding that makes the size the same; where none is needed, it would be below zero."""
    if total >= 0:
        return halves(total, more_at_end=mode == "SAME_UPPER")
    question = "same-padding-below-zero"
    reading = call.choose(question, "none", "less-at-begin", "less-at-end", "rejected")
    if reading == "rejected":
        raise InvalidCallError(f"{question}: no padding is below zero")
    if reading == "none":
        return 0, 0
    return halves(total, more_at_end=reading == "less-at-begin")
