"""What a backend did, what was expected of it, and the judgement: the dataclasses.

Exactly one verdict is given to every planned vector; nothing but `pass` is a pass.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from onnx_conformance.core.corpus.vectors import Phase
from onnx_conformance.core.values.tensors import NamedValue
from onnx_conformance.core.words import Word


class Verdict(Word):
    """The judgement of one observation against one expectation."""

    PASS = "pass"  # noqa: S105  not a password
    WRONG_COUNT = "wrong-count"
    WRONG_TYPE = "wrong-type"
    WRONG_SHAPE = "wrong-shape"
    WRONG_VALUE = "wrong-value"
    REJECTED = "rejected"
    ACCEPTED_INVALID = "accepted-invalid"
    UNSUPPORTED = "unsupported"
    INCONCLUSIVE = "inconclusive"
    CRASHED = "crashed"
    TIMED_OUT = "timed-out"
    PROTOCOL_ERROR = "protocol-error"
    ERROR = "error"  # the harness reports that it failed itself
    BAD_VECTOR = "bad-vector"  # the vector differs from what was published; nothing was run


# The backend gave no answer of its own.
LOST_VERDICTS = (Verdict.CRASHED, Verdict.TIMED_OUT, Verdict.PROTOCOL_ERROR, Verdict.ERROR)


@dataclass(frozen=True)
class Outputs:
    """The backend returned values: one tuple of outputs for each data set."""

    #: For each data set the returned values, in the order in which they came.
    data_sets: tuple[tuple[NamedValue, ...], ...]


@dataclass(frozen=True)
class Accepted:
    """The backend accepted the model and, as it only judges validity, produces no values.

    Only a harness that declares `"judges": "validity"` may answer so.
    """


@dataclass(frozen=True)
class Rejected:
    """The backend refused, at `phase` (decode, load or run), with a message."""

    #: Where it refused: decode, load or run.
    phase: Phase
    #: What it said.
    message: str


@dataclass(frozen=True)
class Unsupported:
    """The backend or its harness reports that it cannot pass or does not implement this."""

    #: What is not supported.
    reason: str


@dataclass(frozen=True)
class HarnessError:
    """The harness reports that it failed itself."""

    #: What went wrong in the harness.
    message: str


@dataclass(frozen=True)
class Crashed:
    """The child ended while it worked on the vector, e.g. `signal SIGSEGV`, `exit 3`."""

    #: How the process ended: `signal SIGSEGV`, `exit 3`.
    how: str


@dataclass(frozen=True)
class TimedOut:
    """There was no reply within the deadline, in seconds; the child was killed."""

    #: Seconds that it had.
    deadline: float


@dataclass(frozen=True)
class ProtocolBroken:
    """The child sent something that is not a reply to this vector.

    Attributes:
        message: what is wrong with it.
        absurd_output: whether it was an output with an impossible shape; the model did run.
    """

    message: str
    absurd_output: bool = False


Observation: TypeAlias = (
    Outputs | Accepted | Rejected | Unsupported | HarnessError | Crashed | TimedOut | ProtocolBroken
)


@dataclass(frozen=True)
class Judgement:
    """A verdict with what a person needs to understand it.

    Attributes:
        verdict: the judgement.
        message: one line: the expected and the actual result; empty on a pass.
        phase: where a rejection happened, else None.
        taken: for latitude, the label of the permitted result that the backend gave.
        expected: JSON-ready description of what was expected, on a failure.
        got: JSON-ready description of the actual result, on a failure.
        details: further JSON-ready facts for the results row (first difference, largest ulp ...).
    """

    verdict: Verdict
    message: str = ""
    phase: Phase | None = None
    taken: str | None = None
    expected: Any = None
    got: Any = None
    details: dict[str, Any] = field(default_factory=dict)
