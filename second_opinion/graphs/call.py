"""One node about to be evaluated: its inputs, its attributes, and what it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..values.tensors import Arr, CannotAnswerError

Body = Callable[[Sequence[Any]], list[Any]]


@dataclass(frozen=True)
class Call:
    """What an evaluator is given.

    Attributes:
        operator, version: which operator, and the version that the model's opset stands for.
        inputs: None for one that is left out.
        attributes: those of the node, and the defaults of the schema.
        outputs: names of the outputs, empty for one that is left out.
        bodies: what runs each graph among the attributes.
        explicit: names of the attributes that the node itself has.
    """

    operator: str
    version: int
    inputs: tuple[Any, ...]
    attributes: Mapping[str, Any]
    outputs: tuple[str, ...] = ("",)
    bodies: Mapping[str, Body] = field(default_factory=dict)
    explicit: frozenset[str] = frozenset()

    def has(self, place: int) -> bool:
        """Whether an input is there."""
        return place < len(self.inputs) and self.inputs[place] is not None

    def raw(self, place: int) -> Any:  # noqa: ANN401  a tensor, a sequence, a map
        """An input that is there, of any kind."""
        if not self.has(place):
            raise CannotAnswerError(f"{self.operator} is not given input {place}")
        return self.inputs[place]

    def arr(self, place: int) -> Arr:
        """An input that is a tensor."""
        value = self.raw(place)
        if not isinstance(value, Arr):
            raise CannotAnswerError(f"input {place} of {self.operator} is no tensor")
        return value

    def opt(self, place: int) -> Arr | None:
        """An input that is a tensor, or None."""
        return self.arr(place) if self.has(place) else None

    def data(self, place: int) -> Any:  # noqa: ANN401  an array
        """The elements of an input."""
        return self.arr(place).data

    def attr(self, name: str, default: Any = None) -> Any:  # noqa: ANN401  what it holds
        """An attribute: of the node, else the default of the schema, else what is given here."""
        return self.attributes.get(name, default)

    @property
    def type(self) -> str:
        """The element type of the first input."""
        return self.arr(0).type
