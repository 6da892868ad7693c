"""An end for what may never come to one."""

from __future__ import annotations

import contextlib
import gc
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Seconds of the processor between the times that what takes too long is told so.
_AGAIN = 1.0


class TookTooLongError(Exception):
    """A mutant that does not end."""


@contextlib.contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raise TookTooLongError in what takes longer; for the main thread of a process.

    Seconds of the processor: a busy machine fails nobody.
    """
    # Installed once and left there: calls are short and many.
    if signal.getsignal(signal.SIGVTALRM) is not _stop:
        signal.signal(signal.SIGVTALRM, _stop)
    # What is raised inside a callback of the collector is printed and lost, and a mutant may catch
    # the first one itself: no collection meanwhile, and the timer comes again.
    collects = gc.isenabled()
    gc.disable()
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        if collects:
            gc.enable()


def _stop(_number: int, _frame: object) -> None:
    raise TookTooLongError
