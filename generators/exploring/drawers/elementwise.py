"""Operators whose inputs broadcast, or are one: most operators are of this kind."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from onnx_conformance.core.values.elements import element_type

from ...signatures.model import Option

if TYPE_CHECKING:
    from .sketch import Shape, Sketch

_BROADCASTS = 7


def elementwise(d: Sketch) -> None:
    """Inputs of data that broadcast to one shape; attributes that are numbers, at random."""
    shape = d.shape()
    for parameter in d.version.inputs:
        if parameter.option == Option.VARIADIC:
            tensors = [
                d.values(parameter.name, d.type_of(parameter.name), narrowed(d, shape))
                for _ in range(d.pick(1, 2, 2, 3))
            ]
            d.many(parameter.name, tensors)
        elif not parameter.optional or d.often(0.7):
            d.data(parameter.name, narrowed(d, shape))
    for item in d.version.attributes.values():
        if item.type == "float":
            d.number(item.name)
        elif item.type == "int" and item.default in (0, 1) and not item.name.startswith("axis"):
            d.flag(item.name)


def narrowed(d: Sketch, shape: Shape) -> Shape:
    """A shape that broadcasts to another one; the same before opset 7."""
    if d.version.since_version < _BROADCASTS or d.often(0.4):
        return shape
    kept = shape[d.chance.randint(0, len(shape)) :] if d.often(0.3) else shape
    return tuple(1 if d.often(0.3) else size for size in kept)


def clip(d: Sketch) -> None:
    """Bounds are scalars, in any order."""
    d.data("input", d.shape())
    for name in ("min", "max"):
        if d.takes(name):
            if d.often(0.7):
                d.data(name, ())
        else:
            d.number(name)


def shift(d: Sketch) -> None:
    """Bits are shifted by fewer than there are."""
    shape = d.shape()
    d.data("X", narrowed(d, shape))
    other = narrowed(d, shape)
    bits = element_type(d.type_of("Y")).bits
    d.whole("Y", [d.chance.randrange(bits) for _ in range(math.prod(other))], other)
    d.give("direction", d.pick("LEFT", "RIGHT"))


def prelu(d: Sketch) -> None:
    """The slope broadcasts to X alone."""
    shape = d.shape()
    d.data("X", shape)
    d.data("slope", narrowed(d, shape) if d.version.since_version >= _BROADCASTS else shape)


def where(d: Sketch) -> None:
    """A condition and two values, all of which broadcast."""
    shape = d.shape()
    for name in ("condition", "X", "Y"):
        d.data(name, narrowed(d, shape))


def modulo(d: Sketch) -> None:
    """The remainder of floats needs fmod before version 28."""
    shape = d.shape()
    d.data("A", narrowed(d, shape))
    d.data("B", narrowed(d, shape))
    floats = element_type(d.type_of("A")).kind == "float"
    if floats and d.version.since_version < 28:
        d.give("fmod", 1)
    else:
        d.flag("fmod")


def gelu(d: Sketch) -> None:
    """One input, and one of two formulas."""
    d.data("X", d.shape())
    d.sometimes("approximate", d.pick("none", "tanh"))


def is_inf(d: Sketch) -> None:
    """One input; which signs count."""
    d.data("X", d.shape())
    d.flag("detect_negative")
    d.flag("detect_positive")


def cast(d: Sketch) -> None:
    """Any numbers to any type that is no string; ordinary numbers as strings or from bool."""
    name = d.version.inputs[0].name
    target = d.types.get("T2", "float32")
    kind = d.type_of(name)
    if kind == "string":
        d.retype("T1", "float32")
        kind = d.type_of(name)
    if kind.startswith("complex") or target.startswith("complex"):
        d.retype("T1", "float32", "int32")
        d.retype("T2", "float32", "int64", "float16")
        target = d.types["T2"]
    d.data(name, d.shape())
    if d.takes("target_type"):
        d.data("target_type", d.shape(0, 1, 2))
    elif d.version.since_version < 6:
        d.give("to", element_type(target).onnx_name)
    else:
        d.give("to", element_type(target).code)
    if target.startswith("float8"):
        d.flag("saturate")


def bit_cast(d: Sketch) -> None:
    """The target has as many bits as the source."""
    name = d.version.inputs[0].name
    bits = element_type(d.type_of(name)).bits
    listed = [t for t in d.version.types.get("T2", ()) if element_type(t).bits == bits]
    d.data(name, d.shape())
    d.give("to", element_type(d.pick(*listed)).code)
