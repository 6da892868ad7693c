"""Bugs of optimizers that merge, remove or reorder nodes."""

from __future__ import annotations

from ..backend import Backend
from ..outcomes import RefusedError
from ..program import Node
from ..registry import mutant
from ..strategies import Fusing, Sharing, with_nodes

CHAINS = "apple/coremltools#2790, apache/tvm#20255"


class _Careless(Fusing):
    """Merges two Reshapes whatever the second shape is."""

    def mergeable(self, first, second, program):
        return (
            first.operator == second.operator == "Reshape"
            and program.opset >= 5
            and len(first.inputs) == len(second.inputs) == 2
        )


@mutant(CHAINS)
class ChainIsMergedAlways(_Careless):
    """Two Reshapes become one with the second shape, whose zeros then copy other dimensions."""


@mutant(CHAINS)
class ConstantChainIsMerged(Fusing):
    """Two Reshapes become one where the second shape is constant, zeros or not."""

    def independent(self, shape):
        return True


@mutant("microsoft/onnxruntime#28348, #28449")
class MergingDropsAllowzero(Fusing):
    """Two Reshapes become one, where a constant shape has literal zeros, without allowzero."""

    def mergeable(self, first, second, program):
        shape = (
            self.constant_shape(second, program)
            if first.operator == second.operator == "Reshape"
            and program.opset >= 5
            and len(second.inputs) == 2
            else None
        )
        return shape is not None and (0 not in shape or bool(second.attributes))

    def merged(self, first, second):
        return super().merged(first, second)._replace(attributes=())


@mutant()
class MergingKeepsFirstAttributes(_Careless):
    """Two Reshapes become one, with the attributes of the first."""

    def merged(self, first, second):
        return super().merged(first, second)._replace(attributes=first.attributes)


@mutant("xilinx/onnx-mlir#204, onnx/onnx-mlir#2601")
class InferredIsTakenFromTheFirst(Fusing):
    """Two constant Reshapes become one; a 0 of the second is replaced from the first, -1 too."""

    def prepare(self, program):
        producers = {name: node for node in program.graph.nodes for name in node.outputs}
        nodes, added = [], {}
        for node in program.graph.nodes:
            first = producers.get(node.inputs[0]) if node.inputs else None
            shapes = (
                [self.constant_shape(item, program) for item in (first, node)]
                if first is not None
                and first.operator == node.operator == "Reshape"
                and len(first.inputs) == len(node.inputs) == 2
                else [None]
            )
            if any(shape is None for shape in shapes) or node.attributes:
                nodes.append(node)
                continue
            from ..values import int64

            values = [
                shapes[0][index] if not value and index < len(shapes[0]) else value
                for index, value in enumerate(shapes[1])
            ]
            name = f"{node.inputs[1]}_merged"
            added[name] = int64(values)
            nodes.append(node._replace(inputs=(first.inputs[0], name)))
        return with_nodes(program, nodes, added)


@mutant()
class ShapeOfReshapeIsTheShape(Backend):
    """Shape of the result of Reshape is replaced by the shape that was asked for, 0 and -1 too."""

    def prepare(self, program):
        producers = {name: node for node in program.graph.nodes for name in node.outputs}
        nodes = []
        for node in program.graph.nodes:
            first = producers.get(node.inputs[0]) if node.inputs else None
            if (
                node.operator == "Shape"
                and not node.attributes
                and len(node.outputs) == len(node.inputs) == 1
                and first is not None
                and first.operator == "Reshape"
                and len(first.inputs) == 2
            ):
                nodes.append(Node("Identity", "", first.inputs[1:], node.outputs))
            else:
                nodes.append(node)
        return with_nodes(program, nodes)


@mutant()
class SizeBypassesSqueeze(Backend):
    """Size of the result of Squeeze is the rank before it."""

    def run_size(self, call):
        for node in call.frame.session.program.graph.nodes:
            if node.operator == "Squeeze" and call.node.inputs[0] in node.outputs:
                return self.size_result(len(call.frame.scope[node.inputs[0]].shape))
        return super().run_size(call)


@mutant()
class EqualNodesLoseAnOutput(Sharing):
    """The second of two equal nodes is removed, and its output not connected."""

    def prepare(self, program):
        seen, nodes = set(), []
        for node in program.graph.nodes:
            key = self.identity(node)
            if key not in seen or node.operator not in {"Shape", "Size", "Reshape"}:
                nodes.append(node)
            seen.add(key)
        return with_nodes(program, nodes)


@mutant()
class SameInputTwiceIsRefused(Backend):
    """A node may not take one value twice."""

    def checked(self, node, arguments, frame):
        if len(set(node.inputs)) != len(node.inputs):
            raise RefusedError("a value is used twice", "load")
        return super().checked(node, arguments, frame)
