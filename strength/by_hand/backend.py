"""A correct backend, in steps that a mutant can replace one of.

Written from the operator documents and IR.md. Elements are never interpreted: they are bytes on
their way from one tensor to another.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from onnx_conformance.core.values.elements import element_type_of_code
from onnx_conformance.core.values.tensors import OptionalValue, SequenceValue, Tensor

from .definitions import DEFINITIONS
from .outcomes import RefusedError
from .program import Attribute, Graph
from .values import cells, count_of, element, int64, integers, mapped, of_cells, raw

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .definitions import Definition
    from .program import Function, Node, Program

Value: TypeAlias = "Tensor | SequenceValue | OptionalValue"
Scope: TypeAlias = "dict[str, Any]"


class Session:
    """A loaded model.

    Attributes:
        program: the model, as it is run.
        declared: the element type of each graph output.
        memory: for what a backend keeps from one run to the next.
    """

    def __init__(self, program: Program) -> None:
        """Keep the model, with nothing remembered."""
        self.program = program
        self.declared = {item.name: item.type for item in program.graph.outputs}
        self.memory: dict[Any, Any] = {}


class Frame(NamedTuple):
    """Where a node stands.

    Attributes:
        session: the loaded model.
        opset: of the graph or function.
        given: attributes of the function around, by name; None in a graph.
        place: `graph`, `function`, `branch` or `body`.
        folding: whether this is done at load, because every input is constant.
        scope: the values by name.
    """

    session: Session
    opset: int
    given: Mapping[str, Attribute] | None
    place: str
    folding: bool
    scope: Scope


class Call(NamedTuple):
    """One evaluation of Shape, Size or Reshape that has passed its checks."""

    node: Node
    frame: Frame
    definition: Definition
    inputs: Sequence[Any]
    attributes: Mapping[str, Any]


class Backend:
    """Evaluates a model; every step is a method of its own."""

    # --- models ----------------------------------------------------------------------------

    def load(self, program: Program) -> Session:
        """The model, ready to be run any number of times."""
        return Session(self.prepare(program))

    def prepare(self, program: Program) -> Program:
        """Whatever a runtime changes in a model before it runs it: here nothing."""
        return program

    def run(self, session: Session, fed: Mapping[str, Value], names: Sequence[str]) -> list[Value]:
        """The outputs that are asked for."""
        graph = session.program.graph
        scope = self.initial_scope(graph, fed)
        frame = Frame(session, session.program.opset, None, "graph", folding=False, scope=scope)
        self.run_nodes(graph.nodes, frame)
        return [self.lookup(scope, name) for name in names]

    def initial_scope(self, graph: Graph, fed: Mapping[str, Value]) -> Scope:
        """Initializers, and over them what is fed."""
        scope: Scope = {**graph.initializers, **fed}
        for item in graph.inputs:
            if item.name not in scope:
                raise RefusedError(f"input '{item.name}' is not fed")
        return scope

    def lookup(self, scope: Scope, name: str) -> Any:  # noqa: ANN401  any value
        """The value of a name."""
        if name not in scope:
            raise RefusedError(f"'{name}' is the output of no node", "load")
        return scope[name]

    def run_nodes(self, nodes: Sequence[Node], frame: Frame) -> None:
        """Run nodes in order; their outputs go into the scope."""
        scope = frame.scope
        for node in nodes:
            arguments = [self.lookup(scope, name) if name else None for name in node.inputs]
            results = self.execute(node, arguments, frame)
            for name, value in zip(node.outputs, results, strict=False):
                scope[name] = value

    def execute(self, node: Node, arguments: list[Any], frame: Frame) -> Sequence[Any]:
        """The outputs of one node."""
        function = frame.session.program.functions.get((node.domain, node.operator))
        if function is not None:
            return self.call_function(function, node, arguments, frame)
        kernel = getattr(self, f"run_{node.operator.lower()}", None)
        if kernel is None:
            raise RefusedError(f"unknown operator {node.operator}", "load")
        if node.operator in DEFINITIONS:
            call = self.checked(node, arguments, frame)
            self.check_output_type(call)
            return (kernel(call),)
        results: Sequence[Any] = kernel(node, arguments, frame)
        return results

    # --- functions and attributes ----------------------------------------------------------

    def call_function(
        self, function: Function, node: Node, arguments: list[Any], frame: Frame
    ) -> Sequence[Any]:
        """A function of the model: its attributes are those of the call, then its defaults."""
        given = self.function_attributes(function, self.resolved(node, frame))
        scope: Scope = dict(zip(function.inputs, arguments, strict=True))
        inner = frame._replace(opset=function.opset, given=given, place="function", scope=scope)
        self.run_nodes(function.nodes, inner)
        return [self.lookup(scope, name) for name in function.outputs]

    def function_attributes(
        self, function: Function, given: Sequence[Attribute]
    ) -> dict[str, Attribute]:
        """The attributes that a function's body can refer to."""
        attributes = {item.name: item for item in function.defaults}
        attributes.update({item.name: item for item in given})
        return attributes

    def resolved(self, node: Node, frame: Frame) -> Sequence[Attribute]:
        """The node's attributes; one that refers to an unset attribute is unset itself."""
        if frame.given is None or not any(item.reference for item in node.attributes):
            return node.attributes
        found = []
        for item in node.attributes:
            value = self.referred(item, frame.given) if item.reference else item
            if value is not None:
                found.append(value)
        return found

    def referred(self, item: Attribute, given: Mapping[str, Attribute]) -> Attribute | None:
        """What a reference to an attribute of the function stands for, under the node's name."""
        target = given.get(item.reference)
        return None if target is None else target._replace(name=item.name)

    # --- validity --------------------------------------------------------------------------

    def checked(self, node: Node, arguments: list[Any], frame: Frame) -> Call:
        """The call of an operator of the standard, once nothing is wrong with it."""
        attributes = self.resolved(node, frame)
        definition = self.definition(node.operator, frame.opset)
        self.check_attributes(node, attributes, definition)
        self.check_arity(node, definition)
        self.check_inputs(node, arguments, definition)
        return Call(
            node, frame, definition, arguments, {item.name: item.value for item in attributes}
        )

    def definition(self, operator: str, opset: int) -> Definition:
        """The newest version of the operator that the opset has."""
        return next(item for item in DEFINITIONS[operator] if item.since <= opset)

    def check_attributes(
        self, node: Node, attributes: Sequence[Attribute], definition: Definition
    ) -> None:
        """Every attribute is one of the version's, of the right type, and given once."""
        seen = set()
        for item in attributes:
            if item.name not in definition.attributes:
                raise RefusedError(f"{node.operator} has no attribute '{item.name}'", "load")
            if item.type != definition.attributes[item.name]:
                raise RefusedError(f"attribute '{item.name}' is of type {item.type}", "load")
            if item.name in seen:
                raise RefusedError(f"attribute '{item.name}' is given twice", "load")
            seen.add(item.name)

    def check_arity(self, node: Node, definition: Definition) -> None:
        """All inputs and the output are there, and nothing else."""
        if len(node.inputs) != definition.inputs or "" in node.inputs:
            raise RefusedError(f"{node.operator} takes {definition.inputs} inputs", "load")
        if len(node.outputs) != 1:
            raise RefusedError(f"{node.operator} gives one output", "load")

    def check_inputs(self, node: Node, arguments: list[Any], definition: Definition) -> None:
        """The data has a type that T lists, and a shape is a vector of int64."""
        self.check_data(node, arguments[0], definition)
        if definition.inputs == 2:
            self.check_shape_input(arguments[1])

    def check_data(self, node: Node, data: Any, definition: Definition) -> None:  # noqa: ANN401
        """The data has a type that T lists."""
        if not isinstance(data, Tensor) or data.type not in definition.types:
            raise RefusedError(f"{node.operator} does not take this type", "load")

    def check_shape_input(self, shape: Any) -> None:  # noqa: ANN401  any value
        """The shape of Reshape is a vector of int64."""
        if not isinstance(shape, Tensor) or shape.type != "int64":
            raise RefusedError("the shape is not int64", "load")
        if len(shape.shape) != 1:
            raise RefusedError("the shape is not one-dimensional", "load")

    def check_output_type(self, call: Call) -> None:
        """A graph output is declared with the element type that the operator gives."""
        required = call.inputs[0].type if call.node.operator == "Reshape" else "int64"
        if call.frame.place == "graph":
            declared = call.frame.session.declared.get(call.node.outputs[0], required)
            self.check_declared(declared, required)

    def check_declared(self, declared: str, required: str) -> None:
        """The element type that is declared is the one that is required."""
        if declared != required:
            raise RefusedError(f"declared {declared}, is {required}", "load")

    # --- Shape -----------------------------------------------------------------------------

    def run_shape(self, call: Call) -> Tensor:
        """The dimensions from start to end."""
        dims = self.reported_dims(call.inputs[0])
        start, end = self.slice_attributes(call)
        first, last = self.slice_bounds(start, end, len(dims))
        return self.shape_result(self.selected(dims, first, last))

    def slice_attributes(self, call: Call) -> tuple[int | None, int | None]:
        """Start and end; None where they are absent."""
        return call.attributes.get("start"), call.attributes.get("end")

    def reported_dims(self, data: Tensor) -> tuple[int, ...]:
        """The dimensions that Shape reports."""
        return data.shape

    def slice_bounds(self, start: int | None, end: int | None, rank: int) -> tuple[int, int]:
        """Start and end once they count from the first axis and are within [0, rank]."""
        first = 0 if start is None else self.start_bound(start, rank)
        last = rank if end is None else self.end_bound(end, rank)
        return first, last

    def start_bound(self, start: int, rank: int) -> int:
        """A given start, normalised and clamped."""
        return min(max(start + rank if start < 0 else start, 0), rank)

    def end_bound(self, end: int, rank: int) -> int:
        """A given end, normalised and clamped."""
        return min(max(end + rank if end < 0 else end, 0), rank)

    def selected(self, dims: tuple[int, ...], first: int, last: int) -> tuple[int, ...]:
        """The dimensions of [first, last), which is empty where first is not below last."""
        return dims[first:last] if first < last else ()

    def shape_result(self, dims: tuple[int, ...]) -> Tensor:
        """The output of Shape."""
        return int64(dims)

    # --- Size ------------------------------------------------------------------------------

    def run_size(self, call: Call) -> Tensor:
        """The number of elements."""
        return self.size_result(self.size_count(call.inputs[0]))

    def size_count(self, data: Tensor) -> int:
        """The product of the dimensions."""
        return count_of(data.shape)

    def size_result(self, count: int) -> Tensor:
        """The output of Size."""
        return int64((count,), ())

    # --- Reshape ---------------------------------------------------------------------------

    def run_reshape(self, call: Call) -> Tensor:
        """The data with the dimensions that the shape asks for."""
        data = call.inputs[0]
        requested = self.requested(call)
        dims = self.target(data.shape, requested, self.literal_zeros(call))
        return self.copied(data, dims)

    def requested(self, call: Call) -> tuple[int, ...]:
        """The shape as it is given."""
        if call.definition.since == 1:
            if "shape" not in call.attributes:
                raise RefusedError("Reshape-1 has no shape", "load")
            values: tuple[int, ...] = call.attributes["shape"]
            return values
        return self.shape_values(call.inputs[1])

    def shape_values(self, shape: Tensor) -> tuple[int, ...]:
        """The values of the shape input."""
        return integers(shape)

    def literal_zeros(self, call: Call) -> bool:
        """Whether zeros in the shape are dimensions."""
        return bool(call.attributes.get("allowzero", 0))

    def target(
        self,
        dims: tuple[int, ...],
        requested: tuple[int, ...],
        literal: bool,  # noqa: FBT001
    ) -> tuple[int, ...]:
        """The dimensions of the result."""
        self.check_requested(dims, requested, literal)
        known = self.with_copies(dims, requested, literal)
        if -1 in known:
            known = self.inferred(dims, known)
        self.check_count(dims, known)
        return known

    def check_requested(
        self,
        dims: tuple[int, ...],  # noqa: ARG002  mutants ask for it
        requested: tuple[int, ...],
        literal: bool,  # noqa: FBT001
    ) -> None:
        """What can be wrong with a shape whatever the data."""
        if any(value < -1 for value in requested):
            raise RefusedError("a dimension below -1")
        if requested.count(-1) > 1:
            raise RefusedError("more than one -1")
        if literal and 0 in requested and -1 in requested:
            raise RefusedError("allowzero with both 0 and -1")

    def with_copies(
        self,
        dims: tuple[int, ...],
        requested: tuple[int, ...],
        literal: bool,  # noqa: FBT001
    ) -> tuple[int, ...]:
        """The shape with zeros replaced by the data's dimensions, unless they are literal."""
        if literal or 0 not in requested:
            return requested
        return tuple(
            self.copied_dim(dims, index) if value == 0 else value
            for index, value in enumerate(requested)
        )

    def copied_dim(self, dims: tuple[int, ...], index: int) -> int:
        """The dimension that a 0 at `index` stands for."""
        if index >= len(dims):
            raise RefusedError(f"a 0 at {index}, where the data has no dimension")
        return dims[index]

    def inferred(self, dims: tuple[int, ...], known: tuple[int, ...]) -> tuple[int, ...]:
        """The shape with -1 replaced by what is left of the elements."""
        others = count_of(value for value in known if value != -1)
        count = count_of(dims)
        if others == 0 or count % others:
            raise RefusedError(f"{others} does not divide {count}")
        return tuple(count // others if value == -1 else value for value in known)

    def check_count(self, dims: tuple[int, ...], known: tuple[int, ...]) -> None:
        """Data and result have the same number of elements."""
        if count_of(dims) != count_of(known):
            raise RefusedError(f"{list(dims)} does not fit {list(known)}")

    def copied(self, data: Tensor, dims: tuple[int, ...]) -> Tensor:
        """The result: the same elements."""
        return Tensor(data.type, dims, data.data)

    # --- other operators of the corpus -----------------------------------------------------

    def run_identity(self, _node: Node, arguments: list[Any], _frame: Frame) -> Sequence[Any]:
        """Identity."""
        return arguments

    def run_constant(self, node: Node, _arguments: list[Any], _frame: Frame) -> Sequence[Any]:
        """Constant with a tensor."""
        return (next(item.value for item in node.attributes if item.name == "value"),)

    def run_squeeze(self, _node: Node, arguments: list[Any], _frame: Frame) -> Sequence[Any]:
        """Squeeze with axes as an input (13 and later)."""
        data, axes = arguments
        gone = {axis % len(data.shape) for axis in integers(axes)}
        kept = tuple(size for axis, size in enumerate(data.shape) if axis not in gone)
        return (Tensor(data.type, kept, data.data),)

    def run_concat(self, _node: Node, arguments: list[Any], _frame: Frame) -> Sequence[Any]:
        """Concat of vectors of one type."""
        if len({item.type for item in arguments}) != 1:
            raise RefusedError("Concat of different types", "load")
        joined = [cell for item in arguments for cell in cells(item)]
        return (of_cells(arguments[0].type, (len(joined),), joined),)

    def run_gather(self, _node: Node, arguments: list[Any], _frame: Frame) -> Sequence[Any]:
        """Gather from a vector."""
        data, indices = arguments
        source = cells(data)
        taken = [source[index] for index in integers(indices)]
        return (of_cells(data.type, indices.shape, taken),)

    def run_cast(self, node: Node, arguments: list[Any], _frame: Frame) -> Sequence[Any]:
        """Cast of int32 to int64."""
        data = arguments[0]
        to = next(item.value for item in node.attributes if item.name == "to")
        if data.type != "int32" or element_type_of_code(int(str(to))).name != "int64":
            raise RefusedError("this Cast is not needed by any vector", "load")
        return (int64(struct.unpack(f"<{count_of(data.shape)}i", raw(data)), data.shape),)

    def run_sub(self, _node: Node, arguments: list[Any], _frame: Frame) -> Sequence[Any]:
        """Sub of an int64 scalar."""
        data, other = arguments
        (amount,) = integers(other)
        return (int64([value - amount for value in integers(data)], data.shape),)

    def run_neg(self, _node: Node, arguments: list[Any], _frame: Frame) -> Sequence[Any]:
        """Neg of floats: the sign bit flips."""
        data = arguments[0]
        sign = 1 << (element(data).bits - 1)
        return (mapped(data, lambda code: code ^ sign),)

    def run_sequenceconstruct(
        self, _node: Node, arguments: list[Any], _frame: Frame
    ) -> Sequence[Any]:
        """SequenceConstruct."""
        return (SequenceValue(tuple(arguments)),)

    def run_sequenceat(self, _node: Node, arguments: list[Any], _frame: Frame) -> Sequence[Any]:
        """SequenceAt."""
        (position,) = integers(arguments[1])
        return (arguments[0].items[position],)

    def run_optionalgetelement(
        self, _node: Node, arguments: list[Any], _frame: Frame
    ) -> Sequence[Any]:
        """OptionalGetElement, which since version 18 takes a tensor too."""
        held = arguments[0]
        return (held.value if isinstance(held, OptionalValue) else held,)

    def run_optional(self, _node: Node, arguments: list[Any], _frame: Frame) -> Sequence[Any]:
        """Optional."""
        return (OptionalValue(arguments[0]),)

    def run_if(self, node: Node, arguments: list[Any], frame: Frame) -> Sequence[Any]:
        """If: one branch is run, in a scope of its own that sees the outer one."""
        graph = self.branch(node, condition=raw(arguments[0]) != b"\0")
        inner = self.subgraph_frame(graph, frame, "branch")
        self.run_nodes(graph.nodes, inner)
        return [self.lookup(inner.scope, item.name) for item in graph.outputs]

    def branch(self, node: Node, *, condition: bool) -> Graph:
        """The branch of an If that a condition takes."""
        return subgraph(node, "then_branch" if condition else "else_branch")

    def subgraph_frame(self, graph: Graph, frame: Frame, place: str) -> Frame:
        """Where the nodes of a subgraph stand: they see the outer scope."""
        return frame._replace(place=place, scope={**frame.scope, **graph.initializers})

    def run_loop(self, node: Node, arguments: list[Any], frame: Frame) -> Sequence[Any]:
        """Loop with a trip count and a condition."""
        body = subgraph(node, "body")
        (trips,) = integers(arguments[0])
        going, carried = arguments[1], list(arguments[2:])
        for iteration in range(trips):
            if raw(going) == b"\0":
                break
            carried_in = self.carried_in(iteration, carried, arguments[2:])
            values = [int64((iteration,), ()), going, *carried_in]
            inner = self.subgraph_frame(body, frame, "body")
            inner.scope.update(
                {item.name: value for item, value in zip(body.inputs, values, strict=True)}
            )
            self.run_nodes(body.nodes, inner)
            going, *carried = (self.lookup(inner.scope, item.name) for item in body.outputs)
        return carried

    def carried_in(
        self, _iteration: int, carried: list[Any], _initial: Sequence[Any]
    ) -> Sequence[Any]:
        """What a Loop's body is given by the iteration before it."""
        return carried


def subgraph(node: Node, name: str) -> Graph:
    """A graph in an attribute."""
    found = next(item.value for item in node.attributes if item.name == name)
    if not isinstance(found, Graph):
        raise TypeError(f"'{name}' is no graph")
    return found
