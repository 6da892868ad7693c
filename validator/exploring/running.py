"""Drawn calls through the engine: one judged row for each, failures alone before they count."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from onnx_conformance.core.corpus.corpus import Entry
from onnx_conformance.core.exploring.explorer import Explored

from ..host.backends import Backend
from ..host.engine import Engine
from ..host.model_files import ModelFiles
from ..host.preparing import Expectation, Preparer
from ..host.protocol import Description
from ..host.requests import Finished
from ..host.worker import Settings
from ..judging.verdicts import LOST_VERDICTS
from ..results.records import Row
from ..running.doubts import Doubts
from ..running.planning import RunPlan
from ..running.rows import RowJudge
from .supplying.drawn_vectors import entry_of


def _needs_no_child(_vector_id: str, verdict: str) -> bool:
    """Whether a verdict counts for now without a fresh child that confirms it.

    Two children are started for each that is confirmed. What is reported is made simpler first, and
    runs alone then; whoever ended a child is found alone at once.
    """
    return verdict not in LOST_VERDICTS


class Judging(Protocol):
    """Whoever judges drawn calls: children of this machine, or the workers of a cluster.

    Attributes:
        backend: what is judged.
        unusable: why no more can be judged; empty while it can.
        stopped: whether it was told to stop.
        busy: whether a call has no row yet.
        ahead: how many calls wait until somebody has time for them.
    """

    backend: Backend

    @property
    def unusable(self) -> str:
        """As of the class, like those that follow."""
        ...

    @property
    def stopped(self) -> bool: ...  # noqa: D102

    @property
    def busy(self) -> bool: ...  # noqa: D102

    @property
    def ahead(self) -> int: ...  # noqa: D102

    def start(self) -> Description:
        """Start the backend; BackendUnusableError or ClusterError where that fails."""
        ...

    def facts(self) -> dict[str, Any]:
        """What a results file says of where the calls were judged."""
        ...

    def add(self, explored: Explored) -> None:
        """Have a drawn call run."""
        ...

    def rows(self) -> Iterator[Row]:
        """The rows that can be made now; waits a moment where there is none."""
        ...

    def rest(self) -> Iterator[Row]:
        """The rows that wait for a confirmation that cannot be made any more."""
        ...

    def at_once(self, calls: Iterable[Explored]) -> dict[str, Row]:
        """The rows of some calls, by id, once all are there; nothing is confirmed."""
        ...

    def alone(self, call: Explored) -> Row | None:
        """The row of a call that ran alone in a fresh child; None if it cannot be run."""
        ...

    def may_repeat(self, name: str) -> bool:
        """Whether calls like this one may be run again and again, to make it simpler."""
        ...

    def stop(self) -> None:
        """End soon; may be called from a signal handler."""
        ...

    def close(self) -> None:
        """End the children."""
        ...


@dataclass
class Runner:
    """Runs drawn calls with children of this machine; `close` ends them.

    Attributes:
        engine: the engine that runs them.
    """

    backend: Backend
    settings: Settings
    accuracy: str
    _entries: dict[str, Entry] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Make an engine that has nothing to run yet."""
        self._models = ModelFiles()
        self.engine: Engine[Expectation] = Engine(
            self.backend.command,
            Preparer(self._entries, self._models),
            self.settings,
            (),
        )
        plan = RunPlan(self._entries, 0, (), {})
        self._judge = RowJudge(plan, {}, accuracy=self.accuracy)
        self._doubts = Doubts(self.engine, self._judge, _needs_no_child)

    @property
    def unusable(self) -> str:
        """As of `Judging`, like those that follow."""
        return self.engine.unusable

    @property
    def stopped(self) -> bool:  # noqa: D102
        return self.engine.stopped

    @property
    def ahead(self) -> int:  # noqa: D102
        return self.engine.ahead

    def stop(self) -> None:
        """End soon; may be called from a signal handler."""
        self.engine.stop()

    def may_repeat(self, name: str) -> bool:
        """Whatever it does, it ends a child of ours at most."""
        del name
        return True

    def facts(self) -> dict[str, Any]:
        """Nothing: it is the machine that records."""
        return {}

    def start(self) -> Description:
        """Start the backend; errors as of `Engine.start`."""
        return self.engine.start()

    def add(self, explored: Explored) -> None:
        """Have a drawn call run."""
        self._entries[explored.id] = entry_of(explored)
        self.engine.plan([explored.id])

    def rows(self) -> Iterator[Row]:
        """The rows that can be made now; waits a moment where there is none."""
        for finished in self.engine.step():
            yield from self._kept(self._doubts.rows(finished))

    def rest(self) -> Iterator[Row]:
        """The rows that wait for a confirmation that cannot be made any more."""
        yield from self._kept(self._doubts.rest())

    @property
    def busy(self) -> bool:
        """Whether a call has no row yet."""
        return bool(self._entries)

    def _kept(self, rows: Iterable[Row]) -> Iterator[Row]:
        for row in rows:
            yield row
            self._forget(row.id)

    def _forget(self, name: str) -> None:
        self._models.remove(name)
        self._entries.pop(name, None)

    def at_once(self, calls: Iterable[Explored]) -> dict[str, Row]:
        """The rows of some calls, by id, once all are there; nothing is confirmed.

        Nothing else may be under way. What the engine does not finish has no row.
        """
        left = {item.id: item for item in calls}
        for item in left.values():
            self.add(item)
        found: dict[str, Row] = {}
        while len(found) < len(left) and not (self.engine.unusable or self.engine.stopped):
            for finished in self.engine.step():
                found.update(self._judged(finished))
        for name in left:
            self._forget(name)
        return found

    def alone(self, call: Explored) -> Row | None:
        """The row of a call that ran alone in a fresh child; None if it cannot be run."""
        self.add(call)
        row = None
        while row is None and not (self.engine.unusable or self.engine.stopped):
            for finished in self.engine.step():
                if finished.doubted is None and self.engine.can_run_alone(finished):
                    self.engine.run_alone(finished, "run again, alone")
                else:
                    row = self._judged(finished).get(call.id)
        self._forget(call.id)
        return row

    def _judged(self, finished: Finished[Expectation]) -> dict[str, Row]:
        return {row.id: row for row in self._judge.rows(finished)}

    def close(self) -> None:
        """End the children and remove all files."""
        self.engine.close()
        self._models.close()
