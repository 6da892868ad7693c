"""What became of a batch of work that ran elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class Outcome(Generic[T, R]):
    """What became of a batch.

    Attributes:
        item: what was given.
        result: what the function returned; None if it did not.
        lost: in words, that its workers died; the engine had given it a second try elsewhere.
        error: in words, what the function raised.
    """

    item: T
    result: R | None = None
    lost: str = ""
    error: str = ""
