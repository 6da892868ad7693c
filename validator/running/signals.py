"""What Ctrl-C, SIGTERM and SIGHUP do: the run ends, and so do its children."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator

# SIGHUP does not exist on Windows.
_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


@contextlib.contextmanager
def stopping_on_signals(stop: Callable[[], None]) -> Iterator[list[int]]:
    """Call `stop` on Ctrl-C, SIGTERM and SIGHUP; a second Ctrl-C interrupts at once.

    It gives the list of received signals. A signal that is ignored (for example by `nohup`) stays
    ignored. In a thread other than the main one nothing is changed.
    """
    caught: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield caught
        return

    def handle(number: int, _frame: object) -> None:
        caught.append(number)
        stop()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    numbers = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    before = {
        number: signal.signal(number, handle)
        for number in numbers
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    try:
        yield caught
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
