"""How a spec is laid out: no line is so long that a reader has to scroll, or loses its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

#: Characters of the longest line.
LONGEST_LINE = 140


def long_lines(paths: Iterable[Path]) -> Iterator[str]:
    """A message, with file and line, for each line of these files that is too long."""
    for path in paths:
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if len(line) > LONGEST_LINE:
                yield (
                    f"{path}:{number}: has {len(line)} characters, and {LONGEST_LINE} are the most:"
                    " write each key on a line of its own, or share a long value by `let`"
                )
