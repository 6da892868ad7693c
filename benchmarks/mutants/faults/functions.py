"""Bugs in model-local functions and subgraphs."""

from __future__ import annotations

from dataclasses import replace

from ..backend import Backend
from ..outcomes import NotImplementedHereError, RefusedError
from ..program import INT, Attribute
from ..registry import mutant
from ..values import int64


@mutant("onnx/onnx: functions with an unset attribute")
class UnsetAttributeIsZero(Backend):
    """A reference to an attribute that the caller does not set is 0."""

    def referred(self, item, given):
        found = super().referred(item, given)
        if found is None and item.type == INT:
            return Attribute(item.name, INT, 0)
        return found


@mutant("onnx/onnx: onnx.reference, AttributeError")
class UnsetAttributeIsRefused(Backend):
    """A reference to an attribute that the caller does not set is an error."""

    def referred(self, item, given):
        found = super().referred(item, given)
        if found is None:
            raise RefusedError(f"attribute '{item.name}' is not set", "load")
        return found


@mutant("onnx/onnx: onnx.reference, ValueError")
class FunctionDefaultsAreLost(Backend):
    """Attributes that have a default in the function are unset."""

    def function_attributes(self, function, given):
        return {item.name: item for item in given}


@mutant()
class FunctionDefaultsAreRefused(Backend):
    """Functions whose attributes have defaults are not implemented."""

    def function_attributes(self, function, given):
        if function.defaults:
            raise NotImplementedHereError
        return super().function_attributes(function, given)


@mutant()
class FunctionDefaultsWin(Backend):
    """The default of a function's attribute is taken also where the caller sets it."""

    def function_attributes(self, function, given):
        attributes = {item.name: item for item in given}
        attributes.update({item.name: item for item in function.defaults})
        return attributes


@mutant()
class ReferencesAreDropped(Backend):
    """Attributes that are references are dropped when a function is inlined."""

    def referred(self, item, given):
        return None


@mutant()
class ReferencesReadTheNode(Backend):
    """The value stored beside a reference is taken: 0."""

    def referred(self, item, given):
        return Attribute(item.name, item.type, 0 if item.type == INT else ())


@mutant()
class NegativeReferencesLoseTheirSign(Backend):
    """The value of a referred attribute is copied as an unsigned 32-bit number."""

    def referred(self, item, given):
        found = super().referred(item, given)
        if found is not None and isinstance(found.value, int):
            return found._replace(value=found.value & 0xFFFFFFFF)
        return found


@mutant()
class ZeroReferencesAreUnset(Backend):
    """A referred attribute that is set to 0 is taken for unset."""

    def referred(self, item, given):
        found = super().referred(item, given)
        return None if found is not None and found.value == 0 else found


@mutant()
class FunctionsHaveNoAttributes(Backend):
    """A call of a function may not set attributes."""

    def function_attributes(self, function, given):
        if given:
            raise NotImplementedHereError
        return super().function_attributes(function, given)


@mutant()
class FunctionsAreNotImplemented(Backend):
    """Model-local functions are not implemented."""

    def call_function(self, function, node, arguments, frame):
        raise NotImplementedHereError


@mutant()
class FunctionsUseTheNewestVersion(Backend):
    """The body of a function is read at opset 13, whatever it imports."""

    def call_function(self, function, node, arguments, frame):
        return super().call_function(replace(function, opset=13), node, arguments, frame)


@mutant()
class FunctionBodyIsShared(Backend):
    """The attributes of the first call are those of every later one."""

    def call_function(self, function, node, arguments, frame):
        key = (node.domain, node.operator)
        memory = frame.session.memory
        first = memory.setdefault(key, node.attributes)
        return super().call_function(function, node._replace(attributes=first), arguments, frame)


# --- subgraphs -----------------------------------------------------------------------------


@mutant()
class SubgraphsDoNotSeeOutside(Backend):
    """A subgraph sees its own inputs only."""

    def subgraph_frame(self, graph, frame, place):
        inner = super().subgraph_frame(graph, frame, place)
        return inner._replace(scope=dict(graph.initializers))


@mutant()
class BranchesAreSwapped(Backend):
    """The branch of the opposite condition is taken."""

    def branch(self, node, *, condition):
        return super().branch(node, condition=not condition)


@mutant()
class AttributesInSubgraphsAreLost(Backend):
    """Nodes in subgraphs lose their attributes."""

    def resolved(self, node, frame):
        found = super().resolved(node, frame)
        inside = frame.place in {"branch", "body"} and node.operator in {"Shape", "Reshape"}
        return () if inside and frame.opset >= 5 else found


@mutant()
class OuterValuesInSubgraphsAreFlat(Backend):
    """A value of the outer scope arrives in a subgraph as a vector."""

    def subgraph_frame(self, graph, frame, place):
        inner = super().subgraph_frame(graph, frame, place)
        outer = {item.name for item in frame.session.program.graph.inputs}
        for name in outer & set(inner.scope):
            value = inner.scope[name]
            count = 1
            for size in value.shape:
                count *= size
            inner.scope[name] = replace(value, shape=(count,))
        return inner


@mutant()
class LoopKeepsTheInitialShape(Backend):
    """The result of a Loop has the dimensions of the value that it began with."""

    def run_loop(self, node, arguments, frame):
        results = super().run_loop(node, arguments, frame)
        for initial, value in zip(arguments[2:], results, strict=True):
            if initial.shape != value.shape:
                raise RefusedError("the carried value changes its shape")
        return results


@mutant()
class LoopReturnsTheInitialValue(Backend):
    """What a Loop carries is not updated."""

    def run_loop(self, node, arguments, frame):
        super().run_loop(node, arguments, frame)
        return arguments[2:]


@mutant()
class BodiesAreHoisted(Backend):
    """Shape, Size and targets inside a Loop are computed once, as if nothing there changed."""

    def kept(self, call, compute):
        if call.frame.place != "body":
            return compute()
        memory = call.frame.session.memory
        if call.node not in memory:
            memory[call.node] = compute()
        return memory[call.node]

    def run_shape(self, call):
        return self.kept(call, lambda: super(BodiesAreHoisted, self).run_shape(call))

    def run_size(self, call):
        return self.kept(call, lambda: super(BodiesAreHoisted, self).run_size(call))

    def run_reshape(self, call):
        result = super().run_reshape(call)
        dims = self.kept(call, lambda: result.shape)
        return replace(result, shape=dims)


@mutant()
class LoopRunsOnce(Backend):
    """The body of a Loop is run once."""

    def run_loop(self, node, arguments, frame):
        return super().run_loop(node, [int64((1,), ()), *arguments[1:]], frame)


@mutant()
class CarriedValuesKeepTheFirstShape(Backend):
    """What a Loop carries has in every iteration the dimensions of the first."""

    def carried_in(self, iteration, carried, initial):
        return [
            replace(value, shape=first.shape)
            if isinstance(value.data, bytes) and len(value.data) == len(first.data)
            else value
            for value, first in zip(carried, initial, strict=True)
        ]
