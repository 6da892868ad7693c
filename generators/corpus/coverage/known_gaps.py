"""Known gaps of specs: docs/coverage-known-gaps.txt, one line for each.

A gap is something that a spec promises and no vector shows (`coverage.operator_gaps`). A listed gap
does not fail `check`, which prints how many there are each time. A gap that is not listed fails,
and so does a line that is no longer a gap.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

KNOWN_GAPS = Path("docs/coverage-known-gaps.txt")


def known_gaps(path: Path = KNOWN_GAPS) -> tuple[str, ...]:
    """The known gaps; none if there is no file. Lines that begin with # are comments."""
    if not path.is_file():
        return ()
    lines = path.read_text("utf-8").splitlines()
    return tuple(line for line in lines if line.strip() and not line.startswith("#"))


def unlisted(gaps: Iterable[str], listed: Iterable[str]) -> list[str]:
    """Errors: gaps that are not listed, and lines that are no longer a gap."""
    found, known = list(gaps), set(listed)
    closed = sorted(known - set(found))
    return [
        *(gap for gap in found if gap not in known),
        *(f"{KNOWN_GAPS}: '{line}' is a gap no more; take it out" for line in closed),
    ]
