"""How a graph grows: motif after motif, until it has nodes enough."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .answering import InexactError
from .growing import Growing
from .model import DrawnGraph
from .motifs.all_motifs import MOTIFS

if TYPE_CHECKING:
    import random


_MOST = 8


def grow(opset: int, chance: random.Random) -> DrawnGraph:
    """A graph of two to eight nodes."""
    growing = Growing(opset, chance)
    due = chance.randint(2, 6)
    for _ in range(40):
        if len(growing.nodes) >= due:
            break
        motif = chance.choice(MOTIFS)
        before = len(growing.nodes), len(growing.open)
        try:
            motif(growing, growing.here())
        except (InexactError, IndexError, ValueError):
            _undo(growing, *before)
            continue
        if len(growing.nodes) > _MOST:
            _undo(growing, *before)
            continue
        if len(growing.nodes) > before[0]:
            growing.motifs.append(motif.__name__.strip("_").replace("_", " "))
    return growing.finished()


def _undo(growing: Growing, nodes: int, opened: int) -> None:
    """Take back the nodes of a motif that failed half way."""
    del growing.nodes[nodes:]
    del growing.open[opened:]
    growing.read = {name for node in growing.nodes for name in node.inputs}
