"""The report that a run prints: counts, what does not pass, failures and their commands.

It fits a screen unless everything is asked for: of many operator versions only the operators that
do not pass are listed, the worst first. Plain text, unless the stream is a terminal: then it is
coloured and fits the terminal's width.
"""

from __future__ import annotations

import os
import shutil
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import TextIO

from onnx_conformance.core.corpus.small import SMALL
from onnx_conformance.core.text import one_line, quantity, shortened

from ..results.cause_words import cause_lines
from ..results.causes import causes_of
from ..results.records import Results
from ..results.rerun_command import reproducing_command
from .facts.completeness import gaps, notes
from .facts.dissent import dissent
from .facts.profiles_met import summary
from .facts.refusals import inconclusive_lines, unsupported_lines
from .facts.tally import (
    CRASHED,
    FAIL,
    INCONCLUSIVE,
    PASS,
    UNJUDGED,
    UNSUPPORTED,
    Group,
    Tally,
    failing_rows,
    shown_groups,
    tally_by_version,
    total_tally,
    worst_operators,
)

DEFAULT_LIMIT = 10
_ROWS = 20  # of the table, beside its heading and the sum
_LONGEST = 180  # characters of a line about a cause, where there are more than a few
_FEW = 3
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
            lists every operator version and every failing vector.
        failures: whether to list failures at all.
        dated: whether to say when each run began.
    """
    paint = _Paint(enabled=colour)
    parts = []
    for item in results:
        lines = _failures(item, width, paint, limit) if failures else []
        heading = paint(title(item), "1") + (f", {when(item)}" if dated else "")
        parts.append(_one_backend(item, width, paint, [heading, *lines], whole=limit is None))
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
    selection = header.extra.get("selection") or {}
    what = "small vector" if selection.get("size") == SMALL else "vector"
    return f"{name} on {quantity(len(header.planned), what)} of corpus {corpus}"


def when(results: Results) -> str:
    """When the run began, for who reads a file that may be old: `run of 2026-11-23T09:00:00`."""
    return f"run of {one_line(results.header.started, 40) or 'an unknown date'}"


def _one_backend(
    results: Results, width: int | None, paint: _Paint, lines: Sequence[str], *, whole: bool
) -> str:
    """The report on one backend; `lines` are its heading, and then what failed."""
    heading, *failures = lines
    measured = summary(results)
    reasons = (*unsupported_lines(results.rows), *inconclusive_lines(results.rows))
    blocks = [
        heading,
        *(line for note in notes(results) for line in _fold(note, width)),
        *_tables(results, paint, whole=whole),
        *(line for reason in reasons for line in _fold(reason, width)),
        *(line for said in measured[: None if whole else 1] for line in _fold(said, width)),
        *(line for said in dissent(results) for line in _fold(said, width)),
        *failures,
        *_missing(results, width, paint),
    ]
    return "\n".join(blocks)


# --- counts ---------------------------------------------------------------------------------


def _tables(results: Results, paint: _Paint, *, whole: bool) -> list[str]:
    """A row for each operator version; of many, the sum, and the operators that do not pass."""
    by_version = {str(version): item for version, item in tally_by_version(results).items()}
    total = total_tally(results)
    groups = shown_groups([total])
    if whole or len(by_version) <= _ROWS:
        rows = {**by_version, **({"all": total} if len(by_version) != 1 else {})}
        return [_table(rows, groups, paint) + _kinds(total)]
    operators, worst = worst_operators(results)
    shown = dict(list(worst.items())[:_ROWS])
    lines = [_table({**shown, "all": total}, groups, paint) + _kinds(total)]
    if worst:
        more = f"; the worst {_ROWS} are shown" if len(worst) > _ROWS else ""
        failing = f"{len(worst):,} of {quantity(operators, 'operator')} do not pass whole"
        lines.append(f"{failing}{more} (--verbose: each version)")
    return lines


def _table(rows: Mapping[str, Tally], groups: Sequence[Group], paint: _Paint) -> str:
    lines = [["", *(group.name for group in groups), "total"]]
    lines += [_cells(name, item, groups) for name, item in rows.items()]
    colours = [None, *(_COLOURS.get(group.name) for group in groups), None]
    return "\n".join(_columns(lines, colours, paint))


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


# --- what failed ----------------------------------------------------------------------------


def _failures(results: Results, width: int | None, paint: _Paint, limit: int | None) -> list[str]:
    """The failures, one line for each cause, similar ones below it; and how to run one alone."""
    causes = causes_of(failing_rows(results), results.rows)
    if not causes:
        return []
    lines = [""]
    whole = limit is None or len(causes) <= _FEW
    for cause in causes[:limit]:
        name = one_line(cause.example.id)
        for line in cause_lines(cause, results.header.requirements, every=limit is None):
            # The id is not cut: it is what a person copies.
            longest = max(_LONGEST, len(name) + _SMALLEST_WIDTH)
            folded = _fold(line if whole else shortened(line, longest), width)
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
    tallies = {item.header.backend: total_tally(item) for item in results}
    table = _table(tallies, shown_groups(list(tallies.values())), paint)
    return "\n".join([paint("Side by side", "1"), table])
