"""What each value of a model is: stored, fed, computed where that is cheap, or else drawn."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.models.values import Known, values_of
from onnx_conformance.core.models.walking import SeenNode
from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import Tensor, Value

from ..interpreter.outcomes import NoOracleError, RefusedError
from .constants import Constants
from .drawing import drawn, positions
from .questions import NotCutError, answered, question_of
from .work import work_of

if TYPE_CHECKING:
    import onnx


# Values that shapes and indices are made of: they are computed wherever they can be.
_CHEAP = 4096
# Elements that are drawn for a value: larger ones take more memory than a vector is worth.
_MOST_DRAWN = 1 << 24
_MASK = "mask"
# Whole numbers that are computed may be anything from indices to accumulators.
_WHOLE = frozenset({"int16", "uint16", "int32", "uint32", "int64", "uint64"})
# Work for one such node, and for all of a model together.
_AFFORDABLE, _IN_ALL = 50_000, 500_000


class Values:
    """The values of the main graph of a model, by name."""

    def __init__(
        self,
        model: onnx.ModelProto,
        constants: Constants,
        fed: Mapping[str, Value],
        imports: Mapping[str, int],
        seed: str,
    ) -> None:
        """Begin with what is stored and fed.

        Args:
            model: with shapes, see `shapes.with_shapes`.
            constants: what the model stores.
            fed: values of graph inputs, or of any others.
            imports: the opset of each domain.
            seed: of what is drawn.
        """
        self._known = values_of(model.graph)
        self._constants = constants
        self._values: dict[str, Value] = dict(fed)
        self._imports = imports
        self._ir_version = model.ir_version
        self._seed = seed
        self._inputs = {item.name for item in model.graph.input}
        self._left = _IN_ALL
        self.drawn: set[str] = set()

    def learn(self, node: SeenNode) -> None:
        """Take in what is known of a node's inputs, which may be names of a subgraph."""
        for name, known in zip(node.proto.input, node.inputs, strict=True):
            if name and known is not None:
                self._known.setdefault(name, known)

    def stored(self, name: str) -> bool:
        """Whether the model itself has the value."""
        return name not in self._values and self._constants.has(name)

    def shape(self, name: str) -> tuple[int, ...] | None:
        """The dimensions of a tensor; None if they are not known."""
        value = self._values.get(name)
        if isinstance(value, Tensor):
            return value.shape
        if self._constants.has(name):
            return self._constants.shape(name)
        shape = self._known.get(name, Known()).shape
        if shape is None:
            return None
        sizes = tuple(item for item in shape if isinstance(item, int))
        return sizes if len(sizes) == len(shape) else None

    def shapes(self, node: onnx.NodeProto) -> list[tuple[int, ...] | None]:
        """The dimensions of a node's inputs; None for one that is absent or not known."""
        return [self.shape(name) if name else None for name in node.input]

    def work(
        self, node: onnx.NodeProto, inputs: Sequence[tuple[int, ...] | None] | None = None
    ) -> int:
        """What the oracle has to do for a node with its own shapes, or with other ones."""
        own = self.shapes(node)
        if inputs is not None and list(inputs) != own:
            return work_of(node, inputs, [])
        outputs = [shape for name in node.output if (shape := self.shape(name)) is not None]
        return work_of(node, own, outputs)

    def given(self, name: str) -> tuple[Value | None, bool]:
        """The value of an input, and whether the model itself has it; '' is an absent one."""
        return (self.value(name), self.stored(name)) if name else (None, False)

    def type(self, name: str) -> str:
        """The type of a value in words."""
        value = self._values.get(name)
        return value.type if isinstance(value, Tensor) else self._known.get(name, Known()).type

    def computed(self, name: str) -> Value | None:
        """A value that is stored, fed or computed, and not drawn; None if it is none of these."""
        if name in self._values:
            return None if name in self.drawn else self._values[name]
        return self._constants.value(name)

    def value(self, name: str) -> Value:
        """The value; one that is not known is drawn. NotCutError if not even its shape is known."""
        if name in self._values:
            return self._values[name]
        found = self._constants.value(name)
        if found is not None:
            return found
        shape, word = self.shape(name), self.type(name)
        if shape is None:
            raise NotCutError(
                f"the shape of '{name}' is known only when the model runs: feed it with --inputs"
            )
        if math.prod(shape) > _MOST_DRAWN:
            raise NotCutError(f"'{name}' has {math.prod(shape):,} elements, too many to draw")
        self._values[name] = self._drawn(name, word, shape)
        self.drawn.add(name)
        return self._values[name]

    def _drawn(self, name: str, word: str, shape: tuple[int, ...]) -> Tensor:
        try:
            kind = element_type(word).kind
        except BadInputError:
            raise NotCutError(f"the type of '{name}' is unknown, or no tensor's") from None
        if word in _WHOLE and name not in self._inputs:
            raise NotCutError(
                f"'{name}' are whole numbers that other nodes compute: drawn ones would mean"
                " nothing; feed the model with --inputs"
            )
        if kind in ("int", "uint") and _MASK in name.lower():
            return positions(shape, word, 2, f"{self._seed}/{name}")
        return drawn(word, shape, f"{self._seed}/{name}")

    def advance(self, node: onnx.NodeProto) -> None:
        """Compute the outputs of a node where others may need them and it takes little.

        That is where they are shapes or indices, few and computed from what is known, and where
        nothing but computing tells their shape, or whole numbers that cannot be drawn.
        """
        if any(name in self._values for name in node.output if name):
            return
        try:
            self._advance(node)
        except (NotCutError, BadInputError, RefusedError, NoOracleError):
            return  # a node that needs them says that they are not known

    def _advance(self, node: onnx.NodeProto) -> None:
        names = [name for name in node.input if name]
        if node.op_type in ("Shape", "Size") and not node.domain:
            shape = self.shape(node.input[0])
            if shape is None or math.prod(shape) > _MOST_DRAWN:
                return
            values: list[Value | None] = [Tensor("bool", shape, bytes(math.prod(shape)))]
            most = _CHEAP
        else:
            known = all(self.computed(name) is not None or name in self._inputs for name in names)
            if not known and not self._needed(node):
                return
            values = [self.given(name)[0] for name in node.input]
            most = self._left if self._needed(node) else _CHEAP
        work = self.work(node)
        if work <= min(most, _AFFORDABLE):
            self._left -= work
            self._compute(node, values)

    def _needed(self, node: onnx.NodeProto) -> bool:
        """Whether an output cannot be drawn: its shape is unknown, or it holds whole numbers."""
        return any(
            self.shape(name) is None or self.type(name) in _WHOLE for name in node.output if name
        )

    def _compute(self, node: onnx.NodeProto, values: Sequence[Value | None]) -> None:
        """Compute the outputs of a node from its inputs, and keep them."""
        question = question_of(
            node, [(item, False) for item in values], {}, self._imports, self._ir_version
        )
        names = [name for name in node.output if name]
        for name, output in zip(names, answered(question).outputs, strict=True):
            if name not in self._values or name in self.drawn:
                self._values[name] = output.value
                self.drawn.discard(name)
