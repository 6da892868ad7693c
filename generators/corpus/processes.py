"""Calls one function for many operators, in several processes."""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

_NEW_OBJECTS = 20_000  # between two searches; Python's own 700 took a tenth of a generation


def in_processes(
    function: Callable[..., T], calls: Sequence[tuple[object, ...]], jobs: int
) -> Generator[T, None, None]:
    """The results of the function for each tuple of arguments, in their order.

    `jobs` processes work ahead. No reference to a result is kept after it was returned, so that an
    operator's vectors can be freed once they are written. An exception of a call is raised here;
    calls that have not begun by then are not made.
    """
    if jobs == 1 or len(calls) == 1:
        with _fewer_collections():
            for call in calls:
                yield function(*call)
        return
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(jobs, initializer=_collect_less) as pool:
        waiting = deque(pool.submit(function, *call) for call in calls)
        try:
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


@contextmanager
def _fewer_collections() -> Iterator[None]:
    """Search for unreachable objects less often while the block runs."""
    before = gc.get_threshold()
    _collect_less()
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _collect_less() -> None:
    """Search for unreachable objects less often: all of an operator live until it is written."""
    gc.set_threshold(_NEW_OBJECTS, *gc.get_threshold()[1:])
