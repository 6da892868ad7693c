"""A line that shows progress on a terminal; where there is none, a line now and then."""

from __future__ import annotations

import time
from typing import TextIO

from .limits import LINE
from .text import one_line

_EVERY = 0.1  # seconds on a terminal
_SELDOM = 10.0  # seconds elsewhere, such as in the log of a CI service
_TOO_EARLY = 5.0  # seconds: before, the rest cannot be estimated


class Progress:
    """A line: how many vectors are done and did not pass, of which operator, how long is left."""

    def __init__(self, stream: TextIO, total: int, done: int = 0) -> None:
        """Show progress on `stream`: one line that moves if it is a terminal."""
        self._stream = stream
        self._shown = stream.isatty()
        self._total = total
        self._done = done
        self._before = done
        self._other = 0
        self._started = time.monotonic()
        self._last = 0.0 if self._shown else self._started

    def add(self, *, passed: bool, operator: str = "") -> None:
        """Count one vector of an operator that has a verdict."""
        self._done += 1
        self._other += not passed
        now = time.monotonic()
        if now >= self._last + (_EVERY if self._shown else _SELDOM):
            self._last = now
            text = self._line(now - self._started, operator)
            self._stream.write(f"\r\x1b[K{text}" if self._shown else f"{text}\n")
            self._stream.flush()

    def _line(self, seconds: float, operator: str) -> str:
        left = time_left(seconds, self._done - self._before, self._total - self._done)
        counts = f"{self._done:,} of {self._total:,}, {self._other:,} did not pass"
        now = f", at {one_line(operator, LINE)}" if operator else ""
        return f"{counts}, {_clock(seconds)}{left and f', about {left} left'}{now}"

    def note(self, text: str) -> None:
        """Print a line that stays on the screen."""
        self.clear()
        self._stream.write(f"onnx-validate: {one_line(text, LINE)}\n")
        self._stream.flush()

    def clear(self) -> None:
        """Remove the line, so that the report can follow."""
        if self._shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()


def time_left(seconds: float, done: int, left: int) -> str:
    """How long the rest takes at the pace so far, as `2:05`; empty while that cannot be said.

    Args:
        seconds: how long it took so far.
        done: how many were done in this time.
        left: how many are not done yet.
    """
    if seconds < _TOO_EARLY or done <= 0 or left <= 0:
        return ""
    return _clock(seconds / done * left)


def _clock(seconds: float) -> str:
    whole = int(seconds)
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"
