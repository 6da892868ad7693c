"""Steps by which a graph grows: each reads one value, and adds one to four nodes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from onnx_conformance.core.values.elements import element_type

from ...oracle.arith.grid import tensor_of_numbers

if TYPE_CHECKING:
    from collections.abc import Callable

    from .growing import Growing

_FLOATS = ("float32", "float16", "float64")


def _kind(g: Growing, x: str) -> str:
    return g.known[x].type


def _shape(g: Growing, x: str) -> tuple[int, ...]:
    return g.known[x].shape


def _need(*, true: bool) -> None:
    """Give up a motif that does not fit."""
    if not true:
        raise ValueError("it does not fit")


def _axis(g: Growing, x: str) -> int:
    return g.chance.randrange(len(_shape(g, x)))


def _narrow(g: Growing, shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape that broadcasts to another."""
    way = g.chance.randrange(4)
    if way == 0:
        return ()
    if way == 1:
        return tuple(1 if g.chance.random() < 0.5 else size for size in shape)
    return shape[g.chance.randint(0, len(shape)) :] if way == 2 else shape


def neutral(g: Growing, x: str) -> None:
    """A node that does nothing, or nearly: adding 0 of a shape that may widen the result."""
    kind, shape = _kind(g, x), _shape(g, x)
    _need(true=kind != "bool")
    operator, number = g.chance.choice((("Add", 0), ("Sub", 0), ("Mul", 1), ("Div", 1)))
    wide = shape if g.chance.random() < 0.5 else (1, *shape)
    one = g.tensor(kind, g.chance.choice(((), (1,), wide, _narrow(g, shape))), (number,))
    c = g.constant(one)
    g.node(operator, *((x, c) if operator in ("Sub", "Div") or g.chance.random() < 0.5 else (c, x)))


def identity(g: Growing, x: str) -> None:
    """Identity, Dropout, or a Cast to the same type."""
    way = g.chance.randrange(3)
    if way == 0:
        g.node("Identity", x)
    elif way == 1 and _kind(g, x) in _FLOATS:
        g.node("Dropout", x)
    else:
        g.node("Cast", x, to=element_type(_kind(g, x)).code)


def there_and_back(g: Growing, x: str) -> None:
    """A Cast to another type and back, which may lose something."""
    kind = _kind(g, x)
    other = g.chance.choice(
        ("float16", "float64", "int32", "int64", "float32", "uint8", "int8", "bool")
    )
    _need(true=other != kind)
    y = g.node("Cast", x, to=element_type(other).code)
    if g.chance.random() < 0.3 and other != "bool":
        y = g.node("Neg" if other != "uint8" else "Identity", y)
    g.node("Cast", y, to=element_type(kind).code)


def double(g: Growing, x: str) -> None:
    """Neg twice, Not twice, Transpose twice, Unsqueeze and Squeeze."""
    kind, shape = _kind(g, x), _shape(g, x)
    if kind == "bool":
        g.node("Not", g.node("Not", x))
        return
    way = g.chance.randrange(4)
    if way == 0:
        _need(true=kind != "uint8")
        g.node("Neg", g.node("Neg", x))
    elif way == 1:
        _need(true=len(shape) > 0)
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
        axes = [at for at, size in enumerate(_shape(g, y)) if size == 1]
        g.node("Squeeze", y, g.ints(g.chance.choice(axes)))


def reshape(g: Growing, x: str) -> None:
    """One or two Reshapes, with 0 and -1 among the new dimensions, or a Flatten."""
    for _ in range(g.chance.choice((1, 2))):
        shape = _shape(g, x)
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
    rank = len(_shape(g, x))
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
    _need(true=len(_shape(g, x)) > 0)
    order = list(range(len(_shape(g, x))))
    g.chance.shuffle(order)
    g.node("Transpose", x, perm=tuple(order))


def pointwise(g: Growing, x: str) -> None:
    """A node with a constant or another value: arithmetic that stays exact."""
    kind, shape = _kind(g, x), _shape(g, x)
    _need(true=kind != "bool")
    alike = [name for name in g.open if g.known[name].type == kind and name != x]
    other = g.chance.choice(alike) if alike and g.chance.random() < 0.4 else ""
    operator = g.chance.choice(("Add", "Sub", "Mul", "Max", "Min", "Add", "Mul"))
    if not other:
        numbers = (
            (-2, -1, 0.5, 1, 2, 4)
            if operator == "Mul" and kind in _FLOATS
            else (0, 1, 2, 3)
            if kind == "uint8"
            else (-2, -1, 1, 2, 3)
        )
        other = g.constant(g.tensor(kind, _narrow(g, shape), numbers))
    g.node(operator, *((x, other) if g.chance.random() < 0.6 else (other, x)))


def activation(g: Growing, x: str) -> None:
    """A function of one element that is exact for such numbers."""
    kind = _kind(g, x)
    if kind not in _FLOATS:
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
        slope = g.constant(g.tensor(kind, _narrow(g, _shape(g, x)), (0.5, 2, 0, -1)))
        g.node("PRelu", x, slope)
    elif way == 6:
        g.node("ThresholdedRelu", x, alpha=1.0)
    else:
        g.node(g.chance.choice(("Neg", "Abs", "Sign", "Floor", "Ceil")), x)


def matrix(g: Growing, x: str) -> None:
    """MatMul or Gemm with stored weights, a bias behind, and what stands before it."""
    kind, shape = _kind(g, x), _shape(g, x)
    _need(true=len(shape) >= 2 and kind in (*_FLOATS, "int32", "int64"))
    inner, columns = shape[-1], g.chance.choice((1, 2, 3, 4))
    numbers = (-1, 0, 1, 2, 0.5) if kind in _FLOATS else (-1, 0, 1, 2)
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
        inner = _shape(g, x)[-1]
    y = g.node("MatMul", x, g.constant(g.tensor(kind, (inner, columns), numbers)))
    if g.chance.random() < 0.6:
        b = g.constant(
            g.tensor(kind, g.chance.choice(((columns,), (), (1,), (1, columns))), numbers)
        )
        g.node("Add", *((y, b) if g.chance.random() < 0.5 else (b, y)))


def convolution(g: Growing, x: str) -> None:
    """Conv with stored weights, perhaps behind Pad, and before Add, Mul or BatchNormalization."""
    kind, shape = _kind(g, x), _shape(g, x)
    _need(true=len(shape) in (3, 4) and kind in _FLOATS)
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
        shape = _shape(g, x)
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
                    g.chance.choice((each, (1, *each), (), _shape(g, y)[1:], _shape(g, y)[-1:])),
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
                    g.chance.choice((each, (1, *each), (), _shape(g, y)[-1:])),
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
    kind, shape = _kind(g, x), _shape(g, x)
    _need(true=len(shape) >= 2 and kind in _FLOATS)
    size = (shape[1],)
    lists = [
        g.constant(g.tensor(kind, size, numbers))
        for numbers in ((1, 2, -1), (0, 1, -1), (0, 1, 2), (1, 4, 0.25))
    ]
    g.node("BatchNormalization", x, *lists, epsilon=0.0)


def pooling(g: Growing, x: str) -> None:
    """MaxPool, or AveragePool of a power of two."""
    kind, shape = _kind(g, x), _shape(g, x)
    _need(true=len(shape) in (3, 4) and kind in (*_FLOATS, "int8", "uint8"))
    kernel = tuple(min(2, size) for size in shape[2:])
    if kind in ("int8", "uint8") or g.chance.random() < 0.6:
        g.node("MaxPool", x, kernel_shape=kernel)
    else:
        g.node(g.chance.choice(("AveragePool", "AveragePool")), x, kernel_shape=kernel)


def reduction(g: Growing, x: str) -> None:
    """A sum, the greatest, or the place of it."""
    _need(true=_kind(g, x) != "bool")
    operator = g.chance.choice(
        ("ReduceSum", "ReduceMax", "ReduceMin", "ReduceMean", "ArgMax", "ReduceProd")
    )
    axis, keep = _axis(g, x), g.chance.randrange(2)
    if operator == "ArgMax":
        g.node(operator, x, axis=axis, keepdims=keep)
    elif operator == "ReduceSum" or g.opset >= 18:
        g.node(operator, x, g.ints(axis), keepdims=keep)
    else:
        g.node(operator, x, axes=(axis,), keepdims=keep)


def selection(g: Growing, x: str) -> None:
    """Slice, Gather, or a part of a Split."""
    shape = _shape(g, x)
    axis = _axis(g, x)
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
        _need(true=size >= 2)
        first = g.chance.randint(1, size - 1)
        g.node("Split", x, g.ints(first, size - first), outputs=2, axis=axis)
    else:
        g.node("Slice", x, g.ints(0), g.ints(2**31 - 1), g.ints(axis))


def joining(g: Growing, x: str) -> None:
    """Concat with itself, a constant or another value."""
    shape, axis = _shape(g, x), _axis(g, x)
    alike = [n for n in g.open if g.known[n].type == _kind(g, x) and g.known[n].shape == shape]
    other = g.chance.choice([*alike, g.constant(g.tensor(_kind(g, x), shape))])
    g.node("Concat", *((x, other) if g.chance.random() < 0.6 else (other, x, other)), axis=axis)


def choosing(g: Growing, x: str) -> None:
    """A comparison and Where, or a Cast of the comparison."""
    kind = _kind(g, x)
    _need(true=kind != "bool")
    c = g.constant(g.tensor(kind, _narrow(g, _shape(g, x)), (0, 1, 2)))
    y = g.node(g.chance.choice(("Less", "Greater", "Equal", "GreaterOrEqual", "LessOrEqual")), x, c)
    if g.chance.random() < 0.3:
        y = g.node("Not", y)
    if g.chance.random() < 0.6:
        g.node("Where", y, x, g.constant(g.tensor(kind, _narrow(g, _shape(g, x)))))
    else:
        g.node("Cast", y, to=element_type(kind).code)


def quantized(g: Growing, x: str) -> None:
    """QuantizeLinear and DequantizeLinear with a scale of a power of two, a node between."""
    kind, shape = _kind(g, x), _shape(g, x)
    _need(true=kind == "float32")
    scale = g.chance.choice((0.5, 1, 2, 0.25))
    along = len(shape) > 0 and g.chance.random() < 0.3
    axis = _axis(g, x) if along else 0
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


def repeated(g: Growing, x: str) -> None:
    """Tile, Expand or Pad, some of which do nothing."""
    shape = _shape(g, x)
    way = g.chance.randrange(3)
    if way == 0:
        g.node("Tile", x, g.ints(*[g.chance.choice((1, 1, 2)) for _ in shape]))
    elif way == 1:
        g.node("Expand", x, g.ints(*[size if g.chance.random() < 0.5 else 1 for size in shape]))
    else:
        pads = [g.chance.choice((0, 0, 1)) for _ in range(2 * len(shape))]
        g.node("Pad", x, g.ints(*pads), mode=g.chance.choice(("constant", "edge")))


def twice_read(g: Growing, x: str) -> None:
    """A value that two nodes read, whose results meet again."""
    kind = _kind(g, x)
    _need(true=kind not in {"bool", "uint8"})
    a = g.node(g.chance.choice(("Neg", "Abs", "Relu", "Identity")), x)
    b = g.node(g.chance.choice(("Neg", "Abs", "Relu", "Identity")), x)
    g.node(g.chance.choice(("Add", "Sub", "Mul", "Max")), a, b)


def folded(g: Growing, x: str) -> None:
    """Constants that meet each other before they meet a value."""
    kind = _kind(g, x)
    _need(true=kind not in ("bool", "uint8"))
    dims = _narrow(g, _shape(g, x))
    a, b = g.constant(g.tensor(kind, dims)), g.constant(g.tensor(kind, _narrow(g, dims)))
    c = g.node(g.chance.choice(("Add", "Mul", "Sub", "Max")), a, b)
    if g.chance.random() < 0.4:
        c = g.node(g.chance.choice(("Neg", "Abs", "Relu")), c)
    g.node(g.chance.choice(("Add", "Mul", "Sub")), x, c)


def spread(g: Growing, x: str) -> None:
    """CumSum, DepthToSpace's inverse pair, OneHot's like: what mixes places."""
    _need(true=_kind(g, x) in ("float32", "float64", "int32", "int64"))
    g.node(
        "CumSum",
        x,
        g.constant(tensor_of_numbers("int64", (), [_axis(g, x)])),
        reverse=g.chance.randrange(2),
        exclusive=g.chance.randrange(2),
    )


MOTIFS: tuple[Callable[[Growing, str], None], ...] = (
    neutral,
    neutral,
    identity,
    there_and_back,
    there_and_back,
    double,
    double,
    reshape,
    through_shape,
    transpose,
    transpose,
    pointwise,
    pointwise,
    activation,
    activation,
    matrix,
    matrix,
    convolution,
    convolution,
    normalization,
    pooling,
    reduction,
    selection,
    selection,
    joining,
    choosing,
    quantized,
    quantized,
    repeated,
    twice_read,
    folded,
    spread,
)
