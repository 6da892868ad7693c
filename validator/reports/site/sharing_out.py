"""Does the parts of a large site in as many processes as there are cores.

Only where a process can be forked: what the parts need is a gigabyte of results, which a forked
process has without being sent anything.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import CannotWriteError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from multiprocessing.context import ForkContext
    from multiprocessing.queues import SimpleQueue

# More would each copy what they touch of the results.
_MOST = 4


def total_of(parts: Sequence[Callable[[], int]], processes: int) -> int:
    """The sum of what the parts return, each of them called once, in one of the processes.

    Args:
        parts: what is to be done, in the order in which to begin; the largest should come first.
        processes: how many to use, from `processes_for`.

    Raises what a part raises in this process, CannotWriteError if another process fails.
    """
    if processes < 2:
        return sum(part() for part in parts)
    context: ForkContext = multiprocessing.get_context("fork")
    begun = context.Value("i", 0)
    done: SimpleQueue[tuple[int, str]] = context.SimpleQueue()

    def work() -> int:
        total = 0
        while True:
            with begun.get_lock():
                number = begun.value
                begun.value += 1
            if number >= len(parts):
                return total
            total += parts[number]()

    def help_out() -> None:
        # OSError is what becomes of a full disk; any other error is a bug, and shows its own trace.
        try:
            done.put((work(), ""))
        except OSError as error:
            done.put((0, str(error)))

    helpers = [context.Process(target=help_out, daemon=True) for _ in range(processes - 1)]
    for helper in helpers:
        helper.start()
    try:
        total = work()
        for helper in helpers:
            helper.join()
    finally:
        for helper in helpers:
            helper.terminate()
    return total + sum(_count_of(done) for _ in helpers)


def _count_of(done: SimpleQueue[tuple[int, str]]) -> int:
    """What the next of the helpers, which have all ended, has done."""
    count, trouble = (0, "a process that wrote it died") if done.empty() else done.get()
    if trouble:
        raise CannotWriteError(f"the site is not whole: {trouble}")
    return count


def processes_for(parts: int) -> int:
    """How many processes may share this many parts: one where nothing can be forked safely."""
    if sys.platform != "linux" or threading.active_count() > 1:
        return 1
    return max(1, min(len(os.sched_getaffinity(0)), _MOST, parts))
