"""The rule by which the output of each operator is sampled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from onnx_conformance.core.models.schemas import domain_of

from ..questions import NotCutError, Question, call_of
from .choosing import Chooser, Rule
from .independent import independent
from .moving import concat, filled, gather, transpose
from .pieces import Sample, Shape
from .windows import convolution, neighbours, pool, transposed

if TYPE_CHECKING:
    import onnx


_RULES: dict[str, Rule] = {
    **dict.fromkeys(("Conv", "ConvInteger", "QLinearConv"), convolution),
    **dict.fromkeys(("MaxPool", "AveragePool", "LpPool"), pool),
    "Concat": concat,
    "ConvTranspose": transposed,
    "Gather": gather,
    "LRN": neighbours,
    "Transpose": transpose,
}


def sample_of(
    node: onnx.NodeProto, question: Question, shapes: Sequence[Shape | None], chooser: Chooser
) -> Sample:
    """The shape of a node's only output, and pieces of it; NotCutError where no rule says.

    Args:
        node: the node.
        question: what it asks as a whole.
        shapes: of its inputs by position; None for an absent one.
        chooser: of positions.
    """
    if domain_of(node.domain):
        raise NotCutError("its shapes are too much for the oracle")
    if sum(map(bool, node.output)) != 1 or not node.output[0]:
        raise NotCutError("its shapes are too much for the oracle, and it has several outputs")
    if node.op_type in _RULES:
        return _RULES[node.op_type](node, shapes, chooser)
    found = None
    if not any(item.HasField("g") for item in node.attribute):
        call = call_of(question)
        if node.op_type == "ConstantOfShape":
            return filled(node, call.integers("input"), chooser)
        found = independent(node, call, question.imports[""], shapes, chooser)
    if found is None:
        raise NotCutError("its shapes are too much for the oracle, and no rule samples it")
    return found
