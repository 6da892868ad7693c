"""The limits of a grid as tensors; and whether a tensor is within them.

Limits are numbers of the element type, so that a judge in any language only compares: low <= got <=
high, in the order in which -0 is before +0; where NaN is expected, only NaN.
"""

from __future__ import annotations

from functools import partial
from operator import itemgetter
from typing import Any

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import Tensor

from ..arith.grid import AnyOf, Enclosed, Grid, Item, grid_of, is_plain, tensor_of_numbers, value_of
from ..arith.numbers import (
    INF,
    NAN,
    NEG_INF,
    NEG_ZERO,
    ZERO,
    Complex,
    Number,
    Real,
    fraction,
    is_nan,
    order,
    real,
)
from ..arith.once import different, each_once
from ..arith.rationals import Fraction
from ..arith.rounding import Rounding, encode, float_format, greatest, is_float, overflow, round_to
from ..arith.rules import CHOICE, merged
from .profiles import IEEE, PROFILES


def limits_of(grid: Grid) -> dict[str, tuple[Tensor, Tensor]]:
    """The tensors of the lowest and the highest accepted numbers, for each profile.

    Profiles in which every element must be one number have no entry. A limit is the outermost
    number of the element type that the rule permits. An element that is AnyOf has limits if its
    numbers are neighbours; other choices are in `alternatives_of`.
    """
    found: dict[str, tuple[Tensor, Tensor]] = {}
    if is_plain(grid):
        return found
    ends = each_once(partial(_ends, grid.type), grid.items)
    for place, profile in enumerate(PROFILES):
        pairs = each_once(itemgetter(place), ends)
        if any(low != high for low, high in pairs):
            found[profile] = (
                tensor_of_numbers(grid.type, grid.shape, [low for low, _ in pairs]),
                tensor_of_numbers(grid.type, grid.shape, [high for _, high in pairs]),
            )
    return found


def rules_of(grid: Grid) -> tuple[dict[str, Any], ...]:
    """The rules by which the limits were derived, each once, in the form of data.json."""
    found = dict.fromkeys(
        item.rule if isinstance(item, Enclosed) else CHOICE
        for item in different(grid.items).values()
        if isinstance(item, (AnyOf, Enclosed))
    )
    return merged(item.to_json() for item in found if item is not None)


def alternatives_of(grid: Grid) -> tuple[Tensor, ...]:
    """Tensors of the further numbers of elements that limits cannot express.

    An element may equal the one at its place in any of these tensors, independently of the others.
    """
    if is_plain(grid):
        return ()
    choices = each_once(partial(_choices, grid.type), grid.items)
    count = max(map(len, choices), default=1)
    return tuple(
        tensor_of_numbers(
            grid.type, grid.shape, [numbers[min(way, len(numbers) - 1)] for numbers in choices]
        )
        for way in range(1, count)
    )


def _choices(name: str, item: Item) -> tuple[Number, ...]:
    """The numbers of an element that limits cannot express, the preferred one first."""
    if isinstance(item, AnyOf) and _span(name, item) is None:
        return item.numbers
    if isinstance(item, Enclosed) and item.or_nan:
        return item.value, NAN
    return (value_of(item),)


def misfits(grid: Grid, tensor: Tensor, profile: str = IEEE) -> list[int]:
    """The places of the elements that a profile does not accept; type and shape must be equal."""
    if (tensor.type, tensor.shape) != (grid.type, grid.shape):
        raise ValueError(f"{tensor.type}{list(tensor.shape)} for {grid.type}{list(grid.shape)}")
    return [
        place
        for place, (item, got) in enumerate(zip(grid.items, grid_of(tensor).items, strict=True))
        if not accepts(grid.type, item, got, profile)
    ]


def accepts(name: str, item: Item, got: Number, profile: str = IEEE) -> bool:
    """Whether a profile accepts a number for an element."""
    if isinstance(item, AnyOf):
        return any(accepts(name, number, got, profile) for number in item.numbers)
    if not is_float(name):
        return got == value_of(item)
    if isinstance(item, Enclosed) and item.or_nan and got is NAN:
        return True
    low, high = ends_of(name, item, profile)
    if isinstance(got, (Complex, bytes)) or isinstance(low, (Complex, bytes)):
        return got == low
    if is_nan(got) or is_nan(low):
        return is_nan(got) and (is_nan(low) or (low is NEG_INF and high is INF))
    return order(low) <= order(got) <= order(real(high))


def _ends(name: str, item: Item) -> tuple[tuple[Number, Number], ...]:
    """The lowest and the highest number of each profile, in their order."""
    if isinstance(item, Enclosed) and (item.low, item.high) == (item.gpu_low, item.gpu_high):
        return (ends_of(name, item, IEEE),) * len(PROFILES)
    return tuple(ends_of(name, item, profile) for profile in PROFILES)


def ends_of(name: str, item: Item, profile: str) -> tuple[Number, Number]:
    """The lowest and the highest number of the type that a profile accepts for an element."""
    if isinstance(item, AnyOf):
        return _span(name, item) or (_nearest(name, item.numbers[0]),) * 2
    if not isinstance(item, Enclosed) or is_nan(item.value):
        return (_nearest(name, value_of(item)),) * 2
    nearest = real(_nearest(name, item.value))
    low, high = (item.low, item.high) if profile == IEEE else (item.gpu_low, item.gpu_high)
    inner_low = _inwards(name, real(low), Rounding.UP)
    inner_high = _inwards(name, real(high), Rounding.DOWN)
    if type(nearest) is type(inner_low) is type(inner_high) is Fraction:  # which need no key
        return min(inner_low, nearest), max(inner_high, nearest)
    return min(inner_low, nearest, key=order), max(inner_high, nearest, key=order)


def _inwards(name: str, end: Real, direction: Rounding) -> Real:
    """The outermost number of the type within a limit; an infinity if the limit rounds to it."""
    if end is INF or end is NEG_INF:
        return end
    if abs(fraction(end)) > greatest(name):
        finite = abs(fraction(end)) < overflow(name)
        if fraction(end) > 0:
            return greatest(name) if finite else INF
        return -greatest(name) if finite else NEG_INF
    return real(round_to(name, end, rounding=direction))


def _span(name: str, item: AnyOf) -> tuple[Number, Number] | None:
    """The least and the greatest of numbers without a gap between them, else None."""
    if element_type(name).kind in ("complex", "string", "bool") or NAN in item.numbers:
        return None
    numbers = sorted((real(_nearest(name, number)) for number in item.numbers), key=order)
    steps = {_place(name, number) for number in numbers}
    filled = max(steps) - min(steps) == len(steps) - 1
    return (numbers[0], numbers[-1]) if filled else None


def _place(name: str, number: Real) -> int:
    """The number's place among all of its type, in order."""
    if not is_float(name):
        return int(fraction(number))
    code, bits = encode(name, number), float_format(name).magnitude_bits
    magnitude = code & ((1 << bits) - 1)
    if not code >> bits:
        return magnitude
    # -0 is a separate step if the type has it.
    return -magnitude - (encode(name, NEG_ZERO) != encode(name, ZERO))


def _nearest(name: str, number: Number) -> Number:
    kind = element_type(name).kind
    return round_to(name, number) if kind in ("float", "complex") else number
