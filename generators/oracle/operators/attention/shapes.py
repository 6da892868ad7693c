"""The axes of an attention's inputs: batch, heads, tokens, and the size of a head."""

from __future__ import annotations

from dataclasses import dataclass

from ...arith.grid import Grid, Item, transpose
from ...arith.numbers import Real
from ...errors import InvalidCallError

# Ranks: (batch, tokens, heads x size) and (batch, heads, tokens, size).
PACKED = 3
BY_HEAD = 4


@dataclass(frozen=True)
class Heads:
    """Vectors by (batch, head, token): queries, keys or values.

    Attributes:
        grid: of rank 4: (batch, heads, tokens, size).
    """

    grid: Grid

    @property
    def batch(self) -> int:
        """How many samples."""
        return self.grid.shape[0]

    @property
    def heads(self) -> int:
        """How many heads."""
        return self.grid.shape[1]

    @property
    def tokens(self) -> int:
        """How many tokens."""
        return self.grid.shape[2]

    @property
    def size(self) -> int:
        """The size of a head."""
        return self.grid.shape[3]

    def vector(self, batch: int, head: int, token: int) -> tuple[Real, ...]:
        """The elements of one token in one head."""
        start = ((batch * self.heads + head) * self.tokens + token) * self.size
        return tuple(self.grid.items[start : start + self.size])

    def vectors(self, batch: int, head: int) -> list[tuple[Real, ...]]:
        """The elements of each token in one head."""
        return [self.vector(batch, head, token) for token in range(self.tokens)]


def by_head(name: str, grid: Grid, heads: int | None) -> Heads:
    """An input with an axis of heads; InvalidCallError if rank or size do not permit it."""
    if grid.rank == BY_HEAD:
        return Heads(grid)
    if grid.rank != PACKED:
        raise InvalidCallError(f"{name} has rank {grid.rank}, neither 3 nor 4")
    if heads is None:
        raise InvalidCallError(f"{name} has rank 3, and the number of its heads is not given")
    batch, tokens, hidden = grid.shape
    if heads <= 0 or hidden % heads:
        raise InvalidCallError(f"{name} has {hidden} elements a token, no multiple of {heads}")
    split = grid.reshaped((batch, tokens, heads, hidden // heads))
    return Heads(transpose(split, (0, 2, 1, 3)))


def appended(past: Grid, new: Heads) -> Heads:
    """Past tokens followed by the new ones; InvalidCallError if the shapes do not fit."""
    if past.rank != BY_HEAD:
        raise InvalidCallError(f"a past of rank {past.rank}, not 4")
    batch, heads, length, size = past.shape
    if (batch, heads, size) != (new.batch, new.heads, new.size):
        raise InvalidCallError(f"a past of {list(past.shape)} for {list(new.grid.shape)}")
    width, other = length * size, new.tokens * size
    items: list[Item] = []
    for place in range(batch * heads):
        items.extend(past.items[place * width : (place + 1) * width])
        items.extend(new.grid.items[place * other : (place + 1) * other])
    return Heads(Grid(past.type, (batch, heads, length + new.tokens, size), items))


def packed(grid: Grid) -> Grid:
    """(batch, heads, tokens, size) as (batch, tokens, heads x size)."""
    batch, heads, tokens, size = grid.shape
    return transpose(grid, (0, 2, 1, 3)).reshaped((batch, tokens, heads * size))


def check_fit(query: Heads, key: Heads, value: Heads) -> None:
    """InvalidCallError if queries, keys and values do not belong to one attention."""
    if not query.batch == key.batch == value.batch:
        raise InvalidCallError("Q, K and V differ in their batch")
    if key.size != query.size:
        raise InvalidCallError(f"heads of {query.size} in Q and of {key.size} in K")
    if (key.heads, key.tokens) != (value.heads, value.tokens):
        raise InvalidCallError("K and V differ in their heads or their tokens")
    if key.heads == 0 or query.heads % key.heads:
        raise InvalidCallError(f"{query.heads} heads of Q are no multiple of {key.heads}")
