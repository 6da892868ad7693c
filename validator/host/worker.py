"""One running harness: a child, the handshake, and the requests that it was sent.

A worker reports events: it has described itself, it has answered, it has ended. The engine decides
what then happens to the vectors.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias

from onnx_conformance.core.limits import HANDSHAKE, LINES_AT_ONCE, LINES_IN_PIPE, MEBIBYTE
from onnx_conformance.core.text import brief

from ..judging.verdicts import Crashed, Observation, Outputs, ProtocolBroken, TimedOut
from .child import Child
from .protocol import (
    AbsurdOutputError,
    Description,
    NotJsonError,
    ProtocolError,
    describe_request,
    parse_description,
    parse_object,
    parse_reply,
)
from .requests import Attempt, C, Finished

# Requests that a child may hold at once, and their size together. New ones are sent in one write
# when half of them are answered: waking a process takes as long as a small vector.
DEPTH = 8
_DEPTH_BYTES = 256 * 1024
# Time for a child that closed a pipe to end by itself: its exit code says more than our SIGKILL.
CLOSING_GRACE = 0.5


@dataclass(frozen=True)
class Settings:
    """The limits of a run.

    Attributes:
        jobs: number of children.
        timeout: seconds for one vector.
        start_timeout: seconds from the start of a child to its reply to `describe`, and the time
            within which a child must read one request.
        warm_up: extra seconds for the first vector of a child, until one was answered without them:
            compiling and filling caches is not a property of that vector.
        max_output: MiB that a child may write without a valid reply.
        memory_limit: MiB of address space that a child may take; None means no limit.
    """

    jobs: int = 1
    timeout: float = 10.0
    start_timeout: float = 60.0
    warm_up: float = 30.0
    max_output: int = 64
    memory_limit: int | None = None

    def of_verdicts(self) -> dict[str, Any]:
        """Those on which a verdict may depend."""
        names = ("timeout", "warm_up", "max_output", "memory_limit")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class Described:
    """The handshake is done."""

    #: What the harness says of itself and of its runtime.
    description: Description


@dataclass(frozen=True)
class Over(Generic[C]):
    """The child and its group are dead.

    Attributes:
        observation: the observation for a vector that ran alone in it.
        reason: the same in words.
        attempts: the unanswered requests; the first is the one it worked on.
        seconds: since it could have started on that one.
        stderr: tail of its standard error.
    """

    observation: Observation
    reason: str
    attempts: tuple[Attempt[C], ...]
    seconds: float
    stderr: str


# Finished: the oldest request has its reply.
Event: TypeAlias = Described | Finished[C] | Over[C]


class Worker(Generic[C]):
    """A child with its unanswered requests.

    Attributes:
        child: the process.
        description: its reply to `describe`; None until the handshake is done.
        fresh: whether no vector has been given to it yet.
        alone: whether its vector must run without others.
        last: id of the last vector that it answered.
        over: whether it has ended.
        backlog: whether lines were read that have not been handled yet.
        noise: lines on standard output that were not JSON objects.
        events: what happened and has not been handled.
    """

    def __init__(self, command: Sequence[str], settings: Settings) -> None:
        """Start the child; BackendUnusableError if the system refuses."""
        self.child = Child(command, settings.memory_limit)
        self.description: Description | None = None
        self.fresh = True
        self.alone = False
        self.last = ""
        self.over = False
        self.backlog = False
        self.noise = 0
        self.events: list[Event[C]] = []
        self._settings = settings
        self._in_flight: deque[Attempt[C]] = deque()
        self._bytes_in_flight = 0
        self._unanswered = 0
        self._began = self._clock = self.child.started
        self._warm_up = 0.0
        self._closing: float | None = None
        self.child.send(describe_request())

    # --- for the engine --------------------------------------------------------------------

    @property
    def in_flight(self) -> int:
        """Number of unanswered requests."""
        return len(self._in_flight)

    @property
    def attempts(self) -> tuple[Attempt[C], ...]:
        """The unanswered requests; the first is the one it works on."""
        return tuple(self._in_flight)

    @property
    def ready(self) -> bool:
        """Whether it may be given requests."""
        return self.description is not None and self._closing is None and not self.over

    def room_for(self, message: bytes) -> bool:
        """Whether it may be sent a message too; a child without requests may be sent any."""
        size = self._bytes_in_flight + len(message)
        return not self._in_flight or (
            not self.alone and self.in_flight < DEPTH and size <= _DEPTH_BYTES
        )

    def give(self, attempt: Attempt[C], *, alone: bool = False, warm_up: float = 0.0) -> None:
        """Add a request; `flush` sends it.

        `warm_up` is its extra time in seconds if it is the first of this child.
        """
        if not self._in_flight:
            self._begin()
        if self.fresh:
            self._warm_up = warm_up
        self.fresh = False
        self.alone = alone
        self._in_flight.append(attempt)
        self._bytes_in_flight += len(attempt.request.message)
        self.child.queue(attempt.request.message)

    def flush(self) -> None:
        """Send the requests that were added."""
        self.child.write()
        self._look_at_input()

    @property
    def deadline(self) -> float | None:
        """When it must have done something, by the monotonic clock; None while it is idle."""
        if self._closing is not None:
            return self._closing + CLOSING_GRACE
        if self.description is None:
            return self._clock + self._settings.start_timeout
        return self._clock + self._patience if self._in_flight else None

    @property
    def _patience(self) -> float:
        """Seconds permitted for the vector that it works on."""
        return self._settings.timeout + self._warm_up

    def writable(self) -> None:
        """Handle room in the pipe of standard input."""
        if self.child.write() and len(self._in_flight) <= 1:
            # The first request is not yet written: the child cannot have started it. A limit is
            # needed, because a child that reads byte by byte would never have to answer.
            latest = self._began + self._settings.start_timeout
            self._clock = max(self._clock, min(time.monotonic(), latest))
        self._look_at_input()

    def readable(self) -> None:
        """Handle output, or its end, on standard output."""
        # Lines that were read are handled before more is read: the full pipe then stops the writer.
        if not self.backlog:
            self._unanswered += self.child.read()
        self._take_lines(LINES_AT_ONCE)
        if self.over or self.backlog:
            return
        if self._unanswered > self._settings.max_output * MEBIBYTE:
            limit = self._settings.max_output
            self._broken(f"more than {limit} MiB on standard output without a reply among it")
        elif self.child.eof and self._closing is None:
            self._closing = time.monotonic()
            self.look()

    def look(self) -> None:
        """Check whether the process has died: a process that it started may keep its pipes open."""
        if not self.child.alive:
            self._drain()
            if not self.over:
                self._finish(None)

    def check(self, now: float) -> None:
        """End the child if it has missed its deadline."""
        deadline = self.deadline
        if self.over or deadline is None or now < deadline:
            return
        if self._closing is not None:
            how = f"closed its standard {'output' if self.child.eof else 'input'}"
            self._finish(Crashed(how), how)
        elif self.description is None:
            limit = self._settings.start_timeout
            self._finish(TimedOut(limit), f"no reply to 'describe' within {limit:g} s")
        else:
            limit = self._patience
            self._finish(TimedOut(limit), f"no reply within {limit:g} s")

    def kill(self) -> str:
        """Kill the child and its whole group; return how the child ended, in words."""
        self.over = True
        self.child.kill()
        return self.child.how_it_ended()

    # --- what comes from the child ---------------------------------------------------------

    def _begin(self) -> None:
        """The child can start on the next vector: start its clock and its standard error."""
        self.child.read_stderr()
        self.child.stderr.clear()
        self._began = self._clock = time.monotonic()

    def _look_at_input(self) -> None:
        if self.child.broken_input and self._closing is None:
            self._closing = time.monotonic()

    def _take_lines(self, most: int) -> None:
        """Handle at most `most` lines: clocks and signals wait meanwhile."""
        self.backlog = False
        for _ in range(most):
            line = None if self.over else self.child.next_line()
            if line is None:
                return
            stripped = line.strip()
            if stripped[:1] == b"{":
                self._line(line)
            elif stripped:
                self._noise(line)  # not even parsed as JSON: there may be millions
        self.backlog = True

    def _line(self, line: bytes) -> None:
        if self.description is None and len(line) > HANDSHAKE:
            self._broken(
                f"the reply to 'describe' has {len(line):,} bytes; {HANDSHAKE:,} are taken at most"
            )
            return
        try:
            document = parse_object(line)
        except NotJsonError:
            self._noise(line)
            return
        try:
            self._object(document)
        except ProtocolError as error:
            if self.last and document.get("id") == self.last:
                self._broken(f"a second reply for '{self.last}' came while another was due")
            else:
                self._broken(str(error), absurd_output=isinstance(error, AbsurdOutputError))
        except Exception as error:
            # An unforeseen error concerns this child only: the run goes on.
            self._broken(f"cannot be read: {type(error).__name__}: {brief(str(error))}")

    def _object(self, document: dict[str, Any]) -> None:
        """Handle a JSON object: it is the expected reply, or it breaks the protocol."""
        if self.description is None:
            self.description = parse_description(document)
            self._unanswered = self.child.unread
            self.events.append(Described(self.description))
        elif self._in_flight:
            request = self._in_flight[0].request
            self._answered(
                parse_reply(
                    document,
                    request.id,
                    request.outputs,
                    request.data_sets,
                    self.description.judges,
                )
            )
        else:
            after = f"; the last was to '{self.last}'" if self.last else ""
            self._broken(f"a reply that nobody asked for{after}: {brief(document)}")

    def _noise(self, line: bytes) -> None:
        """Keep a line that is not a JSON object; it is a fault only if meant as the reply."""
        if self.description is None and b'"protocol"' in line:
            self._broken(f"the reply to 'describe' {_what_is_wrong(line)}")
            return
        if self._in_flight and b'"id"' in line:
            quoted = f'"{self._in_flight[0].request.id}"'.encode()
            if quoted in line:
                self._broken(f"the reply {_what_is_wrong(line)}")
                return
        self.noise += 1
        self.child.stderr.add(b"[standard output: " + line[:400] + b"]\n")

    def _answered(self, observation: Observation) -> None:
        seconds = time.monotonic() - self._clock
        attempt = self._in_flight.popleft()
        self._bytes_in_flight -= len(attempt.request.message)
        self._unanswered = self.child.unread
        self.alone = False
        self._warm_up = 0.0
        after, self.last = self.last, attempt.request.id
        if not isinstance(observation, Outputs):
            self.child.read_stderr()
        stderr = self.child.stderr.text()
        self._begin()
        self.events.append(Finished.of(attempt, observation, seconds, stderr, after))

    # --- the end ---------------------------------------------------------------------------

    def _drain(self) -> None:
        """Read what a dead child left in its pipe: its reply still counts.

        Only once: a pipe holds less than one read returns, and a process that the child started may
        write for ever.
        """
        self.child.read()
        self._take_lines(LINES_IN_PIPE)

    def _broken(self, message: str, *, absurd_output: bool = False) -> None:
        self._finish(ProtocolBroken(message, absurd_output), message)

    def _finish(self, observation: Observation | None, reason: str = "") -> None:
        """Kill what is left; if there is no observation, make one of how the child died."""
        seconds = time.monotonic() - self._clock
        self.child.keep_rest()
        how = self.kill()
        if observation is None:
            observation, reason = Crashed(how), how
        attempts, self._in_flight = tuple(self._in_flight), deque()
        self.events.append(Over(observation, reason, attempts, seconds, self.child.stderr.text()))


def _what_is_wrong(line: bytes) -> str:
    """Why a line that was meant as a reply is not a valid one."""
    try:
        parse_object(line)
    except NotJsonError as error:
        return str(error)
    return "does not begin with '{'"
