"""Bugs of compilers that evaluate at load what they take for constant."""

from __future__ import annotations

from dataclasses import replace

from onnx_conformance.core.values.tensors import Tensor

from ..backend import Backend
from ..outcomes import CrashError, RefusedError
from ..registry import mutant
from ..strategies import Folding
from ..values import int64, integers


def _without_attributes(node):
    return node._replace(attributes=())


@mutant("inisis/OnnxSlim#38")
class FoldingDropsSliceAttributes(Folding):
    """Shape is folded without start and end."""

    def folded(self, node, arguments, frame):
        plain = _without_attributes(node) if node.operator == "Shape" else node
        return super().folded(plain, arguments, frame)


@mutant("microsoft/onnxruntime#28348")
class FoldingDropsAllowzero(Folding):
    """Reshape is folded without allowzero."""

    def folded(self, node, arguments, frame):
        if node.operator == "Reshape" and len(node.inputs) == 2:
            node = _without_attributes(node)
        return super().folded(node, arguments, frame)


@mutant()
class FoldedShapeIsInt32(Folding):
    """A folded Shape is int32."""

    def folded(self, node, arguments, frame):
        results = super().folded(node, arguments, frame)
        if node.operator != "Shape":
            return results
        data = b"".join(size.to_bytes(4, "little") for size in integers(results[0]))
        return (Tensor("int32", results[0].shape, data),)


@mutant()
class FoldedScalarIsAVector(Folding):
    """A constant scalar is kept as a vector of one."""

    def folded(self, node, arguments, frame):
        widened = [item if item.shape else replace(item, shape=(1,)) for item in arguments]
        return super().folded(node, widened if node.operator == "Shape" else arguments, frame)


@mutant()
class FoldedShapeOfEmptyIsLost(Folding):
    """A constant without elements has no dimensions but [0]."""

    def folded(self, node, arguments, frame):
        lost = [
            replace(item, shape=(0,)) if node.operator == "Shape" and 0 in item.shape else item
            for item in arguments
        ]
        return super().folded(node, lost, frame)


@mutant()
class EmptyConstantCrashes(Folding):
    """A constant without elements is read at load."""

    def folded(self, node, arguments, frame):
        if any(0 in item.shape for item in arguments[:1]):
            raise CrashError
        return super().folded(node, arguments, frame)


@mutant()
class EmptyConstantShapeIsAbsent(Backend):
    """A constant shape without elements is mistaken for no input at all."""

    def requested(self, call):
        values = super().requested(call)
        constants = call.frame.session.program.graph.initializers
        if len(call.node.inputs) > 1 and call.node.inputs[1] in constants and not values:
            raise RefusedError("Reshape has no shape", "load")
        return values


@mutant()
class FoldedSizeOfScalarIsZero(Folding):
    """A constant scalar has no dimension, and so no element."""

    def folded(self, node, arguments, frame):
        results = super().folded(node, arguments, frame)
        if node.operator == "Size" and not arguments[0].shape:
            return (int64((0,), ()),)
        return results
