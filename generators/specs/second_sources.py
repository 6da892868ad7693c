"""What is beside the oracle where no runtime at hand implements an operator version.

A vector has two sources: the oracle, and a runtime or a witness that agrees with it. Where
none of the gated runtimes has the version, the spec says what else was compared with the oracle,
and which test does so; `tools/second_sources.py` finds the versions for which it must.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from onnx_conformance.core.yaml.nodes import Node

#: What may take the place of a runtime, and what it is.
SECOND_SOURCE_KINDS = {
    "body": "the function body of the standard, by the interpreter",
    "version": "another version of the operator, to which the vectors are rewritten",
    "derivation": "the result derived in a second way, which shares no code with the oracle",
    "library": "a program outside ONNX, on the same data",
}
_TEST = re.compile(r"tests/(?:[a-z0-9_]+/)*test_[a-z0-9_]+\.py")


@dataclass(frozen=True)
class SecondSource:
    """What some versions of an operator were compared with."""

    #: The versions.
    versions: tuple[int, ...]
    #: A word of `SECOND_SOURCE_KINDS`.
    kind: str
    #: What it is, and what it leaves out, in a sentence.
    text: str
    #: The test that holds the oracle against it: a path from the root of the repository.
    held_by: str


def read_second_sources(node: Node, versions: Collection[int]) -> tuple[SecondSource, ...]:
    """The entries of `second_sources`; BadInputError names file, line and what to do.

    Args:
        node: the list.
        versions: those that the operator has.
    """
    found = tuple(_entry(item, versions) for item in node.sequence())
    seen: set[tuple[int, str]] = set()
    for item in found:
        for number in item.versions:
            if (number, item.kind) in seen:
                raise node.error(f"version {number} has kind '{item.kind}' twice; make them one")
            seen.add((number, item.kind))
    return found


def _entry(node: Node, versions: Collection[int]) -> SecondSource:
    document = node.mapping(required=("versions", "kind", "text", "held_by"), optional=())
    numbers = []
    for item in document["versions"].sequence():
        number = item.integer(1)
        if number not in versions:
            known = ", ".join(map(str, versions))
            raise item.error(f"the operator has no version {number}; it has {known}")
        numbers.append(number)
    if not numbers:
        raise document["versions"].error("at least one version is needed")
    held_by = document["held_by"].string()
    if not _TEST.fullmatch(held_by):
        raise document["held_by"].error("a file of tests is needed here: tests/…/test_….py")
    return SecondSource(
        tuple(numbers),
        document["kind"].one_of(tuple(SECOND_SOURCE_KINDS)),
        document["text"].string(),
        held_by,
    )
