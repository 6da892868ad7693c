"""Measures operators on the workers of a cluster, the one that takes longest first."""

from __future__ import annotations

import contextlib
import pickle
import secrets
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from onnx_conformance.core.cluster.alike import Alike
from onnx_conformance.core.cluster.batches import Outcome
from onnx_conformance.core.cluster.options import Where
from onnx_conformance.core.cluster.programs import Program, answer, leave, look

from .questions import ROOT, Answer, Question, decides

_WORDS = ("-m", "strength.renewing.answering")


@dataclass(frozen=True)
class OnCluster:
    """Where operators are measured.

    Attributes:
        where: the cluster.
    """

    where: Where

    def results(
        self,
        function: Callable[..., Any],
        tasks: Sequence[Any],
        folders: tuple[Path, ...],
    ) -> Iterator[tuple[Any, Answer]]:
        """What a function returns for each task, as they end; they go out in their order.

        Workers take part that have the same code, packages and vectors, in the same places.
        """
        from onnx_conformance.core.cluster.dask_batches import DaskBatches

        if not tasks:
            return
        program = Program(secrets.token_hex(6), _WORDS, str(ROOT))
        asked = pickle.dumps(Question(decides, (folders,)))
        executor = DaskBatches(
            self.where.address,
            program.run,
            self.where.note,
            patience=self.where.patience,
            admit=Alike(decides(folders), look, program, asked, read=_told),
        )

        def call(task: Any) -> tuple[Program, bytes]:  # noqa: ANN401  whatever it is
            return program, pickle.dumps(Question(function, (task,), folders))

        with contextlib.closing(executor):
            try:
                executor.wait_for_workers()
                for outcome in executor.run(answer, deque(tasks), call):
                    yield outcome.item, _answer_of(outcome)
            finally:
                executor.leave_with(leave, program.run)


def _answer_of(outcome: Outcome[Any, bytes]) -> Answer:
    problem = outcome.lost or outcome.error
    return Answer(problem=problem) if problem else _read(outcome.result)


def _read(content: Any) -> Answer:  # noqa: ANN401  of a worker
    found = pickle.loads(content)  # noqa: S301  Dask unpickles what workers send, too
    return found if isinstance(found, Answer) else Answer(problem="answers something else")


def _told(content: Any) -> Any:  # noqa: ANN401  of a worker
    """What a worker has, or why it cannot tell."""
    if not isinstance(content, bytes):
        return content
    found = _read(content)
    return found.problem or found.result
