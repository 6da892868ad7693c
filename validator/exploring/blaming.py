"""Which level of a runtime's optimizer, and which of its passes, a failure is of.

A call is run at each level side by side. Where it passes without optimization, passes are left out
until no fewer are enough: the verdict decides, whatever the runtime says of its own passes.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import BackendUnusableError

from ..host.optimizers import at_level, without
from .causes import Blame
from .running import Runner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from onnx_conformance.core.exploring.explorer import Explored

    from ..host.backends import Backend
    from ..host.optimizers import Optimizer
    from ..host.worker import Settings
    from .causes import Found


@dataclass(frozen=True)
class Blamer:
    """Runs calls on variants of one backend, each in children of its own.

    Attributes:
        backend: the backend that failed.
        optimizer: what its optimizer can be told.
        settings: limits of the children.
        memory_limit: MiB of address space that a child may take.
        accuracy: which limits of a vector count.
        over: whether to stop: the budget is spent, or a signal came.
    """

    backend: Backend
    optimizer: Optimizer
    settings: Settings
    memory_limit: int | None
    accuracy: str
    over: Callable[[], bool]

    def blamed(self, found: Iterable[Found]) -> list[Found]:
        """Causes, with what is to blame for those that the corpus does not show."""
        every = list(found)
        blames = self.blames([item.failure.explored for item in every if not item.known])
        return [replace(item, blame=blames.get(item.failure.explored.id)) for item in every]

    def blames(self, calls: Sequence[Explored]) -> dict[str, Blame]:
        """By id, what is known of calls that failed; those that there was no time for are absent.

        A call that passes at every level, alone, is absent too: it does not fail again.
        """
        if not calls:
            return {}
        first: dict[str, int] = {}
        left = {item.id: item for item in calls}
        for number, level in enumerate(self.optimizer.levels):
            if self.over():
                break
            passed = self._passed(at_level(level), left.values())
            found = [name for name in left if passed.get(name) is False]
            first.update(dict.fromkeys(found, number))
            left = {name: item for name, item in left.items() if name not in found}
        blames = {}
        for call in calls:
            if call.id in first:
                number = first[call.id]
                passes = self._culprits(call) if number and not self.over() else None
                blames[call.id] = Blame(self.optimizer.levels[number], number > 0, passes)
        return blames

    def _culprits(self, call: Explored) -> tuple[str, ...] | None:
        """The fewest passes without which a call passes: chunks are put back while it does."""
        names = self.optimizer.passes
        if not self._passes_without(call, names):
            return ()
        size = (len(names) + 1) // 2
        while True:
            place = 0
            while place < len(names):
                fewer = (*names[:place], *names[place + size :])
                if fewer and self._passes_without(call, fewer):
                    names = fewer
                else:
                    place += size
            if size == 1:
                return names
            if self.over():
                return None
            size = (size + 1) // 2

    def _passes_without(self, call: Explored, names: Iterable[str]) -> bool:
        return self._passed(without(names), [call]).get(call.id) is True

    def _passed(self, option: str, calls: Iterable[Explored]) -> Mapping[str, bool]:
        """Whether calls pass with an option, by id; nothing where no backend starts with it."""
        variant = replace(self.backend, command=(*self.backend.command, option))
        runner = Runner(variant, self.settings, self.memory_limit, self.accuracy)
        with contextlib.closing(runner), contextlib.suppress(BackendUnusableError):
            runner.start()
            return {name: row.passed for name, row in runner.at_once(calls).items()}
        return {}
