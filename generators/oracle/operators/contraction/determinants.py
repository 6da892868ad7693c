"""Det, all versions. Source: its page, Summary.

The determinant is exact; what a factorization in steps of the type may make of it is bounded by the
product of the sums of the rows' absolute elements, which no product of Leibniz' formula exceeds,
nor all of them together. A factorization with pivots has a growth that is assumed to be small.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...accuracy.bounds import dot_bound
from ...arith.grid import AnyOf, Grid, Item, filled
from ...arith.numbers import INF, NAN, NEG_INF, ONE, ZERO, fraction, is_finite
from ...arith.rationals import Fraction
from ...arith.rounding import exponent_of
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen


@oracle("Det")
def determinants(call: Call) -> Result:
    """The determinant of each matrix in the last two axes.

    (..., M, M) becomes (...), within the limits of an elimination; that of no rows is asked.
    Refused: a rank below 2, matrices that are not square.
    """
    x = call.grid("X")
    if x.rank < 2 or x.shape[-1] != x.shape[-2]:
        raise InvalidCallError(f"the shape {list(x.shape)} ends in no square matrix")
    size, shape = x.shape[-1], x.shape[:-2]
    if not size:
        refuse_if_chosen(call, "matrix-of-nothing", "one")
        return (filled(x.type, shape, ONE),)
    rows = [x.items[at : at + size] for at in range(0, len(x.items), size)]
    matrices = [rows[at : at + size] for at in range(0, len(rows), size)]
    return (Grid(x.type, shape, [_determinant(x.type, matrix) for matrix in matrices]),)


def _determinant(name: str, matrix: Sequence[Sequence[Any]]) -> Item:
    size = len(matrix)
    elements = [item for row in matrix for item in row]
    if any(item is NAN for item in elements):
        return NAN
    if not all(is_finite(item) for item in elements):
        # A factorization divides by it or multiplies it with what may be zero.
        return elements[0] if size == 1 else AnyOf((NAN, INF, NEG_INF))
    exact = [[fraction(item) for item in row] for row in matrix]
    bound = math.prod((sum(map(abs, row), ZERO) for row in exact), start=ONE)
    found = _eliminated(exact)
    # NumPy keeps the logarithm of the product, with an error of as many roundings as it is great.
    logarithm = abs(exponent_of(abs(found))) if found else 0
    return dot_bound(name, found, bound, max((size + 2) ** 2, logarithm), kept_in=name)


def _eliminated(rows: list[list[Fraction]]) -> Fraction:
    """The determinant by elimination in rational numbers, where any pivot but 0 will do."""
    found = ONE
    left = rows
    while left:
        place = next((at for at, row in enumerate(left) if row[0]), None)
        if place is None:
            return ZERO
        pivot = left[place]
        found *= -pivot[0] if place % 2 else pivot[0]
        left = [
            [
                item - row[0] / pivot[0] * above
                for item, above in zip(row[1:], pivot[1:], strict=True)
            ]
            for at, row in enumerate(left)
            if at != place
        ]
    return found
