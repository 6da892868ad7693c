"""What a worker of a Dask cluster is called with: who it is, and calls to judge.

Calls come with their files, so that a worker needs the runtime, and neither corpus nor specs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.cluster.warm import Warm, kept_at
from onnx_conformance.core.errors import ConformanceError
from onnx_conformance.core.exploring.explorer import Explored

from ...results.records import Row
from ...running.cluster.batches import BackendSpec, BatchDone
from ...running.cluster.runner import WarmRunner, backend_of
from ...running.cluster.served import this_worker
from ..running import Runner

if TYPE_CHECKING:
    from distributed import Worker


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


class CallRunner(WarmRunner):
    """Judges drawn calls."""

    def __init__(self, spec: BackendSpec) -> None:
        """Start a child and ask it who it is; BackendUnusableError if that fails."""
        backend = backend_of(spec)
        self._runner = Runner(backend, replace(spec.settings, jobs=1), spec.accuracy)
        super().__init__(spec, backend, self._runner.engine)

    def run(self, batch: Calls, worker: str = "") -> BatchDone:
        """Judge a batch."""
        return self._done(self._rows(batch), worker, answers=batch.answers)

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
        with kept.lent(spec.run, "", lambda: CallRunner(spec)) as runner:
            facts.update(runner.described())
    except ConformanceError as error:
        facts["unusable"] = str(error)
    return facts


def judge(spec: BackendSpec, batch: Calls) -> BatchDone:
    """Judge a batch, in a thread of the worker."""
    from distributed import get_worker

    worker = get_worker()
    with _kept(worker).lent(spec.run, "", lambda: CallRunner(spec)) as runner:
        return runner.run(batch, worker.address)


async def leave(run: str, dask_worker: Worker) -> None:
    """End all children of a run."""
    await asyncio.to_thread(_kept(dask_worker).leave, run)
