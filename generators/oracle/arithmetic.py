"""Add, Sub, Mul and Neg, all versions. Source: their pages, Summary; Broadcasting.md.

Before version 7 the second operand is broadcast only where the attribute `broadcast` says so, to a
run of axes of the first that begins at `axis`, or that ends at the last axis.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import InvalidCallError
from .grid import Grid, broadcast_to, combine, normalize_axis
from .numbers import add, mul, neg, sub
from .registry import oracle
from .rounding import is_float, round_to, wrap

if TYPE_CHECKING:
    from collections.abc import Callable

    from .numbers import Number
    from .registry import Call, Result

_NUMPY_BROADCASTING = 7


@oracle("Add")
def addition(call: Call) -> Result:
    """A + B, rounded once; integers wrap."""
    return _binary(call, add)


@oracle("Sub")
def subtraction(call: Call) -> Result:
    """A - B, rounded once; integers wrap."""
    return _binary(call, sub)


@oracle("Mul")
def multiplication(call: Call) -> Result:
    """A * B, rounded once; integers wrap."""
    return _binary(call, mul)


@oracle("Neg")
def negation(call: Call) -> Result:
    """Each element with its sign turned over; the least integer stays, as it has no opposite."""
    return (_finished(call.grid("X").map(neg)),)


def _binary(call: Call, function: Callable[[Number, Number], Number]) -> Result:
    one, other = operands(call)
    return (_finished(combine(one.type, function, one, other)),)


def operands(call: Call) -> tuple[Grid, Grid]:
    """A and B, of shapes that broadcast to each other by the rule of the version."""
    one, other = call.grid("A"), call.grid("B")
    if one.type != other.type:
        raise InvalidCallError(f"A is {one.type} and B is {other.type}")
    if call.since_version >= _NUMPY_BROADCASTING:
        return one, other
    if not call.int_attribute("broadcast", 0):
        if one.shape != other.shape:
            raise InvalidCallError(f"shapes {list(one.shape)} and {list(other.shape)} differ")
        return one, other
    return one, limited_broadcast(other, one.shape, call.attributes.get("axis"))


def limited_broadcast(grid: Grid, shape: tuple[int, ...], axis: object) -> Grid:
    """The grid repeated to a shape by the rule of versions before 7.

    Its shape is a run of the target's axes, from `axis` on, or up to the last where that is None;
    a grid with one element fits any shape.
    """
    if len(grid.items) == 1:
        return broadcast_to(grid.reshaped(()), shape)
    rank = len(grid.shape)
    if rank > len(shape):
        raise InvalidCallError(f"shape {list(grid.shape)} has more axes than {list(shape)}")
    start = normalize_axis(axis, len(shape)) if isinstance(axis, int) else len(shape) - rank
    if shape[start : start + rank] != grid.shape:
        raise InvalidCallError(
            f"shape {list(grid.shape)} is no run of {list(shape)} from axis {start}"
        )
    behind = len(shape) - start - rank
    return broadcast_to(grid.reshaped((*grid.shape, *(1,) * behind)), shape)


def _finished(grid: Grid) -> Grid:
    """Exact numbers as the type has them: integers wrapped, floats rounded once."""
    name = grid.type
    if is_float(name):
        return grid.map(lambda item: round_to(name, item))
    return grid.map(lambda item: wrap(name, item))
