"""The steps in which the interpreter runs a model, each as an object that a wrong one is given.

A step has what it was given, and `right`, which does it as a correct runtime would, perhaps of
something else. What lasts from run to run of one loaded model goes into `session.memory`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeAlias, TypeVar

from onnx_conformance.core.values.tensors import Tensor, Value
from onnx_conformance.generators.interpreter.model import (
    Attribute,
    Declaration,
    Function,
    Graph,
    Model,
    Node,
)
from onnx_conformance.generators.interpreter.running import Session
from onnx_conformance.generators.interpreter.scopes import Frame, Scope
from onnx_conformance.generators.interpreter.validity.checking import Checker
from onnx_conformance.generators.signatures.model import Signature

from .makers import follows_from_sizes, maker
from .tensors import integers

if TYPE_CHECKING:
    from onnx_conformance.generators.signatures.reading import Signatures


Values: TypeAlias = Sequence[Value | None]
Feeds: TypeAlias = Mapping[str, Value]
Start: TypeAlias = dict[str, Value | None]


Kept = TypeVar("Kept")
#: What a step gives.
Given = TypeVar("Given")


class CrashError(Exception):
    """The runtime ends, as by a signal."""


class HangError(Exception):
    """The runtime never ends."""


class Remembering(Session):
    """The interpreter, with a memory that lasts as long as the loaded model."""

    def __init__(
        self, model: Model, signatures: Signatures, readings: Mapping[str, str] | None = None
    ) -> None:
        """As a Session, with nothing in its memory."""
        super().__init__(model, signatures, readings)
        self.memory: dict[Any, Any] = {}

    def kept(self, key: object, make: Callable[[], Kept]) -> Kept:
        """What was made for a key before, or is now."""
        if key not in self.memory:
            self.memory[key] = make()
        made: Kept = self.memory[key]
        return made


@dataclass(frozen=True)
class Step(Generic[Given]):
    """A step of a run; `method` is that of Session which does it."""

    method: ClassVar[str] = ""
    session: Remembering
    original: Callable[..., Given]


@dataclass(frozen=True)
class RunStep(Step["dict[str, Value]"]):
    """A run of the model: its outputs by name."""

    method: ClassVar[str] = "run"
    feeds: Feeds

    def right(self, feeds: Feeds | None = None) -> dict[str, Value]:
        """The outputs that a correct runtime gives."""
        return self.original(self.feeds if feeds is None else feeds)

    @property
    def graph(self) -> Graph:
        """The graph of the model."""
        return self.session.model.graph


@dataclass(frozen=True)
class StartStep(Step["Start"]):
    """The values that a run begins with: initializers, and what is fed."""

    method: ClassVar[str] = "initial_values"
    graph: Graph
    feeds: Feeds

    def right(self, feeds: Feeds | None = None) -> Start:
        """The values by name."""
        return self.original(self.graph, self.feeds if feeds is None else feeds)

    def constants(self) -> dict[str, Tensor]:
        """The initializers that nothing is fed for."""
        return {
            name: item for name, item in self.graph.initializers.items() if name not in self.feeds
        }

    def with_constants(self, change: Callable[[Tensor], Value | None]) -> Start:
        """The right values, with changed initializers."""
        values = self.right()
        values.update((name, change(item)) for name, item in self.constants().items())
        return values


@dataclass(frozen=True)
class Pair:
    """The node that made an input of another: that node, what it takes, and which input it is."""

    node: Node
    values: Values
    place: int


@dataclass(frozen=True)
class NodeStep(Step["Values"]):
    """One node: its outputs."""

    method: ClassVar[str] = "execute"
    node: Node
    values: Values
    frame: Frame

    def right(
        self,
        *,
        node: Node | None = None,
        values: Values | None = None,
        frame: Frame | None = None,
    ) -> Values:
        """The outputs that a correct runtime gives."""
        return self.original(
            node or self.node, self.values if values is None else values, frame or self.frame
        )

    def is_a(self, *operators: str) -> bool:
        """Whether the node is of one of some operators of the standard."""
        return not self.node.domain and self.node.operator in operators

    def tensor(self, place: int = 0) -> Tensor | None:
        """An input, if there is such a tensor."""
        value = self.values[place] if place < len(self.values) else None
        return value if isinstance(value, Tensor) else None

    def integers(self, place: int) -> tuple[int, ...]:
        """The elements of an input of int64; none if it is none."""
        return integers(self.tensor(place))

    def with_input(self, place: int, value: Value | None) -> Values:
        """The inputs with another one in a place."""
        return [value if at == place else item for at, item in enumerate(self.values)]

    @property
    def key(self) -> int:
        """What tells the node from others of the model."""
        return id(self.node)

    @property
    def in_function(self) -> bool:
        """Whether the node is in a function."""
        return self.frame.given is not None

    @property
    def in_subgraph(self) -> bool:
        """Whether the node is in a subgraph."""
        return self.frame.scope.outer is not None

    @property
    def function(self) -> Function | None:
        """The function of the model that the node calls."""
        node = self.node
        return self.session.model.functions.get((node.domain, node.operator, node.overload))

    def taken(self, node: Node) -> list[Value | None]:
        """What a node of the same graph takes."""
        return [self.frame.scope.value(name) if name else None for name in node.inputs]

    def pair(self, before: str, operator: str) -> Pair | None:
        """The node that made an input, where both are of some operators of the standard."""
        if not self.is_a(operator):
            return None
        for place, name in enumerate(self.node.inputs):
            made = maker(self.frame, name)
            if made is not None and made.operator == before and not made.domain:
                return Pair(made, self.taken(made), place)
        return None

    def is_of_sizes(self) -> bool:
        """Whether the node computes with what follows from a Shape or a Size."""
        return self.is_a("Shape", "Size") or any(
            follows_from_sizes(self.frame, name, set()) for name in self.node.inputs
        )

    def apply(self, operator: str, *values: Value | None, **attributes: Any) -> Value | None:  # noqa: ANN401  any attribute
        """The first output of an operator of the standard."""
        from onnx_conformance.generators.interpreter.model import Attribute, Node

        kinds = {int: "int", float: "float", tuple: "ints"}
        given = tuple(
            Attribute(name, kinds[type(value)], value) for name, value in attributes.items()
        )
        names = tuple(f"in_{index}" for index in range(len(values)))
        node = Node("", operator, "", names, ("out",), given)
        return self.right(node=node, values=values)[0]

    def overwrite(self, name: str, value: Value | None) -> None:
        """Put a value in the place of another, in whatever scope that is."""
        scope: Scope | None = self.frame.scope
        while scope is not None:
            if name in scope.values:
                scope.values[name] = value
                return
            scope = scope.outer


@dataclass(frozen=True)
class NodesStep(Step[None]):
    """The nodes of a graph or function, in order."""

    method: ClassVar[str] = "run_nodes"
    nodes: Sequence[Node]
    frame: Frame

    def right(self, nodes: Sequence[Node] | None = None) -> None:
        """Run nodes as a correct runtime does."""
        self.original(self.nodes if nodes is None else nodes, self.frame)


@dataclass(frozen=True)
class KeepStep(Step[None]):
    """The outputs of a node go to the names that it gives them."""

    method: ClassVar[str] = "keep"
    node: Node
    results: Values
    scope: Scope

    def right(self, node: Node | None = None) -> None:
        """Keep them under their names."""
        self.original(node or self.node, self.results, self.scope)


@dataclass(frozen=True)
class VersionStep(Step["Signature"]):
    """The operator version that a node means."""

    method: ClassVar[str] = "signature"
    node: Node
    imports: Mapping[str, int]

    @property
    def opset(self) -> int:
        """The opset of the node's domain."""
        return self.imports.get(self.node.domain, 0)

    @property
    def versions(self) -> Sequence[Signature]:
        """All versions of the operator, the newest last."""
        return self.session.signatures.versions(self.node.domain, self.node.operator)

    def right(self, opset: int | None = None) -> Signature:
        """The version, perhaps of another opset."""
        changed = {} if opset is None else {self.node.domain: opset}
        return self.original(self.node, {**self.imports, **changed})


@dataclass(frozen=True)
class AttributesStep(Step["tuple[Attribute, ...]"]):
    """The attributes of a node, those of the function around it in the place of references."""

    method: ClassVar[str] = "resolved"
    node: Node
    frame: Frame

    def right(self, node: Node | None = None) -> tuple[Attribute, ...]:
        """The attributes."""
        return self.original(node or self.node, self.frame)


@dataclass(frozen=True)
class FunctionStep(Step["Values"]):
    """A call of a function: its outputs."""

    method: ClassVar[str] = "call_function"
    function: Function
    attributes: Sequence[Attribute]
    values: Values

    def right(
        self,
        *,
        function: Function | None = None,
        attributes: Sequence[Attribute] | None = None,
        values: Values | None = None,
    ) -> Values:
        """The outputs that a correct runtime gives."""
        return self.original(
            function or self.function,
            self.attributes if attributes is None else attributes,
            self.values if values is None else values,
        )


@dataclass(frozen=True)
class SubgraphStep(Step["tuple[Value, ...]"]):
    """A run of a subgraph: its outputs."""

    method: ClassVar[str] = "run_subgraph"
    graph: Graph
    frame: Frame
    values: Sequence[Value]

    def right(self, *, graph: Graph | None = None, frame: Frame | None = None) -> tuple[Value, ...]:
        """The outputs that a correct runtime gives."""
        return self.original(graph or self.graph, frame or self.frame, self.values)


@dataclass(frozen=True)
class DeclaredStep(Step[None]):
    """A value is checked against what the model declares of it."""

    method: ClassVar[str] = "check_declared"
    item: Declaration
    value: Value
    what: str

    def right(self) -> None:
        """RefusedError where it is not as declared."""
        self.original(self.item, self.value, self.what)


@dataclass(frozen=True)
class RuleStep(Step[None]):
    """A rule of validity is broken; `session` is what found it, before a run or in one."""

    method: ClassVar[str] = "refuse"
    session: Any
    rule: str
    message: str

    def right(self) -> None:
        """Raise RefusedError."""
        self.original(self.rule, self.message)


def session_with(wrong: Mapping[type[Step[Any]], Callable[..., Any]]) -> type[Session]:
    """The interpreter with some steps replaced."""
    return type("Wrong", (Remembering,), _methods(Session, wrong))


def checker_with(wrong: Mapping[type[Step[Any]], Callable[..., Any]]) -> type[Checker]:
    """What checks a model, with the same rules replaced as in a run."""
    rules: dict[type[Step[Any]], Callable[..., Any]] = {
        kind: item for kind, item in wrong.items() if kind is RuleStep
    }
    return type("WrongChecker", (Checker,), _methods(Checker, rules)) if rules else Checker


def _methods(base: type, wrong: Mapping[type[Step[Any]], Callable[..., Any]]) -> dict[str, Any]:
    def method(kind: type[Step[Any]], replaced: Callable[..., Any]) -> Callable[..., Any]:
        original = getattr(base, kind.method)

        def step(session: Any, *given: Any) -> Any:  # noqa: ANN401  what the method is given
            return replaced(kind(session, partial(original, session), *given))

        return step

    return {kind.method: method(kind, item) for kind, item in wrong.items()}
