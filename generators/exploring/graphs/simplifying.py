"""Graphs that are simpler than one: fewer nodes first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from onnx_conformance.core.values.tensors import NamedValue, Tensor

from .answering import InexactError

if TYPE_CHECKING:
    from .model import DrawnGraph, DrawnNode


def simpler_graphs(graph: DrawnGraph) -> list[DrawnGraph]:
    """Simpler graphs, the boldest first; each has fewer nodes, outputs, branches or fed values."""
    try:
        known = graph.values()
    except InexactError:
        return []
    found: list[DrawnGraph] = []
    for item in _candidates(graph, known):
        simpler = replace(pruned(item), motifs=())
        if simpler.nodes and simpler.outputs and simpler not in found and simpler != graph:
            found.append(simpler)
    return found


def _candidates(graph: DrawnGraph, known: dict[str, Tensor]) -> Iterator[DrawnGraph]:
    if len(graph.outputs) > 1:
        for name in graph.outputs:
            yield replace(graph, outputs=(name,))
    for place in range(len(graph.nodes)):
        yield _fed_instead(graph, place, known)
    for place, node in enumerate(graph.nodes):
        yield from _bypassed(graph, place, node, known)
    for place, node in enumerate(graph.nodes):
        made = [name for name in node.outputs if name not in graph.outputs]
        if made and place + 1 < len(graph.nodes):
            yield replace(graph, outputs=tuple(made[:1]))
    for place, node in enumerate(graph.nodes):
        if node.branch:
            nodes = (*graph.nodes[:place], replace(node, branch=""), *graph.nodes[place + 1 :])
            yield replace(graph, nodes=nodes)
    for item in graph.constants:
        constants = tuple(one for one in graph.constants if one is not item)
        yield replace(graph, constants=constants, feeds=(*graph.feeds, item))


def _fed_instead(graph: DrawnGraph, place: int, known: dict[str, Tensor]) -> DrawnGraph:
    """Without a node: what it gives is fed."""
    node = graph.nodes[place]
    outputs = tuple(name for name in graph.outputs if name not in node.outputs)
    fed = tuple(NamedValue(name, known[name]) for name in node.outputs)
    nodes = (*graph.nodes[:place], *graph.nodes[place + 1 :])
    return replace(graph, nodes=nodes, feeds=(*graph.feeds, *fed), outputs=outputs)


def _bypassed(
    graph: DrawnGraph, place: int, node: DrawnNode, known: dict[str, Tensor]
) -> Iterator[DrawnGraph]:
    """Without a node: who reads it reads its input, where that has the same type and shape."""
    if len(node.outputs) != 1 or node.outputs[0] in graph.outputs:
        return
    (made,) = node.outputs
    for name in node.inputs:
        if not name or (known[name].type, known[name].shape) != (
            known[made].type,
            known[made].shape,
        ):
            continue
        nodes = tuple(
            replace(one, inputs=tuple(name if item == made else item for item in one.inputs))
            for one in (*graph.nodes[:place], *graph.nodes[place + 1 :])
        )
        yield replace(graph, nodes=nodes)


def pruned(graph: DrawnGraph) -> DrawnGraph:
    """Without the nodes and the values that no output needs."""
    needed = set(graph.outputs)
    nodes: list[DrawnNode] = []
    for node in reversed(graph.nodes):
        if needed & set(node.outputs):
            nodes.append(node)
            needed |= {name for name in (*node.inputs, node.branch) if name}
    made = {name for node in nodes for name in node.outputs}
    feeds = tuple(item for item in graph.feeds if item.name in needed - made)
    constants = tuple(item for item in graph.constants if item.name in needed)
    outputs = tuple(name for name in graph.outputs if name in made)
    return replace(
        graph, nodes=tuple(reversed(nodes)), feeds=feeds, constants=constants, outputs=outputs
    )
