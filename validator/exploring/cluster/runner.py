"""The runner of an exploration whose calls are judged by the workers of a cluster.

Drawing, learning from verdicts and making failures simpler stay here, in one process. Calls go out
in batches as they are drawn: small ones while workers wait for work, larger ones while they do not.
"""

from __future__ import annotations

import queue
import secrets
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from onnx_conformance.core.cluster.batches import Outcome
from onnx_conformance.core.cluster.options import Where
from onnx_conformance.core.corpus.corpus import Entry
from onnx_conformance.core.errors import ClusterError, ConformanceError
from onnx_conformance.core.exploring.explorer import Explored
from onnx_conformance.core.text import one_line

from ...host.backends import Backend
from ...host.protocol import Description
from ...host.requests import Finished
from ...host.worker import Settings
from ...judging.tolerance_rules import ONNX_MODE
from ...results.records import Row
from ...running.cluster.admission import Admission
from ...running.cluster.batches import BackendSpec, BatchDone
from ...running.cluster.foreign_rows import rows_of
from ...running.cluster.joining import Joined
from ...running.planning import RunPlan
from ...running.rows import RowJudge
from ..supplying.drawn_vectors import entry_of
from .served import Calls, How, judge, leave, look

# Fewer calls than so many wait so long (seconds) for others: those that draw them are slower.
_FEW, _WAIT = 8, 0.1
# Calls of a batch at most, and batches of a worker's thread that are out before one waits here.
_MOST, _AHEAD = 16, 2
# A batch is given to workers so often that raise an error, or whose backend is of no use there.
_TRIES = 3
_TICK = 0.05


@dataclass(frozen=True)
class _Out:
    """Calls that go out together, how often they did in vain, and whether nothing else may be out.

    `asked` counts what is asked for: what was asked before is nobody's any more.
    """

    batch: Calls
    tries: int = 0
    alone: bool = False
    asked: int = 0

    def parts(self, *, tries: int, alone: bool) -> list[_Out]:
        """A batch for each call."""
        single = [replace(self.batch, calls=(item,)) for item in self.batch.calls]
        return [replace(self, batch=item, tries=tries, alone=alone) for item in single]


def spec_of(
    backend: Backend,
    given: tuple[str, str | None],
    settings: Settings,
    accuracy: str,
) -> BackendSpec:
    """What workers are told of the backend; `given` are the values of `--backend`, `--python`."""
    return BackendSpec(
        run=secrets.token_hex(6),
        given=given[0],
        python=given[1],
        name=backend.name,
        settings=settings,
        accuracy=accuracy,
        options={
            "tolerance": ONNX_MODE,
            "accuracy": accuracy,
            **settings.of_verdicts(),
        },
    )


@dataclass
class ClusterRunner:
    """Runs drawn calls on the workers of a cluster; a `Judging`."""

    backend: Backend
    spec: BackendSpec
    where: Where
    unusable: str = ""

    def __post_init__(self) -> None:
        """Connect to nothing yet."""
        admission = Admission(self.spec, look)
        self._cluster = Joined(self.where, self.spec.run, admission, leave)
        self._answers = False
        self._thread: threading.Thread | None = None
        self._entries: dict[str, Entry] = {}
        self._pending: list[Explored] = []
        self._since = 0.0
        self._work: deque[_Out] = deque()
        self._under_way = 0
        self._asked = 0
        self._wanted = threading.Event()
        self._closed = False
        self._killers: set[str] = set()
        self._ended: queue.SimpleQueue[Outcome[_Out, BatchDone] | Exception] = queue.SimpleQueue()
        plan = RunPlan(self._entries, 0, (), {})
        self._judge = RowJudge(plan, {}, accuracy=self.spec.accuracy)

    def start(self) -> Description:
        """Connect, and admit the workers that are there; ClusterError without any."""
        description = self._cluster.start()
        self._thread = threading.Thread(target=self._bring, daemon=True)
        self._thread.start()
        return description

    def facts(self) -> dict[str, Any]:
        """What a results file says of the cluster."""
        return self._cluster.facts()

    @property
    def stopped(self) -> bool:
        """Whether it was told to stop."""
        return self._cluster.stopped

    def _bring(self) -> None:
        """In a thread: have batches run as long as there are any, and wait for more."""
        executor = self._cluster.executor
        try:
            while not (self._closed or executor.stopped):
                self._wanted.wait()
                self._wanted.clear()
                for outcome in executor.run(judge, self._work, self._call, _is_alone):
                    self._ended.put(outcome)
        except Exception as error:  # it is raised where rows are asked for
            self._ended.put(error)

    def _call(self, out: _Out) -> tuple[BackendSpec, Calls]:
        return self.spec, replace(out.batch, answers=self._answers)

    # --- what is asked -----------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """Whether a call has no row yet."""
        return bool(self._entries)

    @property
    def ahead(self) -> int:
        """How many calls wait, besides those that keep all workers at work."""
        return max(0, len(self._entries) - _AHEAD * _MOST * self._threads)

    @property
    def _threads(self) -> int:
        return max(1, self._cluster.executor.threads)

    def add(self, explored: Explored) -> None:
        """Have a drawn call run."""
        self._entries[explored.id] = entry_of(explored)
        if not self._pending:
            self._since = time.monotonic()
        self._pending.append(explored)

    def rows(self) -> Iterator[Row]:
        """The rows that can be made now; waits a moment where there is none."""
        self._send(How.DOUBTED)
        for row in self._came(_TICK):
            yield row
            self._entries.pop(row.id, None)

    def rest(self) -> Iterator[Row]:
        """What waits for a confirmation waits at its worker, and is lost with the end."""
        return iter(())

    def at_once(self, calls: Iterable[Explored]) -> dict[str, Row]:
        """As of `Judging`."""
        return self._rows_of(calls, How.ONCE)

    def alone(self, call: Explored) -> Row | None:
        """As of `Judging`."""
        return self._rows_of([call], How.ALONE).get(call.id)

    def may_repeat(self, name: str) -> bool:
        """Not what ends workers: each of them takes seconds to come back, if it does."""
        return name not in self._killers

    def _rows_of(self, calls: Iterable[Explored], how: How) -> dict[str, Row]:
        wanted = list(calls)
        for call in wanted:
            self.add(call)
        self._asked += 1
        self._send(how)
        found: dict[str, Row] = {}
        while len(found) < len(wanted) and not (self.unusable or self.stopped):
            for row in self._came(_TICK):
                found[row.id] = row
        for call in wanted:
            self._entries.pop(call.id, None)
        return found

    def _send(self, how: How) -> None:
        """Send calls out that wait: soon while workers may have nothing to do."""
        late = how is not How.DOUBTED or time.monotonic() > self._since + _WAIT
        if len(self._pending) < _FEW and not late:
            return
        while self._pending:
            idle = _AHEAD * self._threads - self._under_way
            if idle <= 0 and len(self._pending) < _MOST and how is How.DOUBTED:
                return
            size = min(_MOST, -(-len(self._pending) // max(1, min(idle, self._threads))))
            batch = Calls(tuple(self._pending[:size]), how)
            del self._pending[:size]
            self._out([_Out(batch, asked=self._asked)])

    def _out(self, parts: Sequence[_Out]) -> None:
        self._under_way += len(parts)
        self._work.extend(parts)
        self._wanted.set()

    # --- what comes back ---------------------------------------------------------------------

    def _came(self, seconds: float) -> Iterator[Row]:
        """The rows that came since the last time; waits so long where there is none."""
        try:
            item = self._ended.get(timeout=seconds)
            while True:
                if isinstance(item, ClusterError) and not self.stopped:
                    self.unusable = one_line(str(item), 600)
                    return
                if isinstance(item, Exception):
                    raise item
                self._under_way -= 1
                yield from self._taken(item)
                item = self._ended.get_nowait()
        except queue.Empty:
            return

    def _taken(self, outcome: Outcome[_Out, BatchDone]) -> Iterator[Row]:
        """The rows of a batch that ended; what is left of it goes out again."""
        out = outcome.item
        if out.asked != self._asked:
            return
        if outcome.lost:
            yield from self._lost(out, outcome.lost)
            return
        problem = outcome.error
        rows: list[Row] = []
        if not problem:
            try:
                rows = rows_of(outcome.result, out.batch.ids, self._entries)
            except ConformanceError as error:
                problem = str(error)
        if not problem:
            done = cast("BatchDone", outcome.result)
            self._answers = self._answers or done.tally.answered > 0
            problem = done.unusable or "no verdict came"
        yield from rows
        there = {row.id for row in rows}
        left = tuple(item for item in out.batch.calls if item.id not in there)
        if left and not self.stopped:
            yield from self._again(replace(out, batch=replace(out.batch, calls=left)), problem)

    def _again(self, out: _Out, problem: str) -> Iterator[Row]:
        """Send calls out once more, each for itself, unless that was in vain too often."""
        if out.tries + 1 < _TRIES:
            self._out(out.parts(tries=out.tries + 1, alone=False))
        elif not self._answers:
            self.unusable = one_line(problem, 600)
        else:
            for name in out.batch.ids:
                yield from self._unjudged(name, problem)

    def _lost(self, out: _Out, how: str) -> Iterator[Row]:
        """Find what kills workers: each call alone, then a verdict."""
        if len(out.batch.calls) > 1 or not out.alone:
            self._out(out.parts(tries=out.tries, alone=True))
        else:
            name = out.batch.ids[0]
            self._killers.add(name)
            yield from self._cluster.blamed(name, how, self._entries, self._judge)

    def _unjudged(self, name: str, problem: str) -> Iterator[Row]:
        """The row of a call that workers can make nothing of: that is no fault of the backend."""
        yield from self._judge.rows(Finished(name, None, problem=f"no worker judges it: {problem}"))

    # --- the end -----------------------------------------------------------------------------

    def stop(self) -> None:
        """End soon; may be called from a signal handler."""
        self._cluster.stop()

    def close(self) -> None:
        """Leave the cluster: the workers end their children."""
        self._closed = True
        self._wanted.set()
        self._cluster.stop()
        if self._thread is not None:
            self._thread.join(5)
        self._cluster.close()


def _is_alone(out: _Out) -> bool:
    return out.alone
