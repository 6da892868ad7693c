"""DeformConv, all versions. Source: its page, Summary, Inputs and Attributes.

A convolution whose taps are moved by offsets to places between the elements, where X is
interpolated linearly. The offsets of a tap stand side by side, one for each axis, then those of the
next tap, then those of the next group of channels, as the page multiplies their numbers and ONNX's
own examples have it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from ...accuracy.bounds import dot_bound
from ...accuracy.ends import any_number
from ...accuracy.sums import dot_value, exact_dot
from ...arith.grid import Grid, Item, Shape, indices, place_of, strides
from ...arith.numbers import NAN, ONE, ZERO, Real, add, fraction, is_finite, mul, real
from ...arith.rationals import Fraction
from ...arith.rounding import overflow, round_to
from ...arith.rules import rule
from ...arith.windows import counts
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from .convolution import Placement, bias_of, placement_of


@oracle("DeformConv")
def deformable_convolution(call: Call) -> Result:
    """The sums of products of each kernel with the elements that its moved taps find."""
    x, w = call.grid("X"), call.grid("W")
    placement = placement_of(call, x.shape, w.shape)
    taps = math.prod(w.shape[2:])
    found = _Taps(
        call,
        placement,
        x,
        _moves(call, placement, taps),
        _weights(call, placement, taps),
        w.shape[2:],
    )
    bias = bias_of(call, placement.maps)
    width = placement.channels // placement.groups
    items = []
    for image in range(placement.batch):
        for out in range(placement.maps):
            first = out // (placement.maps // placement.groups) * width
            kernel = w.items[out * width * taps : (out + 1) * width * taps]
            for place, position in enumerate(indices(counts(placement.axes))):
                met = [
                    found.at(image, first + channel, tap, place, position)
                    for channel in range(width)
                    for tap in range(taps)
                ]
                items.append(_sum(x.type, met, kernel, bias[out]))
    return (Grid(x.type, placement.shape, items),)


def _groups(call: Call, placement: Placement) -> int:
    groups = call.int_attribute("offset_group", 1)
    if groups < 1 or placement.channels % groups:
        raise InvalidCallError(f"{groups} groups of offsets for {placement.channels} channels")
    return groups


def _moves(call: Call, placement: Placement, taps: int) -> Grid:
    """By how much taps are moved, as [image, group, tap, axis, place]."""
    groups, axes, sizes = _groups(call, placement), len(placement.axes), counts(placement.axes)
    offset = call.grid("offset")
    if offset.shape != (placement.batch, groups * taps * axes, *sizes):
        raise InvalidCallError(f"offset {list(offset.shape)} for {groups} * {taps} * {axes} moves")
    return offset.reshaped((placement.batch, groups, taps, axes, math.prod(sizes)))


def _weights(call: Call, placement: Placement, taps: int) -> Grid | None:
    """What the element of each tap is multiplied with, as [image, group, tap, place]."""
    mask = call.optional_grid("mask")
    if mask is None:
        return None
    groups, axes, sizes = _groups(call, placement), len(placement.axes), counts(placement.axes)
    if axes != 2:
        # The page has one number for each axis of a tap here, and one for each tap with two axes.
        refuse_if_chosen(call, "mask-of-other-ranks", "one-for-each-tap")
    if mask.shape != (placement.batch, groups * taps, *sizes):
        raise InvalidCallError(f"mask {list(mask.shape)} for {groups} * {taps} taps")
    return mask.reshaped((placement.batch, groups, taps, math.prod(sizes)))


@dataclass(frozen=True)
class Met:
    """What a tap finds.

    Attributes:
        value: the interpolated element times its mask.
        size: the sum of the absolute elements that it lies between, times that of the mask and the
            greatest number that its place is computed of.
        bare: the absolute interpolated element without its mask; 0 where it is not finite.
        interpolated: whether it lies between elements, so that its weights may be rounded.
        unsure: whether what is not finite there has a weight or none by how the place is rounded.
    """

    value: Real
    size: Fraction
    bare: Fraction
    interpolated: bool
    unsure: bool


@dataclass(frozen=True)
class _Taps:
    """The taps of all windows.

    Attributes:
        call: what is asked about places beside X.
        placement: of the convolution without offsets.
        x: the tensor.
        moves: as _moves has them.
        mask: as _weights has it.
        kernel: the sizes of the kernel.
    """

    call: Call
    placement: Placement
    x: Grid
    moves: Grid
    mask: Grid | None
    kernel: Shape

    def at(self, image: int, channel: int, tap: int, place: int, position: Shape) -> Met:
        """What a tap finds in a channel, for an element of the output."""
        groups = self.moves.shape[1]
        group = channel // (self.placement.channels // groups)
        weight: Any = ONE
        if self.mask is not None:
            weight = self.mask.items[place_of(self.mask.shape, (image, group, tap, place))]
        where = []
        for axis, (window, inside) in enumerate(
            zip(self.placement.axes, self._of_tap(tap), strict=True)
        ):
            start = position[axis] * window.stride - window.begin + inside * window.dilation
            moved = place_of(self.moves.shape, (image, group, tap, axis, place))
            where.append(add(Fraction(start), self.moves.items[moved]))
        value, size = self._between(image, channel, where)
        found: Any = mul(value, weight)
        between = any(isinstance(at, Fraction) and at.denominator != 1 for at in where)
        size = size * abs(fraction(weight)) if is_finite(weight) else ZERO
        bare = abs(fraction(value)) if is_finite(value) else ZERO
        unsure = between and self._is_unsure(image, channel, where, value)
        return Met(found, size, bare, interpolated=between, unsure=unsure)

    def _is_unsure(self, image: int, channel: int, where: Sequence[Any], value: Real) -> bool:
        """Whether the place in the type of X meets other elements that are not finite.

        A place near an element is the element's own where the sum with an offset is rounded.
        """
        held = [round_to(self.x.type, at) for at in where]
        if held == list(where):
            return False
        other, _ = self._between(image, channel, held)
        return other is not value if not is_finite(other) else not is_finite(value)

    def _of_tap(self, tap: int) -> list[int]:
        steps = strides(self.kernel)
        return [tap // step % size for step, size in zip(steps, self.kernel, strict=True)]

    def _between(self, image: int, channel: int, where: Sequence[Any]) -> tuple[Real, Fraction]:
        """X at a place between its elements, and how large what is added up there is."""
        if any(at is NAN for at in where):
            reading = self.call.choose("place-nowhere", "not-a-number", "zero")
            return (NAN if reading == "not-a-number" else ZERO), ZERO
        start = (image * self.placement.channels + channel) * math.prod(self.x.shape[2:])
        if not all(is_finite(at) for at in where) or not self._near(where):
            return self._just_outside(start, where), ZERO
        if self._beyond_padding(where):
            reading = self.call.choose("beside-the-edge", "interpolated", "zero")
            if reading == "zero":
                return ZERO, ZERO
        total: Any = ZERO
        size = ZERO
        for place, weight in _neighbours(where, self.x.shape[2:]):
            element = self.x.items[start + place]
            if not weight:
                total = add(total, self._without_weight(element))
                continue
            total = add(total, mul(element, weight))
            size += abs(fraction(element)) if is_finite(element) else ZERO
        return total, size * (1 + max(abs(at) for at in where))

    def _just_outside(self, start: int, where: Sequence[Any]) -> Real:
        """What a place adds that has no part of X: 0, or 0 times what is 1 beside it."""
        sizes = self.x.shape[2:]
        if not all(
            is_finite(at) and size and -1 <= at <= size
            for at, size in zip(where, sizes, strict=True)
        ):
            return ZERO
        inside = [min(max(at, ZERO), size - 1) for at, size in zip(where, sizes, strict=True)]
        for place, _ in _neighbours(inside, sizes):
            if not is_finite(self.x.items[start + place]):
                return self._without_weight(self.x.items[start + place])
        return ZERO

    def _without_weight(self, element: Real) -> Real:
        """What an element adds whose weight is 0: nothing, or 0 times it."""
        if is_finite(element):
            return ZERO
        reading = self.call.choose("no-weight-times-infinity", "left-out", "zero-times-it")
        return ZERO if reading == "left-out" else NAN

    def _near(self, where: Sequence[Fraction]) -> bool:
        """Whether an element of X lies beside the place, along every axis."""
        return all(-1 < at < size for at, size in zip(where, self.x.shape[2:], strict=True))

    def _beyond_padding(self, where: Sequence[Fraction]) -> bool:
        return any(
            at < -axis.begin or at > axis.size - 1 + axis.end
            for at, axis in zip(where, self.placement.axes, strict=True)
        )


def _neighbours(where: Sequence[Fraction], sizes: Shape) -> Iterator[tuple[int, Fraction]]:
    """The elements around a place, each with its weight, which may be 0."""
    low = [math.floor(at) for at in where]
    for corner in product((0, 1), repeat=len(where)):
        index = [at + more for at, more in zip(low, corner, strict=True)]
        weight = math.prod(
            (1 - abs(at - here) for at, here in zip(where, index, strict=True)), start=ONE
        )
        if all(0 <= here < size for here, size in zip(index, sizes, strict=True)):
            yield place_of(sizes, index), weight


def _sum(name: str, met: Sequence[Met], kernel: Sequence[Any], bias: Any) -> Item:  # noqa: ANN401  an element or None
    """The sum of the products; interpolation has errors of its own, in the type of X.

    Where no tap lies between elements, and no mask rounds one, it is that of a convolution.
    """
    first, second = [item.value for item in met], list(kernel)
    if bias is not None:
        first, second = [*first, bias], [*second, ONE]
    exact, _, _ = exact_dot(first, second)
    value = real(round_to(name, exact))
    if any(item.unsure for item in met):
        return any_number(ZERO if value is NAN else value, rule("sum"))
    if any(_overflows(name, item, factor) for item, factor in zip(met, kernel, strict=True)):
        return value if value is NAN else any_number(value, rule("sum"))
    if not all(is_finite(item) for item in (*first, *second)):
        return dot_value(name, first, second)
    if not any(item.interpolated or round_to(name, item.value) != item.value for item in met):
        return dot_value(name, first, second)
    sizes = [*[item.size for item in met], ONE]
    factors = [abs(fraction(item)) for item in (*kernel, bias or ZERO)]
    largest = sum((size * item for size, item in zip(sizes, factors, strict=True)), ZERO)
    # A place, its distances to the elements around, and their products, each rounded.
    count = 4 * len(met) + 8
    return dot_bound(name, fraction(exact), largest, count, kept_in=name)  # type: ignore[arg-type]


def _overflows(name: str, item: Met, factor: Any) -> bool:  # noqa: ANN401  an element
    """Whether an element is infinite before its factor or its mask: no page says which is first.

    What comes last multiplies an infinity then, which is NaN where it is 0.
    """
    if is_finite(item.value) and abs(fraction(item.value)) >= overflow(name):
        return True
    return is_finite(factor) and item.bare * abs(fraction(factor)) >= overflow(name)
