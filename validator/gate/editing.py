"""Edits the text of a baseline line by line: comments, order and reasons are not touched."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from onnx_conformance.core.yaml.nodes import Node
from onnx_conformance.core.yaml.reading import parse_yaml

from .entries import BaselineEntry
from .made_with import KEY, Runtime
from .writing import quoted, render_entry, runtime_line


@dataclass(frozen=True)
class Change:
    """The change to one entry.

    Attributes:
        parts: for each of its patterns, those that replace it: itself, none, or several.
        verdict: its new verdict, or None if that stays.
        change: a description of the change; empty if nothing changes.
    """

    parts: tuple[tuple[str, ...], ...]
    verdict: str | None = None
    change: str = ""

    @property
    def patterns(self) -> tuple[str, ...]:
        """Its patterns after the change."""
        return tuple(dict.fromkeys(pattern for part in self.parts for pattern in part))

    def of(self, entry: BaselineEntry) -> list[BaselineEntry]:
        """The entries to expect when the text is read back: a list stays one."""
        verdicts = (self.verdict,) if self.verdict else entry.verdicts
        if entry.several:
            entries = [self.patterns] if self.patterns else []
        else:
            entries = [(pattern,) for pattern in self.patterns]
        return [replace(entry, patterns=patterns, verdicts=verdicts) for patterns in entries]


def edited_text(
    text: str,
    document: Node,
    entries: Sequence[BaselineEntry],
    plans: Sequence[Change],
    added: Sequence[BaselineEntry],
) -> str:
    """The text with each entry changed as its plan says, and new entries after the last."""
    if not any(plan.change for plan in plans) and not added:
        return text
    _, lines, newline = _split(text)
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
        if plan.change:
            lines[start:end] = _rewritten(lines[start:end], start, node, entry, plan)
    return newline.join(lines)


def _spans(lines: Sequence[str], nodes: Sequence[Node]) -> list[tuple[int, int]]:
    """The first line of each entry and the line after its last, from 0.

    Blank lines and comments before an entry belong to that entry.
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
    """Whether a line can be the last one of an entry whose dash is in the given column."""
    stripped = line.lstrip(" ")
    return bool(stripped) and len(line) - len(stripped) > dash


def _rewritten(
    block: Sequence[str], start: int, node: Node, entry: BaselineEntry, plan: Change
) -> list[str]:
    """The lines of an entry with new ids or verdict; a single `id` may become several entries."""
    keys = node.mapping()
    if entry.several:
        copy = list(block)
        changes = [(keys["verdict"], plan.verdict)] if plan.verdict else []
        behind = keys["verdict"].line > keys["ids"].line
        # Work from the end of the entry backwards: the first change must not move the second.
        if behind:
            _replace_scalars(copy, start, changes)
        if plan.patterns != entry.patterns:
            _replace_list(copy, start, keys["ids"], plan.parts)
        if not behind:
            _replace_scalars(copy, start, changes)
        return copy if plan.patterns else []
    rewritten: list[str] = []
    for pattern in plan.patterns:
        copy = list(block)
        changes = [(keys["id"], quoted(pattern))] if pattern != entry.patterns[0] else []
        if plan.verdict:
            changes.append((keys["verdict"], plan.verdict))
        _replace_scalars(copy, start, changes)
        rewritten.extend(copy)
    return rewritten


def _replace_scalars(block: list[str], start: int, changes: Sequence[tuple[Node, str]]) -> None:
    for scalar, value in sorted(changes, key=lambda item: (-item[0].line, -item[0].column)):
        _replace_scalar(block, start, scalar, value)


def _replace_list(block: list[str], start: int, node: Node, parts: Sequence[Sequence[str]]) -> None:
    """Replace each pattern of a list, whether it is in brackets or line by line."""
    items = node.sequence()
    one_line = len({item.line for item in items}) == 1
    flow = "[" in block[items[0].line - 1 - start][: items[0].column - 1]
    if flow and not one_line:
        raise node.error("write the ids on one line, or each on a line of its own")
    if flow:
        line = block[items[0].line - 1 - start]
        first, last = items[0].column - 1, items[-1].column - 1
        end = last + _length(items[-1], line[last:])
        every = dict.fromkeys(pattern for part in parts for pattern in part)
        new = ", ".join(map(_in_brackets, every))
        block[items[0].line - 1 - start] = line[:first] + new + line[end:]
        return
    seen: set[str] = set()
    replacing = []
    for part in parts:
        replacing.append([pattern for pattern in part if pattern not in seen])
        seen.update(part)
    for item, patterns in reversed(list(zip(items, replacing, strict=True))):
        place = item.line - 1 - start
        copies = []
        for pattern in patterns:
            lines = [block[place]]
            _replace_scalar(lines, item.line - 1, item, quoted(pattern))
            copies += lines
        block[place : place + 1] = copies


def _in_brackets(pattern: str) -> str:
    """A pattern for a list in brackets, quoted if it contains a comma or a bracket."""
    return json.dumps(pattern) if set(pattern) & set("[]{},") else quoted(pattern)


_RAW_SCALAR = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'")


def _replace_scalar(block: list[str], start: int, scalar: Node, value: str) -> None:
    line = block[scalar.line - 1 - start]
    before, behind = line[: scalar.column - 1], line[scalar.column - 1 :]
    block[scalar.line - 1 - start] = before + value + behind[_length(scalar, behind) :]


def _length(scalar: Node, text: str) -> int:
    """How many characters a scalar occupies at the beginning of the text."""
    match = _RAW_SCALAR.match(text) if scalar.quoted else None
    return match.end() if match else len(scalar.text)


def with_runtime(text: str, file: str, runtime: Runtime) -> str:
    """The text of a baseline with a new `runtime`, added before its list if it had none."""
    document = parse_yaml(text, file)
    mark, lines, newline = _split(text)
    keys = document.mapping()
    if KEY in keys:
        scalars = keys[KEY].mapping()
        new = {"name": runtime.name, "version": runtime.version}
        changes = [
            (scalars[key], json.dumps(value))
            for key, value in new.items()
            if scalars[key].text != value
        ]
        _replace_scalars(lines, 0, changes)
    else:
        before = [name for name in keys if name != "format"]
        _insert(lines, document, KEY, runtime_line(runtime), before)
    return mark + newline.join(lines)


def with_key(text: str, file: str, key: str, value: str) -> str:
    """The text of a baseline with a value of one line, added before its entries if it had none."""
    document = parse_yaml(text, file)
    mark, lines, newline = _split(text)
    keys = document.mapping()
    if key not in keys:
        _insert(lines, document, key, f"{key}: {value}", _CONTENT)
    elif (node := keys[key]).kind not in ("mapping", "sequence"):
        _replace_scalars(lines, 0, [(node, value)])
    elif {document.keys[key].line} == _lines_of(node):
        lines[node.line - 1] = f"{key}: {value}"
    else:
        raise node.error(f"write '{key}' on one line, so that it can be changed")
    return mark + newline.join(lines)


def _split(text: str) -> tuple[str, list[str], str]:
    """The mark before a text, its lines, and how they end."""
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    newline = "\r\n" if "\r\n" in text else "\n"
    return mark, text.removeprefix(mark).replace("\r\n", "\n").split("\n"), newline


def _insert(lines: list[str], document: Node, key: str, line: str, before: Collection[str]) -> None:
    """Add the line of a key before the first of others."""
    if any(item.column != 1 for item in document.keys.values()):
        raise document.error(f"begin each key on a line of its own, '{key}' among them")
    first = next(item for name, item in document.keys.items() if name in before)
    lines.insert(first.line - 1, line)


def _lines_of(node: Node) -> set[int]:
    """The lines on which a node and everything in it begin."""
    inner = node.value if isinstance(node.value, tuple) else ()
    if isinstance(node.value, dict):
        inner = (*node.keys.values(), *node.value.values())
    return {node.line}.union(*map(_lines_of, inner))


_CONTENT = ("include", "entries")


def _write_opening(lines: list[str], document: Node, *, empty: bool) -> None:
    """Turn `entries:` into `entries: []`, or back."""
    key = document.keys["entries"]
    line = lines[key.line - 1]
    match = re.match(r"( *entries *:)( *\[ *\])?( *(?:#.*)?)$", line)
    if not match:
        raise key.error("write 'entries:' on a line of its own, or 'entries: []'")
    lines[key.line - 1] = match[1] + (" []" if empty else "") + match[3]
