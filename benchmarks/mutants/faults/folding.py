"""Bugs of compilers that evaluate at load what they take for constant."""

from __future__ import annotations

from dataclasses import replace

from onnx_conformance.core.values.tensors import Tensor

from ..backend import Backend
from ..outcomes import CrashError, NotImplementedHereError, RefusedError
from ..registry import mutant
from ..strategies import Folding
from ..values import count_of, element, int64, integers


def _without_attributes(node):
    return node._replace(attributes=())


@mutant("onnx/onnx: shape inference takes the default for constant")
class OverridableIsFolded(Folding):
    """An initializer that the caller may override is folded with its default."""

    def constants(self, program):
        return dict(program.graph.initializers)


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
class FoldedSizeIsAVector(Folding):
    """A folded Size has shape [1]."""

    def folded(self, node, arguments, frame):
        results = super().folded(node, arguments, frame)
        return (int64(integers(results[0])),) if node.operator == "Size" else results


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
class FoldedReshapeLacksInference(Folding):
    """Folding writes -1 as it stands into the dimensions of the constant."""

    def folded(self, node, arguments, frame):
        results = super().folded(node, arguments, frame)
        if node.operator == "Reshape" and len(arguments) == 2 and -1 in integers(arguments[1]):
            return (replace(results[0], shape=(-1, *results[0].shape[1:])),)
        return results


@mutant()
class FoldedReshapeCopiesNothing(Folding):
    """Folding takes every 0 as literal."""

    def literal_zeros(self, call):
        return True if call.frame.folding else super().literal_zeros(call)


@mutant()
class FoldingWritesIntoInitializer(Folding):
    """Folding a Reshape changes the dimensions of the initializer that it reads."""

    def folded(self, node, arguments, frame):
        results = super().folded(node, arguments, frame)
        if node.operator == "Reshape":
            frame.scope[node.inputs[0]] = results[0]
        return results


@mutant("apache/tvm#20174, iree-org/iree#24261")
class ShapeMustBeConstant(Backend):
    """The shape of Reshape must be an initializer."""

    def requested(self, call):
        name = call.node.inputs[1] if len(call.node.inputs) > 1 else ""
        if name and name not in call.frame.session.program.graph.initializers:
            raise NotImplementedHereError
        return super().requested(call)


@mutant()
class ConstantNodeIsNoConstant(Backend):
    """A shape from a Constant node is not found among the initializers."""

    def run_constant(self, node, arguments, frame):
        if frame.place == "graph":
            raise NotImplementedHereError
        return super().run_constant(node, arguments, frame)


@mutant()
class InitializerDataIsRefused(Backend):
    """The data of Reshape may not be an initializer: it has no buffer at run time."""

    def run_reshape(self, call):
        if call.node.inputs[0] in call.frame.session.program.graph.initializers:
            raise RefusedError("the data is constant", "load")
        return super().run_reshape(call)


@mutant()
class DefaultIsNotTaken(Backend):
    """Every graph input must be fed, also one that has a default."""

    def initial_scope(self, graph, fed):
        for item in graph.inputs:
            if item.name not in fed:
                raise RefusedError(f"input '{item.name}' is missing")
        return super().initial_scope(graph, fed)


@mutant()
class DefaultIsAlwaysTaken(Backend):
    """What is fed for an input that has a default is dropped."""

    def initial_scope(self, graph, fed):
        return {**super().initial_scope(graph, fed), **graph.initializers}


@mutant()
class DefaultIsKeptAsDimensions(Backend):
    """The value of an overridden shape is taken, with the length of its default."""

    def requested(self, call):
        values = super().requested(call)
        if len(call.node.inputs) > 1:
            default = call.frame.session.program.graph.initializers.get(call.node.inputs[1])
            if (
                default is not None
                and default is not call.inputs[1]
                and any(
                    item.name == call.node.inputs[1]
                    for item in call.frame.session.program.graph.inputs
                )
            ):
                return integers(default)
        return values


@mutant()
class EmptyConstantCrashes(Folding):
    """A constant without elements is read at load."""

    def folded(self, node, arguments, frame):
        if any(0 in item.shape for item in arguments[:1]):
            raise CrashError
        return super().folded(node, arguments, frame)


@mutant()
class EmptyConstantShapeIsAbsent(Backend):
    """A constant shape without elements is taken for no input at all."""

    def requested(self, call):
        values = super().requested(call)
        constants = call.frame.session.program.graph.initializers
        if len(call.node.inputs) > 1 and call.node.inputs[1] in constants and not values:
            raise RefusedError("Reshape has no shape", "load")
        return values


@mutant()
class FoldedSizeCountsStorage(Folding):
    """Size of a constant is the length of its storage: bytes for packed types, and characters."""

    def folded(self, node, arguments, frame):
        results = super().folded(node, arguments, frame)
        if node.operator != "Size":
            return results
        data = arguments[0]
        bits = element(data).bits
        stored = len(data.data) * 8 // max(bits, 8) if bits else count_of(data.shape)
        return (int64((stored,), ()),)


@mutant()
class FoldedSizeOfScalarIsZero(Folding):
    """A constant scalar has no dimension, and so no element."""

    def folded(self, node, arguments, frame):
        results = super().folded(node, arguments, frame)
        if node.operator == "Size" and not arguments[0].shape:
            return (int64((0,), ()),)
        return results


@mutant("microsoft/onnxruntime: no 4-bit Shape unless folded")
class PackedTypesOnlyFolded(Folding):
    """4- and 2-bit types work only where they are folded."""

    def checked(self, node, arguments, frame):
        call = super().checked(node, arguments, frame)
        if 0 < element(call.inputs[0]).bits < 8 and not frame.folding:
            raise NotImplementedHereError
        return call
