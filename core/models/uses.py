"""The ways in which a model uses operators: nodes that are the same are one use."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ..documents import json_line
from .attributes import in_words, set_attributes
from .schemas import Schema, schema_of
from .values import UNKNOWN_TYPE, Known
from .walking import SeenNode

_DIGITS = 10


@dataclass(frozen=True)
class InputUse:
    """How one input is used.

    Attributes:
        type: in words; `?` if it is unknown, '' if the input is absent.
        rank: of a tensor; None if it is unknown.
        constant: whether the model stores it.
        dynamic: whether a dimension is known only when the model runs.
    """

    type: str
    rank: int | None
    constant: bool
    dynamic: bool

    @property
    def text(self) -> str:
        """A few words: `float32 4D constant`."""
        if not self.type:
            return "absent"
        rank = "" if self.rank is None else f" {self.rank}D"
        flags = " constant" if self.constant else " dynamic" if self.dynamic else ""
        return f"{self.type}{rank}{flags}"


@dataclass(frozen=True)
class Use:
    """One way to use an operator.

    Attributes:
        domain, operator: as in the operator's document.
        since_version: of the operator version; 0 if no document of ONNX's has it.
        types: the type that each type variable is bound to, by name, in order.
        inputs: by position.
        outputs: how many are asked for.
        attributes: those that are not what their absence means, by name, in order.
        form: `graph`, `subgraph` or `function`.
        quantized: its place between nodes that quantize, or ''.
    """

    domain: str
    operator: str
    since_version: int
    types: tuple[tuple[str, str], ...]
    inputs: tuple[InputUse, ...]
    outputs: int
    attributes: tuple[tuple[str, Any], ...]
    form: str
    quantized: str

    @property
    def name(self) -> str:
        """The operator with its domain."""
        return f"{self.domain}.{self.operator}" if self.domain else self.operator

    @property
    def operator_version(self) -> str:
        """As ids of vectors begin: `conv-22`."""
        return f"{self.name}-{self.since_version}".lower()

    @property
    def digest(self) -> str:
        """Tells the use apart from others, in all models."""
        content = json_line(self.to_json())
        return hashlib.sha256(content.encode()).hexdigest()[:_DIGITS]

    @property
    def case(self) -> str:
        """The case in the id of a vector that is cut from a node with this use."""
        return f"use_{self.digest}"

    def to_json(self) -> dict[str, Any]:
        """All of it for JSON."""
        return {
            "domain": self.domain,
            "operator": self.operator,
            "since_version": self.since_version,
            "types": dict(self.types),
            "inputs": [item.text for item in self.inputs],
            "outputs": self.outputs,
            "attributes": {name: _plain(value) for name, value in self.attributes},
            "form": self.form,
            "quantized": self.quantized,
        }

    @property
    def type_words(self) -> str:
        """The element types in a few words: `float32`, `T=uint8 T3=int32`."""
        kinds = dict.fromkeys(word for _, word in self.types)
        if len(kinds) == 1:
            return next(iter(kinds))
        return " ".join(f"{name}={word}" for name, word in self.types)

    @property
    def attribute_words(self) -> str:
        """The attributes that are set."""
        return " ".join(in_words(name, value) for name, value in self.attributes)

    @property
    def input_words(self) -> str:
        """The inputs, the same ones together."""
        return ", ".join(item.text for item in self.inputs)


def _plain(value: Any) -> Any:  # noqa: ANN401  what `attributes.value_of` gives
    """Infinite and undefined numbers, which JSON has not, are written as texts."""
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not abs(value) < float("inf"):
        return repr(value)
    return value


@dataclass
class Found:
    """A use, and the nodes that have it."""

    use: Use
    nodes: list[SeenNode] = field(default_factory=list)

    @property
    def places(self) -> list[str]:
        """The names of the nodes."""
        return [item.where for item in self.nodes]


def uses_of(nodes: Iterable[SeenNode]) -> tuple[Found, ...]:
    """The uses among some nodes, in the order in which they first occur.

    Calls of functions that could not be inlined are no uses: the nodes of the function are.
    """
    found: dict[Use, Found] = {}
    for node in nodes:
        if not node.called:
            use = use_of(node)
            found.setdefault(use, Found(use)).nodes.append(node)
    return tuple(found.values())


def use_of(node: SeenNode) -> Use:
    """How a node uses its operator."""
    schema = schema_of(node.domain, node.proto.op_type, node.opset)
    if schema is not None and schema.deprecated:
        schema = None
    return Use(
        domain=node.domain,
        operator=node.proto.op_type,
        since_version=0 if schema is None else schema.since_version,
        types=types_of(schema, node.inputs, node.outputs),
        inputs=tuple(map(_input, node.inputs)),
        outputs=sum(item is not None for item in node.outputs),
        attributes=set_attributes(node.proto, {} if schema is None else schema.defaults),
        form=node.form,
        quantized=node.quantized,
    )


def _input(known: Known | None) -> InputUse:
    if known is None:
        return InputUse("", None, constant=False, dynamic=False)
    return InputUse(known.type, known.rank, known.constant, known.dynamic)


def types_of(
    schema: Schema | None, inputs: Iterable[Known | None], outputs: Iterable[Known | None]
) -> tuple[tuple[str, str], ...]:
    """The type of each type variable that the known values bind, by name, in order.

    Of an operator without a schema, the types of the inputs by position.
    """
    bound: dict[str, str] = {}
    for is_output, values in ((False, inputs), (True, outputs)):
        for position, known in enumerate(values):
            if known is None or known.type == UNKNOWN_TYPE:
                continue
            if schema is None:
                if not is_output:
                    bound[f"input {position}"] = known.type
                continue
            formal = schema.parameter(is_output, position)
            if formal is not None and formal.type in schema.variables:
                bound.setdefault(formal.type, known.type)
    return tuple(sorted(bound.items()))
