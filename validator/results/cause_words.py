"""Causes in words, the same in every report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from onnx_conformance.core.corpus.requirements import Requirements, words_of
from onnx_conformance.core.text import one_line, printable_line

from .causes import JUDGED, Cause
from .records import Row
from .wording import verdict_and_message

_MESSAGE = 300
_REQUIREMENT = 120
_OPERATORS = 4
_OTHERS = 2
_INDENT = "    "


def cause_lines(cause: Cause, requirements: Requirements, *, every: bool = False) -> Iterator[str]:
    """A cause for a terminal: the example on one line, id first, and similar vectors below.

    Args:
        cause: what failed.
        requirements: the texts of the requirements that the vectors cover.
        every: whether each further vector has a line of its own; otherwise all share one.
    """
    yield f"{one_line(cause.example.id)}: {happening(cause, requirements)}"
    others = others_in_words(cause)
    if others and not every:
        yield f"{_INDENT}{others}"
    for row in cause.rows[1:] if every else ():
        verdict, message = verdict_and_message(row.verdict, row.phase, row.message)
        yield f"{_INDENT}{one_line(row.id)}: {verdict}: {one_line(message, _MESSAGE)}"


def happening(cause: Cause, requirements: Requirements) -> str:
    """The example's verdict and message, and what it breaks, on one line."""
    row = cause.example
    verdict, message = verdict_and_message(row.verdict, row.phase, row.message)
    parts = [f"{verdict}: {one_line(message, _MESSAGE) or 'no message'}"]
    broken = _broken(row, requirements)
    if broken:
        parts.append(broken)
    return " · ".join(parts)


def others_in_words(cause: Cause) -> str:
    """How many other vectors fail in the same way, and where; empty if there are none."""
    rest = cause.rows[1:]
    if not rest:
        return ""
    such = ", ".join(one_line(row.id) for row in _spread(rest))
    parts = [f"and {len(rest):,} more like it"]
    if len(cause.operators) > 1:
        names = ", ".join(cause.operators[:_OPERATORS])
        more = ", …" if len(cause.operators) > _OPERATORS else ""
        parts.append(f"in {len(cause.operators)} operators ({names}{more})")
    if cause.common:
        parts.append(f"({cause.common})")
    return f"{' '.join(parts)}: {such}{', …' if len(rest) > _OTHERS else ''}"


def _spread(rows: Sequence[Row]) -> list[Row]:
    """A few of them: from different operators or versions, if there are any."""
    by_version: dict[tuple[str, int], Row] = {}
    for row in rows:
        by_version.setdefault((row.operator, row.since_version), row)
    different = list(by_version.values())
    return (different if len(different) >= _OTHERS else list(rows))[:_OTHERS]


def _broken(row: Row, requirements: Requirements) -> str:
    """The requirement that a wrong result or an accepted model violates, and its remark."""
    if row.verdict not in JUDGED:
        return ""
    broken = one_line(against(row, requirements), _REQUIREMENT)
    purpose = one_line(str(row.details.get("purpose") or ""), _REQUIREMENT)
    if not broken:
        return purpose
    return f"against: {broken}{purpose and f' ({purpose})'}"


def against(row: Row, requirements: Requirements) -> str:
    """The text of the requirement that a wrong result or an accepted model violates.

    If the vector exercises several, nobody has said which one: the first stands for all, and the
    text tells so. Empty if no requirement is known, and for other verdicts: there the runtime gives
    the reason.
    """
    if row.verdict not in JUDGED:
        return ""
    texts = [words_of(requirements, row.operator, item).get("text") for item in row.covers]
    known = [printable_line(str(text)) for text in texts if text]
    if len(known) < 2:
        return "".join(known)
    return f"one of {len(known)}: {known[0]}"
