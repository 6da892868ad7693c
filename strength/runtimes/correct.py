"""Runtimes that work as real ones do and are right: nothing may judge them wrong."""

from __future__ import annotations

from onnx_conformance.core.values.tensors import Tensor, Value
from onnx_conformance.generators.interpreter.running import Session

from .faults.fusions import attribute
from .faults.reused_memory import ReusedMemory
from .registry import CORRECT, wrong, wrong_pair
from .steps import NodeStep, Pair, RunStep, Values
from .tensors import int64


@wrong(CORRECT)
class ThePlainOne(Session):
    """The interpreter of models as it is."""


@wrong(CORRECT)
class MemoryIsReused(ReusedMemory):
    """Values share memory, and what nobody reads any more is written over."""


@wrong(CORRECT, RunStep)
def runs_are_remembered(step: RunStep) -> dict[str, Value]:
    """Whole runs are kept by all that is fed."""
    key = tuple(sorted(step.feeds.items(), key=lambda item: item[0]))
    outputs: dict[str, Value] = step.session.kept(key, step.right)
    return dict(outputs)


@wrong(CORRECT)
def constants_are_folded(step: NodeStep) -> Values:
    """Nodes are computed once for the same values, and equal ones share their results."""
    node = step.node
    graphs = any(item.type.startswith("graph") for item in node.attributes)
    if step.in_function or graphs or not node.inputs or node.domain:
        return step.right()
    if node.operator.startswith("Random"):
        return step.right()
    opset = step.frame.imports.get("")
    key = (node.operator, opset, repr(node.attributes), len(node.outputs), tuple(step.values))
    return step.session.kept(key, step.right)


@wrong(CORRECT)
def shapes_are_propagated(step: NodeStep) -> Values:
    """Shape and Size are computed from the dimensions alone."""
    data = step.tensor()
    if step.is_a("Size") and data is not None and len(step.values) == 1:
        return [int64([data.element_count], ())]
    if step.is_a("Shape") and data is not None and not step.node.attributes:
        return [int64(data.shape)]
    return step.right()


@wrong_pair(CORRECT, ("Transpose", "Transpose"))
def transposes_are_merged(step: NodeStep, pair: Pair) -> Values:
    """Two Transposes are one."""
    first, second = attribute(pair.node, "perm"), attribute(step.node, "perm")
    if not first or not second:
        return step.right()
    return [step.apply("Transpose", pair.values[0], perm=tuple(first[axis] for axis in second))]


@wrong_pair(CORRECT, ("Transpose", "Neg"))
def the_layout_is_changed(step: NodeStep, pair: Pair) -> Values:
    """Neg is moved before a Transpose."""
    (moved,) = step.right(values=pair.values)
    perm = attribute(pair.node, "perm")
    return [step.apply("Transpose", moved, **({} if perm is None else {"perm": tuple(perm)}))]


@wrong_pair(CORRECT, ("Reshape", "Reshape"))
def reshapes_are_merged(step: NodeStep, pair: Pair) -> Values:
    """Two Reshapes are one where the second shape says the result by itself."""
    wanted = step.integers(1)
    if pair.place or not wanted or 0 in wanted:
        return step.right()
    data = pair.values[0]
    return step.right(values=[data, *step.values[1:]]) if isinstance(data, Tensor) else step.right()
