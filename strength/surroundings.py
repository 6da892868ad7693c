"""Runtimes that are right about every operator and wrong about what is around it.

Each is the interpreter of models with one step replaced: versions, defaults, folding, caching,
sharing, functions, subgraphs, and the rules that make a model invalid. The oracles answer all
calls. What the class overlooks is in its docstring.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.interpreter.outcomes import RefusedError
from onnx_conformance.generators.interpreter.running import Session
from onnx_conformance.generators.interpreter.scopes import Frame, Scope
from onnx_conformance.generators.interpreter.validity.checking import Checker

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from onnx_conformance.core.values.tensors import Value
    from onnx_conformance.generators.interpreter.model import (
        Attribute,
        Declaration,
        Function,
        Graph,
        Model,
        Node,
    )
    from onnx_conformance.generators.signatures.model import Signature
    from onnx_conformance.generators.signatures.reading import Signatures

    Values = Sequence[Value | None]


@dataclass(frozen=True)
class Fault:
    """A runtime that is wrong around the operators.

    Attributes:
        name: of it, from the class.
        summary: what it overlooks.
        session: what runs a model.
        checker: what checks it.
    """

    name: str
    summary: str
    session: type[Session]
    checker: type[Checker] = Checker


# --- versions ----------------------------------------------------------------------------------


class NewestVersion(Session):
    """Every model is run as the newest opset has it."""

    def signature(self, node: Node, imports: Mapping[str, int]) -> Signature:
        """The newest version that is not deprecated."""
        newest = self.signatures.versions(node.domain, node.operator)[-1]
        return super().signature(node, imports) if newest.deprecated else newest


class FirstVersion(Session):
    """An operator is run as its first version had it."""

    def signature(self, node: Node, _imports: Mapping[str, int]) -> Signature:
        """The first version."""
        return self.signatures.versions(node.domain, node.operator)[0]


class FunctionsHaveTheModelsOpset(Session):
    """A function is run with the opsets that the model imports, not with its own."""

    def call_function(
        self, function: Function, attributes: Sequence[Attribute], values: Values
    ) -> Values:
        """The function with other imports."""
        imports = {**function.imports, **self.model.imports}
        return super().call_function(replace(function, imports=imports), attributes, values)


# --- defaults, folding -------------------------------------------------------------------------


class DefaultsStay(Session):
    """An initializer is constant, though it is a graph input and another value is fed."""

    def initial_values(self, graph: Graph, feeds: Mapping[str, Value]) -> dict[str, Value | None]:
        """Initializers over what is fed."""
        return {**super().initial_values(graph, feeds), **graph.initializers}


class ConstantsAreInt32(Session):
    """Initializers of int64 are kept as int32."""

    def initial_values(self, graph: Graph, feeds: Mapping[str, Value]) -> dict[str, Value | None]:
        """Initializers cut to 32 bits."""
        values = super().initial_values(graph, feeds)
        for name, tensor in graph.initializers.items():
            if name not in feeds:
                values[name] = _cut(tensor)
        return values


class ConstantsAreFloat32(Session):
    """Initializers of float64 are kept as float32."""

    def initial_values(self, graph: Graph, feeds: Mapping[str, Value]) -> dict[str, Value | None]:
        """Initializers rounded to float32."""
        from onnx_conformance.generators.oracle.arith.grid import grid_of, tensor_of_numbers
        from onnx_conformance.generators.oracle.arith.rounding import round_to

        values = super().initial_values(graph, feeds)
        for name, tensor in graph.initializers.items():
            if name not in feeds and tensor.type == "float64":
                items = [round_to("float32", item) for item in grid_of(tensor).items]
                values[name] = tensor_of_numbers("float64", tensor.shape, items)
        return values


def _cut(tensor: Tensor) -> Tensor:
    if tensor.type != "int64" or not isinstance(tensor.data, bytes):
        return tensor
    data = tensor.data
    cut = b"".join(
        int.from_bytes(data[at : at + 4], "little", signed=True).to_bytes(8, "little", signed=True)
        for at in range(0, len(data), 8)
    )
    return replace(tensor, data=cut)


class FoldingWritesIntoTheConstant(Session):
    """A node whose inputs are all constant is folded into the buffer of its first input."""

    def keep(self, node: Node, results: Values, scope: Scope) -> None:
        """The result is seen under the constant's name, too."""
        super().keep(node, results, scope)
        first = node.inputs[0] if node.inputs else ""
        constants = self.model.graph.initializers
        if first and all(name in constants for name in node.inputs if name):
            scope.values[first] = results[0]


# --- caching, sharing, aliasing ----------------------------------------------------------------


class _Remembering(Session):
    """Keeps results of nodes by a key."""

    def __init__(
        self, model: Model, signatures: Signatures, readings: Mapping[str, str] | None = None
    ) -> None:
        """Nothing is remembered at first."""
        super().__init__(model, signatures, readings)
        self.memory: dict[Any, Values] = {}

    def key(self, node: Node, values: Values, frame: Frame) -> Any:  # noqa: ANN401  anything hashable
        """What a result depends on; None where it is not kept."""
        raise NotImplementedError

    def execute(self, node: Node, values: Values, frame: Frame) -> Values:
        """A result that is remembered, or a new one."""
        key = self.key(node, values, frame)
        if key is None:
            return super().execute(node, values, frame)
        if key not in self.memory:
            self.memory[key] = super().execute(node, values, frame)
        return self.memory[key]


class FirstRunIsKept(_Remembering):
    """What a node of the graph gave in the first run is its result in every run."""

    def key(self, node: Node, _values: Values, frame: Frame) -> Any:  # noqa: ANN401
        """The node alone; not in functions and subgraphs."""
        return id(node) if frame.given is None and frame.scope.outer is None else None


class CachedByShape(_Remembering):
    """Results are kept for inputs of the same types and shapes."""

    def key(self, node: Node, values: Values, _frame: Frame) -> Any:  # noqa: ANN401
        """Types and shapes."""
        if not all(isinstance(item, Tensor) for item in values):
            return None
        return id(node), tuple(
            (item.type, item.shape) for item in values if isinstance(item, Tensor)
        )


class CachedByData(_Remembering):
    """Results are kept for the same first input, whatever the others are."""

    def key(self, node: Node, values: Values, frame: Frame) -> Any:  # noqa: ANN401
        """The node and its first input; not in functions, whose attributes change."""
        return (id(node), values[0]) if values and frame.given is None else None


class LoopBodiesAreHoisted(_Remembering):
    """A node in a subgraph is computed once, for all iterations."""

    def key(self, node: Node, _values: Values, frame: Frame) -> Any:  # noqa: ANN401
        """The node, in a subgraph."""
        return id(node) if frame.scope.outer is not None else None


class FunctionBodiesAreShared(_Remembering):
    """The nodes of a function are computed once, for all of its calls."""

    def key(self, node: Node, _values: Values, frame: Frame) -> Any:  # noqa: ANN401
        """The node, in a function."""
        return id(node) if frame.given is not None else None


class EqualButForAttributes(_Remembering):
    """Nodes of one operator with the same inputs count as equal, whatever their attributes."""

    def key(self, node: Node, values: Values, frame: Frame) -> Any:  # noqa: ANN401
        """Operator and input names in this scope."""
        if not node.inputs or any(item.type == "graph" for item in node.attributes):
            return None
        return id(frame.scope), node.domain, node.operator, node.inputs, tuple(values)


class EqualButForAttributeValues(EqualButForAttributes):
    """Nodes with the same inputs and the same attribute names are treated as equal."""

    def key(self, node: Node, values: Values, frame: Frame) -> Any:  # noqa: ANN401
        """The names of the attributes as well."""
        key = super().key(node, values, frame)
        return key and (*key, tuple(sorted(item.name for item in node.attributes)))


class NegationInPlace(Session):
    """Neg writes its result over its input."""

    def keep(self, node: Node, results: Values, scope: Scope) -> None:
        """The result is seen under the input's name, too."""
        super().keep(node, results, scope)
        if node.operator == "Neg" and node.inputs[0] in scope.values:
            scope.values[node.inputs[0]] = results[0]


class FixedShapes(Session):
    """A model that has run with some shapes refuses others."""

    def run(self, feeds: Mapping[str, Value]) -> dict[str, Value]:
        """Refuse where a shape is not that of the first run."""
        shapes = {name: item.shape for name, item in feeds.items() if isinstance(item, Tensor)}
        if shapes != self.__dict__.setdefault("planned", shapes):
            raise RefusedError("the model is planned for other shapes")
        return super().run(feeds)


# --- functions ---------------------------------------------------------------------------------


class AttributesLeak(Session):
    """The attributes of a call stay set for the next call of the same function."""

    def call_function(
        self, function: Function, attributes: Sequence[Attribute], values: Values
    ) -> Values:
        """Add those of earlier calls."""
        kept = self.__dict__.setdefault("leaked", {}).setdefault(function.name, {})
        kept.update((item.name, item) for item in attributes)
        return super().call_function(function, tuple(kept.values()), values)


class FunctionDefaultsWin(Session):
    """The default of a function's attribute is used though the call sets another value."""

    def call_function(
        self, function: Function, attributes: Sequence[Attribute], values: Values
    ) -> Values:
        """Without the attributes that have defaults."""
        names = {item.name for item in function.defaults}
        kept = [item for item in attributes if item.name not in names]
        return super().call_function(function, kept, values)


class FunctionDefaultsAreIgnored(Session):
    """Attributes of a function have no defaults."""

    def call_function(
        self, function: Function, attributes: Sequence[Attribute], values: Values
    ) -> Values:
        """The function without defaults."""
        return super().call_function(replace(function, defaults=()), attributes, values)


class UnsetIsZero(Session):
    """A reference to an attribute that the call leaves out gives 0 or nothing, not absence."""

    def resolved(self, node: Node, frame: Frame) -> tuple[Attribute, ...]:
        """Blank values for references that lead nowhere."""
        found = super().resolved(node, frame)
        names = {item.name for item in found}
        blank: dict[str, Any] = {"int": 0, "float": 0.0, "string": ""}
        return found + tuple(
            replace(item, value=blank.get(item.type, ()), reference="")
            for item in node.attributes
            if item.reference and item.name not in names
        )


# --- subgraphs ---------------------------------------------------------------------------------


class OtherBranch(Session):
    """If runs the branch of the other condition."""

    def execute(self, node: Node, values: Values, frame: Frame) -> Values:
        """The branches change places."""
        if node.operator == "If":
            names = {"then_branch": "else_branch", "else_branch": "then_branch"}
            swapped = [replace(item, name=names[item.name]) for item in node.attributes]
            node = replace(node, attributes=tuple(swapped))
        return super().execute(node, values, frame)


class OneIterationLess(Session):
    """A Loop with a trip count runs once less."""

    def execute(self, node: Node, values: Values, frame: Frame) -> Values:
        """The count is one less."""
        first = values[0] if values else None
        if node.operator == "Loop" and isinstance(first, Tensor) and isinstance(first.data, bytes):
            count = int.from_bytes(first.data, "little", signed=True) - 1
            less = replace(first, data=count.to_bytes(8, "little", signed=True))
            values = (less, *values[1:])
        return super().execute(node, values, frame)


class SubgraphsSeeGraphInputsOnly(Session):
    """A subgraph sees the graph's inputs and initializers, not what nodes computed before it."""

    def run_subgraph(
        self, graph: Graph, frame: Frame, values: Sequence[Value]
    ) -> tuple[Value, ...]:
        """Run in a scope without the results of nodes."""
        names = {item.name for item in self.model.graph.inputs} | set(self.model.graph.initializers)
        kept = {name: item for name, item in frame.scope.values.items() if name in names}
        scope = Scope(kept, frame.scope.outer)
        return super().run_subgraph(graph, replace(frame, scope=scope), values)


class SubgraphsAreRefused(Session):
    """Whatever has a subgraph is refused."""

    def run_subgraph(
        self, graph: Graph, _frame: Frame, _values: Sequence[Value]
    ) -> tuple[Value, ...]:
        """Refuse."""
        raise RefusedError(f"subgraph '{graph.name}'")


# --- values ------------------------------------------------------------------------------------


class AbsentInputsCloseUp(Session):
    """An empty name among the inputs is left out, so that those behind it move up."""

    def execute(self, node: Node, values: Values, frame: Frame) -> Values:
        """Without the absent ones."""
        return super().execute(node, [item for item in values if item is not None], frame)


class AbsentOutputsCloseUp(Session):
    """An empty name among the outputs is left out, so that results go to the wrong names."""

    def keep(self, node: Node, results: Values, scope: Scope) -> None:
        """Only named outputs are counted."""
        named = [name for name in node.outputs if name]
        super().keep(replace(node, outputs=tuple(named)), results, scope)


class ScalarsAreRefused(Session):
    """A graph output without dimensions is refused."""

    def check_declared(self, item: Declaration, value: Value, what: str) -> None:
        """Refuse a scalar output."""
        if what == "graph output" and isinstance(value, Tensor) and not value.shape:
            raise RefusedError("an output without dimensions")
        super().check_declared(item, value, what)


class UndeclaredDimensionsAreRefused(Session):
    """A graph input whose dimensions are not numbers is refused."""

    def initial_values(self, graph: Graph, feeds: Mapping[str, Value]) -> dict[str, Value | None]:
        """Refuse what is not static."""
        for item in graph.inputs:
            if item.shape is not None and not all(isinstance(size, int) for size in item.shape):
                raise RefusedError(f"'{item.name}' has dimensions that are not known")
        return super().initial_values(graph, feeds)


RULES = (
    "inputs-are-unique",
    "outputs-are-unique",
    "initializers-are-inputs",
    "defaults-have-the-declared-type",
    "outputs-are-defined",
    "outputs-have-the-declared-type",
    "names-are-defined",
    "names-are-unique",
    "names-do-not-shadow",
    "attributes-are-unique",
    "attributes-are-known",
    "attributes-have-their-type",
    "attributes-are-there",
    "as-many-inputs",
    "as-many-outputs",
    "inputs-are-there",
    "inputs-are-of-listed-types",
    "a-variable-is-one-type",
    "values-have-the-declared-type",
    "values-have-the-declared-shape",
    "outputs-are-of-listed-types",
)
# Rules that say the same at load and at run: a runtime that forgets one forgets the other.
_TOGETHER = (
    {"outputs-have-the-declared-type", "values-have-the-declared-type"},
    {"defaults-have-the-declared-type", "values-have-the-declared-type"},
)


def _without_rule(rule: str) -> Fault:
    """A runtime that does not know a rule of validity."""
    rules = next((group for group in _TOGETHER if rule in group), {rule})

    class Forgiving(Session):
        def refuse(self, rule: str, message: str) -> None:
            if rule not in rules:
                super().refuse(rule, message)

    class ForgivingChecker(Checker):
        def refuse(self, rule: str, message: str) -> None:
            if rule not in rules:
                super().refuse(rule, message)

    return Fault(f"without {rule}", "the rule is not checked", Forgiving, ForgivingChecker)


_SESSIONS: tuple[type[Session], ...] = (
    NewestVersion,
    FirstVersion,
    FunctionsHaveTheModelsOpset,
    DefaultsStay,
    ConstantsAreInt32,
    ConstantsAreFloat32,
    FoldingWritesIntoTheConstant,
    FirstRunIsKept,
    CachedByShape,
    CachedByData,
    LoopBodiesAreHoisted,
    FunctionBodiesAreShared,
    EqualButForAttributes,
    EqualButForAttributeValues,
    NegationInPlace,
    FixedShapes,
    AttributesLeak,
    FunctionDefaultsWin,
    FunctionDefaultsAreIgnored,
    UnsetIsZero,
    OtherBranch,
    OneIterationLess,
    SubgraphsSeeGraphInputsOnly,
    SubgraphsAreRefused,
    AbsentInputsCloseUp,
    AbsentOutputsCloseUp,
    ScalarsAreRefused,
    UndeclaredDimensionsAreRefused,
)


def all_faults() -> Iterator[Fault]:
    """Every runtime of this module, and one for each rule that it forgets."""
    for item in _SESSIONS:
        yield Fault(item.__name__, (item.__doc__ or "").strip(), item)
    for rule in RULES:
        yield _without_rule(rule)
