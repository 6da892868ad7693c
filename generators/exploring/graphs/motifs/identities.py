"""Motifs that do nothing, or nearly: what an optimizer takes away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onnx_conformance.core.values.elements import element_type

from .values import FLOATS, kind_of, narrow, need, shape_of

if TYPE_CHECKING:
    from ..growing import Growing


def neutral(g: Growing, x: str) -> None:
    """A node that does nothing, or nearly: adding 0 of a shape that may widen the result."""
    kind, shape = kind_of(g, x), shape_of(g, x)
    need(true=kind != "bool")
    operator, number = g.chance.choice((("Add", 0), ("Sub", 0), ("Mul", 1), ("Div", 1)))
    wide = shape if g.chance.random() < 0.5 else (1, *shape)
    one = g.tensor(kind, g.chance.choice(((), (1,), wide, narrow(g, shape))), (number,))
    c = g.constant(one)
    g.node(operator, *((x, c) if operator in ("Sub", "Div") or g.chance.random() < 0.5 else (c, x)))


def identity(g: Growing, x: str) -> None:
    """Identity, Dropout, or a Cast to the same type."""
    way = g.chance.randrange(3)
    if way == 0:
        g.node("Identity", x)
    elif way == 1 and kind_of(g, x) in FLOATS:
        g.node("Dropout", x)
    else:
        g.node("Cast", x, to=element_type(kind_of(g, x)).code)


def there_and_back(g: Growing, x: str) -> None:
    """A Cast to another type and back, which may lose something."""
    kind = kind_of(g, x)
    other = g.chance.choice(
        ("float16", "float64", "int32", "int64", "float32", "uint8", "int8", "bool")
    )
    need(true=other != kind)
    y = g.node("Cast", x, to=element_type(other).code)
    if g.chance.random() < 0.3 and other != "bool":
        y = g.node("Neg" if other != "uint8" else "Identity", y)
    g.node("Cast", y, to=element_type(kind).code)


def double(g: Growing, x: str) -> None:
    """Neg twice, Not twice, Transpose twice, Unsqueeze and Squeeze."""
    kind, shape = kind_of(g, x), shape_of(g, x)
    if kind == "bool":
        g.node("Not", g.node("Not", x))
        return
    way = g.chance.randrange(4)
    if way == 0:
        need(true=kind != "uint8")
        g.node("Neg", g.node("Neg", x))
    elif way == 1:
        need(true=len(shape) > 0)
        order = list(range(len(shape)))
        g.chance.shuffle(order)
        y = g.node("Transpose", x, perm=tuple(order))
        back = (
            list(order)
            if g.chance.random() < 0.4
            else [order.index(at) for at in range(len(order))]
        )
        g.node("Transpose", y, perm=tuple(back))
    elif way == 2:
        g.node("Relu" if g.chance.random() < 0.5 else "Abs", g.node("Relu", x))
    else:
        y = g.node("Unsqueeze", x, g.ints(g.chance.randint(0, len(shape))))
        axes = [at for at, size in enumerate(shape_of(g, y)) if size == 1]
        g.node("Squeeze", y, g.ints(g.chance.choice(axes)))
