"""MatMul 1 to 13. Source: the page of numpy.matmul, to which the MatMul page refers.

A factor of rank 1 is a row on the left and a column on the right, and its axis is missing in the
result; axes before the last two are broadcast; a scalar is not permitted.
"""

from __future__ import annotations

from collections.abc import Callable

from ...accuracy.sums import dot_value
from ...arith.grid import Grid, Item, Shape, broadcast_places, broadcast_shape
from ...arith.rounding import is_float
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle
from ..elementwise.arithmetic import held

Dot = Callable[[Shape, Shape], Item]


@oracle("MatMul")
def matrix_product(call: Call) -> Result:
    """The products of the matrices in the last two axes."""
    return (product_of(call, call.grid("A"), call.grid("B")),)


def product_of(call: Call, one: Grid, other: Grid) -> Grid:
    """The products of two grids of rank 1 or more; InvalidCallError if they do not fit."""
    return products_by(lambda line, stack: _dot(call, one.type, line, stack), one, other)


def products_by(dot: Dot, one: Grid, other: Grid) -> Grid:
    """As `product_of`, but with a function that computes each element from a row and a column."""
    if not one.rank or not other.rank:
        raise InvalidCallError("a scalar is no matrix")
    first, second = one.shape, other.shape
    left = one.reshaped((1, *first)) if one.rank == 1 else one
    right = other.reshaped((*second, 1)) if other.rank == 1 else other
    product = _products(dot, left, right)
    shape = list(product.shape)
    if len(second) == 1:
        del shape[-1]
    if len(first) == 1:
        del shape[-2 if len(second) > 1 else -1]
    return product.reshaped(tuple(shape))


def _products(dot: Dot, one: Grid, other: Grid) -> Grid:
    """The products of two grids of rank 2 or more."""
    rows, inner = one.shape[-2:]
    height, columns = other.shape[-2:]
    if inner != height:
        raise InvalidCallError(f"{inner} columns do not meet {height} rows")
    batch = broadcast_shape(one.shape[:-2], other.shape[:-2])
    shape = (*batch, rows, columns)
    if 0 in shape:
        return Grid(one.type, shape, ())
    items: list[Item] = []
    for left, right in zip(
        broadcast_places(one.shape[:-2], batch),
        broadcast_places(other.shape[:-2], batch),
        strict=True,
    ):
        lines = [_part(one, (left * rows + row) * inner, inner, 1) for row in range(rows)]
        stacks = [
            _part(other, right * inner * columns + column, inner, columns)
            for column in range(columns)
        ]
        items.extend(dot(line, stack) for line in lines for stack in stacks)
    return Grid(one.type, shape, items)


def _part(grid: Grid, start: int, count: int, step: int) -> Shape:
    """Elements at equal distances."""
    return tuple(grid.items[start + step * index] for index in range(count))


def _dot(call: Call, name: str, one: Shape, other: Shape) -> Item:
    if is_float(name):
        return dot_value(name, one, other)
    exact = sum(x * y for x, y in zip(one, other, strict=True))
    return held(call, name, exact, "integer-overflow")
