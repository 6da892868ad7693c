"""MaxUnpool and Col2Im, all versions. Sources: their pages, Summary, Inputs and Attributes.

The page of MaxUnpool counts indices over the tensor from which they come. Without output_shape
that is the output; with one the page says nothing, and ONNX's own example counts as if it were not
given. That Col2Im adds up what falls on one place is on the page of PyTorch's Fold, to which its
page refers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from onnx_conformance.core.values.elements import element_type

from ...accuracy.sums import sum_value
from ...arith.grid import AnyOf, Grid, Item, Shape, any_of, place_of, strides
from ...arith.numbers import NEG_ZERO, ZERO, Complex, add
from ...arith.rounding import is_float, round_to
from ...arith.windows import Axis, counts, positions, windows
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from ..elementwise.arithmetic import held
from .attributes import pads, positive


@oracle("MaxUnpool")
def max_unpool(call: Call) -> Result:
    """Each element put where its index says, among zeros.

    X and I are (N, C, D1 ...) of one shape; an index counts in the flat tensor that MaxPool
    reduced. The output has `output_shape`, or the shape that kernel, strides and pads give.
    Refused: shapes that differ, a kernel for another number of axes, an output_shape with another N
    or C, negative sizes, an index outside.
    """
    x, at = call.grid("X"), call.integers("I")
    if call.grid("I").shape != x.shape or x.rank < 3:
        raise InvalidCallError(f"X has shape {list(x.shape)}, I {list(call.grid('I').shape)}")
    rank = x.rank - 2
    kernel = call.ints_attribute("kernel_shape")
    if len(kernel) != rank or any(size < 1 for size in kernel):
        raise InvalidCallError(f"kernel_shape {list(kernel)} for {rank} spatial axes")
    steps = positive(call, "strides", rank)
    asked = call.has("output_shape")
    around = [(0, 0)] * rank if asked else pads(call, rank)
    own = tuple(
        (size - 1) * step + taps - begin - end
        for size, step, taps, (begin, end) in zip(x.shape[2:], steps, kernel, around, strict=True)
    )
    shape = (*x.shape[:2], *own)
    counted = shape
    if asked:
        shape = call.integers("output_shape")
        if len(shape) != x.rank:
            raise InvalidCallError(f"output_shape has {len(shape)} sizes for {x.rank} axes")
        if shape[:2] != x.shape[:2] or any(size < 0 for size in shape):
            raise InvalidCallError(f"output_shape {list(shape)} for X of {list(x.shape)}")
        if shape != counted:
            reading = call.choose("indices-count-in", "shape-of-attributes", "output-shape")
            counted = shape if reading == "output-shape" else counted
    if any(size < 0 for size in shape):
        raise InvalidCallError(f"the output would have shape {list(shape)}")
    return (Grid(x.type, shape, _placed(call, x, at, counted, shape)),)


def _placed(call: Call, x: Grid, at: Sequence[int], counted: Shape, shape: Shape) -> list[Item]:
    given: dict[int, list[Any]] = {}
    for item, number in zip(x.items, at, strict=True):
        if not 0 <= number < math.prod(counted):
            raise InvalidCallError(f"index {number} for a shape of {list(counted)}")
        index = [
            number // step % size for step, size in zip(strides(counted), counted, strict=True)
        ]
        if any(here >= size for here, size in zip(index, shape, strict=True)):
            raise InvalidCallError(f"index {number} is outside {list(shape)}")
        given.setdefault(place_of(shape, index), []).append(item)
    items: list[Item] = [ZERO] * math.prod(shape)
    for place, found in given.items():
        items[place] = any_of(found)
        if isinstance(items[place], AnyOf):
            refuse_if_chosen(call, "index-given-twice", "one-of-them")
    return items


@oracle("Col2Im")
def columns_to_image(call: Call) -> Result:
    """The elements of each column at the places of its block, added up where blocks overlap."""
    x = call.grid("input")
    image, block = call.integers("image_shape", rank=1), call.integers("block_shape", rank=1)
    rank = len(image)
    if x.rank != 3 or len(block) != rank:
        raise InvalidCallError(f"an input of rank {x.rank}, {len(block)} block sizes for {rank}")
    if any(size < 0 for size in image) or any(size < 1 for size in block):
        raise InvalidCallError(f"an image of {list(image)} and blocks of {list(block)}")
    if rank < 2:
        refuse_if_chosen(call, "one-spatial-axis", "computed")
    steps, dilations = positive(call, "strides", rank), positive(call, "dilations", rank)
    around = pads(call, rank)
    axes = []
    for axis, (begin, end) in enumerate(around):
        one = Axis(image[axis], block[axis], steps[axis], dilations[axis], begin, end)
        count = max(positions(one.size, one.extent, one.stride, begin + end), 0)
        axes.append(replace(one, count=count))
    taps, blocks = math.prod(block), math.prod(counts(axes))
    if x.shape[1] % taps or x.shape[2] != blocks:
        raise InvalidCallError(f"{list(x.shape)} for {blocks} blocks of {taps} elements")
    channels, area = x.shape[1] // taps, math.prod(image)
    gathered: list[list[Any]] = [[] for _ in range(x.shape[0] * channels * area)]
    for column, (_, inside) in enumerate(windows(axes)):
        for plane in range(x.shape[0] * channels):
            for tap, place in inside:
                gathered[plane * area + place].append(
                    x.items[(plane * taps + tap) * blocks + column]
                )
    items = [_total(call, x.type, found) for found in gathered]
    return (Grid(x.type, (x.shape[0], channels, *image), items),)


def _total(call: Call, name: str, items: Sequence[Any]) -> Item:
    kind = element_type(name).kind
    if kind in {"string", "bool"}:
        if len(items) == 1:
            return items[0]  # type: ignore[no-any-return]  # an element
        refuse_if_chosen(call, "sum-of-no-numbers", "any-of-them")
        return items[-1] if items else (b"" if kind == "string" else False)
    if kind == "complex":
        return _complex_total(name, items)
    if not is_float(name):
        return held(call, name, sum(items), "integer-overflow")
    if len(items) == 1 and items[0] is not NEG_ZERO:
        return items[0]  # type: ignore[no-any-return]  # an element
    return sum_value(name, items)


def _complex_total(name: str, items: Sequence[Any]) -> Item:
    """A sum of complex numbers: rounded once, or added up from either end and rounded each time.

    Limits are for real numbers, and so the common orders are named.
    """
    exact: Any = Complex(ZERO, ZERO)
    for item in items:
        exact = add(exact, item)
    # One alone is as it is, or added to 0, which has no sign.
    found = [*items, exact] if len(items) == 1 else [round_to(name, exact)]
    for order in (items, items[::-1]):
        total: Any = Complex(ZERO, ZERO)
        for item in order:
            total = round_to(name, add(total, item))
        found.append(total)
    return any_of(found)
