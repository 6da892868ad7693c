"""Does the parts of a large site in as many processes as there are cores.

Only where a process can be forked: what the parts need is a gigabyte of results, which a forked
process has without being sent anything.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor

from onnx_conformance.core.errors import CannotWriteError

# More would each copy what they touch of the results.
_MOST = 4
# Of a process that was forked to do some of them.
_PARTS: list[Callable[[], int]] = []


def total_of(parts: Sequence[Callable[[], int]], processes: int) -> int:
    """The sum of what the parts return, each of them called once, in one of the processes.

    Args:
        parts: what is to be done, in the order in which to begin; the largest should come first.
        processes: how many to use, from `processes_for`.

    Raises what a part raises, but CannotWriteError if a process fails to write, or dies.
    """
    if processes < 2:
        return sum(part() for part in parts)
    fork = multiprocessing.get_context("fork")
    try:
        with ProcessPoolExecutor(processes, fork, _begin, (parts,)) as pool:
            return sum(pool.map(_do, range(len(parts))))
    except OSError as error:
        raise CannotWriteError(f"the site is not whole: {error}") from None
    except BrokenExecutor:
        raise CannotWriteError("the site is not whole: a process that wrote it died") from None


def _begin(parts: Sequence[Callable[[], int]]) -> None:
    """In a forked process: what there is to do, and an end with the process that forked it."""
    _PARTS.extend(parts)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    # A process of the pool waits for its next part without end, also where nobody is left to send
    # one: the pipe stays open, since the others have it as well.
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _do(number: int) -> int:
    return _PARTS[number]()


def processes_for(parts: int) -> int:
    """How many processes may share this many parts: one where nothing can be forked safely."""
    if sys.platform != "linux" or threading.active_count() > 1:
        return 1
    return max(1, min(len(os.sched_getaffinity(0)), _MOST, parts))
