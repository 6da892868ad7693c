"""Tables and code spans in Markdown, as GitHub shows it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from .text import one_line


def table(heading: Sequence[str], lines: Iterable[Sequence[str]], *, numbers: bool = False) -> str:
    """A table, one line for each row.

    Args:
        heading: of each column.
        lines: the rows; their texts must be fit for a cell: see `cell` and `escaped`.
        numbers: whether all columns but the first hold numbers, which are aligned to the right.
    """
    rule = ["---", *(["---:" if numbers else "---"] * (len(heading) - 1))]
    first, *rest = ["| " + " | ".join(row) + " |" for row in (heading, *lines)]
    return "\n".join([first, "|" + "|".join(rule) + "|", *rest])


def code(text: str) -> str:
    """A code span that holds the text, even if it contains backquotes."""
    line = one_line(text)
    if not line:
        return ""
    fence = "`" * (max((len(run) for run in re.findall("`+", line)), default=0) + 1)
    space = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{space}{line}{space}{fence}"


def cell(text: str) -> str:
    """A code span for a table, where GitHub ends the cell at a | even inside code."""
    return escaped(code(text))


def escaped(text: str) -> str:
    """Markdown for a table, where a | would end the cell."""
    return text.replace("|", "\\|")
