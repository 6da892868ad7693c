"""Calls one function for many operators, in several processes."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

T = TypeVar("T")


def in_processes(
    function: Callable[..., T], calls: Sequence[tuple[object, ...]], jobs: int
) -> Iterator[T]:
    """The results of the function for each tuple of arguments, in their order.

    `jobs` processes work ahead. No reference to a result is kept after it was returned, so that an
    operator's vectors can be freed once they are written. An exception of a call is raised here;
    calls that have not begun by then are not made.
    """
    if jobs == 1 or len(calls) == 1:
        for call in calls:
            yield function(*call)
        return
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(jobs) as pool:
        waiting = deque(pool.submit(function, *call) for call in calls)
        try:
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)
