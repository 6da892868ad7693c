"""Functions of items, evaluated once for those that are the same object.

Where elements of an input are alike (`grid_of`), what moved them is many times the same object.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

Made = TypeVar("Made")


def each_once(function: Callable[[Any], Made], items: Iterable[Any]) -> list[Made]:
    """The function of each item, evaluated once for each object."""
    held = list(items)  # so that no two of them can have one address
    places = list(map(id, held))
    made = {place: function(item) for place, item in dict(zip(places, held, strict=True)).items()}
    return list(map(made.__getitem__, places))


def each_pair_once(
    function: Callable[[Any, Any], Made], first: Sequence[Any], second: Sequence[Any]
) -> list[Made]:
    """The function of the items that stand side by side, evaluated once for each two objects."""
    return each_row_once(lambda pair: function(*pair), zip(first, second, strict=True))


def each_row_once(
    function: Callable[[Sequence[Any]], Made], rows: Iterable[Sequence[Any]]
) -> list[Made]:
    """The function of each row of items, evaluated once for rows of the same objects."""
    held = list(rows)
    places = [tuple(map(id, row)) for row in held]
    made = {place: function(row) for place, row in dict(zip(places, held, strict=True)).items()}
    return list(map(made.__getitem__, places))


class Same:
    """Items that are the same objects in the same order; they live as long as this does."""

    __slots__ = ("ids", "items")

    def __init__(self, items: Iterable[Any]) -> None:
        """The items of a row."""
        self.items = tuple(items)
        self.ids = tuple(map(id, self.items))

    def __hash__(self) -> int:
        """Of rows of the same objects the same."""
        return hash(self.ids)

    def __eq__(self, other: object) -> bool:
        """Whether the other row has the same objects."""
        return isinstance(other, Same) and self.ids == other.ids


def different(items: Sequence[Made]) -> dict[int, Made]:
    """The items of which none is the same object as another, by their addresses, in their order."""
    return dict(zip(map(id, items), items, strict=True))
