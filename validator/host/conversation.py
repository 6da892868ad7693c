"""The validator's side of a conversation in protocol 1, with a harness that may do anything wrong.

Every fault is raised as a FaultError, in words for the author of the harness.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from onnx_conformance.core.corpus.vectors import DataSet
from onnx_conformance.core.text import first_and_last

from ..judging.verdicts import HarnessError, Observation
from .child import Child
from .protocol import (
    Description,
    NotJsonError,
    describe_request,
    parse_description,
    parse_object,
    parse_reply,
    quoted,
    run_request,
    stop_request,
)

# Called with a mark, > or <, and a line of the conversation.
Watch: TypeAlias = Callable[[str, bytes], None]

_POLL = 0.002
_STOP_GRACE = 2.0
_EXIT_WAIT = 1.0


@dataclass(frozen=True)
class Limits:
    """Seconds: for the start, for one reply, and how much longer to wait for a late reply."""

    #: From the start to the description.
    start: float = 60.0
    #: For one reply.
    reply: float = 10.0
    #: How much longer a late reply is waited for.
    late: float = 10.0


@dataclass(frozen=True)
class Question:
    """A model with its inputs."""

    #: Its name, a part of the id of the request.
    name: str
    #: The serialized model.
    model: bytes
    #: Names of the requested outputs.
    outputs: tuple[str, ...]
    #: The inputs.
    data_sets: tuple[DataSet, ...]


class FaultError(Exception):
    """What the harness did wrong; ends the step."""


class Conversation:
    """Requests to a harness and its replies; the harness is started when it is needed.

    Attributes:
        description: its reply to `describe`, or None.
        noise: what was wrong with each line of its standard output that was not a reply.
    """

    def __init__(self, command: Sequence[str], limits: Limits, folder: Path, watch: Watch) -> None:
        """Start nothing yet; models are written to `folder`, `watch` is called with every line."""
        self._command = command
        self._limits = limits
        self._folder = folder
        self._watch = watch
        self._child: Child | None = None
        self._paths: dict[bytes, Path] = {}
        self._asked = 0
        self._answered: set[str] = set()
        self.description: Description | None = None
        self.noise: list[str] = []

    def close(self) -> None:
        """Kill the child, if there is one."""
        if self._child is not None:
            self._child.kill()
            self._child = None

    def describe(self) -> tuple[Description, float]:
        """Start a child and return its description, and the seconds that it took."""
        self._child = Child(self._command)
        self._watch(">", describe_request())
        self._child.queue(describe_request())
        document, seconds = self._reply("'describe'", self._limits.start)
        self.description = parse_description(document)
        return self.description, seconds

    def _ready(self) -> Child:
        """A child that has completed the handshake."""
        if self._child is None:
            self.describe()
        if self._child is None:
            raise FaultError("the harness is gone")
        return self._child

    def ask(self, question: Question) -> Observation:
        """Send a question and wait for the reply."""
        return self.observe(self.send(question), question)

    def send(self, question: Question) -> str:
        """Send a question; return the id that the reply must have."""
        child = self._ready()
        self._asked += 1
        vector_id = f"check-1/{question.name}/{self._asked}"
        inline = self.description is not None and self.description.model == "inline"
        model = question.model if inline else self._path_of(question)
        request = run_request(vector_id, model, question.outputs, question.data_sets)
        self._watch(">", request)
        child.queue(request)
        child.write()
        return vector_id

    def _path_of(self, question: Question) -> str:
        """The file of a question's model, written once: the harness may read it at any time."""
        path = self._paths.get(question.model)
        if path is None:
            path = self._folder / f"{question.name}_{len(self._paths)}.onnx"
            path.write_bytes(question.model)
            self._paths[question.model] = path
        return str(path)

    def observe(self, vector_id: str, question: Question) -> Observation:
        """The reply to a question that was sent."""
        document, _ = self._reply(f"'run' of '{vector_id}'", self._limits.reply)
        judges = self.description.judges if self.description else "values"
        if document.get("id") in self._answered:
            raise FaultError(f"a second reply for '{document['id']}' came")
        observation = parse_reply(
            document, vector_id, question.outputs, len(question.data_sets), judges
        )
        self._answered.add(vector_id)
        if isinstance(observation, HarnessError):
            raise FaultError(f"the harness failed itself: {quoted(observation.message)}")
        return observation

    def stop(self) -> str:
        """Ask the harness to end; return how it ended."""
        child = self._ready()
        self._watch(">", stop_request())
        child.queue(stop_request())
        child.write()
        return self._ends("'stop'")

    def close_input(self) -> str:
        """Close the harness' input; return how it ended."""
        self._ready().close_input()
        return self._ends("the end of its input")

    def unexpected_message(self, seconds: float) -> dict[str, Any] | None:
        """A message that arrives within some seconds although no request was sent, if any does."""
        self._ready()
        return self._object_within(seconds)

    def _reply(self, what: str, seconds: float) -> tuple[dict[str, Any], float]:
        start = time.monotonic()
        document = self._object_within(seconds)
        if document is not None:
            return document, time.monotonic() - start
        child = self._child
        if child is None or not self._alive_after_eof(child):
            raise FaultError(
                f"the harness ended ({self._how()}) before the reply to {what}{self._remark()}"
            )
        if child.eof:
            raise FaultError(
                f"standard output was closed before the reply to {what}{self._remark()}"
            )
        late = self._object_within(self._limits.late)
        if late is not None:
            took = time.monotonic() - start
            raise FaultError(f"late reply: {what} took {took:.1f} s; the deadline is {seconds:g} s")
        half = f"; {child.unread} bytes are there without a line end" if child.unread else ""
        raise FaultError(f"no reply to {what} within {seconds:g} s{half}{self._remark()}")

    @staticmethod
    def _alive_after_eof(child: Child) -> bool:
        """Whether it still runs. Its output ends just before it does: the exit code tells more."""
        end = time.monotonic() + _EXIT_WAIT
        while child.eof and child.alive and time.monotonic() < end:
            time.sleep(_POLL)
        return child.alive

    def _object_within(self, seconds: float) -> dict[str, Any] | None:
        """The next JSON object; None if none arrives in time or none can arrive any more."""
        child = self._child
        end = time.monotonic() + seconds
        while child is not None:
            alive = child.alive and not child.eof  # before its last output is read below
            child.write()
            child.read_stderr()
            child.read()
            while (line := child.next_line()) is not None:
                self._watch("<", line)
                try:
                    return parse_object(line)
                except NotJsonError as error:
                    if b'"id"' in line:
                        raise FaultError(f"the reply {error}") from None
                    if line.strip():
                        self.noise.append(str(error))
            if time.monotonic() >= end or not alive:
                return None
            time.sleep(_POLL)
        return None

    def _ends(self, what: str) -> str:
        child = self._ready()
        end = time.monotonic() + _STOP_GRACE
        while child.alive and time.monotonic() < end:
            child.discard_output()
            time.sleep(_POLL)
        if child.alive:
            raise FaultError(f"the harness did not end within {_STOP_GRACE:g} s of {what}")
        how = self._how()
        if how != "exit 0":
            raise FaultError(f"the harness ended with {how} at {what}; exit 0 is due")
        self.close()
        return "ended with exit code 0"

    def _how(self) -> str:
        if self._child is None:
            return "gone"
        return self._child.how_it_ended()

    def _remark(self) -> str:
        """The first and last line that a failed harness wrote."""
        if self._child is None:
            return ""
        self._child.read_stderr()
        words = first_and_last(self._child.stderr.text())
        remark = f"; it said: {words}" if words else ""
        if self.noise:
            remark += f"; a line on standard output {self.noise[-1]}"
        return remark
