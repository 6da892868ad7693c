"""Graphs grown node by node: what an optimizer looks for, and what it must not take for it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import NamedValue, Tensor

from ...oracle.arith.grid import tensor_of_numbers
from ...oracle.arith.numbers import Number
from ...oracle.arith.rationals import Fraction
from .answering import InexactError, answered
from .model import DrawnGraph, DrawnNode

if TYPE_CHECKING:
    import random


_TYPES = ("float32",) * 6 + (
    "float16",
    "float64",
    "float64",
    "int32",
    "int64",
    "int64",
    "uint8",
    "int8",
)


class Growing:
    """A graph that grows.

    Attributes:
        chance: where all is drawn from.
        opset: of the default domain.
        known: the values so far, by name.
        open: names of values that may be read on, the newest last.
    """

    def __init__(self, opset: int, chance: random.Random) -> None:
        """Start with one fed value."""
        self.chance = chance
        self.opset = opset
        self.known: dict[str, Tensor] = {}
        self.feeds: list[NamedValue] = []
        self.constants: list[NamedValue] = []
        self.nodes: list[DrawnNode] = []
        self.open: list[str] = []
        self.motifs: list[str] = []
        self.read: set[str] = set()
        kind = chance.choice(_TYPES)
        rank = chance.choice((1, 2, 2, 3, 4, 4))
        self.feed(kind, tuple(chance.choice((1, 2, 2, 3, 4)) for _ in range(rank)))

    # --- values ---

    def tensor(self, kind: str, shape: tuple[int, ...], numbers: Sequence[float] = ()) -> Tensor:
        """Small whole numbers and halves, or one of some numbers at each place."""
        count = math.prod(shape)
        if element_type(kind).kind == "bool":
            return tensor_of_numbers(
                kind, shape, [self.chance.random() < 0.5 for _ in range(count)]
            )
        unsigned = element_type(kind).kind == "uint"
        floats = element_type(kind).kind == "float"
        found: list[Number] = []
        for _ in range(count):
            if numbers:
                value = Fraction(self.chance.choice(numbers))
            else:
                value = Fraction(self.chance.randint(-6, 6), 2 if floats else 1)
            found.append(
                (abs(value) if unsigned else value)
                if floats
                else int(abs(value) if unsigned else value)
            )
        return tensor_of_numbers(kind, shape, found)

    def feed(self, kind: str, shape: tuple[int, ...]) -> str:
        """A value that is fed."""
        name, tensor = f"x{len(self.feeds)}", self.tensor(kind, shape)
        self.feeds.append(NamedValue(name, tensor))
        self.known[name] = tensor
        self.open.append(name)
        return name

    def constant(self, tensor: Tensor) -> str:
        """A stored value: mostly an initializer, sometimes fed."""
        name = f"c{len(self.constants) + len(self.feeds)}_{len(self.nodes)}"
        (self.feeds if self.chance.random() < 0.12 else self.constants).append(
            NamedValue(name, tensor)
        )
        self.known[name] = tensor
        return name

    def ints(self, *values: int) -> str:
        """A stored list of int64."""
        return self.constant(tensor_of_numbers("int64", (len(values),), list(values)))

    # --- nodes ---

    def node(self, operator: str, *inputs: str, outputs: int = 1, **attributes: Any) -> str:  # noqa: ANN401
        """A node whose result is exact, or InexactError; the name of its first output."""
        given = [self.known[name] if name else None for name in inputs]
        made = answered(operator, self.opset, attributes, given, outputs)
        names = tuple(f"v{len(self.nodes)}_{index}" for index in range(outputs))
        for name, tensor in zip(names, made, strict=True):
            if not tensor.element_count or not _is_small(tensor):
                raise InexactError("it grows too large, or is empty")
            self.known[name] = tensor
        self.read.update(inputs)
        self.nodes.append(DrawnNode(operator, inputs, names, tuple(attributes.items())))
        self.open += names
        return names[0]

    def here(self) -> str:
        """A value to go on with: mostly the newest."""
        return self.open[-1] if self.chance.random() < 0.75 else self.chance.choice(self.open)

    def finished(self) -> DrawnGraph:
        """The graph: its outputs are what nobody reads, and now and then something that is read."""
        made = [name for node in self.nodes for name in node.outputs]
        outputs = [name for name in made if name not in self.read]
        outputs += [name for name in made if name in self.read and self.chance.random() < 0.12]
        used = {name for node in self.nodes for name in node.inputs}
        return DrawnGraph(
            self.opset,
            tuple(item for item in self.feeds if item.name in used),
            tuple(item for item in self.constants if item.name in used),
            tuple(self.nodes),
            tuple(outputs),
            tuple(dict.fromkeys(self.motifs)),
        )


def _is_small(tensor: Tensor) -> bool:
    """Whether products and sums of such numbers stay exact in float16: below 64, in quarters."""
    from ...oracle.arith.grid import grid_of
    from ...oracle.arith.numbers import fraction

    kind = element_type(tensor.type).kind
    if kind in ("bool", "string"):
        return True
    most = 64 if tensor.type == "float16" else 2048
    return all(
        abs(fraction(item)) <= most and fraction(item).denominator <= 64
        for item in grid_of(tensor).items
    )
