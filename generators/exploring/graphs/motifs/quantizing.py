"""Motifs that quantize: pairs of QuantizeLinear and DequantizeLinear, a node between."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .values import kind_of, need, shape_of, some_axis

if TYPE_CHECKING:
    from ..growing import Growing


def quantized(g: Growing, x: str) -> None:
    """QuantizeLinear and DequantizeLinear with a scale of a power of two, a node between."""
    kind, shape = kind_of(g, x), shape_of(g, x)
    need(true=kind == "float32")
    scale = g.chance.choice((0.5, 1, 2, 0.25))
    along = len(shape) > 0 and g.chance.random() < 0.3
    axis = some_axis(g, x) if along else 0
    dims: tuple[int, ...] = (shape[axis],) if along else ()
    s = g.constant(g.tensor("float32", dims, (scale,) if not along else (0.5, 1, 2)))
    target = g.chance.choice(("uint8", "int8", "int8"))
    z = g.constant(g.tensor(target, dims, (0, 1, 3)))
    y = g.node("QuantizeLinear", x, s, z, axis=axis)
    way = g.chance.randrange(4)
    if way == 0:
        order = list(range(len(shape)))
        g.chance.shuffle(order)
        y = g.node("Transpose", y, perm=tuple(order))
        axis = order.index(axis) if along and g.chance.random() < 0.5 else axis
    elif way == 1:
        y = g.node("Reshape", y, g.ints(*shape, 1))
    y = g.node("DequantizeLinear", y, s, z, axis=axis)
    if way == 2:
        z2 = g.constant(g.tensor(target, dims, (0, 1, 3)))
        g.node("QuantizeLinear", g.node("Relu", y), s, z2, axis=axis)
