"""Reads YAML that people write: every key and every value knows its file and line.

Specs and baselines are read through this module. It accepts the part of YAML on which all
versions of YAML agree. Each form that some parser would silently read as something else is an
error with its own message: `off` (false to some), `1e3` (a string to some), `012` (ten to some),
`nan`, timestamps, duplicate keys, a ` #12` that turns out to be a comment. Features that specs do
not need are errors as well: anchors and aliases (a few lines of them can stand for gigabytes),
tags, merge keys and further documents.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ..documents import read_plain
from ..errors import BadInputError
from ..limits import YAML
from .nodes import Node
from .scalars import scalar_of

if TYPE_CHECKING:
    import yaml

DEEPEST_NESTING = 64

_Event: TypeAlias = Any  # PyYAML's stubs leave most attributes of its events out


def read_yaml(path: Path) -> Node:
    """The single document of a YAML file; BadInputError names file, line and what to do."""
    try:
        content = read_plain(path, YAML)
    except OSError as error:
        raise BadInputError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise BadInputError(f"{path}:{line}: is not UTF-8") from None
    return parse_yaml(text, str(path))


def parse_yaml(text: str, file: str) -> Node:
    """The single document in a text; `file` is its name in messages."""
    import yaml

    text = text.removeprefix("\ufeff")
    _refuse_characters(text, file)
    # If PyYAML was built with libyaml, that gives the same events ten times faster.
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)(text)
    try:
        return _Reader(loader, text, file).document()
    except yaml.MarkedYAMLError as error:
        raise _syntax_error(error, text, file) from None
    except yaml.YAMLError as error:
        raise BadInputError(f"{file}: is not YAML: {error}") from None
    finally:
        loader.dispose()


# --- characters and syntax -----------------------------------------------------------------

# The characters that YAML calls printable (YAML 1.1, 5.1), without those that end a line in YAML
# 1.1 but not in YAML 1.2 (a comment would end elsewhere). The tab has a message of its own.
_UNPRINTABLE = re.compile(
    "[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|\ufeff"
)
_TAB_IN_INDENTATION = re.compile(r"^ *\t[ \t]*\S", re.MULTILINE)


def _refuse_characters(text: str, file: str) -> None:
    for pattern, problem in (
        (_UNPRINTABLE, "unprintable character U+{:04X}; write it as an escape in double quotes"),
        (_TAB_IN_INDENTATION, "tab in the indentation; YAML wants spaces"),
    ):
        found = pattern.search(text)
        if found:
            line = text.count("\n", 0, found.start()) + 1
            raise BadInputError(f"{file}:{line}: {problem.format(ord(found.group()[0]))}")


def _syntax_error(error: yaml.MarkedYAMLError, text: str, file: str) -> BadInputError:
    """The parser's message on one line, with advice if the cause is known."""
    mark = error.problem_mark or error.context_mark
    where = f"{file}:{mark.line + 1}" if mark else file
    problem = " ".join(part for part in (error.context, error.problem) if part)
    lines = text.splitlines()
    line = lines[mark.line] if mark and mark.line < len(lines) else ""
    hint = ""
    if re.search(r"(^|[\s\[,])\*", line):
        hint = "; a value that begins with * needs quotes"
    elif re.search(r"(^|\s)[@`%]", line):
        hint = "; a value that begins with @, ` or % needs quotes"
    elif re.search(r":\s+[^\"'\s].*:\s", line):
        hint = "; a text that holds ': ' needs quotes"
    shown = f" at '{line.strip()[:60]}'" if line.strip() else ""
    return BadInputError(f"{where}: is not YAML: {problem}{shown}{hint}")


# --- from the parser's events to nodes -----------------------------------------------------


class _Reader:
    """Builds the tree from parser events, so that nothing is expanded before it is checked."""

    def __init__(self, loader: Any, text: str, file: str) -> None:  # noqa: ANN401  C or Python
        self._loader = loader
        self._file = file
        self._lines = text.split("\n")

    def document(self) -> Node:
        import yaml

        self._take()  # the start of the stream
        if isinstance(self._take(), yaml.StreamEndEvent):
            raise BadInputError(f"{self._file}: is empty")
        root = self._node(self._take(), 0)
        self._take()  # the end of the document
        event = self._take()
        if not isinstance(event, yaml.StreamEndEvent):
            raise self._error(event, "a second document begins; one file holds one")
        return root

    def _take(self) -> _Event:
        return self._loader.get_event()

    def _error(self, event: _Event, message: str) -> BadInputError:
        return BadInputError(f"{self._file}:{event.start_mark.line + 1}: {message}")

    def _node(self, event: _Event, depth: int) -> Node:
        import yaml

        if isinstance(event, yaml.AliasEvent):
            hint = "quote the value if it is meant to begin with *"
            raise self._error(event, f"alias *{event.anchor}: aliases are not read; {hint}")
        if getattr(event, "anchor", None) is not None:
            raise self._error(event, f"anchor &{event.anchor}: anchors are not read")
        if getattr(event, "tag", None) is not None:
            raise self._error(event, f"tag {event.tag}: tags are not read")
        if depth > DEEPEST_NESTING:
            raise self._error(event, f"is nested deeper than {DEEPEST_NESTING} levels")
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(event, depth)
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(event, depth)
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event)
        raise self._error(event, "a value is missing here")

    def _place(self, event: _Event) -> tuple[str, int, int]:
        return self._file, event.start_mark.line + 1, event.start_mark.column + 1

    def _sequence(self, start: _Event, depth: int) -> Node:
        import yaml

        items = tuple(self._node(event, depth + 1) for event in self._until(yaml.SequenceEndEvent))
        return Node(items, *self._place(start))

    def _mapping(self, start: _Event, depth: int) -> Node:
        import yaml

        values: dict[str, Node] = {}
        keys: dict[str, Node] = {}
        for event in self._until(yaml.MappingEndEvent):
            if isinstance(event, (yaml.SequenceStartEvent, yaml.MappingStartEvent)):
                raise self._error(event, "a key must be a word, not a list or a mapping")
            key = self._node(event, depth + 1)
            if key.text == "<<" and not key.quoted:
                raise key.error("merge keys (<<) are not read; write the keys out")
            if key.text in keys:
                first = keys[key.text].line
                raise key.error(f"key '{key.text}' is here twice; it is already on line {first}")
            keys[key.text] = key
            values[key.text] = self._node(self._take(), depth + 1)
        return Node(values, *self._place(start), keys=keys)

    def _until(self, end: type) -> Iterator[_Event]:
        event = self._take()
        while not isinstance(event, end):
            yield event
            event = self._take()

    def _scalar(self, event: _Event) -> Node:
        quoted = event.style is not None and event.style != ""
        if quoted:
            return Node(event.value, *self._place(event), text=event.value, quoted=True)
        try:
            value = scalar_of(event.value)
        except ValueError as error:
            raise self._error(event, str(error)) from None
        if isinstance(value, str):
            self._refuse_swallowed_text(event)
        return Node(value, *self._place(event), text=event.value)

    def _refuse_swallowed_text(self, event: _Event) -> None:
        """Refuse `reason: as in #12`, whose text would end before the `#`: nobody means that."""
        mark = event.end_mark
        rest = self._lines[mark.line][mark.column :] if mark.line < len(self._lines) else ""
        swallowed = re.match(r"\s+(#\d\S*)", rest)
        if swallowed:
            text = swallowed.group(1)
            raise self._error(event, f"'{text}' is a comment to YAML; put the whole text in quotes")
