"""The report that a run prints: counts by operator version, then failures and their commands.

Plain text, unless the stream is a terminal: then it is coloured and fits the terminal's width.
"""

from __future__ import annotations

import os
import shutil
import textwrap
from collections import Counter
from typing import TYPE_CHECKING, TextIO

from onnx_conformance.core.text import one_line, quantity

from ..results.cause_words import cause_lines
from ..results.causes import causes_of
from ..results.rerun_command import reproducing_command
from .facts.accuracy import summary
from .facts.completeness import gaps, notes
from .facts.tally import (
    CRASHED,
    FAIL,
    INCONCLUSIVE,
    PASS,
    UNJUDGED,
    UNSUPPORTED,
    Tally,
    failing_rows,
    shown_groups,
    tally_by_version,
    total_tally,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..results.records import Results, Row
    from .facts.tally import Group

DEFAULT_LIMIT = 20
_REASONS_SHOWN = 3
_EMPTY = "·"
_INDENT = "    "
_SMALLEST_WIDTH = 40

_COLOURS = {
    PASS.name: "32",
    FAIL.name: "31",
    CRASHED.name: "1;31",
    UNJUDGED.name: "1;31",
    UNSUPPORTED.name: "33",
    INCONCLUSIVE.name: "33",
}


def render(  # noqa: PLR0913  what a reader may ask for
    results: Sequence[Results],
    *,
    width: int | None = None,
    colour: bool = False,
    limit: int | None = DEFAULT_LIMIT,
    failures: bool = True,
    dated: bool = False,
) -> str:
    """The report on one or more results files, as text that ends with a newline.

    Args:
        results: one for each backend, in the order in which to show them.
        width: columns of the terminal; None does not fold lines.
        colour: whether to emit colour codes.
        limit: how many causes of failures to list for each backend; the others are counted. None
            lists every failing vector.
        failures: whether to list failures at all.
        dated: whether to say when each run began.
    """
    paint = _Paint(enabled=colour)
    parts = []
    for item in results:
        lines = _failures(item, width, paint, limit) if failures else []
        parts.append(_one_backend(item, width, paint, lines, when(item) if dated else ""))
    if len(results) > 1:
        parts.append(_side_by_side(results, paint))
    return "\n\n".join(parts) + "\n"


def write(
    results: Sequence[Results],
    stream: TextIO,
    *,
    limit: int | None = DEFAULT_LIMIT,
    failures: bool = True,
    dated: bool = False,
) -> None:
    """Print the report; coloured and folded if `stream` is a terminal."""
    watched = stream.isatty()
    width = shutil.get_terminal_size().columns if watched else None
    colour = watched and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    text = render(results, width=width, colour=colour, limit=limit, failures=failures, dated=dated)
    stream.write(printable(text, stream))


def printable(text: str, stream: TextIO) -> str:
    """The text with a question mark for each character that the stream cannot show."""
    encoding = stream.encoding or "utf-8"
    return text.encode(encoding, "replace").decode(encoding)


class _Paint:
    """Puts colour codes around text, or nothing."""

    def __init__(self, *, enabled: bool) -> None:
        self._enabled = enabled

    def __call__(self, text: str, code: str | None) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._enabled and code else text


def title(results: Results) -> str:
    """The runtime and the vectors: `onnxruntime 1.31.1 on 1,234 vectors of corpus 2026.11`."""
    header = results.header
    version = one_line(str(header.describe.get("version", "")), 60)
    name = one_line(header.backend, 80)
    if version and version not in name:
        name = f"{name} {version}"
    corpus = one_line(str(header.corpus.get("version", "unversioned")), 60)
    return f"{name} on {quantity(len(header.planned), 'vector')} of corpus {corpus}"


def when(results: Results) -> str:
    """When the run began, for who reads a file that may be old: `run of 2026-11-23T09:00:00`."""
    return f"run of {one_line(results.header.started, 40) or 'an unknown date'}"


def _one_backend(
    results: Results, width: int | None, paint: _Paint, failures: Sequence[str], date: str
) -> str:
    blocks = [
        paint(title(results), "1") + (f", {date}" if date else ""),
        *(line for note in notes(results) for line in _fold(note, width)),
        _table(results, paint),
        *_reasons(results.rows, width),
        *_inconclusive(results.rows, width),
        *(line for remark in summary(results) for line in _fold(remark, width)),
        *failures,
        *_missing(results, width, paint),
    ]
    return "\n".join(blocks)


# --- counts ---------------------------------------------------------------------------------


def _table(results: Results, paint: _Paint) -> str:
    by_version = tally_by_version(results)
    total = total_tally(results)
    groups = shown_groups([total])
    lines = [["", *(group.name for group in groups), "total"]]
    lines += [_cells(str(version), item, groups) for version, item in by_version.items()]
    if len(by_version) != 1:
        lines.append(_cells("all", total, groups))
    colours = [None, *(_COLOURS.get(group.name) for group in groups), None]
    return "\n".join(_columns(lines, colours, paint)) + _kinds(total)


def _cells(name: str, item: Tally, groups: Iterable[Group]) -> list[str]:
    counts = [item.of(group) for group in groups]
    return [one_line(name, 40), *(f"{n:,}" if n else _EMPTY for n in counts), f"{item.total:,}"]


def _columns(
    lines: Sequence[Sequence[str]], colours: Sequence[str | None], paint: _Paint
) -> list[str]:
    widths = [max(len(line[index]) for line in lines) for index in range(len(lines[0]))]
    drawn = []
    for number, line in enumerate(lines):
        cells = [line[0].ljust(widths[0])]
        for cell, space, code in zip(line[1:], widths[1:], colours[1:], strict=True):
            shown = code if number and cell != _EMPTY else None
            cells.append(paint(cell.rjust(space), shown))
        drawn.append("  ".join(cells).rstrip())
    return drawn


def _kinds(total: Tally) -> str:
    lines = []
    for group in (CRASHED, FAIL, UNJUDGED):
        kinds = total.kinds(group)
        if [name for name, _ in kinds] not in ([], [group.name]):
            words = ", ".join(f"{number:,} {name}" for name, number in kinds)
            lines.append(f"\n{group.name}: {words}")
    return "".join(lines)


def _reasons(rows: Iterable[Row], width: int | None) -> list[str]:
    """Why vectors were unsupported, most frequent reason first."""
    reasons = Counter(
        # After the bar come the runtime's own words for the same, often longer.
        one_line(row.message.split(" | ")[0], 120) or "no reason given"
        for row in rows
        if row.verdict in UNSUPPORTED.verdicts
    )
    lines = []
    for reason, number in reasons.most_common(_REASONS_SHOWN):
        lines += _fold(f"unsupported ({number:,}): {reason}", width)
    rest = sum(reasons.values()) - sum(n for _, n in reasons.most_common(_REASONS_SHOWN))
    if rest:
        lines.append(f"unsupported ({rest:,}): other reasons")
    return lines


def _inconclusive(rows: Iterable[Row], width: int | None) -> list[str]:
    """Why rejections prove nothing, most frequent reason first, each with an example control."""
    found: dict[str, list[str]] = {}
    for row in rows:
        if row.verdict in INCONCLUSIVE.verdicts:
            reason, control = _why_inconclusive(row)
            found.setdefault(one_line(reason, 120), []).append(one_line(control))
    ordered = sorted(found.items(), key=lambda item: -len(item[1]))
    lines = []
    for reason, controls in ordered[:_REASONS_SHOWN]:
        such = f", such as '{controls[0]}'" if controls[0] else ""
        lines += _fold(f"inconclusive ({len(controls):,}): {reason}{such}", width)
    rest = sum(len(controls) for _, controls in ordered[_REASONS_SHOWN:])
    if rest:
        lines.append(f"inconclusive ({rest:,}): other reasons")
    return lines


def _why_inconclusive(row: Row) -> tuple[str, str]:
    """The reason, and the control that it is about, if any."""
    if row.control is not None:
        _, found, state = row.message.rpartition(f"its control '{row.control}' ")
        if found:
            return f"rejected, but its control {state}", row.control
    return row.message.split(" | ")[0] or "no reason given", ""


# --- what failed ----------------------------------------------------------------------------


def _failures(results: Results, width: int | None, paint: _Paint, limit: int | None) -> list[str]:
    """The failures, one line for each cause, similar ones below it; and how to run one alone."""
    causes = causes_of(failing_rows(results), results.rows)
    if not causes:
        return []
    lines = [""]
    for cause in causes[:limit]:
        name = one_line(cause.example.id)
        for line in cause_lines(cause, results.header.requirements, every=limit is None):
            folded = _fold(line, width)
            if line.startswith(name):
                folded[0] = paint(name, _COLOURS[FAIL.name]) + folded[0][len(name) :]
            lines += folded
    left = causes[len(causes) if limit is None else limit :]
    if left:
        vectors = quantity(sum(len(cause.rows) for cause in left), "failing vector")
        lines.append(f"and {quantity(len(left), 'more cause')} of {vectors}; --verbose lists all")
    # The command stays on one line at any width: a folded command cannot be copied.
    lines.append(f"run one alone: {reproducing_command(results.header, causes[0].example.id)}")
    return lines


def _missing(results: Results, width: int | None, paint: _Paint) -> list[str]:
    lines = [line for gap in gaps(results) for line in _fold(f"incomplete: {gap}", width)]
    return ["", *(paint(line, _COLOURS[UNJUDGED.name]) for line in lines)] if lines else []


def _fold(text: str, width: int | None) -> list[str]:
    if width is None:
        return [text]
    return textwrap.wrap(
        text,
        max(width, _SMALLEST_WIDTH),
        subsequent_indent=_INDENT,
        break_on_hyphens=False,
    )


# --- several backends -----------------------------------------------------------------------


def _side_by_side(results: Sequence[Results], paint: _Paint) -> str:
    tallies = [total_tally(item) for item in results]
    groups = shown_groups(tallies)
    lines = [["", *(group.name for group in groups), "total"]]
    lines += [
        _cells(item.header.backend, tally, groups)
        for item, tally in zip(results, tallies, strict=True)
    ]
    colours = [None, *(_COLOURS.get(group.name) for group in groups), None]
    return "\n".join([paint("Side by side", "1"), *_columns(lines, colours, paint)])
