"""Inputs that are one number each, on pages that do not say that they are scalars."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import InvalidCallError
from .registry import refuse_if_chosen

if TYPE_CHECKING:
    from .registry import Call


def require_scalar(call: Call, name: str) -> None:
    """InvalidCallError for several elements; a tensor of one that is no scalar is left open."""
    grid = call.grid(name)
    if len(grid.items) != 1:
        raise InvalidCallError(f"{name} has {len(grid.items)} elements")
    if grid.rank:
        refuse_if_chosen(call, "scalar-of-shape-1", "taken")
