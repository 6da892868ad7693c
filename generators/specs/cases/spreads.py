"""`spread`: how widely the rules propose a case. What the corpus has already stays as it is."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from ..words import Spread

if TYPE_CHECKING:
    from onnx_conformance.core.yaml.nodes import Node

#: Each level with what it means: at which versions.
LEVELS = {
    Spread.EVERYWHERE: "each version where it differs, and a later opset of the newest",
    Spread.CLASSES: "the newest version of each class of versions that differ in their type lists"
    " alone, one case in four at the oldest of a class, and at the newest of all one further type"
    " or form",
    Spread.VERSIONS: "each version once",
    Spread.ENDS: "the oldest and the newest version",
    Spread.NEWEST: "the newest version, and one case in four at the newest of each older class",
}
#: What is tried in full at these versions.
WHOLE = {
    "types": "in every element type; `types:T2` for those of another type variable",
    "forms": "in every form that applies",
}
DEFAULT = Spread.CLASSES


def read_spread(
    node: Node | None, variables: Collection[str], main: Collection[str]
) -> tuple[Spread | None, tuple[str, ...]]:
    """At which versions a case is proposed, if `spread` says it, and what is tried in full there.

    It is a level, `types` (`types:T2`) or `forms`, or a list of them.

    Args:
        node: the value of the key; None if it is absent.
        variables: the operator's type variables.
        main: those that are the main one of some version: `types` means them.
    """
    if node is None:
        return None, ()
    level: Spread | None = None
    sweep: list[str] = []
    others = [f"types:{name}" for name in variables if name not in main]
    known = (*(item.value for item in LEVELS), *WHOLE, *others)
    for item in node.sequence() if node.kind == "sequence" else (node,):
        word = item.one_of(known, "spread")
        if word in WHOLE or word in others:
            sweep.append(word)
        elif level is not None:
            raise item.error(f"'{level.value}' and '{word}' exclude each other: say one of them")
        else:
            level = Spread(word)
    return level, tuple(sweep)
