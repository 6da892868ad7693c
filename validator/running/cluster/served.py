"""What a worker of a Dask cluster is called with: who it is, a corpus to keep, batches to judge.

Children stay warm between batches: a worker keeps a runner for each of its threads until the run
says good-bye, or until nothing came for a while: the machine that records may have died.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.errors import ConformanceError
from onnx_conformance.core.systems import this_machine

from .corpora import keep, own_corpus
from .runner import BatchRunner, described

if TYPE_CHECKING:
    from distributed import Worker

    from onnx_conformance.core.corpus.corpus import Corpus

    from .batches import Batch, BatchDone, RunSpec

# A child that got nothing for so many seconds is ended; the next batch starts another.
IDLE = 120.0
_ATTRIBUTE = "onnx_conformance_runners"


@dataclass
class Runners:
    """The runners of one worker.

    Attributes:
        corpora: by the run that they are for.
        idle: those that wait for a batch, by run and session, with the time of the last.
        busy: those that have one.
        over: the runs that have said good-bye.
    """

    corpora: dict[str, Corpus] = field(default_factory=dict)
    idle: dict[tuple[str, int], list[tuple[float, BatchRunner]]] = field(default_factory=dict)
    busy: dict[BatchRunner, str] = field(default_factory=dict)
    over: set[str] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def corpus(self, spec: RunSpec) -> Corpus | None:
        """The corpus of a run; None if it is not here."""
        with self.lock:
            found = self.corpora.get(spec.run)
        if found is None and (found := own_corpus(spec)) is not None:
            with self.lock:
                self.corpora[spec.run] = found
        return found

    def take(self, spec: RunSpec, session: int) -> BatchRunner:
        """A runner for a batch: a warm one if there is any."""
        with self.lock:
            waiting = self.idle.get((spec.run, session))
            runner = waiting.pop()[1] if waiting else None
            if runner is not None:
                self.busy[runner] = spec.run
                return runner
        corpus = self.corpus(spec)
        if corpus is None:
            raise ConformanceError("the corpus of the run is not here any more")
        runner = BatchRunner(spec, corpus)
        with self.lock:
            self.busy[runner] = spec.run
        return runner

    def give_back(self, runner: BatchRunner, spec: RunSpec, session: int) -> None:
        """Keep a runner for the next batch, unless its backend is of no use any more."""
        with self.lock:
            del self.busy[runner]
            if not runner.broken and spec.run not in self.over:
                there = self.idle.setdefault((spec.run, session), [])
                there.append((time.monotonic(), runner))
                self._watch()
                return
        runner.close()

    def _watch(self) -> None:
        timer = threading.Timer(IDLE, self.end_idle)
        timer.daemon = True
        timer.start()

    def end_idle(self, older: float = IDLE) -> None:
        """End the children that got nothing for so many seconds."""
        now = time.monotonic()
        with self.lock:
            old = [
                runner
                for waiting in self.idle.values()
                for since, runner in waiting
                if now >= since + older
            ]
            for waiting in self.idle.values():
                waiting[:] = [item for item in waiting if item[1] not in old]
        for runner in old:
            runner.close()

    def leave(self, run: str) -> None:
        """End all children of a run."""
        with self.lock:
            old = [
                runner
                for key, waiting in self.idle.items()
                for _, runner in waiting
                if key[0] == run
            ]
            for key in [key for key in self.idle if key[0] == run]:
                del self.idle[key]
            self.corpora.pop(run, None)
            self.over.add(run)
            for runner, of in self.busy.items():
                if of == run:
                    runner.stop()
        for runner in old:
            runner.close()


def _runners(worker: Any) -> Runners:  # noqa: ANN401  Dask's worker, which anything can be kept at
    found: Runners = vars(worker).setdefault(_ATTRIBUTE, Runners())
    return found


# --- what is called -------------------------------------------------------------------------


async def look(spec: RunSpec, dask_worker: Worker) -> dict[str, Any]:
    """Who a worker is: its backend, its identity, and whether it has the corpus.

    `unusable` says in words why it cannot take part.
    """
    return await asyncio.to_thread(_look, spec, _runners(dask_worker))


def _look(spec: RunSpec, runners: Runners) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "machine": this_machine(),
        "has_corpus": False,
    }
    try:
        if runners.corpus(spec) is None:
            return facts
        facts["has_corpus"] = True
        runner = runners.take(spec, 0)
        try:
            facts.update(json.loads(described(runner)))
        finally:
            runners.give_back(runner, spec, 0)
    except ConformanceError as error:
        facts["unusable"] = str(error)
    return facts


async def receive(content: bytes, spec: RunSpec, dask_worker: Worker) -> str:
    """Keep a corpus; why it cannot, in words, or an empty text."""
    del dask_worker
    try:
        await asyncio.to_thread(keep, content, spec)
    except (ConformanceError, OSError) as error:
        return str(error)
    return ""


def work(spec: RunSpec, batch: Batch) -> BatchDone:
    """Judge a batch, in a thread of the worker."""
    from distributed import get_worker

    worker = get_worker()
    runners = _runners(worker)
    runner = runners.take(spec, batch.session)
    try:
        return runner.run(batch, worker.address)
    except BaseException:
        runner.broken = True
        raise
    finally:
        runners.give_back(runner, spec, batch.session)


async def leave(run: str, dask_worker: Worker) -> None:
    """End all children of a run."""
    await asyncio.to_thread(_runners(dask_worker).leave, run)
