"""The worker's side of a run: judges one batch after the other with a child that stays warm.

It knows nothing of the engine that brings the batches. A batch is judged as a run on one machine
judges its vectors: failures are confirmed alone in a fresh child, rejections wait for their
controls, a crash is that of the vector that causes it when it runs alone.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.errors import BackendUnusableError

from ...host.backends import find_backend
from ...host.child import Launch
from ...host.engine import Engine
from ...host.model_files import ModelFiles
from ...host.preparing import Preparer
from ...profiles.reading import profile_of_json
from ...results.file_format import row_line
from ..doubts import Doubts
from ..planning import make_plan
from ..reuse.identity import identity_of
from ..rows import RowJudge
from .batches import BatchDone

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from onnx_conformance.core.corpus.corpus import Corpus

    from ...host.backends import Backend
    from ...host.preparing import Expectation
    from ...host.protocol import Description
    from ...results.records import Row
    from .batches import BackendSpec, Batch, RunSpec


class BatchRunner:
    """Judges batches of one run, in one thread at a time.

    Attributes:
        broken: whether it can judge no more: its backend is of no use here.
        description: what the child said of itself.
    """

    def __init__(self, spec: RunSpec, corpus: Corpus) -> None:
        """Start a child and ask it who it is; BackendUnusableError if that fails."""
        self._spec = spec
        self._corpus = corpus
        self._backend = backend_of(spec)
        self._models = ModelFiles()
        self._losses: set[str] = set()
        self._profile = None if spec.claims is None else profile_of_json(spec.claims)
        self._engine: Engine[Expectation] = Engine(
            Launch(self._backend.command, memory_limit=spec.memory_limit),
            Preparer(corpus.entries, self._models),
            replace(spec.settings, jobs=1),
            (),
            self._losses,
        )
        self._doubts: Doubts | None = None
        self.broken = False
        try:
            self.description: Description = self._engine.start()
        except BaseException:
            self.close()
            raise

    def identity(self) -> dict[str, str]:
        """What verdicts depend on here beside the vectors."""
        return identity_of(self._spec.given, self._backend, self.description, self._spec.options)

    def run(self, batch: Batch, worker: str = "") -> BatchDone:
        """Judge a batch."""
        engine = self._engine
        before = Counter(engine.notes), engine.answered, engine.lost, engine.lost_children
        if batch.answers and not engine.answered:
            engine.answered += 1  # elsewhere: a backend that crashes on all of these is one
            before = before[0], engine.answered, *before[2:]
        self._corpus.provide(self._corpus.entries[item] for item in batch.ids)
        lines = [row_line(row) for row in self._rows(batch)]
        notes, answered, lost, lost_children = before
        self.broken = bool(engine.unusable)
        return BatchDone(
            b"".join(lines),
            worker,
            unusable=engine.unusable,
            answered=engine.answered - answered,
            lost=engine.lost - lost,
            lost_children=engine.lost_children - lost_children,
            first_lost=engine.first_lost if engine.lost_children > lost_children else "",
            spoiled=bool(self._doubts and self._doubts.spoiled),
            notes=dict(Counter(engine.notes) - notes),
            examples=dict(engine.examples),
        )

    def _rows(self, batch: Batch) -> Iterator[Row]:
        plan = make_plan(self._corpus, [self._corpus.entries[item] for item in batch.ids])
        judge = RowJudge(
            plan, batch.known, self._spec.tolerance, self._spec.accuracy, self._profile
        )
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

    def stop(self) -> None:
        """End the batch that is under way; may be called from another thread."""
        self._engine.stop()

    def close(self) -> None:
        """End the child."""
        with contextlib.suppress(BackendUnusableError):
            self._engine.close()
        self._models.close()


def backend_of(spec: BackendSpec) -> Backend:
    """The backend of a run on this machine."""
    return replace(find_backend(spec.given, spec.python), name=spec.name)


def described(description: Description, identity: Mapping[str, str]) -> dict[str, Any]:
    """Who a backend is, as `Admission` reads it."""
    return {"describe": dict(description.raw), "identity": dict(identity)}
