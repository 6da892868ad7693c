"""What changed between two runs, for the terminal and as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onnx_conformance.core.markdown import cell, code, table
from onnx_conformance.core.text import one_line, quantity

from ..results.changes import CHANGES, verdict_of
from ..results.merging import accuracy_of, corpus_of
from ..results.rerun_command import reproducing_command
from .facts.completeness import gaps
from .facts.wording import verdict_and_message
from .terminal import title

if TYPE_CHECKING:
    from ..results.changes import Change, RunChanges, VectorChange
    from ..results.records import Row

DEFAULT_LIMIT = 50
_MEANINGS: dict[Change, str] = {
    "broken": "passed before, does not pass now",
    "fixed": "did not pass before, passes now",
    "changed": "does not do what it did before, and passing has not changed",
    "added": "was not planned before",
    "withdrawn": "is not planned any more",
}


def render_text(comparison: RunChanges, *, limit: int = DEFAULT_LIMIT) -> str:
    """The comparison as text, one line for each vector that differs."""
    lines = [f"old  {title(comparison.old)}", f"new  {title(comparison.new)}"]
    lines += remarks(comparison)
    for change in CHANGES:
        found = comparison.of(change)
        if not found:
            continue
        lines += ["", f"{change}: {quantity(len(found), 'vector')} ({_MEANINGS[change]})"]
        lines += [f"    {_line(comparison, item)}" for item in found[:limit]]
        if len(found) > limit:
            lines.append(f"    and {len(found) - limit:,} more")
    lines += ["", summary(comparison)]
    return "\n".join(lines) + "\n"


def render_markdown(comparison: RunChanges, *, limit: int = 200) -> str:
    """The comparison as Markdown, ending with a newline."""
    parts = [
        "# What changed",
        f"- old: {code(title(comparison.old))}\n- new: {code(title(comparison.new))}",
        summary(comparison).capitalize() + ".",
    ]
    parts += [f"**Note:** {code(remark)}" for remark in remarks(comparison)]
    for change in CHANGES:
        found = comparison.of(change)
        if found:
            parts.append(f"## {change.capitalize()}: {quantity(len(found), 'vector')}")
            parts.append(f"{_MEANINGS[change].capitalize()}.")
            parts.append(_table(found[:limit]))
        if len(found) > limit:
            parts.append(f"… and {len(found) - limit:,} more")
    return "\n\n".join(parts) + "\n"


def remarks(comparison: RunChanges) -> list[str]:
    """What a reader must know: other vectors, another backend, verdicts that are missing."""
    found = []
    old, new = comparison.old.header, comparison.new.header
    if old.backend != new.backend:
        found.append(
            f"the runs are of different backends,"
            f" {one_line(old.backend, 80)} and {one_line(new.backend, 80)}"
        )
    if not comparison.same_corpus:
        found.append(
            f"the runs are of different corpora, {one_line(corpus_of(old), 100)} and"
            f" {one_line(corpus_of(new), 100)}: a change may be the vector's"
        )
    elif comparison.of("added") or comparison.of("withdrawn"):
        found.append("the corpus is the same, so added and withdrawn tell of another selection")
    if accuracy_of(old) != accuracy_of(new):
        found.append(
            f"the runs were judged by different limits, --accuracy {one_line(accuracy_of(old), 80)}"
            f" and {one_line(accuracy_of(new), 80)}: a change may be the judge's"
        )
    for name, results in (("old", comparison.old), ("new", comparison.new)):
        found += [f"the {name} run is incomplete: {gap}" for gap in gaps(results)]
    return found


def summary(comparison: RunChanges) -> str:
    """The counts in one line: `1 broken, 3 fixed, 1,200 the same`."""
    counts = [f"{len(comparison.of(change)):,} {change}" for change in CHANGES]
    return ", ".join([*counts, f"{comparison.same:,} the same"])


def _line(comparison: RunChanges, item: VectorChange) -> str:
    words = f"{one_line(item.id)}: {_transition(item)}"
    row = item.new
    if row is not None and not row.passed and row.message:
        words += f": {one_line(verdict_and_message(row.verdict, row.phase, row.message)[1], 200)}"
    if item.change in ("broken", "changed") and row is not None:
        words += f" · {reproducing_command(comparison.new.header, item.id)}"
    return words


def _transition(item: VectorChange) -> str:
    if item.change == "added":
        return _said(item.new)
    if item.change == "withdrawn":
        return _said(item.old)
    return f"{_said(item.old)} → {_said(item.new)}"


def _said(row: Row | None) -> str:
    words = verdict_of(row)
    if row is not None and row.phase:
        words += f" at {row.phase}"
    if row is not None and row.taken:
        words += f" ({row.taken})"
    return one_line(words, 120)


def _table(found: tuple[VectorChange, ...]) -> str:
    lines = []
    for item in found:
        message = one_line(item.new.message, 240) if item.new is not None else ""
        old = "" if item.change == "added" else cell(_said(item.old))
        new = "" if item.change == "withdrawn" else cell(_said(item.new))
        lines.append([cell(item.id), old, new, cell(message)])
    return table(["vector", "old", "new", "message"], lines)
