"""An end for what may never come to one."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType

from onnx_conformance.generators.situations.permitting.deadlines import INTERVAL, collecting


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
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, INTERVAL)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _stop(_number: int, frame: FrameType | None) -> None:
    if not collecting(frame):  # else at the next time, as where a mutant catches this itself
        raise TookTooLongError
