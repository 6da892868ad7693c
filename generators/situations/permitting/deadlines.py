"""An end for an oracle that takes too long."""

from __future__ import annotations

import contextlib
import gc
import signal
import threading
from collections.abc import Iterator
from types import FrameType

#: Seconds between the times that what takes too long is told so.
INTERVAL = 0.2


class OutOfTimeError(BaseException):
    """Something takes too long; no Exception, which an oracle might take for one of its own."""


@contextlib.contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raise OutOfTimeError in what takes longer: seconds of the processor, so a busy machine waits.

    Nothing is watched where a system has no such timer, nor outside the main thread.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not (
        threading.main_thread()
    ):
        yield
        return
    before = signal.signal(signal.SIGVTALRM, _stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, INTERVAL)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def collecting(frame: FrameType | None) -> bool:
    """Whether a callback of the collector is at work, where what is raised is printed and lost."""
    callbacks = {getattr(callback, "__code__", None) for callback in gc.callbacks}
    while frame is not None:
        if frame.f_code in callbacks:
            return True
        frame = frame.f_back
    return False


def _stop(_number: int, frame: FrameType | None) -> None:
    if not collecting(frame):  # else at the next time
        raise OutOfTimeError
