"""Inputs of one number, on pages that do not say that they are scalars."""

from __future__ import annotations

from .arith.numbers import Real
from .errors import InvalidCallError
from .registry import Call, refuse_if_chosen


def require_scalar(
    call: Call, name: str, question: str = "scalar-of-shape-1", otherwise: str = "taken"
) -> Real:
    """The only element of an input.

    InvalidCallError for several elements; whether a tensor of one that is no scalar is taken for
    it is the question, with the readings `taken`, or another word for it, and `rejected`.
    """
    grid = call.grid(name)
    if len(grid.items) != 1:
        raise InvalidCallError(f"{name} has {len(grid.items)} elements, not one")
    if grid.rank:
        refuse_if_chosen(call, question, otherwise)
    item: Real = grid.items[0]
    return item
