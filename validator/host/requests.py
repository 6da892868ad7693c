"""What goes into the engine, and what comes out of it: requests, and what became of each vector.

Each carries a context of its caller's, untouched: what judging the observation needs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..judging.verdicts import Observation
    from .protocol import Description

C = TypeVar("C")


@dataclass(frozen=True)
class Request(Generic[C]):
    """A vector ready to be sent.

    Attributes:
        id: of the vector.
        message: the line to send.
        outputs: names of the outputs asked for.
        data_sets: how many data sets the request holds.
        context: whatever the caller needs to judge the observation.
    """

    id: str
    message: bytes
    outputs: tuple[str, ...]
    data_sets: int
    context: C


@dataclass(frozen=True)
class Attempt(Generic[C]):
    """A request, and how earlier attempts at it ended.

    Attributes:
        request: what is sent.
        incidents: how earlier attempts ended.
        doubted: what became of it in company, where it is run alone to see whether that counts.
    """

    request: Request[C]
    incidents: tuple[str, ...] = ()
    doubted: Finished[C] | None = None


@dataclass(frozen=True)
class Settled(Generic[C]):
    """A vector that need not be sent: its observation is known, or `problem` says why not."""

    id: str
    observation: Observation | None
    problem: str = ""
    context: C | None = None


@dataclass(frozen=True)
class Finished(Generic[C]):
    """What became of one vector.

    Attributes:
        id: of the vector.
        observation: what the backend did; None where the vector could not be used (`problem`).
        seconds: from when the child can have started on it to the reply.
        stderr: tail of what the child wrote on standard error meanwhile, and noise on its
            standard output. Exact for a vector that ran alone; a child that is given requests
            ahead may have written part of it for its neighbour.
        incidents: how earlier attempts at this vector ended, where it was run more than once.
        problem: why the vector could not be used, else empty.
        context: the request's.
        after: id of the vector that the same child answered just before; empty where it was the
            first, so that nothing else can have had an effect on it.
        attempt: what was sent; None where nothing was.
    """

    id: str
    observation: Observation | None
    seconds: float = 0.0
    stderr: str = ""
    incidents: tuple[str, ...] = ()
    problem: str = ""
    context: C | None = None
    after: str = ""
    attempt: Attempt[C] | None = None

    @property
    def doubted(self) -> Finished[C] | None:
        """What became of the vector in company, where this is how it fared alone."""
        return None if self.attempt is None else self.attempt.doubted

    @property
    def carried(self) -> C:
        """The context of a vector that was read; ValueError where it could not be used."""
        if self.context is None:
            raise ValueError(f"'{self.id}' was never sent: {self.problem}")
        return self.context


Prepare: TypeAlias = "Callable[[str, Description], Request[C] | Settled[C]]"
