"""Bugs of compilers that compute with what a model declares."""

from __future__ import annotations

from ..backend import Backend
from ..outcomes import NotImplementedHereError
from ..registry import mutant
from ..strategies import Inferring


@mutant()
class AnonymousDimensionsAreOne(Inferring):
    """Dimensions without a number or a name are mistaken for 1 at load."""

    def static_dims(self, declaration):
        if declaration.dims is None or any(isinstance(item, str) for item in declaration.dims):
            return None
        return tuple(item if isinstance(item, int) else 1 for item in declaration.dims)


@mutant()
class RankMustBeInferred(Backend):
    """The rank of the data of Shape and Reshape must be known at load."""

    def load(self, program):
        unknown = {
            name
            for node in program.graph.nodes
            if node.operator == "Squeeze"
            for name in node.outputs
        }
        for node in program.graph.nodes:
            if node.operator in {"Shape", "Reshape"} and unknown & set(node.inputs):
                raise NotImplementedHereError
        return super().load(program)


@mutant()
class RankOfSqueezeIsKept(Backend):
    """Where the rank of the data is unknown, the one of the value before Squeeze is used."""

    def reported_dims(self, data):
        return data.shape

    def run_shape(self, call):
        for node in call.frame.session.program.graph.nodes:
            if node.operator == "Squeeze" and call.node.inputs[0] in node.outputs:
                source = call.frame.scope[node.inputs[0]]
                return super().run_shape(call._replace(inputs=[source]))
        return super().run_shape(call)


class _Target(Inferring):
    """The target of Reshape is computed at load from the declared dimensions of the data."""

    guess = 1

    def prepare(self, program):
        program = super().prepare(program)
        declared = {item.name: item.dims for item in program.graph.inputs}
        self.declared = declared
        return program

    def with_copies(self, dims, requested, literal):
        return super().with_copies(dims, requested, literal)

    def run_reshape(self, call):
        constants = call.frame.session.program.graph.initializers
        dims = self.declared.get(call.node.inputs[0])
        if (
            dims is None
            or call.frame.place != "graph"
            or len(call.node.inputs) < 2
            or call.node.inputs[1] not in constants
        ):
            return super().run_reshape(call)
        guessed = tuple(size if isinstance(size, int) else self.guess for size in dims)
        if guessed == call.inputs[0].shape:
            return super().run_reshape(call)
        requested = self.requested(call)
        known = self.with_copies(guessed, requested, self.literal_zeros(call))
        if -1 in known:
            known = self.inferred(call.inputs[0].shape, known)
        self.check_count(call.inputs[0].shape, known)
        return self.copied(call.inputs[0], known)


@mutant()
class ZeroCopiesADeclaredOne(_Target):
    """A 0 in a constant shape copies the declared dimension, which is 1 where it has a name."""


@mutant("daquexian/onnx-simplifier#526")
class ConstantTargetIsFrozen(Inferring):
    """Where -1 stands in a constant shape, it is inferred at load; named dimensions are 1 there."""

    def prepare(self, program):
        self.declared = {item.name: item.dims for item in program.graph.inputs}
        return super().prepare(program)

    def inferred(self, dims, known):
        return super().inferred(dims, known)

    def run_reshape(self, call):
        dims = self.declared.get(call.node.inputs[0])
        constants = call.frame.session.program.graph.initializers
        if (
            dims is not None
            and len(call.node.inputs) == 2
            and call.node.inputs[1] in constants
            and any(not isinstance(size, int) for size in dims)
            and -1 in self.requested(call)
        ):
            guessed = tuple(size if isinstance(size, int) else 1 for size in dims)
            known = self.target(guessed, self.requested(call), self.literal_zeros(call))
            self.check_count(call.inputs[0].shape, known)
            return self.copied(call.inputs[0], known)
        return super().run_reshape(call)


@mutant("microsoft/onnxruntime: ReshapeFusion")
class RunTimeDimensionIsInferred(Backend):
    """In a shape that Concat makes of a Shape and constants, the run-time dimension becomes -1."""

    def with_run_time_dimension(self, values, _place, _dims):
        return (-1, *values[1:])

    def requested(self, call):
        values = super().requested(call)
        producers = {
            name: node for node in call.frame.session.program.graph.nodes for name in node.outputs
        }
        concat = producers.get(call.node.inputs[1]) if len(call.node.inputs) > 1 else None
        if concat is None or concat.operator != "Concat":
            return values
        run_time = [
            index
            for index, name in enumerate(concat.inputs)
            if name in producers and producers[name].operator == "Shape"
        ]
        constant = call.frame.session.program.graph.initializers
        others = [name for index, name in enumerate(concat.inputs) if index not in run_time]
        if run_time != [0] or not all(name in constant for name in others) or -1 in values[1:]:
            return values
        return self.with_run_time_dimension(values, 0, call.inputs[0].shape)


@mutant("microsoft/onnxruntime: ReshapeFusion")
class RunTimeDimensionIsCopied(RunTimeDimensionIsInferred):
    """In a shape that Concat makes of a Shape and constants, the run-time dimension becomes 0."""

    def with_run_time_dimension(self, values, _place, _dims):
        return (0, *values[1:])


@mutant()
class RunTimeZeroIsInferred(RunTimeDimensionIsInferred):
    """A run-time dimension of 0 becomes -1 when a shape is put together."""

    def with_run_time_dimension(self, values, _place, _dims):
        return (values[0] or -1, *values[1:])


@mutant()
class ShapeFromShapeIsLiteral(Backend):
    """A shape that another Shape gives has no zeros that copy: all of it is literal."""

    def literal_zeros(self, call):
        producers = {
            name: node.operator
            for node in call.frame.session.program.graph.nodes
            for name in node.outputs
        }
        if len(call.node.inputs) > 1 and producers.get(call.node.inputs[1]) == "Shape":
            return True
        return super().literal_zeros(call)


@mutant()
class ComputedShapesAreRefused(Backend):
    """A shape that is the result of arithmetic is not followed."""

    def run_sub(self, node, arguments, frame):
        raise NotImplementedHereError


@mutant()
class PropagatedElementsAreReversed(Backend):
    """Gather of a single element of a shape counts from the end."""

    def run_concat(self, node, arguments, frame):
        whole = len(arguments)
        if whole > 1 and all(item.shape == (1,) for item in arguments):
            return super().run_concat(node, arguments[::-1], frame)
        return super().run_concat(node, arguments, frame)
