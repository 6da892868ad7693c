"""Bugs of runtimes that keep results, targets or kernels for later."""

from __future__ import annotations

from dataclasses import replace

from ..backend import Backend
from ..registry import mutant
from ..strategies import Aliasing, Caching
from ..values import count_of, element, int64, integers


@mutant("tinygrad, jaxonnxruntime: the first data set's shape")
class FirstShapeIsKept(Caching):
    """The result of Shape is that of the first run."""

    def shape_key(self, call):
        return (call.node,)


@mutant("tinygrad, jaxonnxruntime: the first data set's shape")
class FirstSizeIsKept(Caching):
    """The result of Size is that of the first run."""

    def size_key(self, call):
        return (call.node,)


@mutant("tinygrad, jaxonnxruntime: the first data set's shape")
class FirstTargetIsKept(Caching):
    """The dimensions of the first run are used for all."""

    def reshape_key(self, call):
        return (call.node,)

    def copied(self, data, dims):
        items = count_of(dims)
        if isinstance(data.data, tuple) or count_of(data.shape) == items:
            return super().copied(data, dims)
        size = element(data).byte_count(items)
        return replace(data, shape=dims, data=(data.data + bytes(size))[:size])


@mutant()
class ShapeIsKeptByRank(Caching):
    """The result of Shape is kept by the rank of its input."""

    def shape_key(self, call):
        return (len(call.inputs[0].shape), tuple(sorted(call.attributes.items())))


@mutant()
class ShapeIsKeptByCount(Caching):
    """The result of Shape is kept by the number of elements, the size of the buffer."""

    def shape_key(self, call):
        return (count_of(call.inputs[0].shape), tuple(sorted(call.attributes.items())))


@mutant()
class ShapeIsKeptByFirstDimension(Caching):
    """The result of Shape is kept by the batch."""

    def shape_key(self, call):
        return (call.inputs[0].shape[:1], tuple(sorted(call.attributes.items())))


@mutant()
class SizeIsKeptByRank(Caching):
    """The result of Size is kept by the rank of its input."""

    def size_key(self, call):
        return (len(call.inputs[0].shape),)


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
class TargetIsKeptByData(Caching):
    """The dimensions are kept by the data's: another shape is not looked at."""

    def reshape_key(self, call):
        return (call.node, call.inputs[0].shape)


@mutant()
class TargetIsKeptByShape(Caching):
    """The dimensions are kept by the shape: other data is not looked at."""

    def reshape_key(self, call):
        shapes = tuple(item.data for item in call.inputs[1:])
        return (call.node, shapes, tuple(sorted(call.attributes.items())))

    def copied(self, data, dims):
        if count_of(data.shape) != count_of(dims) and not isinstance(data.data, tuple):
            size = element(data).byte_count(count_of(dims))
            return replace(data, shape=dims, data=(data.data + bytes(size))[:size])
        return super().copied(data, dims)


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
class AttributeShapeIsResolvedOnce(Backend):
    """0 and -1 in the attribute of Reshape-1 are resolved once, in the node itself."""

    def requested(self, call):
        if call.definition.since > 1:
            return super().requested(call)
        kept = call.frame.session.memory.get(call.node)
        return super().requested(call) if kept is None else kept

    def run_reshape(self, call):
        result = super().run_reshape(call)
        if call.definition.since == 1:
            call.frame.session.memory.setdefault(call.node.__class__ and call.node, result.shape)
        return result


class _AcrossModels(Caching):
    """What is compiled for one model serves the next."""

    def __init__(self):
        self.compiled = {}

    def memory(self, call):
        return self.compiled


@mutant(stateful=True)
class KernelsIgnoreAttributes(_AcrossModels):
    """A compiled kernel is kept by operator and dimensions, without the attributes."""

    def shape_key(self, call):
        return (call.inputs[0].shape,)

    def reshape_key(self, call):
        shapes = tuple(item.data for item in call.inputs[1:])
        return (call.inputs[0].shape, shapes)


@mutant(stateful=True)
class KernelsAreKeptByNames(_AcrossModels):
    """A compiled graph is kept by the names of its values."""

    def shape_key(self, call):
        return (call.node.inputs, call.node.outputs)

    def size_key(self, call):
        return (call.node.inputs, call.node.outputs)

    def reshape_key(self, call):
        return (call.node.inputs, call.node.outputs)

    def copied(self, data, dims):
        if count_of(data.shape) != count_of(dims):
            return super().copied(data, data.shape)
        return super().copied(data, dims)


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


class _Overwriting(Aliasing):
    """Neg writes in place although the buffer is still needed."""


@mutant()
class NegOverwritesOutputs(_Overwriting):
    """Neg writes in place into a value that is a graph output."""

    def may_overwrite(self, name, later, frame, buffers):
        produced = {item for node in frame.session.program.graph.nodes for item in node.outputs}
        return name in produced


@mutant()
class NegOverwritesWhatReshapeShares(_Overwriting):
    """Neg writes in place into the data after its last reader, though a Reshape shares it."""

    def may_overwrite(self, name, later, frame, buffers):
        inputs = {item.name for item in frame.session.program.graph.inputs}
        return name in inputs and not any(name in node.inputs for node in later)


@mutant()
class ReshapeChangesItsInput(Backend):
    """The dimensions of the result are written into the data, which others read."""

    def run_reshape(self, call):
        result = super().run_reshape(call)
        call.frame.scope[call.node.inputs[0]] = result
        return result


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
