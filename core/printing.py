"""Standard output and standard error whose failure does not change the verdict.

If the reader goes away (`| head`), the disk behind `>` is full, or there is no standard output
(`>&-`), printing stops. Results, the files that are written and the exit code stay as they are.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import TextIO


class Printer:
    """Replaces a text stream, and discards text once the stream accepts no more.

    Attributes:
        error: why the stream accepts no more; None if it still does, or if only its reader went
            away.
    """

    def __init__(self, stream: TextIO | None) -> None:
        """Print to a stream; None if the process has no such stream."""
        self._stream = stream
        self.error: OSError | None = None

    @property
    def encoding(self) -> str:
        """The encoding of the stream."""
        return getattr(self._stream, "encoding", None) or "utf-8"

    def write(self, text: str) -> int:
        """Print a text, with a question mark for each character that the stream cannot show."""
        if self._stream is not None:
            try:
                self._stream.write(text)
            except UnicodeEncodeError:
                self.write(text.encode(self.encoding, "replace").decode(self.encoding))
            except (OSError, ValueError) as error:
                self._lose(error)
        return len(text)

    def flush(self) -> None:
        """Write the buffered text."""
        if self._stream is not None:
            try:
                self._stream.flush()
            except (OSError, ValueError) as error:
                self._lose(error)

    def isatty(self) -> bool:
        """Whether the stream is a terminal."""
        return self._stream is not None and not self._stream.closed and self._stream.isatty()

    def fileno(self) -> int:
        """The descriptor; OSError if there is none."""
        if self._stream is None:
            raise OSError("there is no such stream")
        return self._stream.fileno()

    def _lose(self, error: OSError | ValueError) -> None:
        """Stop printing; the rest of the buffer is discarded, also when the process ends."""
        if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
            self.error = error
        stream, self._stream = self._stream, None
        if stream is None:
            return
        with contextlib.suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)


@contextlib.contextmanager
def safe_streams() -> Iterator[Printer]:
    """Print through `Printer` inside the block; gives the Printer of standard output."""
    _open_closed_descriptors()
    before = sys.stdout, sys.stderr
    out, err = Printer(sys.stdout), Printer(sys.stderr)
    sys.stdout, sys.stderr = out, err
    try:
        yield out
    finally:
        out.flush()
        err.flush()
        sys.stdout, sys.stderr = before


def _open_closed_descriptors() -> None:
    """Open the null device as 0, 1 and 2 where they are closed.

    Otherwise the next file that is opened gets such a number, and a library that prints would print
    into our results.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            with contextlib.suppress(OSError):
                os.open(os.devnull, os.O_RDWR)
