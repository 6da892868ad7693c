"""Which node of a graph made a value."""

from __future__ import annotations

from onnx_conformance.generators.interpreter.model import Node
from onnx_conformance.generators.interpreter.scopes import Frame


def maker(frame: Frame, name: str) -> Node | None:
    """The node of the same graph that makes a value."""
    return next((item for item in frame.nodes if name and name in item.outputs), None)


def is_made_by(frame: Frame, name: str, *operators: str) -> bool:
    """Whether a value comes from a node of some operators."""
    made = maker(frame, name)
    return made is not None and made.operator in operators


def follows_from_sizes(frame: Frame, name: str, seen: set[str]) -> bool:
    """Whether a value follows from a Shape or a Size of the same graph."""
    made = None if name in seen else maker(frame, name)
    if made is None:
        return False
    seen.add(name)
    return made.operator in {"Shape", "Size"} or any(
        follows_from_sizes(frame, item, seen) for item in made.inputs
    )
