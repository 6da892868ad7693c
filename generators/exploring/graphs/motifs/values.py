"""What motifs ask of a value: its type, its shape, one of its axes, what broadcasts to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..growing import Growing

FLOATS = ("float32", "float16", "float64")


def kind_of(g: Growing, x: str) -> str:
    """The element type of a value."""
    return g.known[x].type


def shape_of(g: Growing, x: str) -> tuple[int, ...]:
    """Its shape."""
    return g.known[x].shape


def need(*, true: bool) -> None:
    """Give up a motif that does not fit."""
    if not true:
        raise ValueError("it does not fit")


def some_axis(g: Growing, x: str) -> int:
    """One of its axes; ValueError where it has none."""
    return g.chance.randrange(len(shape_of(g, x)))


def narrow(g: Growing, shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape that broadcasts to another."""
    way = g.chance.randrange(4)
    if way == 0:
        return ()
    if way == 1:
        return tuple(1 if g.chance.random() < 0.5 else size for size in shape)
    return shape[g.chance.randint(0, len(shape)) :] if way == 2 else shape
