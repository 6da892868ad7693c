"""Trilu 14: a triangle of each matrix. Source: the Trilu page, Summary and Inputs."""

from __future__ import annotations

from ...arith.grid import Grid, indices
from ...arith.rounding import zero_of
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen


@oracle("Trilu")
def trilu(call: Call) -> Result:
    """The elements on one side of a diagonal, zeros on the other.

    The last two axes are matrices; `k` says which diagonal: 0 the main one, above it where
    positive. `upper` keeps it and what is above, else it and what is below. Refused: a rank below
    2, a k that is no scalar.
    """
    data = call.grid("input")
    if data.rank < 2:
        raise InvalidCallError(f"the input has rank {data.rank}, not 2 at least")
    diagonal = 0
    if call.has("k"):
        (diagonal,) = call.integers("k", rank=0)
    flag = call.int_attribute("upper")
    if flag not in (0, 1):
        refuse_if_chosen(call, "upper-neither-0-nor-1", "upper")
    stays = [
        column - row >= diagonal if flag else column - row <= diagonal
        for *_, row, column in indices(data.shape)
    ]
    if data.type == "string" and not all(stays):
        refuse_if_chosen(call, "zero-of-strings", "empty")
    zero = zero_of(data.type)
    items = [item if kept else zero for item, kept in zip(data.items, stays, strict=True)]
    return (Grid(data.type, data.shape, items),)
