"""Runs a model that has been checked: scopes, nodes, subgraphs and functions. Source: IR.md.

Each step is a method of `Session`, so that a measurement can replace one of them by a wrong one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import repeat
from operator import is_
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import OptionalValue, Tensor, Value

from ..alike.reducing import NotRestoredError, reduced
from ..oracle.accuracy.graphs import EnclosableGraph
from ..oracle.arith.grid import Grid
from ..oracle.errors import InvalidCallError, OpenError
from ..oracle.registry import Call, CallAttribute, Result, compute, has_oracle
from ..signatures.model import Signature
from .bodies import body_of
from .enclosing import enclosed_outputs
from .model import Attribute, Declaration, Function, Graph, Model, Node
from .outcomes import LOAD, RUN, NoOracleError, RefusedError
from .programs import GRADIENT, PROGRAM, program_of
from .scopes import Frame, Scope
from .validity.binding import make_call, parameter_at
from .validity.checking import names_from_outside, signature_of
from .validity.words import fits, word_of

if TYPE_CHECKING:
    from ..signatures.reading import Signatures


# Nodes and subgraphs that one run may execute, counting each iteration: some seconds of work.
# Nested loops may each stay within their own limit and still take too long together.
MOST_STEPS = 50_000

# With so many elements it is worth checking whether they are all the same.
_MANY = 2**16


class Session:
    """A model that can be run any number of times."""

    def __init__(
        self, model: Model, signatures: Signatures, readings: Mapping[str, str] | None = None
    ) -> None:
        """`model` must have passed `checking.check_model`."""
        self.model = model
        self.signatures = signatures
        self.readings = dict(readings or {})
        self._known: dict[tuple[str, str, int], Signature] = {}
        self._steps = self._depth = 0

    @property
    def fed(self) -> frozenset[str]:
        """The names of the graph's inputs that have no initializer."""
        graph = self.model.graph
        return frozenset(item.name for item in graph.inputs) - graph.initializers.keys()

    def refuse(self, _rule: str, message: str) -> None:
        """Raise RefusedError for a broken rule that depends on values, or on the caller."""
        raise RefusedError(message, RUN)

    # --- the model ---

    def run(self, feeds: Mapping[str, Value]) -> dict[str, Value]:
        """The graph's outputs by name.

        Raises RefusedError if the model or a value fed to it is invalid, and NoOracleError if a
        node has neither an oracle nor a function body, or if the run would take too long.
        """
        graph = self.model.graph
        scope = Scope(self.initial_values(graph, feeds))
        with self._counting():
            self.run_nodes(graph.nodes, Frame(self.model.imports, None, scope, graph.nodes))
        outputs = self._made(graph, scope, "graph output")
        return {item.name: value for item, value in zip(graph.outputs, outputs, strict=True)}

    def initial_values(self, graph: Graph, feeds: Mapping[str, Value]) -> dict[str, Value | None]:
        """Initializers, replaced by fed values of the same name; an optional not fed is absent."""
        inputs = {item.name: item for item in graph.inputs}
        values: dict[str, Value | None] = dict(graph.initializers)
        for name, value in feeds.items():
            if name not in inputs:
                raise RefusedError(f"'{name}' is fed and is no graph input", RUN)
            values[name] = value
        for name, item in inputs.items():
            if name not in values:
                if item.type is None or not item.type.startswith("optional("):
                    raise RefusedError(f"graph input '{name}' is not fed", RUN)
                values[name] = OptionalValue(None)
            given = values[name]
            if given is not None:
                self.check_declared(item, given, "graph input")
        return values

    def check_declared(self, item: Declaration, value: Value, what: str) -> None:
        """RefusedError if a value does not have the declared type, rank and dimensions."""
        word = word_of(value)
        if item.type is not None and not fits(item.type, word):
            self.refuse(
                "values-have-the-declared-type",
                f"{what} '{item.name}' is declared {item.type}, is {word}",
            )
        if item.shape is None or not isinstance(value, Tensor):
            return
        same = len(item.shape) == len(value.shape) and all(
            declared == size
            for declared, size in zip(item.shape, value.shape, strict=True)
            if isinstance(declared, int)
        )
        if not same:
            self.refuse(
                "values-have-the-declared-shape",
                f"{what} '{item.name}' is declared {list(item.shape)}, is {list(value.shape)}",
            )

    # --- nodes ---

    def run_nodes(self, nodes: Sequence[Node], frame: Frame) -> None:
        """Run nodes in order; their outputs go into the scope."""
        for node in nodes:
            self._step()
            values = [frame.scope.value(name) if name else None for name in node.inputs]
            results = self.execute(node, values, frame)
            self.keep(node, results, frame.scope)

    @contextmanager
    def _counting(self) -> Iterator[None]:
        """Count steps from 0 if nothing is running yet: a subgraph may also be run alone."""
        if not self._depth:
            self._steps = 0
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    def _step(self) -> None:
        """NoOracleError if a run takes more steps than permitted."""
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise NoOracleError(f"more than {MOST_STEPS} nodes are run: a loop may be endless")

    def keep(self, node: Node, results: Sequence[Value | None], scope: Scope) -> None:
        """Put the outputs of a node into the scope."""
        for position, name in enumerate(node.outputs):
            if name:
                scope.values[name] = results[position] if position < len(results) else None

    def execute(
        self, node: Node, values: Sequence[Value | None], frame: Frame
    ) -> Sequence[Value | None]:
        """The outputs of one node."""
        attributes = self.resolved(node, frame)
        function = self.model.functions.get((node.domain, node.operator, node.overload))
        if function is not None:
            return self.call_function(function, attributes, values)
        signature = self.signature(node, frame.imports)
        contents = {item.name: self.content(item, frame) for item in attributes}
        if (node.domain, node.operator) == GRADIENT:
            contents[PROGRAM] = program_of(self, node, frame.nodes, frame)
        call = make_call(signature, contents, values, node.outputs, self.refuse)
        call = replace(call, readings=self.readings)
        if not self.prefers_body(signature) and has_oracle(
            node.operator, node.domain, signature.since_version
        ):
            return self.results(signature, self.answer(call))
        body = body_of(signature, attributes, values, node.outputs, frame.imports)
        if body is None:
            raise NoOracleError(
                f"{node.text}-{signature.since_version} has neither an oracle nor a function body"
            )
        return self.call_body(body, attributes, values)

    def prefers_body(self, _signature: Signature) -> bool:
        """Whether a node is run by its function body even if it has an oracle."""
        return False

    def call_body(
        self, body: Function, attributes: Sequence[Attribute], values: Sequence[Value | None]
    ) -> Sequence[Value | None]:
        """Run a function body of the standard."""
        return self.call_function(body, attributes, values)

    def signature(self, node: Node, imports: Mapping[str, int]) -> Signature:
        """The operator version that a node means."""
        key = (node.domain, node.operator, imports.get(node.domain, 0))
        if key not in self._known:
            self._known[key] = signature_of(node, imports, self.signatures)
        return self._known[key]

    def answer(self, call: Call) -> Result:
        """The oracle's result: the first reading if the document leaves it open."""
        smaller = reduced(call)
        if smaller is not None:
            try:
                return tuple(
                    value if value is None else smaller.restored(position, value)
                    for position, value in enumerate(map(as_value, self._told(smaller.call)))
                )
            except NotRestoredError:
                pass
        return self._told(call)

    @staticmethod
    def _told(call: Call) -> Result:
        while True:
            try:
                return compute(call)
            except InvalidCallError as error:
                raise RefusedError(f"{call.operator}: {error}", RUN) from None
            except BadInputError as error:
                raise NoOracleError(f"{call.operator}: {error}") from None
            except OpenError as error:
                readings = {**call.readings, error.question: error.readings[0]}
                call = replace(call, readings=readings)

    def results(self, signature: Signature, result: Result) -> Sequence[Value | None]:
        """The oracle's result as values of the types that the signature lists."""
        values: list[Value | None] = []
        for position, item in enumerate(result):
            value = as_value(item)
            parameter = parameter_at(signature.outputs, position)
            if value is not None and parameter is not None:
                word = word_of(value)
                if not any(fits(word, allowed) for allowed in signature.types_of(parameter)):
                    self.refuse(
                        "outputs-are-of-listed-types",
                        f"{signature.operator}-{signature.since_version} gives no {word}",
                    )
            values.append(value)
        return values

    # --- attributes, functions, subgraphs ---

    def resolved(self, node: Node, frame: Frame) -> tuple[Attribute, ...]:
        """The node's attributes; a reference to an attribute that is not set is left out."""
        if not any(item.reference for item in node.attributes):
            return node.attributes
        given = frame.given or {}
        return tuple(
            replace(given[item.reference], name=item.name) if item.reference else item
            for item in node.attributes
            if not item.reference or item.reference in given
        )

    def call_function(
        self, function: Function, attributes: Sequence[Attribute], values: Sequence[Value | None]
    ) -> Sequence[Value | None]:
        """Run a function: its attributes are those of the call, then its defaults."""
        given = {item.name: item for item in function.defaults}
        given.update((item.name, item) for item in attributes)
        padded = [*values, *[None] * (len(function.inputs) - len(values))]
        scope = Scope(dict(zip(function.inputs, padded, strict=True)))
        self.run_nodes(function.nodes, Frame(function.imports, given, scope, function.nodes))
        return [scope.value(name) if name else None for name in function.outputs]

    def content(self, attribute: Attribute, frame: Frame) -> CallAttribute:
        """The value of an attribute in the form that an oracle gets: graphs can be run."""
        value: Any = attribute.value
        if isinstance(value, Graph):
            return self.subgraph(value, frame)
        if isinstance(value, tuple) and value and isinstance(value[0], Graph):
            return tuple(self.subgraph(item, frame) for item in value)
        content: CallAttribute = value
        return content

    def subgraph(self, graph: Graph, frame: Frame) -> EnclosableGraph:
        """A subgraph in the scope of its node."""
        return EnclosableGraph(
            inputs=tuple(item.name for item in graph.inputs if item.name not in graph.initializers),
            outputs=tuple(item.name for item in graph.outputs),
            output_types=tuple(item.type for item in graph.outputs),
            output_shapes=tuple(item.shape for item in graph.outputs),
            run=lambda values: self.run_subgraph(graph, frame, values),
            enclose=lambda steps, values: enclosed_outputs(self, graph, frame, steps, values),
            captured=frozenset(names_from_outside(graph)),
        )

    def run_subgraph(
        self, graph: Graph, frame: Frame, values: Sequence[Value]
    ) -> tuple[Value, ...]:
        """The outputs of a subgraph for the values of its inputs, in order."""
        if len(values) > len(graph.inputs):
            raise RefusedError(f"subgraph '{graph.name}' takes {len(graph.inputs)} inputs", LOAD)
        own: dict[str, Value | None] = dict(graph.initializers)
        for position, item in enumerate(graph.inputs):
            if position < len(values):
                own[item.name] = values[position]
                self.check_declared(item, values[position], "subgraph input")
            elif item.name not in own:
                raise RefusedError(f"subgraph input '{item.name}' has no value", LOAD)
        scope = Scope(own, frame.scope)
        with self._counting():
            self._step()
            self.run_nodes(graph.nodes, replace(frame, scope=scope, nodes=graph.nodes))
        return self._made(graph, scope, "subgraph output")

    def _made(self, graph: Graph, scope: Scope, what: str) -> tuple[Value, ...]:
        """The values of a graph's outputs; RefusedError for one that is absent or undeclared."""
        outputs = []
        for item in graph.outputs:
            value = scope.value(item.name)
            if value is None:
                raise RefusedError(f"{what} '{item.name}' is absent", RUN)
            self.check_declared(item, value, what)
            outputs.append(value)
        return tuple(outputs)


def as_value(item: Any) -> Value | None:  # noqa: ANN401  what an oracle returns for an output
    """An output of an oracle as a value: for a Grid the nearest tensor."""
    from ..oracle.arith.grid import Grid, tensor_of

    if isinstance(item, Grid):
        return _repeated(item) or tensor_of(item)
    value: Value | None = item
    return value


def _repeated(grid: Grid) -> Tensor | None:
    """The tensor of a grid whose many elements are all the same: the element is encoded once."""
    from ..oracle.arith.grid import Grid, tensor_of

    items = grid.items
    if len(items) < _MANY or not all(map(is_, items, repeat(items[0]))):
        return None
    one = tensor_of(Grid(grid.type, (1,), items[:1]))
    if not isinstance(one.data, bytes) or element_type(grid.type).bits % 8:
        return None
    return Tensor(grid.type, grid.shape, one.data * len(items))
