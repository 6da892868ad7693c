"""The one interface to an engine that runs batches elsewhere.

Whoever has work that falls into batches gives a function that can be imported on every machine, and
what to call it with. Runs of the validator do so; generation does (`generators.corpus.processes`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Callable, Iterator, Sequence

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


class BatchExecutor(Protocol):
    """Runs batches on workers.

    Attributes:
        threads: how many batches run at the same time, on all workers that take part.
    """

    @property
    def threads(self) -> int:
        """As of the class."""
        ...

    def run(
        self,
        function: Callable[..., R],
        work: deque[T],
        call: Callable[[T], Sequence[Any]],
        alone: Callable[[T], bool] = lambda _: False,
    ) -> Iterator[Outcome[T, R]]:
        """What became of each batch, as they end.

        Args:
            function: of a module that every worker has.
            work: the batches, first those that go out first. More may be appended meanwhile, such
                as a batch that was lost, in parts.
            call: the arguments of the function for a batch, when it goes out.
            alone: whether no other batch may be out with it: only then its loss is its own doing.

        Raises ClusterError if the cluster is gone, and does not come back.
        """
        ...

    def stop(self) -> None:
        """Let `run` end soon; may be called from a signal handler."""
        ...

    def close(self) -> None:
        """Leave the cluster."""
        ...
