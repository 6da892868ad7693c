"""An end for what may never come to one."""

from __future__ import annotations

import contextlib
import gc
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

#: Seconds of the processor between the times that what takes too long is told so.
_AGAIN = 0.2


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
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _stop(_number: int, frame: FrameType | None) -> None:
    # What is raised inside a callback of the collector is printed and lost, and a mutant may catch
    # the first one itself: the timer comes again.
    callbacks = {getattr(callback, "__code__", None) for callback in gc.callbacks}
    while frame is not None:
        if frame.f_code in callbacks:
            return
        frame = frame.f_back
    raise TookTooLongError
