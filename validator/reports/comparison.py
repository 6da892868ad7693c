"""Differences between two runs, for the terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from onnx_conformance.core.markdown import cell, code, table
from onnx_conformance.core.text import one_line, quantity

from ..results.causes import causes_of
from ..results.changes import CHANGES, WORSE, Change, RunChanges, VectorChange, verdict_of
from ..results.merging import accuracy_of, corpus_of
from ..results.records import Row
from ..results.rerun_command import reproducing_command
from ..results.wording import verdict_and_message
from .facts.completeness import gaps, reused_in_words
from .terminal import title

DEFAULT_LIMIT = 50
_SHOWN = 3
_MEANINGS: dict[Change, str] = {
    "broken": "passed before, does not pass now",
    "newly-wrong": "was unsupported or inconclusive before, fails now",
    "fixed": "failed before, passes now",
    "newly-supported": "was unsupported or inconclusive before, passes now",
    "changed": "does otherwise than before, and is neither better nor worse for it",
    "added": "was not planned before",
    "not-run": "was not selected now, so nothing is known of it",
    "withdrawn": "is not planned any more",
}


def render_text(comparison: RunChanges, *, limit: int = DEFAULT_LIMIT) -> str:
    """The comparison as text, with a line for each cause of a difference."""
    lines = [f"old  {title(comparison.old)}", f"new  {title(comparison.new)}"]
    lines += remarks(comparison)
    for change in CHANGES:
        found = comparison.of(change)
        if not found:
            continue
        lines += ["", f"{change}: {quantity(len(found), 'vector')} ({_MEANINGS[change]})"]
        groups = grouped(comparison, found)
        for same in groups[:limit]:
            lines.append(f"    {_line(same[0])}")
            if len(same) > 1:
                such = ", ".join(one_line(item.id) for item in same[1:_SHOWN])
                dots = ", …" if len(same) > _SHOWN else ""
                lines.append(f"        and {len(same) - 1:,} more like it: {such}{dots}")
        rest = sum(len(same) for same in groups[limit:])
        if rest:
            lines.append(f"    and {quantity(rest, 'more vector')}")
        worst = groups[0][0]
        if change in (*WORSE, "changed") and worst.new is not None:
            command = reproducing_command(comparison.new.header, worst.id)
            lines.append(f"    run one alone: {command}")
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
            groups = grouped(comparison, found)
            parts.append(_table(groups[:limit]))
            rest = sum(len(same) for same in groups[limit:])
            if rest:
                parts.append(f"… and {quantity(rest, 'more vector')}")
    return "\n\n".join(parts) + "\n"


def remarks(comparison: RunChanges) -> list[str]:
    """What a reader must know first: other vectors, another backend, missing verdicts."""
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
    elif comparison.of("added") or comparison.of("not-run"):
        found.append("the corpus is the same, so added and not-run tell of another selection")
    if comparison.not_run:
        found.append(comparison.not_run)
    if accuracy_of(old) != accuracy_of(new):
        found.append(
            f"the runs were judged by different limits, --accuracy {one_line(accuracy_of(old), 80)}"
            f" and {one_line(accuracy_of(new), 80)}: a change may be the judge's"
        )
    for name, results in (("old", comparison.old), ("new", comparison.new)):
        found += [f"the {name} run is incomplete: {gap}" for gap in gaps(results)]
        if results.reused:
            found.append(f"of the {name} run {reused_in_words(results)}")
    if comparison.unknown:
        found.append(
            f"{quantity(comparison.unknown, 'vector')} of one run may be in a shard that the other"
            " lacks: unknown"
        )
    return found


def summary(comparison: RunChanges) -> str:
    """The counts in one line: `1 broken, 3 fixed, 1,200 the same`."""
    counts = [f"{len(comparison.of(change)):,} {change}" for change in CHANGES]
    unknown = [f"{comparison.unknown:,} unknown"] if comparison.unknown else []
    return ", ".join([*counts, *unknown, f"{comparison.same:,} the same"])


def grouped(comparison: RunChanges, found: Sequence[VectorChange]) -> list[list[VectorChange]]:
    """Changes grouped by their old verdict and the cause of the new one, the worst first.

    Vectors that pass now are grouped by the cause of their earlier failure.
    """
    by_id = {item.id: item for item in found}
    fails = [item.new for item in found if item.new is not None and not item.new.passed]
    known = {row.id for row in fails}
    failed = [
        item.old
        for item in found
        if item.id not in known and item.old is not None and not item.old.passed
    ]
    groups: list[list[VectorChange]] = []
    for rows, judged in ((fails, comparison.new.rows), (failed, comparison.old.rows)):
        for cause in causes_of(rows, judged):
            groups += _by_verdicts(by_id.pop(vector_id) for vector_id in cause.ids)
    by_version: dict[str, list[VectorChange]] = {}
    for item in by_id.values():
        by_version.setdefault(item.id.split("/")[0], []).append(item)
    return [*groups, *(same for rest in by_version.values() for same in _by_verdicts(rest))]


def _by_verdicts(items: Iterable[VectorChange]) -> list[list[VectorChange]]:
    """Groups with the same verdicts in both runs."""
    parts: dict[tuple[str, str], list[VectorChange]] = {}
    for item in items:
        parts.setdefault((verdict_of(item.old), verdict_of(item.new)), []).append(item)
    return list(parts.values())


def _line(item: VectorChange) -> str:
    words = f"{one_line(item.id)}: {transition(item)}"
    row = item.new
    if row is not None and not row.passed and row.message:
        words += f": {one_line(_message(row), 200)}"
    return words


def _message(row: Row) -> str:
    """What a row says beside its verdict."""
    return verdict_and_message(row.verdict, row.phase, row.message)[1]


def transition(item: VectorChange) -> str:
    """The verdicts before and after, in words: `pass → wrong-value`."""
    if item.change == "added":
        return _verdict_text(item.new)
    if item.change in ("withdrawn", "not-run"):
        return _verdict_text(item.old)
    return f"{_verdict_text(item.old)} → {_verdict_text(item.new)}"


def _verdict_text(row: Row | None) -> str:
    words = verdict_of(row)
    if row is not None and row.phase:
        words += f" at {row.phase}"
    if row is not None and row.taken:
        words += f" ({row.taken})"
    return one_line(words, 120)


def _table(groups: Sequence[Sequence[VectorChange]]) -> str:
    lines = []
    for same in groups:
        item = same[0]
        message = one_line(_message(item.new), 240) if item.new is not None else ""
        old = "" if item.change == "added" else cell(_verdict_text(item.old))
        new = "" if item.change in ("withdrawn", "not-run") else cell(_verdict_text(item.new))
        lines.append([cell(item.id), f"{len(same):,}", old, new, cell(message)])
    return table(["vector", "like it", "old", "new", "message"], lines)
