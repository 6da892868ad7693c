"""Where the rows of a run come from: children of this machine, or the workers of a cluster."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence

from onnx_conformance.core.corpus.sources import Everything, Supply

from ..host.engine import Engine
from ..host.model_files import ModelFiles
from ..host.preparing import Expectation, Preparer
from ..host.protocol import Description
from ..host.tally import Tally
from ..results.records import Row, RunFacts
from .doubts import judged_rows
from .parameters import RunParameters
from .rows import RowJudge


class LocalRows:
    """The rows of children of this machine: an engine, and what it needs."""

    def __init__(self, run: RunParameters, todo: Sequence[str]) -> None:
        """Plan to judge the vectors `todo` of a run."""
        self._run = run
        self._models = ModelFiles()
        self._supply = run.corpus.supply(run.plan.entries[item] for item in todo)
        self._engine = self._engine_of(todo, self._supply)
        self._again: Engine[Expectation] | None = None

    @property
    def unusable(self) -> str:
        """Why the run ended early, or an empty text."""
        return self._engine.unusable

    @property
    def tally(self) -> Tally:
        """What is counted beside the rows."""
        return self._engine.tally

    def _engine_of(self, ids: Sequence[str], supply: Supply) -> Engine[Expectation]:
        run = self._run
        return Engine(
            run.backend.command,
            Preparer(run.plan.entries, self._models, supply),
            run.settings,
            ids,
            expected_losses=run.expectations.losses,
        )

    def start(self) -> Description:
        """Who the backend is; BackendUnusableError if it cannot be started."""
        description = self._engine.start()
        self._supply.start()  # not for a backend that cannot be used
        return description

    def identity(self, description: Description) -> Mapping[str, str]:
        """What verdicts depend on where they are found."""
        return self._run.identity(description)

    def facts(self) -> RunFacts:
        """What the header says of where the vectors are run, beside that."""
        return {}

    def rows(self, known: Mapping[str, str]) -> Iterator[Row]:
        """The row of each planned vector; `known` are verdicts that are there already."""
        yield from self._judged(self._engine, self._run.row_judge(known))
        if not self._engine.stopped:
            self._supply.wait()  # what it has begun is kept, for the next run

    def again(self, ids: Sequence[str], known: Mapping[str, str]) -> Iterator[Row]:
        """The rows of a further run of vectors, in fresh children."""
        self._again = self._engine_of(ids, Everything())
        with contextlib.closing(self._again):
            self._engine.compare(self._again.start())
            if not self._engine.unusable:
                yield from self._judged(self._again, self._run.row_judge(known))

    def _judged(self, engine: Engine[Expectation], judge: RowJudge) -> Iterator[Row]:
        for row in judged_rows(engine, judge, self._run.expectations.lists):
            self._models.remove(row.id)
            yield row

    def stop(self) -> None:
        """End soon; may be called from a signal handler."""
        self._engine.stop()
        if self._again is not None:
            self._again.stop()

    def close(self) -> None:
        """Leave nothing running."""
        self._engine.close()
        self._models.close()
        self._supply.close()
