"""What several cases share: groups, whose keys hold for each of their cases, and `let`.

Both are resolved here, before anything is read: what comes out is one mapping for each case, with
the case's own line, so that an error names the case and not its group.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from onnx_conformance.core.yaml.nodes import Node

GROUP = "group"
LET = "let"
# What a group gives name by name: a case may add to it, and say otherwise of a name.
_BY_NAME = ("inputs", "attributes")
#: What belongs to one case alone.
OF_ONE_CASE = ("id", "documented", "outputs", "then", "permitted")


class Names:
    """The values that a spec names under `let`, and which of them something uses."""

    def __init__(self, node: Node | None) -> None:
        """`node` is the mapping under `let`; None if the spec has none."""
        self._node = node
        self._values: Mapping[str, Node] = {} if node is None else node.mapping()
        self._used: set[str] = set()
        for value in self._values.values():
            for reference in _references(value):
                raise reference.error("a named value is written out, without `let` in it")

    def resolved(self, node: Node) -> Node:
        """The node with each `{let: NAME}` in it replaced by what is named so."""
        if isinstance(node.value, tuple):
            items = tuple(map(self.resolved, node.value))
            same = all(new is old for new, old in zip(items, node.value, strict=True))
            return node if same else replace(node, value=items)
        if not isinstance(node.value, dict):
            return node
        if _is_reference(node):
            name = node.value[LET].one_of(tuple(self._values), "name (see `let` of the spec)")
            self._used.add(name)
            return self._values[name]
        values = {key: self.resolved(item) for key, item in node.value.items()}
        same = all(values[key] is item for key, item in node.value.items())
        return node if same else replace(node, value=values)

    def check_all_used(self) -> None:
        """Raise BadInputError for a named value that nothing uses."""
        for name in self._values:
            if name not in self._used and self._node is not None:
                raise self._node.key_error(name, f"nothing uses '{name}'; take it out")


def _is_reference(node: Node) -> bool:
    return isinstance(node.value, dict) and tuple(node.value) == (LET,)


def _references(node: Node) -> Iterator[Node]:
    if _is_reference(node):
        yield node
    elif isinstance(node.value, tuple):
        for item in node.value:
            yield from _references(item)
    elif isinstance(node.value, dict):
        for item in node.value.values():
            yield from _references(item)


def each_case(node: Node, names: Names) -> Iterator[Node]:
    """The cases of a list, those of groups in their places: mappings without groups and `let`."""
    for item in node.sequence():
        entry = names.resolved(item)
        keys = entry.mapping()
        if GROUP not in keys:
            _refuse_misspelled_group(entry)
            yield entry
            continue
        for key in OF_ONE_CASE:
            if key in keys:
                raise entry.key_error(key, f"'{key}' belongs to one case, not to a group")
        cases = keys[GROUP].sequence()
        if not cases:
            raise keys[GROUP].error("a group has at least one case")
        for case in cases:
            if GROUP in case.mapping():
                raise case.error("a group in a group: give each case what it needs")
            yield _within(entry, case)


def _refuse_misspelled_group(entry: Node) -> None:
    for key in entry.mapping():
        if difflib.get_close_matches(key, [GROUP], 1, 0.75):
            raise entry.key_error(key, f"unknown key '{key}'; did you mean '{GROUP}'?")


def _within(group: Node, case: Node) -> Node:
    """The case with what its group says and it does not."""
    given = {key: item for key, item in group.mapping().items() if key != GROUP}
    own = case.mapping()
    merged = {key: own.get(key, item) for key, item in given.items()} | dict(own)
    for key in _BY_NAME:
        if key in given and key in own:
            merged[key] = _merged(given[key], own[key])
    places = {key: item for key, item in group.keys.items() if key != GROUP}
    return replace(case, value=merged, keys={**places, **case.keys})


def _merged(given: Node, own: Node) -> Node:
    """Both mappings; of a name that both have the own one."""
    return replace(own, value={**given.mapping(), **own.mapping()}, keys={**given.keys, **own.keys})
