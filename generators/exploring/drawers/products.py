"""Matrix products, quantization, recurrences and attention."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .values import exact

if TYPE_CHECKING:
    from .sketch import Shape, Sketch


_EQUATIONS = (
    "ij,jk->ik",
    "ij->ji",
    "ii->i",
    "ij->",
    "bij,bjk->bik",
    "i,j->ij",
    "ij,ij->ij",
    "...ij->...ji",
    "ij,j->i",
    "ijk->kij",
    "bi,bj->b",
)


def matmul(d: Sketch) -> None:
    """Matrices in stacks that broadcast, or vectors."""
    d.most = 60
    a, b = d.version.inputs[0].name, d.version.inputs[1].name
    if d.takes("a_scale"):
        a, b = "a", "b"
    inner, rows, columns = d.pick(1, 2, 3, 5, 8, 17), d.some(5), d.some(5)
    stack = tuple(d.pick(1, 2, 3) for _ in range(d.pick(0, 0, 1, 2)))
    ways: list[tuple[Shape, Shape]] = [
        ((*stack, rows, inner), (*stack, inner, columns)),
        ((*stack, rows, inner), (inner, columns)),
    ]
    if not d.takes("a_scale"):
        ways += [((inner,), (*stack, inner, columns)), ((*stack, rows, inner), (inner,))]
    one, other = d.pick(*ways)
    d.data(a, one)
    d.data(b, other)
    if d.takes("a_scale"):
        for name in ("a", "b", "y"):
            d.data(f"{name}_scale", (), least=0)
            d.data(f"{name}_zero_point", ())
    elif d.takes("a_zero_point"):
        if d.often():
            d.data("a_zero_point", ())
        if d.often():
            d.data("b_zero_point", ())


def gemm(d: Sketch) -> None:
    """Two matrices, either transposed, and what broadcasts to the product."""
    d.most = 60
    rows, inner, columns = d.some(5), d.pick(1, 2, 3, 7, 16), d.some(5)
    first = d.flag("transA", 0.5)
    second = d.flag("transB", 0.5)
    d.data("A", (inner, rows) if first else (rows, inner))
    d.data("B", (columns, inner) if second else (inner, columns))
    full: list[Shape] = [(rows, columns)]
    if d.version.since_version >= 7:
        full += [(columns,), (1,), (), (rows, 1), (1, columns)]
    if d.version.since_version < 11 or d.often(0.7):
        d.data("C", d.pick(*full))
    d.number("alpha")
    d.number("beta")


def einsum(d: Sketch) -> None:
    """Usual equations, with a size for each letter."""
    equation = d.pick(*_EQUATIONS)
    sizes = {letter: d.pick(1, 2, 3, 4) for letter in "bijk"}
    tensors = []
    for term in equation.split("->")[0].split(","):
        shape = tuple(sizes[letter] for letter in term.replace("...", ""))
        tensors.append(
            d.values("Inputs", d.type_of("Inputs"), ((2, *shape) if "..." in term else shape))
        )
    d.many("Inputs", tensors)
    d.give("equation", equation)


def quantize(d: Sketch) -> None:
    """A scale for all, for each slice, or for each block."""
    for variable in ("S", "T2", "T1", "T"):
        if d.types.get(variable) == "float8e8m0":
            d.retype(variable, "float32", "float16")
    scale, zero = ("y_scale", "y_zero_point") if d.takes("y_scale") else ("x_scale", "x_zero_point")
    shape = d.full(1, 2, 3)
    dims: Shape = ()
    if d.version.since_version >= 13 and d.often():
        axis = d.axis(len(shape))
        d.give("axis", axis)
        dims = (shape[axis],)
        if d.has("block_size") and d.often(0.3):
            block = d.chance.randint(1, max(1, shape[axis]))
            d.give("block_size", block)
            at = axis % len(shape)
            dims = (*shape[:at], math.ceil(shape[at] / block), *shape[at + 1 :])
    if not dims and d.version.since_version >= 13:
        d.give("axis", 0)
    d.data("x", shape)
    d.data(scale, dims, least=0)
    if d.often(0.7):
        kind = d.type_of(zero)
        count = math.prod(dims)
        if kind == "int32" or "float" in kind:
            d.whole(zero, [0] * count, dims)
        else:
            d.data(zero, dims)


def dynamic_quantize(d: Sketch) -> None:
    """Floats with a finite range."""
    d.inputs["x"] = exact("float32", d.full(0, 1, 2), d.chance)


def recurrent(d: Sketch) -> None:
    """Small sequences, in one or both directions; lengths, states and activations sometimes."""
    d.most = 24
    gates = {"LSTM": 4, "GRU": 3}.get(d.spec.operator, 1)
    length, batch, width, hidden = d.pick(1, 2, 3), d.pick(1, 2), d.pick(1, 2), d.pick(1, 2)
    direction = d.pick("forward", "reverse", "bidirectional")
    ways = 2 if direction == "bidirectional" else 1
    if direction != "forward" or d.often(0.3):
        d.give("direction", direction)
    layout = d.has("layout") and d.flag("layout", 0.3)
    d.data("X", (batch, length, width) if layout else (length, batch, width))
    d.data("W", (ways, gates * hidden, width))
    d.data("R", (ways, gates * hidden, hidden))
    d.give("hidden_size", hidden)
    if d.often():
        d.data("B", (ways, 2 * gates * hidden))
    if d.often(0.4):
        d.whole("sequence_lens", [d.chance.randint(1, length) for _ in range(batch)])
    state = (batch, ways, hidden) if layout else (ways, batch, hidden)
    for other in ("initial_h", "initial_c"):
        if d.takes(other) and d.often(0.5):
            d.data(other, state)
    if d.takes("P") and d.often(0.3):
        d.data("P", (ways, 3 * hidden))
    if d.often(0.2):
        d.give("clip", d.pick(0.5, 2.0))
    d.flag("linear_before_reset")


def attention(d: Sketch) -> None:
    """Heads on an axis of their own; fewer heads of keys; a mask and causal sometimes."""
    d.most = 24
    batch, keys, queries, width, values = (
        d.pick(1, 2),
        d.pick(1, 2, 3),
        d.pick(1, 2, 3),
        d.pick(1, 2),
        d.pick(1, 2),
    )
    heads = d.pick(1, 2)
    share = d.pick(1, 2)
    d.types.update({"T2": d.types["T1"]})
    if "U" in d.version.types:
        d.types["U"] = d.pick("bool", d.types["T1"])
    d.data("Q", (batch, heads * share, queries, width))
    d.data("K", (batch, heads, keys, width))
    d.data("V", (batch, heads, keys, values))
    if d.often(0.4):
        d.data("attn_mask", d.pick((queries, keys), (1, 1, queries, keys)))
    d.flag("is_causal")
    if d.often(0.3):
        d.give("scale", d.pick(1.0, 0.5, 2.0))
    d.requested = ("Y",)


def det(d: Sketch) -> None:
    """Square matrices."""
    size = d.pick(1, 2, 3)
    d.data("X", (*d.full(0, 1), size, size))


def rotary(d: Sketch) -> None:
    """Halves of heads that turn."""
    d.most = 30
    batch, heads, length, half = d.pick(1, 2), d.pick(1, 2), d.pick(1, 2, 3), d.pick(1, 2)
    d.data("X", (batch, heads, length, 2 * half))
    if d.often():
        d.data("cos_cache", (length, half))
        d.data("sin_cache", (length, half))
        d.whole(
            "position_ids",
            [d.chance.randrange(length) for _ in range(batch * length)],
            (batch, length),
        )
    else:
        d.data("cos_cache", (batch, length, half))
        d.data("sin_cache", (batch, length, half))
    d.flag("interleaved")
