"""The worker's side of a run: judges one batch after the other with a child that stays warm.

It knows nothing of the engine that brings the batches. A batch is judged as a run on one machine
judges its vectors: failures are confirmed alone in a fresh child, rejections wait for their
controls, a crash is that of the vector that causes it when it runs alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import replace
from typing import Any

from onnx_conformance.core.corpus.corpus import Corpus

from ...host.backends import Backend, find_backend
from ...host.engine import Engine
from ...host.model_files import ModelFiles
from ...host.preparing import Expectation, Preparer
from ...profiles.reading import profile_of_json
from ...results.file_format import row_line
from ...results.records import Row
from ..doubts import Doubts
from ..planning import make_plan
from ..reuse.identity import identity_of
from ..rows import RowJudge
from .batches import BackendSpec, Batch, BatchDone, RunSpec


class WarmRunner(ABC):
    """A child that stays warm from batch to batch, for one thread at a time; a `Keepable`.

    Attributes:
        broken: whether it can judge no more: its backend is of no use here.
    """

    def __init__(self, spec: BackendSpec, backend: Backend, engine: Engine[Expectation]) -> None:
        """Start a child and ask it who it is; BackendUnusableError if that fails."""
        self._spec = spec
        self._backend = backend
        self._engine = engine
        self.broken = False
        try:
            self._description = engine.start()
        except BaseException:
            self.close()
            raise

    def described(self) -> dict[str, Any]:
        """Who the backend is, as `Admission` reads it."""
        spec, description = self._spec, self._description
        identity = identity_of(spec.given, self._backend, description, spec.options)
        return {"describe": dict(description.raw), "identity": identity}

    def _done(self, rows: Iterable[Row], worker: str, *, answers: bool) -> BatchDone:
        """What is found while the rows of a batch are made.

        `answers` says whether the backend has answered anything elsewhere: if it crashes on all of
        these, it is a backend all the same.
        """
        engine = self._engine
        engine.tally.answered = max(engine.tally.answered, int(answers))
        before = deepcopy(engine.tally)
        lines = b"".join(row_line(row) for row in rows)
        self.broken = bool(engine.unusable)
        return BatchDone(lines, worker, engine.unusable, engine.tally.since(before))

    def stop(self) -> None:
        """End the batch that is under way; may be called from another thread."""
        self._engine.stop()

    @abstractmethod
    def close(self) -> None:
        """End the child."""


class BatchRunner(WarmRunner):
    """Judges batches of one run."""

    def __init__(self, spec: RunSpec, corpus: Corpus) -> None:
        """Start a child and ask it who it is; BackendUnusableError if that fails."""
        self._corpus = corpus
        self._models = ModelFiles()
        self._losses: set[str] = set()
        self._limits = spec.tolerance, spec.accuracy
        self._profile = None if spec.claims is None else profile_of_json(spec.claims)
        self._doubts: Doubts | None = None
        backend = backend_of(spec)
        engine: Engine[Expectation] = Engine(
            backend.command,
            Preparer(corpus.entries, self._models),
            replace(spec.settings, jobs=1),
            (),
            self._losses,
        )
        super().__init__(spec, backend, engine)

    def run(self, batch: Batch, worker: str = "") -> BatchDone:
        """Judge a batch."""
        self._corpus.provide(self._corpus.entries[item] for item in batch.ids)
        done = self._done(self._rows(batch), worker, answers=batch.answers)
        return replace(done, spoiled=bool(self._doubts and self._doubts.spoiled))

    def _rows(self, batch: Batch) -> Iterator[Row]:
        plan = make_plan(self._corpus, [self._corpus.entries[item] for item in batch.ids])
        judge = RowJudge(plan, batch.known, *self._limits, self._profile)
        self._losses.clear()
        self._losses.update(batch.losses)

        def listed(vector_id: str, verdict: str) -> bool:
            return verdict in batch.listed.get(vector_id, ())

        if self._doubts is None:
            self._doubts = Doubts(self._engine, judge, listed)
        doubts = self._doubts
        doubts.next_batch(judge, listed, distrusted=batch.distrusted)
        for finished in self._engine.batch(batch.ids):
            yield from self._forgotten(doubts.rows(finished))
        yield from self._forgotten(doubts.rest())

    def _forgotten(self, rows: Iterator[Row]) -> Iterator[Row]:
        for row in rows:
            self._models.remove(row.id)
            yield row

    def close(self) -> None:
        """End the child, and remove the models that it was given."""
        self._engine.close()
        self._models.close()


def backend_of(spec: BackendSpec) -> Backend:
    """The backend of a run on this machine."""
    return replace(find_backend(spec.given, spec.python), name=spec.name)
