"""Add, Sub, Mul, Div and Neg, all versions. Source: their pages, Summary; Broadcasting.md.

Before version 7 the second operand is broadcast only if the attribute `broadcast` says so, to
consecutive axes of the first that begin at `axis`, or that end at the last axis.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...accuracy.bounds import rounded
from ...arith.grid import Grid, Item, broadcast_to, combine, normalize_axis
from ...arith.numbers import add, div, mul, neg, sub
from ...arith.rounding import fits, is_float, saturate, wrap
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle

_NUMPY_BROADCASTING = 7
_EXACT: dict[str, Callable[..., Any]] = {"Add": add, "Sub": sub, "Mul": mul, "Div": div}


@oracle("Add")
@oracle("Sub")
@oracle("Mul")
@oracle("Div")
def arithmetic(call: Call) -> Result:
    """The exact result rounded once; of integers a quotient loses its fraction."""
    one, other = operands(call)
    name, function = one.type, _EXACT[call.operator]
    if is_float(name):
        step = "div" if function is div else ""
        return (combine(name, lambda x, y: rounded(name, function, x, y, step=step), one, other),)

    def element(x: int, y: int) -> Item:
        if function is div:
            return _quotient(call, name, x, y)
        return held(call, name, function(x, y), "integer-overflow")

    return (combine(name, element, one, other),)


@oracle("Neg")
def negation(call: Call) -> Result:
    """Each element with the opposite sign; the opposite of the least integer is left open."""
    grid = call.grid("X")
    if is_float(grid.type):
        return (grid.map(neg),)
    return (grid.map(lambda item: held(call, grid.type, -item, "least-integer")),)


def _quotient(call: Call, name: str, x: int, y: int) -> int:
    """The quotient rounded towards zero; a division by zero is left open."""
    if y == 0:
        if call.choose("division-by-zero", "zero", "rejected") == "rejected":
            raise InvalidCallError("an integer is divided by zero")
        return 0
    magnitude = abs(x) // abs(y)
    return held(call, name, magnitude if (x < 0) == (y < 0) else -magnitude, "integer-overflow")


def held(call: Call, name: str, exact: int, question: str) -> int:
    """An integer that the type holds; the result for any other integer is left open."""
    if fits(name, exact):
        return exact
    if call.choose(question, "wraps", "saturates") == "wraps":
        return wrap(name, exact)
    return saturate(name, exact)


def operands(call: Call, first: str = "A", second: str = "B") -> tuple[Grid, Grid]:
    """Two inputs, of shapes that broadcast to each other by the rule of the version."""
    one, other = call.grid(first), call.grid(second)
    if call.since_version >= _NUMPY_BROADCASTING:
        return one, other
    if not call.int_attribute("broadcast", 0):
        if one.shape != other.shape:
            raise InvalidCallError(f"shapes {list(one.shape)} and {list(other.shape)} differ")
        return one, other
    return one, limited_broadcast(other, one.shape, call.attributes.get("axis"))


def limited_broadcast(grid: Grid, shape: tuple[int, ...], axis: object) -> Grid:
    """The grid repeated to a shape by the rule of versions before 7.

    Its shape must equal consecutive axes of the target, from `axis` on, or up to the last if that
    is None; a grid with one element fits any shape.
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
