"""What a worker of a Dask cluster is called with: who it is, a corpus to keep, batches to judge.

Children stay warm between batches: a worker keeps a runner for each of its threads (`warm`).
"""

from __future__ import annotations

import asyncio
import os
import socket
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.cluster.warm import Warm, kept_at
from onnx_conformance.core.corpus.corpus import Corpus
from onnx_conformance.core.errors import ConformanceError
from onnx_conformance.core.systems import this_machine

from .batches import Batch, BatchDone, RunSpec
from .corpora import keep, own_corpus
from .runner import BatchRunner

if TYPE_CHECKING:
    from distributed import Worker


_ATTRIBUTE = "onnx_conformance_runners"


@dataclass
class Runners:
    """The runners of one worker, and the corpora of their runs."""

    corpora: dict[str, Corpus] = field(default_factory=dict)
    warm: Warm[BatchRunner] = field(default_factory=Warm)

    def corpus(self, spec: RunSpec) -> Corpus | None:
        """The corpus of a run; None if it is not here."""
        with self.warm.lock:
            found = self.corpora.get(spec.run)
        if found is None and (found := own_corpus(spec)) is not None:
            with self.warm.lock:
                self.corpora[spec.run] = found
        return found

    def lent(self, spec: RunSpec, session: int) -> AbstractContextManager[BatchRunner]:
        """A runner for a batch: a warm one if there is any."""

        def made() -> BatchRunner:
            corpus = self.corpus(spec)
            if corpus is None:
                raise ConformanceError("the corpus of the run is not here any more")
            return BatchRunner(spec, corpus)

        return self.warm.lent(spec.run, session, made)

    def leave(self, run: str) -> None:
        """End all children of a run."""
        self.warm.leave(run)
        with self.warm.lock:
            self.corpora.pop(run, None)


def _runners(worker: Any) -> Runners:  # noqa: ANN401  Dask's worker, which anything can be kept at
    found: Runners = kept_at(worker, _ATTRIBUTE, Runners)
    return found


# --- what is called -------------------------------------------------------------------------


async def look(spec: RunSpec, dask_worker: Worker) -> dict[str, Any]:
    """Who a worker is: its backend, its identity, and whether it has the corpus.

    `unusable` says in words why it cannot take part.
    """
    return await asyncio.to_thread(_look, spec, _runners(dask_worker))


def _look(spec: RunSpec, runners: Runners) -> dict[str, Any]:
    facts = {**this_worker(), "has_corpus": False}
    try:
        if runners.corpus(spec) is None:
            return facts
        facts["has_corpus"] = True
        with runners.lent(spec, 0) as runner:
            facts.update(runner.described())
    except ConformanceError as error:
        facts["unusable"] = str(error)
    return facts


def this_worker() -> dict[str, Any]:
    """Who a worker is, whatever its backend."""
    return {"host": socket.gethostname(), "pid": os.getpid(), "machine": this_machine()}


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
    with _runners(worker).lent(spec, batch.session) as runner:
        return runner.run(batch, worker.address)


async def leave(run: str, dask_worker: Worker) -> None:
    """End all children of a run."""
    await asyncio.to_thread(_runners(dask_worker).leave, run)
