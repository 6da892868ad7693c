"""Calls one function for many operators on the workers of a cluster, as `processes` does here.

A worker takes part if it has the same: Python, packages, code, specs and lock, each compared by a
digest before the first operator is made. So every machine makes the same bytes, and whoever differs
is refused by name. The specs lie where they lie here: on a disk that all share, or in a checkout at
the same path.
"""

from __future__ import annotations

import contextlib
import secrets
from collections import deque
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import TypeVar, cast

from onnx_conformance.core.cluster.alike import Alike
from onnx_conformance.core.cluster.batches import Outcome
from onnx_conformance.core.cluster.options import Where
from onnx_conformance.core.errors import BadInputError, ClusterError, ConformanceError

from .keeping.dependencies import compared

T = TypeVar("T")


def on_cluster(
    function: Callable[..., T], calls: Sequence[tuple[object, ...]], specs: Path, where: Where
) -> Generator[T, None, None]:
    """As `processes.in_processes`, by workers of a cluster whose `specs` are the same as here.

    Raises ClusterError where an operator could be made by no worker, and what the function raises
    for a fault of a spec.
    """
    from onnx_conformance.core.cluster.dask_batches import DaskBatches

    if not calls:
        return
    executor = DaskBatches(
        where.address,
        secrets.token_hex(6),
        where.note,
        patience=where.patience,
        admit=Alike(compared(specs), _look, str(specs)),
    )
    with contextlib.closing(executor):
        executor.wait_for_workers()
        found: dict[int, T] = {}
        following = 0
        work = deque(range(len(calls)))
        for outcome in executor.run(_called, work, lambda place: (function, calls[place])):
            found[outcome.item] = _result(outcome, calls[outcome.item])
            while following in found:
                yield found.pop(following)
                following += 1


def _called(function: Callable[..., T], call: tuple[object, ...]) -> T | ConformanceError:
    """On a worker: what the function returns, or the error that says what is wrong with a spec."""
    try:
        return function(*call)
    except ConformanceError as error:
        return error


def _result(outcome: Outcome[int, T | ConformanceError], call: tuple[object, ...]) -> T:
    """What the function returned; ClusterError if it did not."""
    problem = outcome.lost or outcome.error
    if problem:
        words = ", ".join(str(item) for item in call if isinstance(item, str) and item)
        raise ClusterError(f"{words} could not be made: {problem}")
    if isinstance(outcome.result, ConformanceError):
        raise outcome.result
    return cast("T", outcome.result)


async def _look(specs: str) -> dict[str, str] | str:
    """On a worker: what decides on the vectors, or why that cannot be told."""
    import asyncio

    try:
        return await asyncio.to_thread(compared, Path(specs))
    except (OSError, BadInputError) as error:
        return f"has no specs at {specs}: {error}"
