"""Markdown for a job summary: counts by operator version, then what failed.

GitHub renders HTML and mentions inside Markdown, and messages come from runtimes under test: text
that is not ours is put into code spans, where nothing is interpreted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from onnx_conformance.core.markdown import cell, code, table
from onnx_conformance.core.text import one_line, quantity

from ..gate.marks import Mark, Marks, alarms_of, gate_words, remark_of
from ..results.cause_words import against
from ..results.causes import causes_of
from ..results.records import Results, Row
from ..results.rerun_command import reproducing_command
from ..results.wording import verdict_and_message, verdict_words
from .facts.completeness import gaps, notes
from .facts.profiles_met import explanation, table_lines, words
from .facts.tally import (
    FAILING,
    Group,
    Tally,
    failing_rows,
    group_of,
    shown_groups,
    tally_by_version,
    total_tally,
)
from .terminal import title, when

DEFAULT_LIMIT = 200
_MESSAGE_LIMIT = 400
_REQUIREMENT_LIMIT = 120

# The counts of more operator versions than this are behind the failures, folded.
_VERSIONS_SHOWN = 40


class _Part(NamedTuple):
    """A part of the failures: vectors that are told together, and what they have in common."""

    heading: str
    noun: str
    groups: Sequence[Sequence[Row]]
    folded: bool = False


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
    if results.header.started:
        parts.append(f"{when(results)}\n")
    if marks is not None:
        alarms = [item for item in alarms_of(marks) if item not in gaps(results)]
        green = not (gaps(results) or alarms) and not any(mark.red for mark in marks.values())
        if remark_of(marks):
            parts.append(f"**First:** {code(remark_of(marks))}")
        parts += [f"**Red:** {code(alarm)}" for alarm in alarms]
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
    of_entries = [row for row in red if marks[row.id].where]
    apart = {row.id for row in of_entries}
    failing = [row for row in failing_rows(results) if row.id not in apart]
    known = [row for row in failing if row.id in marks and not _is_red(marks[row.id])]
    quiet = {row.id for row in failing}
    listed = {row.id for row in known}
    fresh = [row for row in failing if row.id not in listed]
    fresh += [row for row in red if row.id not in quiet | apart]
    otherwise = _by_entry([row for row in of_entries if not row.passed], marks)
    stale = _by_entry([row for row in of_entries if row.passed], marks)
    parts = (
        _Part("Failing", "cause", _by_cause(fresh, results)),
        _Part("Not as the baseline lists it", "entry", otherwise),
        _Part("Listed in the baseline, but passing", "entry", stale),
        _Part("Known failures", "cause", _by_cause(known, results), folded=True),
    )
    return [line for part in parts if part.groups for line in _details(part, results, marks, limit)]


def _by_cause(rows: Sequence[Row], results: Results) -> list[tuple[Row, ...]]:
    return [cause.rows for cause in causes_of(rows, results.rows)]


def _by_entry(rows: Sequence[Row], marks: Marks) -> list[tuple[Row, ...]]:
    """The vectors of each entry of the baseline that does not fit, in the order of its lines."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(marks[row.id].where, []).append(row)
    return [tuple(found[where]) for where in sorted(found, key=_place)]


def _place(where: str) -> tuple[str, int]:
    """`known.yaml:12` as file and line."""
    file, _, line = where.rpartition(":")
    return (file, int(line)) if line.isdecimal() else (where, 0)


def _is_red(mark: Mark | None) -> bool:
    return mark is not None and mark.red


def _details(part: _Part, results: Results, marks: Marks, limit: int) -> list[str]:
    """A part with a line for each group of vectors."""
    groups = part.groups
    lines = []
    for rows in groups[:limit]:
        row = rows[0]
        lines.append(
            [
                f"{group_of(row).symbol} {cell(verdict_words(row.verdict, row.phase))}",
                f"{len(rows):,}",
                cell(row.id),
                cell(one_line(_words(row, marks.get(row.id), results), _MESSAGE_LIMIT)),
            ]
        )
    counted = f"{quantity(sum(map(len, groups)), 'vector')}, {_quantity(groups, part.noun)}"
    parts = [
        f"<details{'' if part.folded else ' open'}><summary>{part.heading}: {counted}</summary>",
        table(["verdict", "vectors", "such as", "message"], lines),
    ]
    left = groups[limit:]
    if left:
        vectors = quantity(sum(map(len, left)), "vector")
        parts.append(f"… and {_quantity(left, part.noun, 'more ')} of {vectors}")
    command = reproducing_command(results.header, groups[0][0].id)
    parts.append(f"To run one alone: {code(command)}")
    parts.append("</details>")
    return parts


def _quantity(groups: Sequence[Sequence[Row]], noun: str, more: str = "") -> str:
    plural = "entries" if noun == "entry" else f"{noun}s"
    return quantity(len(groups), more + noun, more + plural)


def _words(row: Row, mark: Mark | None, results: Results) -> str:
    """What is said of a group: of an entry that does not fit how, else what came and is broken."""
    if mark is not None and mark.red and mark.where:
        return mark.reason
    verdict, message = verdict_and_message(row.verdict, row.phase, row.message)
    if mark is not None and mark.red and mark.reason:
        # A vector that flakes is told to.
        message = mark.reason.removeprefix(f"{row.verdict}: ").removeprefix(f"{verdict}: ")
    if mark is not None and not mark.red and mark.reason:
        return f"{message} (known, {mark.where}: {mark.reason})"
    broken = one_line(against(row, results.header.requirements), _REQUIREMENT_LIMIT)
    return f"{message} · against: {broken}" if broken else message
