"""One run of a backend over a plan, from the first child to the footer of the results file."""

from __future__ import annotations

import contextlib
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from onnx_conformance.core.corpus.requirements import requirements
from onnx_conformance.core.errors import BackendUnusableError, StoppedBySignalError
from onnx_conformance.core.systems import this_machine

from ..host.backends import Backend
from ..host.engine import Engine
from ..host.preparing import Expectation, Preparer
from ..host.protocol import Description, difference
from ..host.tally import Tally
from ..host.worker import Settings
from ..judging.verdicts import LOST_VERDICTS
from ..results.lost_children import FLOOR, LostChildren, lost_children
from ..results.records import HarnessFacts, Header, Row
from .cluster.batches import ClusterPlan
from .parameters import RunParameters
from .rerunning import is_red, run_again
from .reuse.reusing import Reused
from .signals import stopping_on_signals
from .sources import LocalRows

if TYPE_CHECKING:
    from .cluster.source import ClusterRows
    from .recording import Recording

    # Who judges vectors, wherever.
    RowSource: TypeAlias = LocalRows | ClusterRows


@dataclass(frozen=True)
class Ended:
    """How a run ended.

    Attributes:
        unusable: why it ended early, or an empty text.
        none_answered: whether several vectors ran and all of them were lost.
        signal: the signal that stopped it, or None.
    """

    unusable: str = ""
    none_answered: bool = False
    signal: int | None = None


@dataclass(frozen=True)
class Run(RunParameters):
    """A run, ready to begin.

    Attributes:
        rerun_failures: how often vectors that turn the gate red are run again.
        max_lost_children: how many children may be lost although all their vectors were answered.
        command: the command line, for the header.
        reused: verdicts that are taken over from earlier runs.
        reuse: the same by the identity of the backend, where that is known only after the start.
        cluster: where the vectors are run; None for here.
    """

    rerun_failures: int = 0
    max_lost_children: int = FLOOR
    command: str = ""
    reused: Reused = field(default_factory=Reused)
    reuse: Callable[[Mapping[str, str]], Reused] | None = None
    cluster: ClusterPlan | None = None

    def run(
        self, record: Recording, watch: Callable[[Row], None], note: Callable[[str], None]
    ) -> Ended:
        """Run the planned vectors that are not recorded yet.

        Args:
            record: writes each row.
            watch: called with each row.
            note: called with facts that a person must know and that no row tells.

        Raises BackendUnusableError if the backend cannot be started at all.
        """
        done = {**self.reused.verdicts, **record.done}
        source = self._source([item for item in self.plan.entries if item not in done])
        reused = self.reused
        began = time.monotonic()
        # Closed in every case: no child keeps running if results cannot be written.
        with contextlib.closing(source), stopping_on_signals(source.stop) as signals:
            # A child is asked who it is even where nothing is left to run.
            description = _started(source, signals)
            if self.asked is not None and (other := difference(self.asked, description)):
                raise BackendUnusableError(other)
            if self.reuse is not None:
                reused = self.reuse(source.identity(description))
                done = {**reused.verdicts, **record.done}
            record.begin(self._header(description, source))
            if record.kept is not None:
                note(f"note: the results of a run that was cut short are kept in {record.kept}")
            for row in reused.rows(but=record.done):
                record.reused(row)
                watch(row)
            record.release()
            rows = source.rows(done)
            if self.rerun_failures:
                rows = self._with_reruns(rows, source, signals)
            for row in rows:
                record.row(row)
                watch(row)
        if signals:
            return Ended(signal=signals[0])
        record.finish(
            seconds=round(time.monotonic() - began, 3),
            notes=dict(source.tally.notes),
            lost_children=self._lost(source, record).to_json(),
            **({"unusable": source.unusable} if source.unusable else {}),
            **self._resumed(record),
        )
        for text in _notes(source.tally):
            note(f"note: {text}")
        none_answered = (
            not source.tally.answered and source.tally.lost == len(self.plan.entries) > 1
        )
        return Ended(unusable=source.unusable, none_answered=none_answered)

    def _source(self, todo: Sequence[str]) -> RowSource:
        """Who judges the vectors that are left."""
        if self.cluster is None:
            return LocalRows(self, todo)
        from .cluster.source import ClusterRows

        return ClusterRows(self, self.cluster)

    @staticmethod
    def _resumed(record: Recording) -> dict[str, Any]:
        """For the footer of a run that was continued: how many verdicts are older than it."""
        if record.earlier is None:
            return {}
        results = record.results
        count = len(results.header.planned) - len(results.missing) - record.judged - record.taken
        return {"resumed": {"earlier": count, "judged": record.judged, "at": _now()}}

    def _lost(self, source: RowSource, record: Recording) -> LostChildren:
        """Children lost in this run, and in the one that it continues."""
        earlier = LostChildren()
        if record.earlier is not None:
            known = sum(1 for row in record.earlier.rows if _answered_alone(row))
            earlier = lost_children(record.earlier)
            earlier = replace(earlier, count=max(known, earlier.count))
        example = earlier.example or source.tally.first_lost
        count = earlier.count + source.tally.lost_children
        return LostChildren(count, self.max_lost_children, example)

    def _with_reruns(
        self, rows: Iterator[Row], source: RowSource, signals: list[int]
    ) -> Iterator[Row]:
        """The rows; those that turn the gate red come last, with the results of their reruns."""
        red = []
        known = {}
        for row in rows:
            if is_red(row, self.expectations):
                red.append(row)
            else:
                known[row.id] = row.verdict
                yield row

        def run(ids: Sequence[str]) -> Iterator[Row]:
            if not signals:
                yield from source.again(ids, known)

        over = signals or source.unusable
        yield from red if over else run_again(red, self.rerun_failures, run)

    def _header(self, description: Description, source: RowSource) -> Header:
        operators = {
            vector_id.split("/", 1)[0].rpartition("-")[0] for vector_id in self.plan.entries
        }
        return Header(
            backend=self.backend.name,
            describe=cast("HarnessFacts", description.raw),
            corpus={
                "version": self.corpus.version,
                "digest": self.corpus.digest,
                "root": str(self.corpus.root),
            },
            planned=tuple(self.plan.entries),
            requirements={
                operator: texts
                for operator, texts in requirements(self.corpus.root).items()
                if operator.lower() in operators
            },
            command=self.command,
            started=_now(),
            extra={
                **self.extra,
                "identity": source.identity(description),
                "platform": this_machine(),
                **source.facts(),
                "controls_added": list(self.plan.added),
            },
        )


def _started(source: RowSource, signals: Sequence[int]) -> Description:
    """What the first child says of itself; StoppedBySignalError if a signal ends its start."""
    try:
        return source.start()
    except KeyboardInterrupt:
        raise _stopped(signals) from None


def _stopped(signals: Sequence[int]) -> StoppedBySignalError:
    return StoppedBySignalError(signals[0] if signals else signal.SIGINT)


def _now() -> str:
    """The local time in ISO 8601."""
    return datetime.now().astimezone().isoformat(timespec="seconds")


def _answered_alone(row: Row) -> bool:
    """Whether a vector was answered after a child that had it was lost."""
    alone = row.tells("incidents") and not row.tells("in_company")
    return alone and row.verdict not in LOST_VERDICTS


def _notes(tally: Tally) -> list[str]:
    """Facts that belong to no vector, one line each."""
    lines = []
    for note, count in tally.notes.items():
        times = f" ({count} times)" if count > 1 else ""
        example = tally.examples.get(note)
        first = f"; the first: {example}" if example else ""
        lines.append(f"{note}{times}{first}")
    return lines


def unusable(backend: Backend, reason: str) -> BackendUnusableError:
    """The error for a person: which backend, why, and how to install what it lacks."""
    text = f"backend '{backend.name}' is unusable: {reason}"
    if backend.install and ("ImportError" in reason or "ModuleNotFoundError" in reason):
        text += f"; {backend.install}"
    return BackendUnusableError(text)


def require_backend(backend: Backend, start_timeout: float) -> Description:
    """Start a backend once and return its description.

    Raises BackendUnusableError if it cannot start.
    """
    engine: Engine[Expectation] = Engine(
        backend.command, Preparer({}), Settings(start_timeout=start_timeout), ()
    )
    with contextlib.closing(engine), stopping_on_signals(engine.stop) as signals:
        try:
            return engine.start()
        except KeyboardInterrupt:
            raise _stopped(signals) from None
        except BackendUnusableError as error:
            raise unusable(backend, str(error)) from None
