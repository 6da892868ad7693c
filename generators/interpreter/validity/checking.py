"""Checks a model before any value is fed. Source: IR.md.

Names are defined once and before they are used, domains are imported, operators and functions
exist, attributes are known and of their type, inputs and outputs are as many as the signature
says, element types fit the type constraints, and graph outputs have the declared types.
Shapes are checked together with values: in `running`.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from onnx_conformance.core.errors import BadInputError

from ...signatures.model import Signature
from ..model import Attribute, Declaration, Function, Graph, Model, Node
from ..outcomes import NoOracleError, RefusedError
from .binding import bind_types, check_counts, parameter_at
from .output_types import output_type
from .words import fits

if TYPE_CHECKING:
    from ...signatures.reading import Signatures

# The types of the visible names, those of the innermost graph first; None if a type is unknown.
Types: TypeAlias = "ChainMap[str, str | None]"

_INITIALIZERS_ARE_INPUTS_BEFORE = 4
_FUNCTIONS_SINCE = 8


def check_model(model: Model, signatures: Signatures) -> None:
    """RefusedError, with phase `load`, for the first fault of a model."""
    if model.ir_version < 1:
        raise RefusedError(f"IR version {model.ir_version} does not exist")
    if not model.imports:
        raise RefusedError("the model imports no operator set")
    if model.functions and model.ir_version < _FUNCTIONS_SINCE:
        raise RefusedError(f"IR version {model.ir_version} has no functions")
    Checker(model, signatures).check()


def check_subgraph(
    graph: Graph, outer: Mapping[str, str | None], model: Model, signatures: Signatures
) -> None:
    """RefusedError for the first fault of a graph that is an attribute.

    Args:
        graph: the graph to check.
        outer: the types of the names around the node; None if a type is unknown.
        model: the model around it, for its imported opsets.
        signatures: those of all operators.
    """
    Checker(model, signatures).graph(graph, ChainMap({}, dict(outer)))


def signature_of(node: Node, imports: Mapping[str, int], signatures: Signatures) -> Signature:
    """The operator version that a node means.

    RefusedError if there is none, and NoOracleError for a domain such as com.example, which is
    somebody's own.
    """
    if node.domain not in imports:
        raise RefusedError(f"domain '{node.domain or 'ai.onnx'}' of {node.text} is not imported")
    opset = imports[node.domain]
    if "." in node.domain and node.domain not in signatures.opsets:
        raise NoOracleError(f"{node.text} is in a domain of somebody's own, '{node.domain}'")
    try:
        signature = signatures.version(node.domain, node.operator, opset)
    except BadInputError as error:
        raise RefusedError(str(error)) from None
    if opset < 1 or opset > signatures.opsets[node.domain]:
        raise RefusedError(f"opset {opset} of '{node.domain or 'ai.onnx'}' does not exist")
    if signature is None:
        raise RefusedError(f"{node.text} does not exist at opset {opset}")
    if signature.deprecated:
        raise RefusedError(f"{node.text} is deprecated at opset {opset}")
    return signature


@dataclass(frozen=True)
class _Place:
    """The context of nodes.

    Attributes:
        imports: the imported opsets.
        parameters: names of the attributes of the enclosing function, or None in a graph.
    """

    imports: Mapping[str, int]
    parameters: frozenset[str] | None = None


@dataclass(frozen=True)
class Checker:
    """Checks one model; each rule has a name, so that a measurement can switch one off."""

    #: What is checked.
    model: Model
    #: The signatures of ONNX's operators.
    signatures: Signatures
    #: Functions that are being checked: a call of one of these never ends.
    active: set[tuple[str, str, str]] = field(default_factory=set)

    def refuse(self, _rule: str, message: str) -> None:
        """Raise RefusedError for a broken rule."""
        raise RefusedError(message)

    def check(self) -> None:
        """Check the graph and the functions."""
        self.graph(self.model.graph, ChainMap(), main=True)
        for function in self.model.functions.values():
            self.function(function)

    # --- graphs and functions ---

    def graph(
        self, graph: Graph, scope: Types, place: _Place | None = None, *, main: bool = False
    ) -> None:
        """Check a graph, given its outer scope; `main` means that it is not nested."""
        place = place or _Place(self.model.imports)
        for item in graph.inputs:
            if not item.name:
                self.refuse("inputs-have-names", "a graph input has no name")
            if item.name in scope.maps[0]:
                self.refuse("inputs-are-unique", f"graph input '{item.name}' is declared twice")
            self._not_shadowing(item.name, scope, "graph input")
            if main and item.type is None:
                self.refuse(
                    "inputs-have-types", f"graph input '{item.name}' is declared without a type"
                )
            scope[item.name] = item.type
        self._initializers(graph, scope, main=main)
        self.nodes(graph.nodes, scope, place)
        seen = set()
        for item in graph.outputs:
            if item.name in seen and main:
                self.refuse("outputs-are-unique", f"graph output '{item.name}' is declared twice")
            seen.add(item.name)
            self._output(item, scope)

    def _initializers(self, graph: Graph, scope: Types, *, main: bool) -> None:
        for name, tensor in graph.initializers.items():
            self._not_shadowing(name, scope, "initializer")
            declared = scope.maps[0].get(name)
            if name not in scope.maps[0]:
                if main and self.model.ir_version < _INITIALIZERS_ARE_INPUTS_BEFORE:
                    self.refuse(
                        "initializers-are-inputs", f"initializer '{name}' is no graph input"
                    )
            elif declared is not None and not fits(declared, tensor.type):
                self.refuse(
                    "defaults-have-the-declared-type",
                    f"'{name}' is declared {declared}; its default is {tensor.type}",
                )
            scope[name] = tensor.type

    def _not_shadowing(self, name: str, scope: Types, what: str) -> None:
        if name in scope.parents:
            self.refuse("names-do-not-shadow", f"{what} '{name}' has the name of an outer value")

    def _output(self, item: Declaration, scope: Types) -> None:
        if item.name not in scope:
            self.refuse(
                "outputs-are-defined", f"graph output '{item.name}' is the output of no node"
            )
        known = scope.get(item.name)
        if known is not None and item.type is not None and not fits(known, item.type):
            self.refuse(
                "outputs-have-the-declared-type",
                f"graph output '{item.name}' is declared {item.type}, is {known}",
            )

    def function(self, function: Function) -> None:
        """Check a function of the model, except types, which each call decides."""
        if len(set(function.inputs)) != len(function.inputs):
            raise RefusedError(f"function {function.name} has two inputs of one name")
        names = [*function.attributes, *(item.name for item in function.defaults)]
        if len(set(names)) != len(names):
            raise RefusedError(f"function {function.name} has two attributes of one name")
        scope = ChainMap(dict.fromkeys(function.inputs))
        self.nodes(function.nodes, scope, _Place(function.imports, frozenset(names)))
        for name in function.outputs:
            if name not in scope:
                raise RefusedError(f"output '{name}' of function {function.name} is never set")
        self._no_recursion((function.domain, function.name, function.overload))

    def _no_recursion(self, key: tuple[str, str, str]) -> None:
        """RefusedError if a function calls itself, also through others."""
        if key in self.active:
            raise RefusedError(f"function {key[1]} calls itself")
        self.active.add(key)
        for node in all_nodes(self.model.functions[key].nodes):
            called = (node.domain, node.operator, node.overload)
            if called in self.model.functions:
                self._no_recursion(called)
        self.active.discard(key)

    # --- nodes ---

    def nodes(self, nodes: Sequence[Node], scope: Types, place: _Place) -> None:
        """Check nodes in order; their outputs go into the scope."""
        everything = {name for node in nodes for name in node.outputs}
        for node in nodes:
            for name in node.inputs:
                if name and name not in scope:
                    late = "used before it is computed" if name in everything else "not defined"
                    self.refuse(
                        "names-are-defined", f"'{name}', an input of {node.text}, is {late}"
                    )
            types = self.node(node, scope, place)
            for name, word in zip(node.outputs, types, strict=True):
                if not name:
                    continue
                if name in scope:
                    self.refuse("names-are-unique", f"'{name}' is defined twice")
                scope[name] = word

    def node(self, node: Node, scope: Types, place: _Place) -> Sequence[str | None]:
        """Check a node and return the types of its outputs, None if unknown."""
        names = [item.name for item in node.attributes]
        if len(set(names)) != len(names):
            self.refuse("attributes-are-unique", f"{node.text} has an attribute twice")
        for item in node.attributes:
            if item.reference:
                if place.parameters is None:
                    raise RefusedError(f"'{item.name}' refers to an attribute outside a function")
                if item.reference not in place.parameters:
                    raise RefusedError(f"the function has no attribute '{item.reference}'")
        function = self.model.functions.get((node.domain, node.operator, node.overload))
        if function is not None:
            self._call(node, function, place)
        else:
            signature = signature_of(node, place.imports, self.signatures)
            self.attributes(node, signature)
            check_counts(signature, node.inputs, node.outputs, self.refuse)
        for graph in _subgraphs(node):
            self.graph(graph, scope.new_child(), place)
        if function is not None:
            return [None] * len(node.outputs)
        words = [scope.get(name) if name else None for name in node.inputs]
        bound = bind_types(signature, words, self.refuse)
        return [
            output_type(node, signature, parameter_at(signature.outputs, position), bound, words)
            for position in range(len(node.outputs))
        ]

    def attributes(self, node: Node, signature: Signature) -> None:
        """Check that attributes are known and of the right type, and that none is missing."""
        name = f"{signature.operator}-{signature.since_version}"
        for item in node.attributes:
            known = signature.attributes.get(item.name)
            if known is None:
                self.refuse("attributes-are-known", f"{name} has no attribute '{item.name}'")
            elif known.type != item.type:
                self.refuse(
                    "attributes-have-their-type",
                    f"attribute '{item.name}' of {name} is {known.type}, not {item.type}",
                )
        given = {item.name for item in node.attributes}
        for known in signature.attributes.values():
            if known.required and known.name not in given:
                self.refuse("attributes-are-there", f"{name} needs attribute '{known.name}'")

    def _call(self, node: Node, function: Function, place: _Place) -> None:
        if node.domain not in place.imports:
            raise RefusedError(f"domain '{node.domain}' of {node.text} is not imported")
        if len(node.inputs) > len(function.inputs):
            raise RefusedError(f"{node.text} takes {len(function.inputs)} inputs")
        if len(node.outputs) > len(function.outputs):
            raise RefusedError(f"{node.text} gives {len(function.outputs)} outputs")
        types = {item.name: item.type for item in function.defaults}
        for item in node.attributes:
            if item.name not in types and item.name not in function.attributes:
                raise RefusedError(f"{node.text} has no attribute '{item.name}'")
            if types.get(item.name, item.type) != item.type:
                raise RefusedError(f"attribute '{item.name}' of {node.text} is of type {item.type}")


def _subgraphs(node: Node) -> list[Graph]:
    return [graph for item in node.attributes for graph in graphs_in(item)]


def graphs_in(attribute: Attribute) -> tuple[Graph, ...]:
    """The graphs that an attribute holds."""
    from ..model import Graph

    value = attribute.value
    values = value if isinstance(value, tuple) else (value,)
    return tuple(item for item in values if isinstance(item, Graph))


def all_nodes(nodes: Sequence[Node]) -> Iterator[Node]:
    """Nodes, each followed by those of its subgraphs."""
    for node in nodes:
        yield node
        for graph in _subgraphs(node):
            yield from all_nodes(graph.nodes)


def names_from_outside(graph: Graph) -> set[str]:
    """The names that a graph, or a subgraph in it, takes from the scope around it."""
    own = {item.name for item in graph.inputs} | set(graph.initializers)
    own.update(name for node in graph.nodes for name in node.outputs)
    used = {item.name for item in graph.outputs}
    for node in graph.nodes:
        used.update(node.inputs)
        for inner in _subgraphs(node):
            used |= names_from_outside(inner)
    return used - own - {""}
