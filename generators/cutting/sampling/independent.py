"""Pieces of a node along axes whose positions do not know of each other: `alike` knows which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ...alike.axes import Axes, Labels
from ...alike.rules import axes_of
from ...oracle.registry import Call
from ...specs.model import OperatorVersion
from ..questions import NotCutError, parameter_at, version_of
from .choosing import Chooser
from .pieces import Part, Piece, Sample, Shape, places, sizes

if TYPE_CHECKING:
    import onnx


# What positions alone do not tell: each element follows from the least and the greatest of all.
_OF_ALL = frozenset({"DynamicQuantizeLinear"})
# So many elements for each piece, or rows, or elements where rows of one input meet columns of
# another; at the end one each, for rows that are too long for more.
_ELEMENTS, _ROWS, _CROSSINGS = (12,) * 4, (*(3,) * 6, 1, 1), (*(6,) * 6, 1, 1)


def independent(
    node: onnx.NodeProto,
    call: Call,
    opset: int,
    shapes: Sequence[Shape | None],
    chooser: Chooser,
) -> Sample | None:
    """The shape of a node's first output, and pieces of it; None where no axes are independent.

    Args:
        node: the node.
        call: what it asks the oracle.
        opset: of the model.
        shapes: of its inputs by position; None for an absent one.
        chooser: of positions.
    """
    axes = None if call.operator in _OF_ALL else axes_of(call)
    if axes is None:
        return None
    _, _, version = version_of(call.domain, call.operator, opset)
    inputs = [_labels(axes, version, at, shape) for at, shape in enumerate(shapes)]
    size_of: dict[str, int] = {}
    for shape, own in zip(shapes, inputs, strict=True):
        for size, name in zip(shape or (), own, strict=True):
            if name and size_of.setdefault(name, size) != size:
                raise NotCutError("the sizes of its inputs do not fit each other")
    output = axes.outputs[0]
    made = tuple(size_of.get(name, 1) for name in output)
    free = [name for name in output if any(name in group for group in axes.independent)]
    counts = _ELEMENTS if set(size_of) <= set(free) else _ROWS
    if len(axes.independent) > 1:
        free.reverse()  # rows and columns are thinned less than the matrices of a stack
        counts = _CROSSINGS

    def pieces() -> Iterator[Piece]:
        for several in counts:
            along = chooser.grid(tuple(size_of.get(name, 1) for name in free), several)
            chosen = dict(zip(free, along, strict=True))
            parts = tuple(
                None if shape is None else _part(own, shape, chosen)
                for shape, own in zip(shapes, inputs, strict=True)
            )
            part = _part(output, made, chosen)
            yield Piece(node, parts, sizes(part), places(part, made))

    return made, pieces()


def _labels(axes: Axes, version: OperatorVersion, position: int, shape: Shape | None) -> Labels:
    """Names for the axes of an input; what has none is taken whole."""
    parameter, index = parameter_at(version.inputs, position)
    labels = axes.inputs.get((parameter.name, index))
    if shape is None or labels is None:
        return ("",) * len(shape or ())
    if axes.shape is not None:
        behind = labels[len(labels) - len(shape) :]
        return tuple("" if size == 1 else name for name, size in zip(behind, shape, strict=True))
    if len(labels) != len(shape):
        raise NotCutError("an input has another rank than its operator takes")
    return labels


def _part(labels: Labels, shape: Shape, chosen: Mapping[str, Sequence[int]]) -> Part:
    return tuple(chosen.get(name, range(size)) for name, size in zip(labels, shape, strict=True))
