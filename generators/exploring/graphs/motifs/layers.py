"""Motifs of neural networks: stored weights, and what is fused with the node that has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .arithmetic import activation
from .values import FLOATS, kind_of, need, shape_of

if TYPE_CHECKING:
    from ..growing import Growing


def matrix(g: Growing, x: str) -> None:
    """MatMul or Gemm with stored weights, a bias behind, and what is before it."""
    kind, shape = kind_of(g, x), shape_of(g, x)
    need(true=len(shape) >= 2 and kind in (*FLOATS, "int32", "int64"))
    inner, columns = shape[-1], g.chance.choice((1, 2, 3, 4))
    numbers = (-1, 0, 1, 2, 0.5) if kind in FLOATS else (-1, 0, 1, 2)
    if len(shape) == 2 and g.chance.random() < 0.5:
        across = g.chance.random() < 0.4
        w = g.constant(g.tensor(kind, (columns, inner) if across else (inner, columns), numbers))
        inputs = [x, w]
        if g.chance.random() < 0.6:
            inputs.append(
                g.constant(
                    g.tensor(
                        kind,
                        g.chance.choice(((columns,), (), (shape[0], 1), (1, columns))),
                        numbers,
                    )
                )
            )
        g.node(
            "Gemm",
            *inputs,
            transB=int(across),
            alpha=g.chance.choice((1.0, 1.0, 2.0, 0.5)),
            beta=g.chance.choice((1.0, 1.0, 2.0, 0.0)),
        )
        return
    if g.chance.random() < 0.3:
        order = list(range(len(shape)))
        order[-1], order[-2] = order[-2], order[-1]
        x = g.node("Transpose", x, perm=tuple(order))
        inner = shape_of(g, x)[-1]
    y = g.node("MatMul", x, g.constant(g.tensor(kind, (inner, columns), numbers)))
    if g.chance.random() < 0.6:
        b = g.constant(
            g.tensor(kind, g.chance.choice(((columns,), (), (1,), (1, columns))), numbers)
        )
        g.node("Add", *((y, b) if g.chance.random() < 0.5 else (b, y)))


def convolution(g: Growing, x: str) -> None:
    """Conv with stored weights, perhaps behind Pad, and before Add, Mul or BatchNormalization."""
    kind, shape = kind_of(g, x), shape_of(g, x)
    need(true=len(shape) in (3, 4) and kind in FLOATS)
    spatial = len(shape) - 2
    numbers = (-1, 0, 1, 2, 0.5)
    if g.chance.random() < 0.25:
        pads = [0] * (2 * len(shape))
        pads[2] = pads[len(shape) + 2] = 1
        more = (
            [g.constant(g.tensor(kind, (), (g.chance.choice((0, 1)),)))]
            if g.chance.random() < 0.4
            else []
        )
        x = g.node("Pad", x, g.ints(*pads), *more)
        shape = shape_of(g, x)
    maps = g.chance.choice((1, 2, 3, 4))
    groups = g.chance.choice(
        [n for n in (1, 1, 2, shape[1]) if shape[1] % n == 0 and maps % n == 0]
    )
    kernel = tuple(g.chance.randint(1, min(2, size)) for size in shape[2:])
    w = g.constant(g.tensor(kind, (maps, shape[1] // groups, *kernel), numbers))
    inputs = [x, w]
    if g.chance.random() < 0.4:
        inputs.append(g.constant(g.tensor(kind, (maps,), numbers)))
    y = g.node("Conv", *inputs, group=groups)
    way = g.chance.randrange(5)
    each = (maps, *(1,) * spatial)
    if way == 0:
        g.node(
            "Add",
            y,
            g.constant(
                g.tensor(
                    kind,
                    g.chance.choice(
                        (each, (1, *each), (), shape_of(g, y)[1:], shape_of(g, y)[-1:])
                    ),
                    numbers,
                )
            ),
        )
    elif way == 1:
        g.node(
            "Mul",
            y,
            g.constant(
                g.tensor(
                    kind,
                    g.chance.choice((each, (1, *each), (), shape_of(g, y)[-1:])),
                    (1, 2, 0.5, -1),
                )
            ),
        )
    elif way == 2:
        normalization(g, y)
    elif way == 3:
        activation(g, y)


def normalization(g: Growing, x: str) -> None:
    """BatchNormalization whose deviation is exact."""
    kind, shape = kind_of(g, x), shape_of(g, x)
    need(true=len(shape) >= 2 and kind in FLOATS)
    size = (shape[1],)
    lists = [
        g.constant(g.tensor(kind, size, numbers))
        for numbers in ((1, 2, -1), (0, 1, -1), (0, 1, 2), (1, 4, 0.25))
    ]
    g.node("BatchNormalization", x, *lists, epsilon=0.0)


def pooling(g: Growing, x: str) -> None:
    """MaxPool, or AveragePool of a power of two."""
    kind, shape = kind_of(g, x), shape_of(g, x)
    need(true=len(shape) in (3, 4) and kind in (*FLOATS, "int8", "uint8"))
    kernel = tuple(min(2, size) for size in shape[2:])
    if kind in ("int8", "uint8") or g.chance.random() < 0.6:
        g.node("MaxPool", x, kernel_shape=kernel)
    else:
        g.node(g.chance.choice(("AveragePool", "AveragePool")), x, kernel_shape=kernel)
