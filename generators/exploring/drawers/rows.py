"""Reductions, normalizations along an axis, and what sorts or counts along one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from onnx_conformance.core.values.elements import element_type

if TYPE_CHECKING:
    from .sketch import Sketch


def reduction(d: Sketch) -> None:
    """Any axes, as an input or an attribute."""
    shape = d.shape(0, 1, 2, 2, 3, 4)
    d.data("data", shape)
    if d.often(0.8) and shape:
        d.listed("axes", d.axes(len(shape), 1))
    d.flag("keepdims", 0.5)
    d.flag("noop_with_empty_axes")


def arg(d: Sketch) -> None:
    """The place of the greatest or least of one axis."""
    shape = d.full(1, 2, 3, 4)
    d.data("data", shape)
    d.sometimes("axis", d.axis(len(shape)), 0.8)
    d.flag("keepdims", 0.5)
    d.flag("select_last_index")


def along(d: Sketch) -> None:
    """One input and an axis that it has, such as Softmax."""
    d.most = 60
    shape = d.full(1, 2, 3)
    d.data(d.version.inputs[0].name, shape)
    given = d.sometimes("axis", d.axis(len(shape)), 0.7)
    if not given and d.version.since_version < 13 and len(shape) < 2 and d.has("axis"):
        d.give("axis", 0)
    if d.has("p"):
        d.sometimes("p", d.pick(1, 2))


def cumulative(d: Sketch) -> None:
    """An axis as a scalar input."""
    shape = d.shape(1, 2, 3)
    d.data("x", shape)
    d.whole("axis", [d.axis(len(shape))], ())
    d.flag("exclusive")
    d.flag("reverse")


def top_k(d: Sketch) -> None:
    """K of one axis, at most all of them."""
    shape = d.full(1, 2, 3)
    axis = d.axis(len(shape))
    size = shape[axis]
    d.data("X", shape)
    d.give("axis", axis)
    count = d.chance.randint(1, size)
    if d.takes("K"):
        d.whole("K", [count])
    else:
        d.give("k", count)
    d.flag("largest", 0.5)
    d.flag("sorted", 0.8)


def loss(d: Sketch) -> None:
    """Scores of some classes, and labels among them."""
    d.most = 60
    classes, batch = d.some(7), d.some(5)
    rest = tuple(min(item, 4) for item in d.full(0, 0, 1, 2))
    scores = d.version.inputs[0].name
    labels = d.version.inputs[1].name
    d.data(scores, (batch, classes, *rest))
    dims = (batch, *rest)
    d.whole(labels, [d.chance.randrange(classes) for _ in range(math.prod(dims))], dims)
    weight = d.takes("weights", "weight")
    if weight and d.often(0.4):
        d.data(weight, (classes,), least=0)
    d.sometimes("reduction", d.pick("none", "sum", "mean"), 0.7)
    if d.often(0.3):
        d.give("ignore_index", d.pick(0, classes - 1, -1))


def one_hot(d: Sketch) -> None:
    """Indices within the depth, from either end."""
    shape = d.shape(1, 2, 3)
    depth = d.some(9)
    d.retype("T1", "int32", "int64", "int8", "uint8", "float32")
    kind = d.type_of("indices")
    low = 0 if kind.startswith("uint") or d.version.since_version < 11 else -depth
    d.whole("indices", [d.chance.randrange(low, depth) for _ in range(math.prod(shape))], shape)
    d.whole("depth", [depth], d.pick((), (1,)) if d.version.since_version >= 11 else (1,))
    d.data("values", (2,))
    d.sometimes(
        "axis",
        d.chance.randrange(-len(shape) - 1, len(shape) + 1)
        if d.version.since_version >= 11
        else -1,
    )


def unique(d: Sketch) -> None:
    """Values of few kinds, so that some are equal."""
    shape = d.full(1, 2, 3)
    kind = d.type_of("X")
    if element_type(kind).kind in ("string", "complex") or d.often(0.3):
        d.data("X", shape)
    else:
        d.inputs["X"] = d.positive(kind, shape)
    if d.often(0.6):
        d.give("axis", d.axis(len(shape)))
    d.flag("sorted", 0.5)


def batch_norm(d: Sketch) -> None:
    """Lists with a number for each channel."""
    d.most = 40
    shape = (d.some(3), d.some(5), *d.full(0, 1, 2))
    if d.version.since_version == 1:
        shape = (d.some(3), d.some(4), 2, 3)
    d.data("X", shape)
    for name in ("scale", "B", "mean", "input_mean", "var", "input_var"):
        if d.takes(name):
            d.data(name, (shape[1],), least=0 if name.endswith("var") else None)
    if d.version.since_version < 9:
        d.give("is_test", 1)
        d.give("consumed_inputs", (0, 0, 0, 1, 1))
    d.sometimes("epsilon", d.pick(0.0, 1e-3, 1.0))
    d.requested = ("Y",)
    if d.version.since_version >= 14 and d.flag("training_mode"):
        d.requested = ()


def channel_norm(d: Sketch) -> None:
    """A scale and a bias for each channel."""
    d.most = 40
    channels = d.some(4) * d.pick(1, 2)
    shape = (d.some(3), channels, *d.full(1, 2))
    name = d.version.inputs[0].name
    if d.version.since_version == 1:
        shape = (*shape, 1, 1)[:4]
    d.data(name, shape)
    groups = d.pick(*[g for g in range(1, channels + 1) if channels % g == 0])
    length = channels if d.version.since_version != 18 else groups
    for other in d.version.inputs[1:]:
        d.data(other.name, (length,))
    d.give("num_groups", groups)
    d.sometimes("epsilon", d.pick(0.0, 1e-3, 1.0))


def row_norm(d: Sketch) -> None:
    """LayerNormalization and RMSNormalization: a scale for the axes from one on."""
    d.most = 40
    shape = d.full(1, 2, 3)
    axis = d.axis(len(shape))
    d.data("X", shape)
    d.give("axis", axis)
    for name in ("Scale", "scale", "B"):
        if d.takes(name) and (name != "B" or d.often()):
            d.data(name, shape[axis:])
    d.sometimes("epsilon", d.pick(0.0, 1e-3, 1.0))
    if "V" in d.version.types and d.takes("scale"):
        d.types["V"] = d.types["T"]
        d.data("scale", shape[axis:])
    d.requested = ("Y",) if d.often() else ()


def lrn(d: Sketch) -> None:
    """Neighbours in other channels."""
    d.most = 40
    d.data("X", (d.some(2), d.some(7), *d.full(1, 2)))
    d.give("size", d.pick(1, 3, 5, 2))
    d.number("alpha", 0.5, 1e-4, 2.0)
    d.number("beta", 0.75, 1.0, 0.5)
    d.number("bias", 1.0, 2.0)


def mean_variance(d: Sketch) -> None:
    """Any axes of rank 4; the default has four."""
    d.most = 40
    shape = tuple(min(item, 4) for item in d.full(4))
    d.data("X", shape)
    if d.has("axes") and d.often():
        d.give("axes", tuple(item % 4 for item in d.axes(4, 1)))
