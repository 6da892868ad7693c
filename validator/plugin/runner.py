"""Runs vectors one at a time for pytest, in a child that stays."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

from onnx_conformance.core.corpus.sources import Supply
from onnx_conformance.core.errors import BackendUnusableError, ConformanceError

from ..host.backends import Backend
from ..host.engine import Engine
from ..host.model_files import ModelFiles
from ..host.preparing import Expectation, Preparer
from ..host.protocol import Description, difference
from ..host.worker import Settings
from ..results.lost_children import LostChildren, permitted
from ..results.records import Row
from ..running.doubts import Doubts
from ..running.rows import RowJudge
from ..running.run import unusable

if TYPE_CHECKING:
    from ..gate.expectations import Expectations
    from ..running.planning import RunPlan


NODE = "onnx-conformance"


class Runner:
    """Runs vectors one at a time, each once; an invalid one after its control."""

    def __init__(  # noqa: PLR0913, PLR0917  all that a run is made of
        self,
        backend: Backend,
        plan: RunPlan,
        settings: Settings,
        expectations: Expectations,
        row_judge: RowJudge,
        supply: Supply,
        asked: Description | None = None,
    ) -> None:
        """Prepare to run vectors of a plan; nothing is started yet.

        `asked` is what the backend said of itself before, if it was asked what it claims.
        """
        self._asked = asked
        self._backend = backend
        self._plan = plan
        self._row_judge = row_judge
        self._supply = supply
        self._supplied = False
        self._rows: dict[str, Row] = {}
        self._settings = settings
        self._expectations = expectations
        self._models = ModelFiles()
        self._engine: Engine[Expectation] | None = None
        self._doubts: Doubts | None = None
        self._said_lost = False

    def start(self) -> Description:
        """Start the backend; BackendUnusableError says why it cannot."""
        engine = Engine(
            self._backend.command,
            Preparer(self._plan.entries, self._models, self._supply),
            self._settings,
            (),
            expected_losses=self._expectations.losses,
        )
        try:
            description = engine.start()
        except BackendUnusableError as error:
            raise unusable(self._backend, str(error)) from None
        if self._asked is not None and (other := difference(self._asked, description)):
            engine.close()
            raise unusable(self._backend, other)
        self._engine = engine
        if not self._supplied:
            self._supplied = True
            self._supply.start()
        self._doubts = Doubts(engine, self._row_judge, self._expectations.lists)
        return description

    def row(self, vector_id: str) -> Row:
        """The verdict on a vector."""
        if self._engine is None:
            self.start()
        for needed in (self._plan.control_of.get(vector_id), vector_id):
            if needed is not None and needed not in self._rows:
                self._run(needed)
            self._models.remove(needed or "")
        return self._rows[vector_id]

    def _run(self, vector_id: str) -> None:
        assert self._engine is not None  # noqa: S101  row() has started it
        assert self._doubts is not None  # noqa: S101  as above
        try:
            for finished in self._engine.batch([vector_id]):
                self._rows.update((row.id, row) for row in self._doubts.rows(finished))
            if vector_id not in self._rows:
                raise self._engine.given_up()
        except BackendUnusableError as error:
            raise unusable(self._backend, str(error)) from None
        except ConformanceError as error:  # vectors cannot be made: no other test could run
            pytest.exit(f"{NODE}: {error}", pytest.ExitCode.USAGE_ERROR)

    def lost(self) -> str:
        """The warning that too many children were lost; returned once, and empty otherwise."""
        engine = self._engine
        if engine is None or self._said_lost:
            return ""
        limit = 0 if self._expectations.file else permitted(len(self._plan.entries))
        lost = LostChildren(engine.tally.lost_children, limit, engine.tally.first_lost)
        self._said_lost = lost.too_many
        return lost.words if lost.too_many else ""

    def wait(self) -> None:
        """Wait for the vectors that are still being made: no test needs them, but the next may."""
        if self._supplied:
            with contextlib.suppress(ConformanceError):  # no verdict depends on it
                self._supply.wait()

    def close(self) -> None:
        """End the child, if there is one."""
        if self._engine is not None:
            self._engine.close()
            self._engine = None
        self._supply.close()
        self._models.close()
