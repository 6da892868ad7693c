"""Markdown for a job summary: counts by operator version, then what failed.

GitHub renders HTML and mentions inside Markdown, and messages come from runtimes under test: text
that is not ours is put into code spans, where nothing is interpreted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from onnx_conformance.core.markdown import cell, code, table
from onnx_conformance.core.text import one_line, quantity

from ..gate.marks import gate_words, remark_of
from ..results.causes import causes_of
from ..results.rerun_command import reproducing_command
from ..results.wording import verdict_and_message, verdict_words
from .facts.accuracy import explanation, table_lines, words
from .facts.completeness import gaps, notes
from .facts.tally import (
    FAILING,
    failing_rows,
    group_of,
    shown_groups,
    tally_by_version,
    total_tally,
)
from .terminal import title

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..gate.marks import Mark, Marks
    from ..results.records import Results, Row
    from .facts.tally import Group, Tally

DEFAULT_LIMIT = 200
_MESSAGE_LIMIT = 240

# The counts of more operator versions than this stand behind the failures, folded.
_VERSIONS_SHOWN = 40


def render(
    results: Sequence[Results],
    marks: Mapping[str, Marks] | None = None,
    *,
    limit: int = DEFAULT_LIMIT,
) -> str:
    """The report as Markdown (GitHub's flavour), ending with a newline.

    Args:
        results: one for each backend.
        marks: the gate's marks by backend, if there was a gate: known failures are marked.
        limit: how many causes of failures to list for each backend; the others are counted.
    """
    parts = ["# ONNX conformance"]
    if len(results) > 1:
        parts.append(side_by_side(results))
    for item in results:
        parts += _one_backend(item, (marks or {}).get(item.header.backend), limit)
    parts += _accuracy(results)
    groups = shown_groups([total_tally(item) for item in results])
    parts.append(legend(groups))
    return "\n\n".join(parts) + "\n"


def counts_table(first: str, tallies: Mapping[str, Tally], groups: Sequence[Group]) -> str:
    """Counts by group; a dot means zero."""
    heading = [first, *(f"{group.symbol} {group.name}" for group in groups), "total"]
    lines = [
        [name, *(_count(item.of(group)) for group in groups), f"{item.total:,}"]
        for name, item in tallies.items()
    ]
    return table(heading, lines, numbers=True)


def _count(number: int) -> str:
    return f"{number:,}" if number else "·"


def side_by_side(results: Sequence[Results]) -> str:
    """One line of counts for each backend."""
    tallies = {cell(item.header.backend): total_tally(item) for item in results}
    return counts_table("backend", tallies, shown_groups(list(tallies.values())))


def legend(groups: Iterable[Group]) -> str:
    """What the columns mean."""
    return "\n".join(f"- {group.symbol} **{group.name}**: {group.meaning}." for group in groups)


def _accuracy(results: Sequence[Results]) -> list[str]:
    """The levels that each backend's operators meet; empty if no vector has limits."""
    lines = table_lines(results)
    if not lines:
        return []
    heading = ["operator", *(cell(item.header.backend) for item in results)]
    rows = [[cell(name), *(words(item) or "·" for item in found)] for name, found in lines]
    return ["## Accuracy", explanation(results), table(heading, rows, numbers=True)]


def _one_backend(results: Results, marks: Marks | None, limit: int) -> list[str]:
    header = results.header
    parts = [f"## {code(title(results))}"]
    if marks is not None:
        green = not gaps(results) and not any(mark.red for mark in marks.values())
        if remark_of(marks):
            parts.append(f"**Another version:** {code(remark_of(marks))}")
        parts.append(f"**Gate: {'green' if green else 'red'}.** {gate_words(marks)}.")
    parts += [f"**Incomplete:** {code(gap)}" for gap in gaps(results)]
    parts += [f"Note: {code(note)}" for note in notes(results)]
    by_version = tally_by_version(results)
    total = total_tally(results)
    named = {cell(str(version)): item for version, item in by_version.items()}
    every = {"**all**": total} if len(named) != 1 else {}
    folded = len(named) > _VERSIONS_SHOWN
    shown = every if folded else {**named, **every}
    parts.append(counts_table("operator version", shown, shown_groups([total])))
    kinds = [
        f"{number:,} {name}"
        for group in FAILING
        for name, number in total.kinds(group)
        if name != group.name
    ]
    if kinds:
        parts.append("Kinds: " + ", ".join(kinds) + ".")
    parts += _failures(results, marks or {}, limit)
    if folded:
        parts.append(f"<details><summary>Counts of {len(named):,} operator versions</summary>")
        parts += [counts_table("operator version", named, shown_groups([total])), "</details>"]
    if header.command:
        parts.append(f"Made by {code(header.command)}")
    return parts


def _failures(results: Results, marks: Marks, limit: int) -> list[str]:
    """The failures; with a gate, those that turn it red come first, whatever their verdict."""
    red = [row for row in results.rows if _is_red(marks.get(row.id))]
    stale = [row for row in red if row.passed]
    failing = failing_rows(results)
    known = [row for row in failing if row.id in marks and not _is_red(marks[row.id])]
    quiet = {row.id for row in (*known, *failing)}
    fresh = [row for row in failing if row.id not in {item.id for item in known}]
    fresh += [row for row in red if row.id not in quiet and not row.passed]
    return [
        *_details("Failing", results, fresh, marks, limit),
        *_details("Listed in the baseline, but passing", results, stale, marks, limit),
        *_details("Known failures", results, known, marks, limit, unfold=False),
    ]


def _is_red(mark: Mark | None) -> bool:
    return mark is not None and mark.red


def _details(  # noqa: PLR0913  one part of the document, in all its facts
    heading: str,
    results: Results,
    rows: Sequence[Row],
    marks: Marks,
    limit: int,
    *,
    unfold: bool = True,
) -> list[str]:
    if not rows:
        return []
    causes = causes_of(rows, results.rows)
    lines = []
    for cause in causes[:limit]:
        row = cause.example
        words = one_line(_words(row, marks.get(row.id)), _MESSAGE_LIMIT)
        lines.append(
            [
                f"{group_of(row).symbol} {cell(verdict_words(row.verdict, row.phase))}",
                f"{len(cause.rows):,}",
                cell(row.id),
                cell(words),
            ]
        )
    counted = f"{quantity(len(rows), 'vector')}, {quantity(len(causes), 'cause')}"
    summary = f"<summary>{heading}: {counted}</summary>"
    parts = [
        f"<details open>{summary}" if unfold else f"<details>{summary}",
        table(["verdict", "vectors", "such as", "message"], lines),
    ]
    left = causes[limit:]
    if left:
        vectors = quantity(sum(len(cause.rows) for cause in left), "vector")
        parts.append(f"… and {quantity(len(left), 'more cause')} of {vectors}")
    command = reproducing_command(results.header, causes[0].example.id)
    parts.append(f"To run one alone: {code(command)}")
    parts.append("</details>")
    return parts


def _words(row: Row, mark: Mark | None) -> str:
    _, message = verdict_and_message(row.verdict, row.phase, row.message)
    if mark is None or not mark.reason:
        return message
    if mark.red:
        return mark.reason
    return f"{message} (known, {mark.where}: {mark.reason})"
