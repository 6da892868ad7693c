"""YAML as people write it, with a file and a line behind every key and every value.

Specs and baselines are read through this module. It takes the part of YAML on which all its
versions agree and makes an explicit error of each form that some parser would silently read as
something else: `off` (false to some), `1e3` (a string to some), `012` (ten to some), `nan`,
timestamps, duplicate keys, a ` #12` that turns out to be a comment. What is not needed to write
specs is not read at all: anchors and aliases (a few lines of them can stand for gigabytes), tags,
merge keys and further documents.
"""

from __future__ import annotations

import difflib
import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from .documents import read_plain
from .errors import BadInputError
from .limits import YAML

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

    import yaml

DEEPEST_NESTING = 64
LONGEST_NUMBER = 64

INT64_MINIMUM = -(2**63)
INT64_MAXIMUM = 2**63 - 1

Scalar: TypeAlias = str | int | float | bool | None

_Event: TypeAlias = Any  # PyYAML's stubs leave most attributes of its events out


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A mapping, a sequence or a scalar, with the place where it stands.

    Attributes:
        value: mapping of key text to Node, tuple of Nodes, or the scalar as YAML means it.
        file: path of the file, as it is shown in messages.
        line: line of the first character, from 1.
        column: its column, from 1.
        text: the text of a scalar, as written (without its quotes).
        quoted: whether a scalar is in quotes or a block scalar: always a string then.
        keys: of a mapping: the key's own node, for its place.
    """

    value: Mapping[str, Node] | tuple[Node, ...] | Scalar
    file: str
    line: int
    column: int
    text: str = ""
    quoted: bool = False
    keys: Mapping[str, Node] = field(default_factory=dict)

    @property
    def where(self) -> str:
        """`file:line`, as messages begin and editors understand."""
        return f"{self.file}:{self.line}"

    @property
    def kind(self) -> str:
        """`mapping`, `sequence`, `string`, `integer`, `float`, `boolean` or `null`."""
        if self.value is None:
            return "null"
        return _KINDS[type(self.value)]

    def error(self, message: str) -> BadInputError:
        """The error to raise for this node: the message with file and line before it."""
        return BadInputError(f"{self.where}: {message}")

    def key_error(self, key: str, message: str) -> BadInputError:
        """The error to raise for a key of this mapping."""
        return self.keys[key].error(message)

    def mapping(
        self, required: Collection[str] = (), optional: Collection[str] | None = None
    ) -> Mapping[str, Node]:
        """The mapping's values by the text of their keys, in the order of the file.

        Args:
            required: keys that must be there.
            optional: keys that may be there besides; None allows any.
        """
        if not isinstance(self.value, dict):
            raise self.error(f"a mapping is needed here, not {self.described}")
        if optional is not None:
            self.only_keys((*required, *optional))
        for key in required:
            if key not in self.value:
                raise self.error(f"key '{key}' is missing")
        return self.value

    def only_keys(self, allowed: Collection[str]) -> None:
        """Raise, with the likely intent, where this mapping has a key that is not allowed."""
        for key, node in self.keys.items():
            if key not in allowed:
                raise node.error(f"unknown key '{key}'{_instead(key, allowed)}")

    def sequence(self) -> tuple[Node, ...]:
        """The items of a sequence."""
        if not isinstance(self.value, tuple):
            raise self.error(f"a list is needed here, not {self.described}")
        return self.value

    def string(self) -> str:
        """A text that is not empty."""
        if not isinstance(self.value, str):
            hint = f'; write "{self.text}" for the text' if self._is_plain_value else ""
            raise self.error(f"a text is needed here, not {self.described}{hint}")
        if not self.value:
            raise self.error("a text is needed here; this one is empty")
        return self.value

    def one_of(self, choices: Collection[str], what: str = "word") -> str:
        """A text that is one of `choices`; `what` names it in the message."""
        found = self.string()
        if found not in choices:
            raise self.error(f"unknown {what} '{found}'{_instead(found, choices)}")
        return found

    def integer(self, minimum: int = INT64_MINIMUM, maximum: int = INT64_MAXIMUM) -> int:
        """An integer within bounds: those of int64 unless told."""
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            raise self.error(f"an integer is needed here, not {self.described}")
        if not minimum <= self.value <= maximum:
            bounds = (
                "int64"
                if (minimum, maximum) == (INT64_MINIMUM, INT64_MAXIMUM)
                else f"{minimum} to {maximum}"
            )
            raise self.error(f"{self.value} is outside {bounds}")
        return self.value

    def number(self) -> int | float:
        """An integer of any size, or a float (also .nan, .inf and -.inf)."""
        if not isinstance(self.value, (int, float)) or isinstance(self.value, bool):
            raise self.error(f"a number is needed here, not {self.described}")
        return self.value

    def boolean(self) -> bool:
        """`true` or `false`."""
        if not isinstance(self.value, bool):
            raise self.error(f"true or false is needed here, not {self.described}")
        return self.value

    def plain(self) -> Any:  # noqa: ANN401  whatever the file holds
        """The same in dicts, lists and scalars, without places: for a schema validator."""
        if isinstance(self.value, dict):
            return {key: node.plain() for key, node in self.value.items()}
        if isinstance(self.value, tuple):
            return [node.plain() for node in self.value]
        return self.value

    @property
    def described(self) -> str:
        """What a message says was found here, e.g. `the integer 3`."""
        if self.value is None:
            return "nothing" if not self.text else "null"
        if isinstance(self.value, (dict, tuple)):
            return f"a {'list' if self.kind == 'sequence' else 'mapping'}"
        text = self.text if len(self.text) <= 60 else self.text[:57] + "..."
        return f"the {'text' if self.kind == 'string' else self.kind} '{text}'"

    @property
    def _is_plain_value(self) -> bool:
        return bool(self.text) and not isinstance(self.value, (dict, tuple))


_KINDS: dict[type, str] = {
    dict: "mapping",
    tuple: "sequence",
    str: "string",
    int: "integer",
    float: "float",
    bool: "boolean",
}


def read_yaml(path: Path) -> Node:
    """The one document of a YAML file; BadInputError names file, line and what to do."""
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
    """The one document in a text; `file` is what messages call it."""
    import yaml

    text = text.removeprefix("\ufeff")
    _refuse_characters(text, file)
    # libyaml, where PyYAML was built with it, reads the same events ten times faster.
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

# What YAML calls printable (YAML 1.1, 5.1), and the tab, which has a message of its own; without
# the characters that end a line in YAML 1.1 and none in YAML 1.2: a comment would end elsewhere.
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
    """The parser's complaint on one line, with the likely intent where it is known."""
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

        self._take()  # the stream's start
        if isinstance(self._take(), yaml.StreamEndEvent):
            raise BadInputError(f"{self._file}: is empty")
        root = self._node(self._take(), 0)
        self._take()  # the document's end
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
        """`reason: as in #12` ends before the `#`: nobody means that."""
        mark = event.end_mark
        rest = self._lines[mark.line][mark.column :] if mark.line < len(self._lines) else ""
        swallowed = re.match(r"\s+(#\d\S*)", rest)
        if swallowed:
            text = swallowed.group(1)
            raise self._error(event, f"'{text}' is a comment to YAML; put the whole text in quotes")


# --- plain scalars -------------------------------------------------------------------------

_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")
_FLOAT = re.compile(r"-?(0|[1-9][0-9]*)\.[0-9]+([eE][-+][0-9]+)?")
_SPECIAL_FLOATS = {".nan": math.nan, ".inf": math.inf, "-.inf": -math.inf}
_WORDS: dict[str, Scalar] = {"true": True, "false": False, "null": None, "": None}

# Plain scalars that YAML 1.1, YAML 1.2 and PyYAML do not all read as the same thing, or that are
# not what they seem; each with what to write instead.
_TRAPS = tuple(
    (re.compile(pattern, re.IGNORECASE), advice)
    for pattern, advice in (
        (r"yes|no|on|off", "a boolean to some parsers; write true or false, or quote the word"),
        (r"true|false", "written true or false, in lower case"),
        (r"null|~", "written null, in lower case"),
        (r"[-+]?\.?nan", "not a number in every parser; write .nan, or quote the word"),
        (r"[-+]?\.?inf(inity)?", "not a number in every parser; write .inf or -.inf, or quote it"),
        (r"-0", "the integer 0; write 0, or -0.0 for the float"),
        (r"\+[0-9.].*", "not canonical; leave the + out"),
        (r"[-+]?0[0-7_]+", "octal to some parsers; leave the leading 0 out, or quote it"),
        (r"[-+]?0[0-9_]+(\.[0-9]*)?", "not canonical; leave the leading 0 out, or quote it"),
        (r"[-+]?0[xob][0-9a-f_]+", "a number to some parsers; write it in decimal, or quote it"),
        (r"[-+]?[0-9][0-9_]*_[0-9_.]*", "a number to some parsers; leave the _ out, or quote it"),
        (
            r"[-+]?([0-9]+\.?|[0-9]*\.[0-9]+)(e[-+]?[0-9]+)",
            "a text to some parsers; write it as 1.0e+3, or quote it",
        ),
        (r"[-+]?([0-9]+\.|\.[0-9]+)", "not canonical; write a digit on both sides of the point"),
        (r"[-+]?[0-9]+(:[0-5]?[0-9])+(\.[0-9]*)?", "a number to base 60 to some parsers; quote it"),
        (r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt ].*)?", "a date to some parsers; quote it"),
        (r"=", "a value of its own to some parsers; quote it"),
    )
)

_SUSPECT = re.compile(r"[-+.~=0-9]|yes|no|on|off|true|false|null|nan|inf", re.IGNORECASE)


def scalar_of(text: str) -> Scalar:
    """The value of a plain scalar; ValueError says what is ambiguous and what to write."""
    if text in _WORDS:
        return _WORDS[text]
    if text in _SPECIAL_FLOATS:
        return _SPECIAL_FLOATS[text]
    if _INTEGER.fullmatch(text) and text != "-0":
        if len(text) > LONGEST_NUMBER:
            raise ValueError(f"'{text[:20]}...' has more than {LONGEST_NUMBER} digits")
        return int(text)
    if _FLOAT.fullmatch(text):
        value = float(text)
        if math.isinf(value):
            raise ValueError(f"'{text[:60]}' is beyond float64; write .inf or -.inf")
        return value
    if len(text) > LONGEST_NUMBER or not _SUSPECT.match(text):
        return text
    for pattern, advice in _TRAPS:
        if pattern.fullmatch(text):
            raise ValueError(f"'{text[:60]}' is {advice}")
    return text


def _instead(word: str, allowed: Collection[str]) -> str:
    near = difflib.get_close_matches(word, list(allowed), n=1)
    if near:
        return f"; did you mean '{near[0]}'?"
    return f"; known are: {', '.join(allowed)}" if allowed else ""
