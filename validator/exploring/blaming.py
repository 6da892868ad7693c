"""Which level of a runtime's optimizer, and which of its passes, a failure is of.

A call is run at each level side by side. Where it passes without optimization, passes are left out
until no fewer are enough: the verdict decides, whatever the runtime says of its own passes.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from onnx_conformance.core.errors import BackendUnusableError

from ..host.backends import Backend
from ..host.optimizers import Optimizer, at_level, without
from ..host.worker import Settings
from ..judging.verdicts import LOST_VERDICTS
from ..results.records import Row
from .causes import Blame, Failure, Found
from .running import Runner
from .signatures import signature_of


@dataclass(frozen=True)
class Blamer:
    """Runs calls on variants of one backend, each in children of its own.

    Attributes:
        backend: the backend that failed.
        optimizer: what its optimizer can be told.
        settings: limits of the children.
        accuracy: which limits of a vector count.
        over: whether to stop: the budget is spent, or a signal came.
    """

    backend: Backend
    optimizer: Optimizer
    settings: Settings
    accuracy: str
    over: Callable[[], bool]

    def blamed(self, found: Iterable[Found]) -> list[Found]:
        """Causes, with what is to blame for those that the corpus does not show."""
        every = list(found)
        blames = self.blames([item.failure for item in every if not item.known])
        return [replace(item, blame=blames.get(item.failure.row.id)) for item in every]

    def blames(self, failures: Sequence[Failure]) -> dict[str, Blame]:
        """By id, what is known of failures.

        Absent are those for which there was no time, which pass at every level now, or do
        something else at one of them: what they say of a level is not what they showed.
        """
        first: dict[str, int] = {}
        left = {item.row.id: item for item in failures}
        for number, level in enumerate(self.optimizer.levels):
            if not left or self.over():
                break
            passing = self._passing(at_level(level), left.values())
            first.update({name: number for name, passed in passing.items() if not passed})
            left = {name: item for name, item in left.items() if passing.get(name)}
        blames = {}
        for failure in failures:
            if failure.row.id in first:
                place = first[failure.row.id]
                passes = self._culprits(failure) if place else None
                blames[failure.row.id] = Blame(self.optimizer.levels[place], place > 0, passes)
        return blames

    def _culprits(self, failure: Failure) -> tuple[str, ...] | None:
        """The fewest passes without which it passes: chunks are put back while it does.

        None if there was no time to find them.
        """
        names = self.optimizer.passes
        if self.over():
            return None
        if not self._passes_without(failure, names):
            return ()
        size = len(names)
        while size > 1:
            size, place = (size + 1) // 2, 0
            while place < len(names):
                if self.over():
                    return None
                fewer = (*names[:place], *names[place + size :])
                if fewer and self._passes_without(failure, fewer):
                    names = fewer
                else:
                    place += size
        return names

    def _passes_without(self, failure: Failure, names: Iterable[str]) -> bool:
        return self._passing(without(names), [failure]).get(failure.row.id) is True

    def _passing(self, option: str, failures: Iterable[Failure]) -> dict[str, bool]:
        """Whether calls pass with an option (True) or fail as they did (False), by id.

        What does neither is absent, and all are where no backend starts with the option.
        """
        variant = replace(self.backend, command=(*self.backend.command, option))
        runner = Runner(variant, self.settings, self.accuracy)
        passing = {}
        with contextlib.closing(runner), contextlib.suppress(BackendUnusableError):
            runner.start()
            by_id = {item.row.id: item for item in failures}
            for name, row in _rows(runner, by_id.values()).items():
                if row.passed:
                    passing[name] = True
                elif signature_of(row) == by_id[name].signature:
                    passing[name] = False
        return passing


def _rows(runner: Runner, failures: Iterable[Failure]) -> dict[str, Row]:
    """The rows of calls; those that ended a child run alone, so that no other one suffers."""
    every = list(failures)
    lost = [item for item in every if item.row.verdict in LOST_VERDICTS]
    rows = runner.at_once([item.explored for item in every if item not in lost])
    for failure in lost:
        row = runner.alone(failure.explored)
        if row is not None:
            rows[row.id] = row
    return rows
