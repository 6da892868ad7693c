"""Content of a YAML file: every key and every value knows its file and line.

A node gives its value in the form that the caller needs (a text, an integer, a mapping with
certain keys), or raises an error that says what is there instead, and where.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from ..errors import BadInputError
from .scalars import Scalar

NodeKind: TypeAlias = Literal[
    "mapping", "sequence", "string", "integer", "float", "boolean", "null"
]
INT64_MINIMUM = -(2**63)
INT64_MAXIMUM = 2**63 - 1


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A mapping, a sequence or a scalar, with its place in the file.

    Attributes:
        value: mapping of key text to Node, tuple of Nodes, or the value of the scalar.
        file: path of the file, as messages show it.
        line: line of the first character, from 1.
        column: its column, from 1.
        text: the text of a scalar, as written (without its quotes).
        quoted: whether a scalar is in quotes or a block scalar: then it is always a string.
        keys: of a mapping: the node of each key, for its place.
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
        """`file:line`: messages begin with it, and editors understand it."""
        return f"{self.file}:{self.line}"

    @property
    def kind(self) -> NodeKind:
        """The kind of this node."""
        if self.value is None:
            return "null"
        return _KINDS[type(self.value)]

    def error(self, message: str) -> BadInputError:
        """An error about this node: the message after file and line, if it has a place."""
        return BadInputError(f"{self.where}: {message}" if self.file else message)

    def key_error(self, key: str, message: str) -> BadInputError:
        """An error about a key of this mapping."""
        return self.keys[key].error(message)

    def mapping(
        self, required: Collection[str] = (), optional: Collection[str] | None = None
    ) -> Mapping[str, Node]:
        """The mapping's values by the text of their keys, in the order of the file.

        Args:
            required: keys that must be there.
            optional: further keys that may be there; None allows any.
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
        """Raise an error with a likely correction if the mapping has a key that is not allowed."""
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
        """An integer within bounds, by default those of int64."""
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
        """The value as dicts, lists and scalars, without places: for a schema validator."""
        if isinstance(self.value, dict):
            return {key: node.plain() for key, node in self.value.items()}
        if isinstance(self.value, tuple):
            return [node.plain() for node in self.value]
        return self.value

    @property
    def described(self) -> str:
        """How a message describes this node, e.g. `the integer 3`."""
        if self.value is None:
            return "nothing" if not self.text else "null"
        if isinstance(self.value, (dict, tuple)):
            return f"a {'list' if self.kind == 'sequence' else 'mapping'}"
        text = self.text if len(self.text) <= 60 else self.text[:57] + "..."
        return f"the {'text' if self.kind == 'string' else self.kind} '{text}'"

    @property
    def _is_plain_value(self) -> bool:
        return bool(self.text) and not isinstance(self.value, (dict, tuple))


def node_of(value: Any) -> Node:  # noqa: ANN401  as `Node.plain` gives it
    """The node of dicts, lists and scalars, without a place, which messages then leave out."""
    if isinstance(value, dict):
        keys = {key: Node(key, "", 0, 0, key) for key in map(str, value)}
        values = {str(key): node_of(item) for key, item in value.items()}
        return Node(values, "", 0, 0, keys=keys)
    if isinstance(value, (list, tuple)):
        return Node(tuple(map(node_of, value)), "", 0, 0)
    return Node(value, "", 0, 0, str(value), quoted=value == "")


_KINDS: dict[type, NodeKind] = {
    dict: "mapping",
    tuple: "sequence",
    str: "string",
    int: "integer",
    float: "float",
    bool: "boolean",
}


def _instead(word: str, allowed: Collection[str]) -> str:
    near = difflib.get_close_matches(word, list(allowed), n=1)
    if near:
        return f"; did you mean '{near[0]}'?"
    return f"; known are: {', '.join(allowed)}" if allowed else ""
