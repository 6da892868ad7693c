"""Bugs in model-local functions and subgraphs."""

from __future__ import annotations

from ..backend import Backend
from ..registry import mutant

# --- subgraphs -----------------------------------------------------------------------------


@mutant()
class AttributesInSubgraphsAreLost(Backend):
    """Nodes in subgraphs lose their attributes."""

    def resolved(self, node, frame):
        found = super().resolved(node, frame)
        inside = frame.place in {"branch", "body"} and node.operator in {"Shape", "Reshape"}
        return () if inside and frame.opset >= 5 else found
