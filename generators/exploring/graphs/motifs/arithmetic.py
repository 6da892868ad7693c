"""Motifs that compute element by element, or along an axis, with results that stay exact."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onnx_conformance.core.values.elements import element_type

from ....oracle.arith.grid import tensor_of_numbers
from .values import FLOATS, kind_of, narrow, need, shape_of, some_axis

if TYPE_CHECKING:
    from ..growing import Growing


def pointwise(g: Growing, x: str) -> None:
    """A node with a constant or another value: arithmetic that stays exact."""
    kind, shape = kind_of(g, x), shape_of(g, x)
    need(true=kind != "bool")
    alike = [name for name in g.open if g.known[name].type == kind and name != x]
    other = g.chance.choice(alike) if alike and g.chance.random() < 0.4 else ""
    operator = g.chance.choice(("Add", "Sub", "Mul", "Max", "Min", "Add", "Mul"))
    if not other:
        numbers = (
            (-2, -1, 0.5, 1, 2, 4)
            if operator == "Mul" and kind in FLOATS
            else (0, 1, 2, 3)
            if kind == "uint8"
            else (-2, -1, 1, 2, 3)
        )
        other = g.constant(g.tensor(kind, narrow(g, shape), numbers))
    g.node(operator, *((x, other) if g.chance.random() < 0.6 else (other, x)))


def activation(g: Growing, x: str) -> None:
    """A function of one element that is exact for such numbers."""
    kind = kind_of(g, x)
    if kind not in FLOATS:
        g.node(g.chance.choice(("Abs", "Sign", "Relu", "Clip")), x)
        return
    way = g.chance.randrange(8)
    if way < 2:
        g.node("Relu", x)
    elif way == 2:
        g.node("LeakyRelu", x, alpha=g.chance.choice((0.5, 0.25, 0.0, 2.0, -1.0)))
    elif way == 3:
        low, high = sorted(g.chance.sample((-3, -1, 0, 1, 2, 6), 2))
        bounds = [g.constant(g.tensor(kind, (), (value,))) for value in (low, high)]
        given = g.chance.choice(((x, *bounds), (x, bounds[0]), (x, "", bounds[1])))
        g.node("Clip", *given)
    elif way == 4:
        g.node("HardSigmoid", x, alpha=0.25, beta=0.5)
    elif way == 5:
        slope = g.constant(g.tensor(kind, narrow(g, shape_of(g, x)), (0.5, 2, 0, -1)))
        g.node("PRelu", x, slope)
    elif way == 6:
        g.node("ThresholdedRelu", x, alpha=1.0)
    else:
        g.node(g.chance.choice(("Neg", "Abs", "Sign", "Floor", "Ceil")), x)


def reduction(g: Growing, x: str) -> None:
    """A sum, the greatest, or the place of it."""
    need(true=kind_of(g, x) != "bool")
    operator = g.chance.choice(
        ("ReduceSum", "ReduceMax", "ReduceMin", "ReduceMean", "ArgMax", "ReduceProd")
    )
    axis, keep = some_axis(g, x), g.chance.randrange(2)
    if operator == "ArgMax":
        g.node(operator, x, axis=axis, keepdims=keep)
    elif operator == "ReduceSum" or g.opset >= 18:
        g.node(operator, x, g.ints(axis), keepdims=keep)
    else:
        g.node(operator, x, axes=(axis,), keepdims=keep)


def choosing(g: Growing, x: str) -> None:
    """A comparison and Where, or a Cast of the comparison."""
    kind = kind_of(g, x)
    need(true=kind != "bool")
    c = g.constant(g.tensor(kind, narrow(g, shape_of(g, x)), (0, 1, 2)))
    y = g.node(g.chance.choice(("Less", "Greater", "Equal", "GreaterOrEqual", "LessOrEqual")), x, c)
    if g.chance.random() < 0.3:
        y = g.node("Not", y)
    if g.chance.random() < 0.6:
        g.node("Where", y, x, g.constant(g.tensor(kind, narrow(g, shape_of(g, x)))))
    else:
        g.node("Cast", y, to=element_type(kind).code)


def twice_read(g: Growing, x: str) -> None:
    """A value that two nodes read, whose results meet again."""
    kind = kind_of(g, x)
    need(true=kind not in {"bool", "uint8"})
    a = g.node(g.chance.choice(("Neg", "Abs", "Relu", "Identity")), x)
    b = g.node(g.chance.choice(("Neg", "Abs", "Relu", "Identity")), x)
    g.node(g.chance.choice(("Add", "Sub", "Mul", "Max")), a, b)


def folded(g: Growing, x: str) -> None:
    """Constants that meet each other before they meet a value."""
    kind = kind_of(g, x)
    need(true=kind not in ("bool", "uint8"))
    dims = narrow(g, shape_of(g, x))
    a, b = g.constant(g.tensor(kind, dims)), g.constant(g.tensor(kind, narrow(g, dims)))
    c = g.node(g.chance.choice(("Add", "Mul", "Sub", "Max")), a, b)
    if g.chance.random() < 0.4:
        c = g.node(g.chance.choice(("Neg", "Abs", "Relu")), c)
    g.node(g.chance.choice(("Add", "Mul", "Sub")), x, c)


def spread(g: Growing, x: str) -> None:
    """CumSum, DepthToSpace's inverse pair, OneHot's like: what mixes places."""
    need(true=kind_of(g, x) in ("float32", "float64", "int32", "int64"))
    g.node(
        "CumSum",
        x,
        g.constant(tensor_of_numbers("int64", (), [some_axis(g, x)])),
        reverse=g.chance.randrange(2),
        exclusive=g.chance.randrange(2),
    )
