"""Input and output of the engine: requests, and the outcome of each vector.

Each carries a context of its caller, unchanged: what judging the observation needs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

if TYPE_CHECKING:
    from ..judging.verdicts import Observation
    from .protocol import Description

C = TypeVar("C")


@dataclass(frozen=True)
class Request(Generic[C]):
    """A vector ready to be sent.

    Attributes:
        id: id of the vector.
        message: the line to send.
        outputs: names of the requested outputs.
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
        request: the message to send.
        incidents: how earlier attempts ended.
        doubted: its outcome among others, if it is now run alone to see whether that outcome
            counts.
    """

    request: Request[C]
    incidents: tuple[str, ...] = ()
    doubted: Finished[C] | None = None


@dataclass(frozen=True)
class Finished(Generic[C]):
    """The outcome of one vector.

    Attributes:
        id: id of the vector.
        observation: what the backend did; None if the vector could not be used (`problem`).
        seconds: from the moment when the child can have started it until the reply.
        stderr: tail of the child's standard error meanwhile, and other lines on its standard
            output. Exact for a vector that ran alone; a child that was sent several requests may
            have written part of it for a neighbour.
        incidents: how earlier attempts at this vector ended, if it was run more than once.
        problem: why the vector could not be used, else empty.
        context: the request's.
        after: id of the vector that the same child answered just before; empty if it was the first,
            so that no other vector can have had an effect on it.
        attempt: what was sent; None if nothing was sent.
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

    @classmethod
    def of(
        cls,
        attempt: Attempt[C],
        observation: Observation,
        seconds: float,
        stderr: str,
        after: str = "",
    ) -> Finished[C]:
        """The outcome of a request that was sent."""
        return cls(
            attempt.request.id,
            observation,
            seconds,
            stderr,
            attempt.incidents,
            context=attempt.request.context,
            after=after,
            attempt=attempt,
        )

    @property
    def doubted(self) -> Finished[C] | None:
        """The outcome of the vector among others, if this is its outcome alone."""
        return None if self.attempt is None else self.attempt.doubted

    @property
    def carried(self) -> C:
        """The context of a vector that was read; ValueError if it could not be used."""
        if self.context is None:
            raise ValueError(f"'{self.id}' was never sent: {self.problem}")
        return self.context


# Finished: there is nothing to send. None: the vector is not there yet, and is asked for again.
Prepare: TypeAlias = "Callable[[str, Description], Request[C] | Finished[C] | None]"
