"""Motifs that move elements, and compute nothing: shapes, axes, parts, copies."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ....oracle.arith.grid import tensor_of_numbers
from .values import kind_of, need, shape_of, some_axis

if TYPE_CHECKING:
    from ..growing import Growing


def reshape(g: Growing, x: str) -> None:
    """One or two Reshapes, with 0 and -1 among the new dimensions, or a Flatten."""
    for _ in range(g.chance.choice((1, 2))):
        shape = shape_of(g, x)
        count = math.prod(shape)
        if g.chance.random() < 0.2:
            x = g.node("Flatten", x, axis=g.chance.randint(0, len(shape)))
            continue
        new: list[int] = []
        rest = count
        while rest > 1:
            factor = g.chance.choice([f for f in range(1, rest + 1) if rest % f == 0])
            new.append(factor)
            rest //= factor
        g.chance.shuffle(new)
        new = new or [1]
        for place, size in enumerate(new):
            if place < len(shape) and shape[place] == size and g.chance.random() < 0.4:
                new[place] = 0
        if g.chance.random() < 0.4:
            new[g.chance.randrange(len(new))] = -1
        x = g.node("Reshape", x, g.ints(*new))


def through_shape(g: Growing, x: str) -> None:
    """A Reshape to a shape that other nodes compute: Shape, Gather, Slice, Concat."""
    shape = g.node("Shape", x)
    rank = len(shape_of(g, x))
    way = g.chance.randrange(3)
    if way == 0:
        g.node("Reshape", x, g.node("Concat", shape, g.ints(1), axis=0))
    elif way == 1:
        first = g.node(
            "Gather",
            shape,
            g.constant(tensor_of_numbers("int64", (1,), [g.chance.randrange(-rank, rank)])),
            axis=0,
        )
        g.node("Reshape", x, g.node("Concat", first, g.ints(-1), axis=0))
    else:
        g.node("Expand", x, g.node("Concat", g.ints(2), shape, axis=0))


def transpose(g: Growing, x: str) -> None:
    """Axes in another order."""
    need(true=len(shape_of(g, x)) > 0)
    order = list(range(len(shape_of(g, x))))
    g.chance.shuffle(order)
    g.node("Transpose", x, perm=tuple(order))


def selection(g: Growing, x: str) -> None:
    """Slice, Gather, or a part of a Split."""
    shape = shape_of(g, x)
    axis = some_axis(g, x)
    size = shape[axis]
    way = g.chance.randrange(4)
    if way == 0:
        step = g.chance.choice((1, 1, 2, -1))
        ends = (0, size) if step > 0 else (size - 1, -size - 1)
        g.node("Slice", x, g.ints(ends[0]), g.ints(ends[1]), g.ints(axis), g.ints(step))
    elif way == 1:
        places = [g.chance.randrange(-size, size) for _ in range(g.chance.randint(1, 3))]
        index = tensor_of_numbers("int64", (len(places),), places)
        if g.chance.random() < 0.4:
            index = tensor_of_numbers("int64", (), places[:1])
        g.node("Gather", x, g.constant(index), axis=axis)
    elif way == 2:
        need(true=size >= 2)
        first = g.chance.randint(1, size - 1)
        g.node("Split", x, g.ints(first, size - first), outputs=2, axis=axis)
    else:
        g.node("Slice", x, g.ints(0), g.ints(2**31 - 1), g.ints(axis))


def joining(g: Growing, x: str) -> None:
    """Concat with itself, a constant or another value."""
    shape, axis = shape_of(g, x), some_axis(g, x)
    alike = [n for n in g.open if g.known[n].type == kind_of(g, x) and g.known[n].shape == shape]
    other = g.chance.choice([*alike, g.constant(g.tensor(kind_of(g, x), shape))])
    g.node("Concat", *((x, other) if g.chance.random() < 0.6 else (other, x, other)), axis=axis)


def repeated(g: Growing, x: str) -> None:
    """Tile, Expand or Pad, some of which do nothing."""
    shape = shape_of(g, x)
    way = g.chance.randrange(3)
    if way == 0:
        g.node("Tile", x, g.ints(*[g.chance.choice((1, 1, 2)) for _ in shape]))
    elif way == 1:
        g.node("Expand", x, g.ints(*[size if g.chance.random() < 0.5 else 1 for size in shape]))
    else:
        pads = [g.chance.choice((0, 0, 1)) for _ in range(2 * len(shape))]
        g.node("Pad", x, g.ints(*pads), mode=g.chance.choice(("constant", "edge")))
