"""Why vectors stand whose limits say next to nothing.

Where many terms cancel, or a step may overflow, all that careful software gives can be so wide that
an element is hardly asked for at all. Other data is nearly always the better answer; where there is
none, the spec says why the vector stands, and how wide its limits are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from onnx_conformance.core.corpus.patterns import pattern_in
from onnx_conformance.core.yaml.nodes import Node


@dataclass(frozen=True)
class Wide:
    """Vectors of an operator with wide limits, and the reason.

    Attributes:
        ids: ids and patterns.
        width: the widest range among them as a share of the largest expected value, in three
            digits; infinite where an element may be infinite beside a finite expectation.
        why: the reason, in a sentence.
        where: file and line of the entry.
    """

    ids: tuple[str, ...]
    width: float
    why: str
    where: str


def read_wide(node: Node) -> tuple[Wide, ...]:
    """The entries of `wide`; BadInputError names file, line and what to do."""
    return tuple(map(_entry, node.sequence()))


def _entry(node: Node) -> Wide:
    document = node.mapping(required=("ids", "width", "why"), optional=())
    width = float(document["width"].number())
    if math.isnan(width) or width <= 0:
        raise document["width"].error("a share above 0 is needed here, or .inf")
    ids = tuple(pattern_in(item) for item in document["ids"].sequence())
    if not ids:
        raise document["ids"].error("ids or patterns are needed here; this list is empty")
    return Wide(ids, width, document["why"].string(), node.where)
