"""The part of a graph that a Gradient node refers to, as a program that its oracle can inspect.

Source: the page of Gradient, Attributes: `xs` and `zs` are independent, `y` depends on them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Protocol

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import Tensor

from ..oracle.registry import CallAttribute
from ..oracle.subgraph import Program, Step
from ..signatures.model import Signature
from .model import Attribute, Node
from .outcomes import RefusedError
from .scopes import Frame
from .validity.binding import with_defaults

GRADIENT = ("ai.onnx.preview.training", "Gradient")
#: The attribute in which the oracle of Gradient finds its program.
PROGRAM = "program"


class Resolver(Protocol):
    """An object that knows the model around a node: a session."""

    @property
    def fed(self) -> frozenset[str]:
        """The names of the graph's inputs that have no initializer."""

    def signature(self, node: Node, imports: Mapping[str, int]) -> Signature:
        """The operator version that a node means."""

    def content(self, attribute: Attribute, frame: Frame) -> CallAttribute:
        """The value of an attribute in the form that an oracle gets."""


def program_of(session: Resolver, node: Node, nodes: Sequence[Node], frame: Frame) -> Program:
    """The steps from the names of `xs` and `zs` to that of `y`, among the nodes before `node`.

    RefusedError if `y` is not a name of the graph, if a name is not independent of the others, and
    if other values are needed too: all of this can be seen in the model.
    """
    texts = {item.name: item.value for item in node.attributes}
    xs = _names(texts.get("xs"))
    independent = xs + _names(texts.get("zs"))
    (target, *_) = _names(texts.get("y")) or ("",)
    _check_counts(node, xs, independent, frame)
    made = {name: place for place, item in enumerate(nodes) for name in item.outputs if name}
    here = next(place for place, item in enumerate(nodes) if item is node)
    if len(set(independent)) < len(independent):
        raise RefusedError("Gradient: a name stands twice in xs and zs")
    for name in independent:
        others = _needed(name, nodes, made, frozenset(independent) - {name})[1]
        if others & (set(independent) - {name}):
            raise RefusedError(f"Gradient: '{name}' follows from others of xs and zs")
    known = set(made) | frame.scope.names()
    for name in (*independent, target):
        if name not in known:
            raise RefusedError(f"Gradient: '{name}' is no name of the graph")
    places, leaves = _needed(target, nodes, made, frozenset(independent))
    if any(place >= here for place in places):
        raise RefusedError(f"Gradient: '{target}' is made by a node that comes later")
    constants = []
    for name in sorted(leaves - set(independent)):
        if name in session.fed:
            raise RefusedError(f"Gradient: '{target}' needs '{name}', which is not in xs or zs")
        value = frame.scope.value(name)
        if isinstance(value, Tensor):
            constants.append((name, value))
    steps = (_step(session, nodes[place], nodes, frame) for place in sorted(places))
    return Program(tuple(steps), tuple(constants))


def _check_counts(node: Node, xs: Sequence[str], independent: Sequence[str], frame: Frame) -> None:
    """RefusedError unless there is an input for each name, and each of `xs` is a float."""
    if len(node.inputs) != len(independent):
        raise RefusedError(f"Gradient: {len(node.inputs)} inputs for {len(independent)} names")
    if len(node.outputs) > len(xs):
        raise RefusedError(f"Gradient: {len(node.outputs)} outputs for {len(xs)} names in xs")
    for name, taken in zip(xs, node.inputs, strict=False):
        value = frame.scope.value(taken)
        if isinstance(value, Tensor) and element_type(value.type).kind != "float":
            raise RefusedError(f"Gradient: '{name}' is {value.type}, which has no derivative")


def _needed(
    target: str, nodes: Sequence[Node], made: dict[str, int], stops: AbstractSet[str]
) -> tuple[set[int], set[str]]:
    """The places of the nodes that a value needs, and the names at which the search stops."""
    places: set[int] = set()
    leaves: set[str] = set()
    waiting = [target]
    while waiting:
        name = waiting.pop()
        if name in stops or name not in made:
            leaves.add(name)
        elif made[name] not in places:
            places.add(made[name])
            waiting += [item for item in nodes[made[name]].inputs if item]
    return places, leaves


def _step(session: Resolver, node: Node, nodes: Sequence[Node], frame: Frame) -> Step:
    signature = session.signature(node, frame.imports)
    attributes = with_defaults(
        signature, {item.name: session.content(item, frame) for item in node.attributes}
    )
    if (node.domain, node.operator) == GRADIENT:
        attributes[PROGRAM] = program_of(session, node, nodes, frame)
    return Step(
        node.operator,
        node.domain,
        signature.since_version,
        node.inputs,
        node.outputs,
        tuple(attributes.items()),
        tuple(item.name for item in signature.inputs),
    )


def _names(value: object) -> list[str]:
    """One name or several, as text."""
    items = value if isinstance(value, tuple) else () if value is None else (value,)
    return [item.decode() if isinstance(item, bytes) else str(item) for item in items]
