"""Gaps of specs that are known and owed: docs/coverage-owed.txt, a line for each.

A gap is something that a spec promises and no vector shows (`coverage.operator_gaps`). One that
stands in the list does not fail `check`, which counts the list whenever it runs; a gap that is not
listed fails, and so does a line that is no gap any more.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

OWED_GAPS = Path("docs/coverage-owed.txt")


def owed_gaps(path: Path = OWED_GAPS) -> tuple[str, ...]:
    """The gaps that are owed; none where there is no file. Lines that begin with # are remarks."""
    if not path.is_file():
        return ()
    lines = path.read_text("utf-8").splitlines()
    return tuple(line for line in lines if line.strip() and not line.startswith("#"))


def unlisted(gaps: Iterable[str], owed: Iterable[str]) -> list[str]:
    """What is wrong: gaps that are not listed, and listed lines that are no gap."""
    found, known = list(gaps), set(owed)
    paid = sorted(known - set(found))
    return [
        *(gap for gap in found if gap not in known),
        *(f"{OWED_GAPS}: '{line}' is no gap any more; take it out" for line in paid),
    ]
