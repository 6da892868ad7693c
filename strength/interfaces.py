"""What mutants need to be tried: an oracle, vectors, and a judge of what is answered.

`trying` takes the three in one object, `Evidence`, and knows no more of them than is said here. So
the mutants of anybody's oracle can be put before anybody's suite: `trying/judged_vectors.py` has
this corpus and the validator's judge, `mutants/mutant.py` the oracles of this checkout and of
whoever registers some.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from onnx_conformance.generators.oracle.registry import Call, Result

#: What somebody answers to a call; whoever refuses it raises.
Answer: TypeAlias = Callable[[Call], Result]
#: Answers a call with the help of a correct answer.
Slip: TypeAlias = Callable[[Call, Answer], Result]
#: Another value, or another element, in the place of one.
Change: TypeAlias = Callable[[Any], Any]


class Differences(Protocol):
    """Notes which mutants can make a difference while an oracle works."""

    @property
    def different(self) -> Collection[int]:
        """The numbers of those that can, to the call at hand."""
        ...

    @property
    def reached(self) -> Collection[int]:
        """The numbers of those whose places were ever reached."""
        ...

    @property
    def spoiled(self) -> bool:
        """Whether trying changed something, so that nothing is known of the call."""
        ...

    def end(self) -> None:
        """Note nothing more."""
        ...


class Watched(Protocol):
    """An oracle that is watched while it answers."""

    @property
    def recorder(self) -> Differences:
        """What was seen."""
        ...

    @property
    def answer(self) -> Answer:
        """The oracle's answer, slowly."""
        ...

    def begin(self, seconds: float) -> None:
        """Watch from here on; `seconds` are for what would be otherwise."""
        ...


class Oracle(Protocol):
    """What an operator must return, and what its mutants could make of that."""

    def compute(self, call: Call) -> Result:
        """The result under the readings of the call; raises OpenError where one is missing."""
        ...

    def permitted(self, call: Call) -> Sequence[Result | None]:
        """The result under each reading; None where the call is invalid."""
        ...

    def watched(self) -> Watched:
        """The same oracle, watched."""
        ...


class Facts(Protocol):
    """What is said of a vector."""

    @property
    def case(self) -> str:
        """The case that it presents; several vectors may present one."""
        ...

    @property
    def form(self) -> str:
        """How it presents it: `static` is the plain one."""
        ...

    @property
    def covers(self) -> Sequence[str]:
        """The requirements that it is for."""
        ...


class Presented(Protocol):
    """One vector, and the calls that it makes of the operator."""

    @property
    def vector(self) -> Facts:
        """What is said of it."""
        ...

    @property
    def calls(self) -> Sequence[Call]:
        """Its calls, once it was recorded."""
        ...


class Vectors(Protocol):
    """The vectors of one operator.

    Attributes:
        noting: whether calls are noted, which they are not while the oracle is watched.
    """

    noting: bool

    @property
    def target(self) -> tuple[str, str]:
        """Domain and operator."""
        ...

    @property
    def by_id(self) -> Mapping[str, Presented]:
        """Each vector."""
        ...

    def record(self, answer: Answer) -> Sequence[tuple[str, str]]:
        """Run every vector and note its calls; (id, message) of those that do not pass."""
        ...


@dataclass(frozen=True)
class Notice:
    """What a judge makes of an answer.

    Attributes:
        noticed: whether it is told from a correct one.
        late: whether it took too long.
    """

    noticed: bool
    late: bool = False


class Judge(Protocol):
    """Says of a vector whether an answer to the operator's calls is noticed."""

    def notice(self, identity: str, answer: Answer, seconds: float) -> Notice:
        """What is made of it, in so many seconds of the processor."""
        ...


class Evidence(Vectors, Judge, Protocol):
    """All three."""

    @property
    def oracle(self) -> Oracle:
        """What mutants are mutants of."""
        ...
