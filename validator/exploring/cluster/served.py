"""What a worker of a Dask cluster is called with: who it is, and calls to judge.

Calls come with their files, so that a worker needs the runtime, and neither corpus nor specs.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.cluster.warm import Warm, kept_at
from onnx_conformance.core.errors import ConformanceError

from ...results.file_format import row_line
from ...running.cluster.batches import BatchDone
from ...running.cluster.runner import backend_of, described
from ...running.cluster.served import this_worker
from ...running.reuse.identity import identity_of
from ..running import Runner

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from distributed import Worker

    from onnx_conformance.core.exploring.explorer import Explored

    from ...host.protocol import Description
    from ...results.records import Row
    from ...running.cluster.batches import BackendSpec

_ATTRIBUTE = "onnx_conformance_callers"


class How(Enum):
    """How calls are judged."""

    DOUBTED = "failures are run again, alone, before they count"
    ONCE = "nothing is run again"
    ALONE = "in a child that has run nothing else"


@dataclass(frozen=True)
class Calls:
    """Calls that one worker judges.

    Attributes:
        calls: with their files.
        how: whether failures are confirmed.
        answers: whether the backend has answered any call yet, on whatever machine.
    """

    calls: tuple[Explored, ...]
    how: How = How.DOUBTED
    answers: bool = False

    @property
    def ids(self) -> tuple[str, ...]:
        """Of the calls."""
        return tuple(item.id for item in self.calls)


class CallRunner:
    """Judges calls, in one thread at a time, with a child that stays warm.

    Attributes:
        broken: whether it can judge no more.
        description: what the child said of itself.
    """

    def __init__(self, spec: BackendSpec) -> None:
        """Start a child and ask it who it is; BackendUnusableError if that fails."""
        self._spec = spec
        self._backend = backend_of(spec)
        settings = replace(spec.settings, jobs=1)
        self._runner = Runner(self._backend, settings, spec.memory_limit, spec.accuracy)
        self.broken = False
        try:
            self.description: Description = self._runner.start()
        except BaseException:
            self.close()
            raise

    def identity(self) -> dict[str, str]:
        """What verdicts depend on here beside the calls."""
        return identity_of(self._spec.given, self._backend, self.description, self._spec.options)

    def run(self, batch: Calls, worker: str = "") -> BatchDone:
        """Judge a batch."""
        engine = self._runner.engine
        if batch.answers and not engine.answered:
            engine.answered += 1  # elsewhere: a backend that crashes on all of these is one
        notes, answered = Counter(engine.notes), engine.answered
        lines = [row_line(row) for row in self._rows(batch)]
        self.broken = bool(engine.unusable)
        return BatchDone(
            b"".join(lines),
            worker,
            unusable=engine.unusable,
            answered=engine.answered - answered,
            notes=dict(Counter(engine.notes) - notes),
            examples=dict(engine.examples),
        )

    def _rows(self, batch: Calls) -> Iterable[Row]:
        if batch.how is How.ONCE:
            return self._runner.at_once(batch.calls).values()
        if batch.how is How.ALONE:
            return [row for row in map(self._runner.alone, batch.calls) if row is not None]
        return self._doubted(batch.calls)

    def _doubted(self, calls: Iterable[Explored]) -> Iterator[Row]:
        for call in calls:
            self._runner.add(call)
        while self._runner.busy and not (self._runner.unusable or self._runner.stopped):
            yield from self._runner.rows()
        yield from self._runner.rest()

    def stop(self) -> None:
        """End the batch that is under way; may be called from another thread."""
        self._runner.stop()

    def close(self) -> None:
        """End the child."""
        self._runner.close()


def _kept(worker: Any) -> Warm[CallRunner]:  # noqa: ANN401  Dask's worker
    found: Warm[CallRunner] = kept_at(worker, _ATTRIBUTE, Warm)
    return found


async def look(spec: BackendSpec, dask_worker: Worker) -> dict[str, Any]:
    """Who a worker is: its backend and its identity; `unusable` says why it cannot take part."""
    return await asyncio.to_thread(_look, spec, _kept(dask_worker))


def _look(spec: BackendSpec, kept: Warm[CallRunner]) -> dict[str, Any]:
    facts = {**this_worker(), "has_corpus": True}  # it needs none
    try:
        runner = kept.take(spec.run, "", lambda: CallRunner(spec))
        try:
            facts.update(described(runner.description, runner.identity()))
        finally:
            kept.give_back(runner, spec.run, "")
    except ConformanceError as error:
        facts["unusable"] = str(error)
    return facts


def judge(spec: BackendSpec, batch: Calls) -> BatchDone:
    """Judge a batch, in a thread of the worker."""
    from distributed import get_worker

    worker = get_worker()
    kept = _kept(worker)
    runner = kept.take(spec.run, "", lambda: CallRunner(spec))
    try:
        return runner.run(batch, worker.address)
    except BaseException:
        runner.broken = True
        raise
    finally:
        kept.give_back(runner, spec.run, "")


async def leave(run: str, dask_worker: Worker) -> None:
    """End all children of a run."""
    await asyncio.to_thread(_kept(dask_worker).leave, run)
