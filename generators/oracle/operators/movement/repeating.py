"""Expand and Tile: a tensor repeated along its axes.

Sources: the pages of both, Summary and Inputs. Tile-1 repeats along one axis and takes the number
and the axis as inputs of the data's type: its constraint T1, of int64, is no input's.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...arith.grid import Grid, broadcast_shape, broadcast_to, normalize_axis, places, strides
from ...arith.rationals import Fraction
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen


@oracle("Expand")
def expand(call: Call) -> Result:
    """The input broadcast with a shape, in both directions."""
    data, shape = call.grid("input"), call.integers("shape", rank=1)
    if any(size < 0 for size in shape):
        raise InvalidCallError(f"a size below 0 in {list(shape)}")
    return (broadcast_to(data, broadcast_shape(data.shape, shape)),)


@oracle("Tile", versions=(6, None))
def tile(call: Call) -> Result:
    """As many copies along each axis as `repeats` says.

    The size of each axis is multiplied by its number. Refused: repeats that are no list of one
    number for each axis, or negative.
    """
    data, repeats = call.grid("input"), call.integers("repeats", rank=1)
    if len(repeats) != data.rank:
        raise InvalidCallError(f"{len(repeats)} repeats for rank {data.rank}")
    return (_tiled(data, repeats),)


@oracle("Tile", versions=(1, 5))
def tile_along_one_axis(call: Call) -> Result:
    """Copies along one axis."""
    data = call.grid("input")
    axis = _whole(call, "axis")
    place = normalize_axis(axis, data.rank)
    if axis < 0:
        refuse_if_chosen(call, "negative-axis", "from-the-back")
    repeats = [1] * data.rank
    repeats[place] = _whole(call, "tiles")
    return (_tiled(data, repeats),)


def _tiled(data: Grid, repeats: Sequence[int]) -> Grid:
    if any(count < 0 for count in repeats):
        raise InvalidCallError(f"a count below 0 in {list(repeats)}")
    shape = tuple(size * count for size, count in zip(data.shape, repeats, strict=True))
    split: list[int] = []
    steps: list[int] = []
    for size, count, step in zip(data.shape, repeats, strides(data.shape), strict=True):
        split += [count, size]
        steps += [0, step]
    return data.take(places(split, steps), shape)


def _whole(call: Call, name: str) -> int:
    """A whole number that is the only element of a tensor of floats."""
    grid = call.grid(name)
    if len(grid.items) != 1:
        raise InvalidCallError(f"'{name}' has {len(grid.items)} elements, not one")
    item = grid.items[0]
    if not isinstance(item, int | Fraction) or item != int(item):
        raise InvalidCallError(f"'{name}' is no whole number: {item}")
    return int(item)
