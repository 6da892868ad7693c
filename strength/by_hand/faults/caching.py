"""Bugs of runtimes that keep results, targets or kernels for later."""

from __future__ import annotations

from dataclasses import replace

from ..backend import Backend
from ..registry import mutant
from ..strategies import Caching
from ..values import count_of, int64, integers


@mutant()
class SizeIsKeptByFirstDimension(Caching):
    """The result of Size is kept by the batch."""

    def size_key(self, call):
        return call.inputs[0].shape[:1]


@mutant()
class TargetIsKeptByCount(Caching):
    """The dimensions are kept by the number of elements and the shape."""

    def reshape_key(self, call):
        shapes = tuple(item.data for item in call.inputs[1:])
        attributes = tuple(sorted(call.attributes.items()))
        return (count_of(call.inputs[0].shape), shapes, attributes)


@mutant()
class InferredIsWrittenBack(Backend):
    """-1 is resolved in the buffer of the shape, which others read."""

    def resolve(self, call, dims):
        name = call.node.inputs[1]
        call.frame.scope[name] = int64(dims)

    def run_reshape(self, call):
        result = super().run_reshape(call)
        if len(call.node.inputs) == 2 and call.frame.place == "graph":
            self.resolve(call, result.shape)
            if call.node.inputs[0] == call.node.inputs[1]:
                return replace(result, data=int64(result.shape).data)
        return result


@mutant()
class InferredIsWrittenIntoInitializer(Backend):
    """0 and -1 in a constant shape are resolved once, in the constant itself."""

    def requested(self, call):
        if len(call.node.inputs) < 2:
            return super().requested(call)
        constants = call.frame.session.program.graph.initializers
        name = call.node.inputs[1]
        memory = call.frame.session.memory
        return (
            memory.get(name, super().requested(call))
            if name in constants
            else super().requested(call)
        )

    def run_reshape(self, call):
        result = super().run_reshape(call)
        if len(call.node.inputs) == 2:
            call.frame.session.memory.setdefault(call.node.inputs[1], result.shape)
        return result


@mutant()
class OutputBufferIsKept(Backend):
    """The output buffer of the first run keeps its dimensions where the count is equal."""

    def run(self, session, fed, names):
        results = super().run(session, fed, names)
        kept = []
        for name, value in zip(names, results, strict=True):
            before = session.memory.setdefault(name, value.shape)
            same = count_of(before) == count_of(value.shape)
            kept.append(replace(value, shape=before) if same else value)
        return kept


# --- buffers -------------------------------------------------------------------------------


@mutant()
class SharedBufferIsReleased(Backend):
    """The data's buffer is released after the Reshape, though its result is read later."""

    def run_nodes(self, nodes, frame):
        super().run_nodes(nodes, frame)

    def run_identity(self, node, arguments, frame):
        producers = {
            name: item.operator
            for item in frame.session.program.graph.nodes
            for name in item.outputs
        }
        if producers.get(node.inputs[0]) == "Reshape":
            data = arguments[0]
            empty = (
                (b"",) * len(data.data) if isinstance(data.data, tuple) else bytes(len(data.data))
            )
            return (replace(data, data=empty),)
        return arguments


@mutant()
class SameValueIsOverwritten(Backend):
    """Where data and shape are one value, the dimensions are written over the elements."""

    def run_reshape(self, call):
        result = super().run_reshape(call)
        if len(call.node.inputs) == 2 and call.node.inputs[0] == call.node.inputs[1]:
            first = (len(integers(result)), *integers(result)[1:])
            return replace(result, data=int64(first).data)
        return result
