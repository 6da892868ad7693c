"""Standard output and standard error that no reader can turn against the verdict.

A reader that goes away (`| head`), a full disk behind `>`, or no standard output at all (`>&-`)
ends the printing. What was computed, the files that are written and the exit code stay as they are.
"""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterator


class Printer:
    """Stands in for a text stream, and drops what it is given once the stream takes no more.

    Attributes:
        error: why the stream takes no more, where that is more than a reader who left; None
            else.
    """

    def __init__(self, stream: TextIO | None) -> None:
        """Print to a stream; None where the process has none."""
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
        """Hand on what was printed so far."""
        if self._stream is not None:
            try:
                self._stream.flush()
            except (OSError, ValueError) as error:
                self._lose(error)

    def isatty(self) -> bool:
        """Whether a person watches."""
        return self._stream is not None and not self._stream.closed and self._stream.isatty()

    def fileno(self) -> int:
        """The descriptor; OSError where there is none."""
        if self._stream is None:
            raise OSError("there is no such stream")
        return self._stream.fileno()

    def _lose(self, error: OSError | ValueError) -> None:
        """Print no more; the rest of the buffer goes nowhere, also when the process ends."""
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
    """Print through `Printer` for as long as this lasts; gives that of standard output."""
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
    """Give 0, 1 and 2 to nowhere where they are closed: else the next file that is opened gets one.

    A library that prints would then print into our results.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            with contextlib.suppress(OSError):
                os.open(os.devnull, os.O_RDWR)
