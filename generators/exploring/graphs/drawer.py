"""The drawer of graphs: its subjects are opsets, such as `graph-21`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from onnx_conformance.core.values.tensors import NamedValue

from ...oracle.arith.grid import tensor_of_numbers
from ..drawing import NotDrawnError, chance_of
from .grown import grow
from .model import DrawnGraph
from .simplifying import simpler_graphs

#: The first opset at which graphs are drawn: shapes, axes and lengths of splits are inputs there.
FIRST_OPSET = 13
_IN_A_BRANCH = 0.1


class GraphsDrawer:
    """Draws graphs."""

    def draw(self, subject: str, seed: int, index: int, attempt: int = 0) -> DrawnGraph:
        """See `drawing.Drawer`."""
        name, _, opset = subject.rpartition("-")
        if name != "graph" or int(opset) < FIRST_OPSET:
            raise NotDrawnError(f"graphs are drawn at opset {FIRST_OPSET} and later ones")
        chance = chance_of("graph", subject, seed, index, attempt)
        graph = grow(int(opset), chance)
        if not graph.nodes:
            raise NotDrawnError("no node had an exact result")
        if chance.random() < _IN_A_BRANCH:
            graph = _branched(graph, chance.randrange(len(graph.nodes)))
        return graph

    def simpler(self, drawing: DrawnGraph) -> Sequence[DrawnGraph]:
        """See `drawing.Drawer`."""
        return simpler_graphs(drawing)


def _branched(graph: DrawnGraph, place: int) -> DrawnGraph:
    """The graph with one node in a branch of an If, which is taken."""
    nodes = list(graph.nodes)
    nodes[place] = replace(nodes[place], branch="taken")
    taken = NamedValue("taken", tensor_of_numbers("bool", (), [True]))
    motifs = (*graph.motifs, "a node in a branch")
    return replace(graph, nodes=tuple(nodes), feeds=(*graph.feeds, taken), motifs=motifs)
