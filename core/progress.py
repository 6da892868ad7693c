"""A line that shows progress on a terminal; silent if the stream is not a terminal."""

from __future__ import annotations

import time
from typing import TextIO

from .limits import LINE
from .text import one_line

_EVERY = 0.1


class Progress:
    """A line on a terminal: how many vectors are done, how many did not pass, and the time."""

    def __init__(self, stream: TextIO, total: int, done: int = 0) -> None:
        """Show progress on `stream` if it is a terminal."""
        self._stream = stream
        self._shown = stream.isatty()
        self._total = total
        self._done = done
        self._other = 0
        self._started = time.monotonic()
        self._last = 0.0

    def add(self, *, passed: bool) -> None:
        """Count one vector that has a verdict."""
        self._done += 1
        self._other += not passed
        now = time.monotonic()
        if self._shown and now >= self._last + _EVERY:
            self._last = now
            seconds = int(now - self._started)
            clock = f"{seconds // 60}:{seconds % 60:02}"
            text = f"{self._done:,} of {self._total:,}, {self._other:,} did not pass, {clock}"
            self._stream.write(f"\r\x1b[K{text}")
            self._stream.flush()

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
