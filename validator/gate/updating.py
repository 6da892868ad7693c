"""Changes to a baseline that people have written in.

The file is edited line by line, so that its comments, its order and every reason stay as their
author left them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.patterns import IdIndex
from onnx_conformance.core.yaml_reading import parse_yaml

from ..judging.verdicts import Verdict
from .baseline import GREEN, Status, status_of
from .entries import Baseline, BaselineEntry, Expectations, baseline_of, expectations_of
from .grouping import Grouper
from .writing import content_of, new_entries, quoted, render_entry, verify

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from onnx_conformance.core.corpus.corpus import Entry
    from onnx_conformance.core.yaml_nodes import Node

    from ..results.records import Row
    from .writing import NewEntry


@dataclass(frozen=True)
class Update:
    """A baseline after an update.

    Attributes:
        text: the file's new content.
        changes: one line for each change, for people; empty where nothing changed.
        unlisted: how many failures stay unexpected, because new ones were not accepted.
    """

    text: str
    changes: tuple[str, ...]
    unlisted: int = 0


def update(  # noqa: PLR0913  what a change depends on
    text: str,
    file: str,
    rows: Sequence[Row],
    corpus: Mapping[str, Entry],
    *,
    accept_new: bool = False,
    remove_unmatched: bool = False,
) -> Update:
    """Remove what is stale from a baseline and, where asked, add what is new.

    Args:
        text: the baseline as it stands.
        file: its path, for messages.
        rows: the verdicts of a run; what was not run stays as it is listed.
        corpus: all vectors by id.
        accept_new: also list failures that are not listed, and those of another kind than listed.
        remove_unmatched: also remove entries that match no vector of the corpus.
    """
    document = parse_yaml(text, file)
    entries = baseline_of(document).entries
    index = IdIndex(corpus)
    unmatched = {
        entry.line for entry in entries if remove_unmatched and not entry.matching(corpus, index)
    }
    kept = tuple(entry for entry in entries if entry.line not in unmatched)
    expectations = expectations_of(Baseline(file, kept), corpus)
    seen = _seen(rows, expectations)
    grouper = Grouper(corpus, expectations.of)
    plans = [
        _plan(entry, entry.matching(corpus, index), seen[entry.line], grouper, accept_new)
        if entry.line not in unmatched
        else _Plan((), said="removed: it matches no vector of this corpus")
        for entry in entries
    ]
    added: list[NewEntry] = []
    if accept_new:
        moved = {vector_id for plan in plans for vector_id in plan.moved}
        added = new_entries(
            [row for row in rows if row.id in moved or _is_new(row, expectations)], corpus
        )
    edited = _edit(text, document, entries, plans, added)
    expected = [
        content for entry, plan in zip(entries, plans, strict=True) for content in plan.of(entry)
    ]
    verify(edited, file, [*expected, *map(content_of, added)])
    changes = [
        f"{entry.where}: {entry.named} {plan.said}"
        for entry, plan in zip(entries, plans, strict=True)
        if plan.said
    ]
    changes += [f"added '{entry.pattern}': {' or '.join(entry.verdicts)}" for entry in added]
    unlisted = 0 if accept_new else sum(_is_unlisted(row, expectations) for row in rows)
    return Update(edited, tuple(changes), unlisted)


def _is_unlisted(row: Row, expectations: Expectations) -> bool:
    """Whether a failure is not listed, or listed as another; a baseline takes no bad vectors."""
    listable = row.verdict != Verdict.BAD_VECTOR
    return listable and status_of(row, expectations.of.get(row.id)) is Status.UNEXPECTED


def _is_new(row: Row, expectations: Expectations) -> bool:
    return row.id not in expectations.of and status_of(row, None) not in GREEN


def _seen(
    rows: Sequence[Row], expectations: Expectations
) -> dict[int, dict[Status, dict[str, str]]]:
    """What became of the vectors of each entry: line of the entry -> status -> id -> verdict."""
    seen: dict[int, dict[Status, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    for row in rows:
        entry = expectations.of.get(row.id)
        if entry is not None:
            seen[entry.line][status_of(row, entry)][row.id] = row.verdict
    return seen


# --- what becomes of an entry --------------------------------------------------------------


@dataclass(frozen=True)
class _Plan:
    """What becomes of an entry.

    Attributes:
        patterns: what it is for from now on; none where it is removed, several where what it
            still covers needs them.
        verdict: its new verdict, where that changes.
        moved: ids that need an entry of their own.
        said: the change in words.
    """

    patterns: tuple[str, ...]
    verdict: str | None = None
    moved: tuple[str, ...] = ()
    said: str = ""

    def of(self, entry: BaselineEntry) -> list[tuple[object, ...]]:
        """The contents that are to be read back."""
        verdicts = (self.verdict,) if self.verdict else entry.verdicts
        return [
            content_of(replace(entry, pattern=pattern, verdicts=verdicts))
            for pattern in self.patterns
        ]


def _plan(
    entry: BaselineEntry,
    listed: Sequence[str],
    seen: Mapping[Status, Mapping[str, str]],
    grouper: Grouper,
    accept_new: bool,  # noqa: FBT001  handed down from a keyword
) -> _Plan:
    stale = seen.get(Status.STALE, {})
    # What else a flaky vector may do is for a person to say.
    other = seen.get(Status.OTHER, {}) if accept_new and not entry.flaky else {}
    kept = [item for item in listed if item not in stale and item not in other]
    if len(kept) == len(listed):
        return _Plan((entry.pattern,))
    verdicts = set(other.values())
    if len(other) == len(listed) and len(verdicts) == 1:
        new = verdicts.pop()
        return _Plan((entry.pattern,), new, said=f"is {new} now, was {entry.listed}")
    why = " and ".join(
        f"{len(ids)} {text}"
        for ids, text in ((stale, "no longer fail"), (other, "fail in another way"))
        if ids
    )
    if not kept:
        return _Plan((), moved=tuple(other), said=f"removed: {why}")
    # The lines of the entry are kept, so a pattern is narrowed to a kind only where it was before.
    verdict = entry.verdicts[0]
    groups = grouper.group(dict.fromkeys(kept, verdict), by_kind=entry.kind is not None)
    return _Plan(
        tuple(found.pattern for found in groups),
        moved=tuple(other),
        said=f"narrowed from {len(listed)} vectors to {len(kept)}: {why}",
    )


# --- the text ------------------------------------------------------------------------------


def _edit(
    text: str,
    document: Node,
    entries: Sequence[BaselineEntry],
    plans: Sequence[_Plan],
    added: Sequence[NewEntry],
) -> str:
    """The text with each entry as its plan says, and new entries behind the last."""
    if not any(plan.said for plan in plans) and not added:
        return text
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    sequence = document.mapping()["entries"]
    nodes = sequence.sequence()
    spans = _spans(lines, nodes)
    last = spans[-1][1] if spans else sequence.line
    dash = lines[spans[0][0]].index("-") if spans else 2
    new = [render_entry(entry, " " * dash).rstrip("\n") for entry in added]
    if not nodes or (all(not plan.patterns for plan in plans) and not added):
        _write_opening(lines, document, empty=not added)
    lines[last:last] = [line for block in new for line in block.split("\n")]
    for (start, end), node, entry, plan in reversed(
        list(zip(spans, nodes, entries, plans, strict=True))
    ):
        if plan.said:
            lines[start:end] = _rewritten(lines[start:end], start, node, entry, plan)
    return newline.join(lines)


def _spans(lines: Sequence[str], nodes: Sequence[Node]) -> list[tuple[int, int]]:
    """First line of each entry and the line behind its last, from 0.

    Blank lines and comments in front of the next entry belong to that one.
    """
    starts = [node.line - 1 for node in nodes]
    for start, node in zip(starts, nodes, strict=True):
        if not re.match(r" *- +$", lines[start][: node.column - 1]):
            raise node.error("begins in the middle of a line; put each entry on lines of its own")
    spans = []
    for start, limit in zip(starts, [*starts, len(lines)][1:], strict=True):
        dash = lines[start].index("-")
        end = limit
        while end > start + 1 and not _belongs(lines[end - 1], dash):
            end -= 1
        spans.append((start, end))
    return spans


def _belongs(line: str, dash: int) -> bool:
    """Whether a line may be the last of an entry whose dash stands in a column."""
    stripped = line.lstrip(" ")
    return bool(stripped) and len(line) - len(stripped) > dash


def _rewritten(
    block: Sequence[str], start: int, node: Node, entry: BaselineEntry, plan: _Plan
) -> list[str]:
    """The lines of an entry as often as its plan needs it, with the new id or verdict."""
    keys = node.mapping()
    rewritten: list[str] = []
    for pattern in plan.patterns:
        copy = list(block)
        # From the end of the file backwards: the first change must not move the second.
        changes = [(keys["id"], quoted(pattern))] if pattern != entry.pattern else []
        if plan.verdict:
            changes.append((keys["verdict"], plan.verdict))
        for scalar, value in sorted(changes, key=lambda item: (-item[0].line, -item[0].column)):
            _replace_scalar(copy, start, scalar, value)
        rewritten.extend(copy)
    return rewritten


_RAW_SCALAR = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'")


def _replace_scalar(block: list[str], start: int, scalar: Node, value: str) -> None:
    line = block[scalar.line - 1 - start]
    before, behind = line[: scalar.column - 1], line[scalar.column - 1 :]
    match = _RAW_SCALAR.match(behind) if scalar.quoted else None
    length = match.end() if match else len(scalar.text)
    block[scalar.line - 1 - start] = before + value + behind[length:]


def _write_opening(lines: list[str], document: Node, *, empty: bool) -> None:
    """Turn `entries:` into `entries: []`, or back."""
    key = document.keys["entries"]
    line = lines[key.line - 1]
    match = re.match(r"( *entries *:)( *\[ *\])?( *(?:#.*)?)$", line)
    if not match:
        raise key.error("write 'entries:' on a line of its own, or 'entries: []'")
    lines[key.line - 1] = match[1] + (" []" if empty else "") + match[3]
