"""Runs again the vectors that turn the gate red, to tell a flake from a failure.

A vector that was red and gives another result the next time is not a regression that somebody can
find: the gate says so, so that nobody searches for it (`baseline.Status.FLAKE`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import BackendUnusableError

from ..gate.status import GREEN
from ..results.records import Row

if TYPE_CHECKING:
    from ..gate.expectations import Expectations


# Runs the vectors with these ids once more; may return fewer rows.
RunAgain = Callable[[Sequence[str]], Iterable[Row]]


def is_red(row: Row, expectations: Expectations) -> bool:
    """Whether a verdict turns the gate red."""
    return expectations.status(row) not in GREEN


def run_again(rows: Sequence[Row], times: int, run: RunAgain) -> list[Row]:
    """The rows, each with the verdicts of its further runs as `details["reruns"]`.

    Args:
        rows: the verdicts in doubt.
        times: how often each is run again.
        run: runs vectors and gives their rows.
    """
    reruns: dict[str, list[str]] = defaultdict(list)
    for _ in range(times):
        left = [row.id for row in rows]
        while left:
            # If vector after vector crashes, the backend is given up after a few. Here all vectors
            # are suspects, so that may happen: the remaining ones get a fresh start.
            before = len(left)
            done = set()
            try:
                for row in run(left):
                    reruns[row.id].append(row.verdict)
                    done.add(row.id)
            except BackendUnusableError:
                break
            left = [vector_id for vector_id in left if vector_id not in done]
            if len(left) == before:
                break
    return [replace(row, details={**row.details, "reruns": reruns[row.id]}) for row in rows]
