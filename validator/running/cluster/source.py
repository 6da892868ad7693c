"""The rows of a run whose vectors are judged by the workers of a cluster."""

from __future__ import annotations

import secrets
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from onnx_conformance.core.cluster.batches import Outcome
from onnx_conformance.core.cluster.dask_batches import DaskBatches
from onnx_conformance.core.errors import BadInputError, ConformanceError
from onnx_conformance.core.text import one_line

from ...host.protocol import Description
from ...host.tally import Tally
from ...results.records import Row, RunFacts
from ..parameters import RunParameters
from ..sharing.times import Times, together
from .admission import Admission
from .batches import Batch, BatchDone, ClusterPlan, RunSpec, in_batches
from .corpora import packed_corpus
from .foreign_rows import rows_of
from .joining import Joined
from .served import leave, look, receive, work

# A batch is given to workers so often that raise an error, or whose backend is of no use there.
_TRIES = 3


@dataclass(frozen=True)
class _Work:
    """Vectors that go out together: those of `groups`, and how often they did in vain."""

    groups: tuple[tuple[str, ...], ...]
    session: int = 0
    tries: int = 0
    alone: bool = False

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(item for group in self.groups for item in group)


class ClusterRows:
    """As `LocalRows`: batches go out, and their rows are checked and come back as any others."""

    def __init__(self, run: RunParameters, plan: ClusterPlan) -> None:
        """Judge vectors of a run on a cluster; nothing is connected before `start`."""
        self._run = run
        self._plan = plan
        self._spec = self._spec_of()
        self._packed: bytes | None = None
        self._admission = Admission(self._spec, look, run.asked, self._sent)
        self._cluster = Joined(plan.where, self._spec.run, self._admission, leave)
        self._session = 0
        self._verdicts: dict[str, str] = {}
        self._spoiled = False
        self._waiting: dict[str, list[_Work]] = defaultdict(list)
        self.unusable = ""
        self.tally = Tally()

    def _spec_of(self) -> RunSpec:
        run = self._run
        if run.corpus.digest is None:
            raise BadInputError(
                f"{run.corpus.root}: has no manifest, so that no worker can know whether it has the"
                " same vectors; --cluster needs one"
            )
        return RunSpec(
            run=secrets.token_hex(6),
            given=self._plan.given,
            python=self._plan.python,
            name=run.backend.name,
            settings=run.settings,
            tolerance=run.tolerance,
            accuracy=run.accuracy,
            claims=run.extra.get("profile", {}).get("claims"),
            options=run.options(),
            corpus=run.corpus.digest,
            root=str(run.corpus.root.resolve()),
            operator_versions=tuple(
                dict.fromkeys(item.operator_version for item in run.plan.entries.values())
            ),
        )

    # --- before the first vector -------------------------------------------------------------

    def start(self) -> Description:
        """As of `LocalRows`: connect, and admit the workers that are there."""
        return self._cluster.start()

    def _sent(self, executor: DaskBatches, workers: Sequence[str]) -> Mapping[str, Any]:
        """Send the corpus to workers; in words, why one could not keep it."""
        if self._packed is None:
            self._packed = packed_corpus(self._run.corpus, self._run.plan.entries)
        return executor.ask(receive, self._packed, self._spec, workers=workers)

    def identity(self, description: Description) -> Mapping[str, str]:
        """As of `LocalRows`."""
        del description
        return self._admission.identity()

    def facts(self) -> RunFacts:
        """As of `LocalRows`."""
        return cast("RunFacts", self._cluster.facts())

    # --- vectors -----------------------------------------------------------------------------

    def rows(self, known: Mapping[str, str]) -> Iterator[Row]:
        """As of `LocalRows`."""
        ids = [item for item in self._run.plan.entries if item not in known]
        yield from self._rows(ids, known, self._plan.times)

    def again(self, ids: Sequence[str], known: Mapping[str, str]) -> Iterator[Row]:
        """As of `LocalRows`."""
        self._session += 1
        yield from self._rows(list(ids), known, None)

    def _rows(self, ids: list[str], known: Mapping[str, str], times: Times | None) -> Iterator[Row]:
        self._verdicts = dict(known)
        control_of = self._run.plan.control_of
        groups = together(ids, control_of)
        parts = in_batches(groups, self._cluster.executor.threads, times)
        work_left: deque[_Work] = deque(
            _Work(tuple(together(part, control_of)), self._session) for part in parts
        )
        for outcome in self._cluster.executor.run(work, work_left, self._call, _is_alone):
            for row in self._taken(outcome, work_left):
                self._verdicts[row.id] = row.verdict.value
                work_left.extend(self._waiting.pop(row.id, ()))
                yield row
            if self.unusable:
                break

    def _call(self, item: _Work) -> tuple[RunSpec, Batch]:
        expectations, ids = self._run.expectations, item.ids
        there = set(ids)
        controls = {self._run.plan.control_of.get(vector) for vector in ids} - there
        losses = expectations.losses
        batch = Batch(
            ids,
            known={
                control: self._verdicts[control]
                for control in controls
                if control is not None and control in self._verdicts
            },
            listed={
                vector: tuple(map(str, expectations.of[vector].verdicts))
                for vector in ids
                if vector in expectations.of
            },
            losses=tuple(vector for vector in ids if vector in losses),
            answers=self.tally.answered > 0,
            distrusted=self._spoiled,
            session=item.session,
        )
        return self._spec, batch

    def _taken(self, outcome: Outcome[_Work, BatchDone], work_left: deque[_Work]) -> Iterator[Row]:
        """The rows of a batch that ended; what is left of it goes out again."""
        item = outcome.item
        if outcome.lost:
            yield from self._lost(item, outcome.lost, work_left)
            return
        problem, rows = outcome.error, list[Row]()
        if not problem:
            try:
                rows = rows_of(outcome.result, item.ids, self._run.plan.entries)
            except ConformanceError as error:
                problem = f"{error}"
        if problem:
            fact = "batches that a worker could not do, and that went out again"
            self.tally.note(fact, one_line(problem, 600))
            self._again(item, item.groups, problem, work_left)
            return
        done = cast("BatchDone", outcome.result)
        self.tally.add(done.tally)
        self._spoiled = self._spoiled or done.spoiled
        yield from rows
        there = {row.id for row in rows}
        left = tuple(
            group
            for group in (
                tuple(vector for vector in group if vector not in there) for group in item.groups
            )
            if group
        )
        if left:
            self._again(item, left, done.unusable or "no verdict came", work_left)

    def _again(
        self,
        item: _Work,
        groups: tuple[tuple[str, ...], ...],
        problem: str,
        work_left: deque[_Work],
    ) -> None:
        """Send vectors out once more, each group for itself, unless that was in vain too often."""
        if item.tries + 1 < _TRIES:
            work_left.extend(_Work((group,), item.session, item.tries + 1) for group in groups)
        elif not self.tally.answered:
            self.unusable = one_line(problem, 600)
        else:
            count = sum(map(len, groups))
            self.tally.note("vectors that no worker could judge", one_line(problem, 600), count)

    def _lost(self, item: _Work, how: str, work_left: deque[_Work]) -> Iterator[Row]:
        """Find what kills workers: groups alone, then vectors alone, then a verdict."""
        if len(item.groups) > 1:
            fact = "batches that were lost with their workers, and went out in parts"
            self.tally.note(fact, one_line(how, 600))
            work_left.extendleft(_Work((group,), item.session, alone=True) for group in item.groups)
        elif len(item.ids) > 1:
            first, *others = item.ids
            # Those that need it go out when its verdict is known.
            self._waiting[first] += [_Work(((it,),), item.session, alone=True) for it in others]
            work_left.appendleft(_Work(((first,),), item.session, alone=True))
        elif not item.alone:
            work_left.appendleft(_Work(item.groups, item.session, alone=True))
        else:
            self.tally.lost += 1
            yield from self._cluster.blamed(
                item.ids[0],
                how,
                self._run.plan.entries,
                self._run.row_judge(self._verdicts),
                ("a worker ended that had it among others",),
            )

    # --- the end -----------------------------------------------------------------------------

    def stop(self) -> None:
        """As of `LocalRows`."""
        self._cluster.stop()

    def close(self) -> None:
        """As of `LocalRows`: the workers end their children."""
        self._cluster.close()


def _is_alone(item: _Work) -> bool:
    return item.alone
