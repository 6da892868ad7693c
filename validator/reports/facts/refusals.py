"""Why vectors were unsupported or inconclusive: a line for each reason, with what it concerns.

A runtime says the same of many operators, types and versions in words that differ in a name or a
number. Without these it is one reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from onnx_conformance.core.text import listed, one_line, quantity

from ...results.causes import words_without_particulars
from ...results.records import Row
from .tally import INCONCLUSIVE, UNSUPPORTED

_SHOWN = 3
_NAMED = 3
_LONGEST = 120


def unsupported_lines(rows: Iterable[Row]) -> list[str]:
    """Why vectors were unsupported, the most frequent reason first, over operators and versions."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        if row.verdict in UNSUPPORTED.verdicts:
            words = words_without_particulars(_own_words(row), row.operator)
            found.setdefault(words, []).append(row)
    reasons = [(f"{_reason(words, of)}{_concerned(of)}", of) for words, of in found.items()]
    return list(_lines("unsupported", reasons))


def inconclusive_lines(rows: Iterable[Row]) -> list[str]:
    """Why rejections prove nothing, the most frequent reason first, with an example control."""
    found: dict[str, list[Row]] = {}
    of_control: dict[str, str] = {}
    for row in rows:
        if row.verdict in INCONCLUSIVE.verdicts:
            reason, control = _why_inconclusive(row)
            found.setdefault(reason, []).append(row)
            if control:
                of_control.setdefault(reason, f", such as '{one_line(control)}'")
    reasons = [(f"{why}{of_control.get(why) or _concerned(of)}", of) for why, of in found.items()]
    return list(_lines("inconclusive", reasons))


def _lines(verdict: str, reasons: Sequence[tuple[str, Sequence[Row]]]) -> Iterator[str]:
    ordered = sorted(reasons, key=lambda item: -len(item[1]))
    for reason, rows in ordered[:_SHOWN]:
        yield f"{verdict} ({len(rows):,}): {reason}"
    rest = ordered[_SHOWN:]
    if rest:
        rows = [row for _, of_reason in rest for row in of_reason]
        reasons_left = quantity(len(rest), "other reason")
        yield f"{verdict} ({len(rows):,}): {reasons_left}{_concerned(rows)}"


def _reason(words: str, rows: Sequence[Row]) -> str:
    """The runtime's own words if it always says the same, else those that are common."""
    said = {_own_words(row) for row in rows}
    return one_line(said.pop() if len(said) == 1 else words, _LONGEST) or "no reason given"


def _own_words(row: Row) -> str:
    # After the bar come the runtime's own words for the same, often longer.
    return row.message.split(" | ")[0]


def _why_inconclusive(row: Row) -> tuple[str, str]:
    """The reason, and the control that it is about, if any."""
    if row.control is not None:
        _, found, state = row.message.rpartition(f"its control '{row.control}' ")
        if found:
            return one_line(f"rejected, but its control {state}", _LONGEST), row.control
    words = words_without_particulars(_own_words(row), row.operator)
    return one_line(words, _LONGEST) or "no reason given", ""


def _concerned(rows: Sequence[Row]) -> str:
    """The operators and the element types that most of these have."""
    operators = Counter(row.operator for row in rows)
    types = Counter(name for row in rows for name in set(row.types.values()))
    parts = [_most(operators)]
    if types:
        parts.append(_most(types))
    return f" · {' · '.join(parts)}"


def _most(counts: Mapping[str, int]) -> str:
    """`Cast 312, Loop 200, Size 100 and 95 more`."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return listed([f"{one_line(name, 40)} {count:,}" for name, count in ordered], _NAMED)
