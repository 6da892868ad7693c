"""Pad 1 to 25: elements put before and behind each axis, or removed.

Source: the Pad page, Summary, Inputs and Attributes. Version 1 calls the list `paddings`, version 2
`pads`, and both fill with a float; since 11 the list and the constant are inputs, since 18 the axes
that they are for may be given, and since 19 there is the mode `wrap`.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...arith.grid import Grid, normalize_axis, strides
from ...arith.numbers import ZERO, Number, from_float
from ...arith.rounding import round_to, zero_of
from ...attributes import word
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from ...scalars import require_scalar

# For each position along an axis of the output the index that is put there; None is constant.
Sources = list[int | None]

_PADS = 2
_INPUTS = 11
_WRAP = 19


@oracle("Pad")
def pad(call: Call) -> Result:
    """The data between pads, which are constant or repeat the data.

    Pads are what comes before each axis, then what comes after each, for all axes or those of
    `axes`; a negative one cuts elements off. Refused: an unknown mode, pads for another number of
    axes, a negative size of the output, nothing to repeat along an axis that must grow.
    """
    data = call.grid("data")
    known = ("constant", "reflect", "edge") + (("wrap",) if call.since_version >= _WRAP else ())
    mode = word(call, "mode", known, "constant")
    widths = _widths(call, data.rank)
    shape = tuple(size + begin + end for size, (begin, end) in zip(data.shape, widths, strict=True))
    if any(size < 0 for size in shape):
        raise InvalidCallError(f"pads leave {list(shape)} of {list(data.shape)}")
    constant = _constant(call, data.type) if mode == "constant" else None
    # Where there is no element, an axis beside may have nothing to repeat.
    if 0 in shape:
        return (Grid(data.type, shape, ()),)
    sources = [
        _sources(call, mode, size, begin, end)
        for size, (begin, end) in zip(data.shape, widths, strict=True)
    ]
    return (Grid(data.type, shape, _items(data, sources, constant)),)


def _items(data: Grid, sources: Sequence[Sources], constant: Number | bytes | None) -> list[object]:
    """The elements of the output, axis by axis from the first."""
    found: list[int | None] = [0]
    for along, step in zip(sources, strides(data.shape), strict=True):
        found = [
            None if place is None or index is None else place + index * step
            for place in found
            for index in along
        ]
    return [constant if place is None else data.items[place] for place in found]


def _widths(call: Call, rank: int) -> list[tuple[int, int]]:
    """What is added before and behind each axis; below 0 what is removed."""
    axes = tuple(range(rank))
    if call.has("axes"):
        if call.grid("axes").rank != 1:
            raise InvalidCallError("'axes' is no list")
        axes = tuple(normalize_axis(axis, rank) for axis in call.integers("axes"))
        if len(set(axes)) < len(axes):
            refuse_if_chosen(call, "repeated-axis", "last-one-holds")
    pads = _pads(call)
    if len(pads) != 2 * len(axes):
        raise InvalidCallError(f"{len(pads)} pads for {len(axes)} axes")
    if call.since_version < _PADS and any(width < 0 for width in pads):
        refuse_if_chosen(call, "negative-paddings", "removed")
    widths = [(0, 0)] * rank
    for place, axis in enumerate(axes):
        widths[axis] = (pads[place], pads[place + len(axes)])
    return widths


def _pads(call: Call) -> tuple[int, ...]:
    if call.since_version < _PADS:
        return call.ints_attribute("paddings")
    if call.since_version < _INPUTS:
        return call.ints_attribute("pads")
    if call.grid("pads").rank != 1:
        refuse_if_chosen(call, "pads-of-another-rank", "in-row-major-order")
    return call.integers("pads")


def _constant(call: Call, type_name: str) -> Number | bytes:
    """What fills the pads in mode constant."""
    if call.since_version < _INPUTS:
        return round_to(type_name, from_float(call.float_attribute("value", 0.0)))
    if not call.has("constant_value"):
        return _nothing(call, type_name)
    return require_scalar(call, "constant_value", "constant-value-of-one-element")


def _nothing(call: Call, type_name: str) -> Number | bytes:
    """0, an empty string or false."""
    if type_name == "float8e8m0":  # its least number is 2^-127
        refuse_if_chosen(call, "type-without-zero", "nearest")
        return round_to(type_name, ZERO)
    return zero_of(type_name)


def _sources(call: Call, mode: str, size: int, begin: int, end: int) -> Sources:
    """The indices along one axis of the output."""
    wanted = range(-begin, size + end)
    if mode == "constant":
        return [index if 0 <= index < size else None for index in wanted]
    if not size and wanted:
        raise InvalidCallError(f"mode '{mode}' has nothing to repeat on an axis of size 0")
    first, last = max(0, -begin), size - 1 - max(0, -end)
    if mode == "reflect" and (-wanted.start > last - first or wanted[-1] - last > last - first):
        refuse_if_chosen(call, "reflect-beyond-the-data", "to-and-fro")
    whole = [_repeated(mode, index, 0, size - 1) for index in wanted]
    if first > last:
        # What is cut away first leaves nothing to repeat.
        refuse_if_chosen(call, "cut-and-padded", "padded-first")
        return list(whole)
    cut = [_repeated(mode, index, first, last) for index in wanted]
    if cut == whole:
        return list(cut)
    reading = call.choose("cut-and-padded", "cut-first", "padded-first", "rejected")
    if reading == "rejected":
        raise InvalidCallError("elements are cut away and others repeated")
    return list(cut if reading == "cut-first" else whole)


def _repeated(mode: str, index: int, first: int, last: int) -> int:
    """Which of the indices from first to last stands at an index beyond them."""
    length = last - first + 1
    if mode == "edge":
        return min(max(index, first), last)
    if mode == "wrap":
        return first + (index - first) % length
    if length == 1:
        return first
    there = (index - first) % (2 * length - 2)
    return first + min(there, 2 * length - 2 - there)
