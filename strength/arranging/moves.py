"""Index maps: where each element of a tensor is taken from when its axes are gone through wrongly.

A move gives, for a shape, the places from which the elements are taken, in row-major order, or None
where it leaves every tensor of that shape as it is, or makes no sense of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.oracle.arith.grid import Grid, places, strides

from ..changing import each_within, taken_from

Shape = tuple[int, ...]

# Axes by their number from the front, which is how convolutions and heads have them, and the last.
_AXES = (0, 1, 2, 3, -1)
_PAIRS = ((0, 1), (1, 2), (2, 3), (0, 2), (1, 3), (0, 3), (-2, -1))
_LAST = -1


@dataclass(frozen=True)
class Move:
    """A wrong way through a tensor.

    Attributes:
        words: what is wrong, to be read behind the name of an input or output.
        places: for a shape, where each element is taken from; None where nothing moves.
    """

    words: str
    places: Callable[[Shape], Sequence[int] | None]


def moves() -> Iterator[Move]:
    """Every move: each axis by itself, and pairs of axes of equal size."""
    for axis in _AXES:
        for order in _ORDERS:
            yield Move(f"{_axis(axis)} {order.words}", _along(axis, order))
    for first, second in _PAIRS:
        if (first, second) == (-2, _LAST):
            yield Move("the last two axes exchanged where they are equal", _exchanged(-2, _LAST))
        else:
            words = f"axes {first} and {second} exchanged where they are equal"
            yield Move(words, _exchanged(first, second))


def _axis(axis: int) -> str:
    return "the last axis" if axis == _LAST else f"axis {axis}"


# --- orders of one axis --------------------------------------------------------------------------


def _interleaved(size: int) -> list[int] | None:
    """Two axes in one, read the other way round: repeat for tile, blocks for strides."""
    factor = next((item for item in range(2, size) if size % item == 0), None)
    if factor is None:
        return None
    return [row + column * factor for row in range(factor) for column in range(size // factor)]


@dataclass(frozen=True)
class _Order:
    """What is wrong, from which size on, and for a size the indices taken; None where all stay."""

    words: str
    least: int
    taken: Callable[[int], list[int] | None]


_ORDERS = (
    _Order("reversed", 2, lambda size: list(range(size))[::-1]),
    _Order("rolled by one", 3, lambda size: [*range(1, size), 0]),
    _Order("with its first two exchanged", 3, lambda size: [1, 0, *range(2, size)]),
    _Order("with its last two exchanged", 3, lambda size: [*range(size - 2), size - 1, size - 2]),
    _Order("repeated where it is tiled", 2, _interleaved),
    _Order("whose first is never read", 2, lambda size: [1, *range(1, size)]),
    _Order("whose last is never read", 2, lambda size: [*range(size - 1), size - 2]),
)


# --- orders of a tensor ---------------------------------------------------------------------------


def _along(axis: int, order: _Order) -> Callable[[Shape], Sequence[int] | None]:
    def found(shape: Shape) -> Sequence[int] | None:
        rank = len(shape)
        if not -rank <= axis < rank or 0 in shape:
            return None
        if axis == _LAST and rank <= max(_AXES) + 1:
            return None  # it has a number
        taken = order.taken(shape[axis]) if shape[axis] >= order.least else None
        if taken is None:
            return None
        steps = strides(shape)
        place = axis % rank
        size, step = shape[place], steps[place]
        block = size * step
        count = steps[0] * shape[0]
        return [
            start + index * step + offset
            for start in range(0, count, block)
            for index in taken
            for offset in range(step)
        ]

    return found


def _exchanged(first: int, second: int) -> Callable[[Shape], Sequence[int] | None]:
    def found(shape: Shape) -> Sequence[int] | None:
        rank = len(shape)
        if 0 in shape or any(not -rank <= axis < rank for axis in (first, second)):
            return None
        one, other = first % rank, second % rank
        if one == other or shape[one] != shape[other] or shape[one] == 1:
            return None
        if first < 0 and rank <= max(_AXES) + 1:
            return None  # they have numbers
        order = list(range(rank))
        order[one], order[other] = order[other], order[one]
        steps = strides(shape)
        return places(shape, [steps[axis] for axis in order])

    return found


# --- values ---------------------------------------------------------------------------------------


def moved(value: Any, move: Move) -> Any:  # noqa: ANN401  a value as it came
    """A value with its elements moved; the very same where nothing moves."""
    return each_within(value, partial(_moved, move=move))


def _moved(value: Grid | Tensor, move: Move) -> Grid | Tensor:
    taken = move.places(value.shape)
    if taken is None:
        return value
    if isinstance(value, Grid):
        return value.take(taken, value.shape)
    return taken_from(value, taken)
