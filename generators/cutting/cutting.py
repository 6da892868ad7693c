"""Cuts a model: a vector for each of its uses, or the reason why there is none."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.families import family_of
from onnx_conformance.core.models.attributes import graphs_in
from onnx_conformance.core.models.schemas import newest_opset
from onnx_conformance.core.models.uses import Use, use_of
from onnx_conformance.core.models.walking import SeenNode, names_from_around, nodes_of
from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import Tensor, Value

from ..situations.permitting.deadlines import OutOfTimeError
from ..situations.permitting.deadlines import deadline as processor_deadline
from .constants import Constants
from .drawing import SPECIAL_TYPES, drawn, positions, positive
from .making import CutVector, cut_vector
from .questions import NotCutError, answered, question_of
from .reducing import reduced_shapes
from .sampling.asking import Sampling, sampled_answer
from .sampling.pieces import places, whole
from .shapes import with_shapes
from .values import Values

if TYPE_CHECKING:
    import onnx

    from onnx_conformance.core.models.listing import ModelUses


# About one second of the oracle.
WORK = 50_000
DEADLINE = 20.0
# What a use may take at most, as a multiple of that, if nothing smaller asks the same.
_STRETCHED = 4
# Elements that all inputs of a vector may have of which some elements are compared.
_MOST_SAMPLED = 1 << 22
# Nodes of a use that are tried before it is given up.
_TRIED = 3
_POSITIVE = {("BatchNormalization", 4), ("QuantizeLinear", 1), ("DequantizeLinear", 1)}
_INDEXED = frozenset({"Gather", "GatherElements"})
_SPECIAL_FAMILIES = frozenset({"arithmetic", "functions", "logic", "shape", "movement"})
_SPECIAL_NAMES = frozenset(
    {"Relu", "LeakyRelu", "PRelu", "Sigmoid", "Softplus", "HardSigmoid", "Elu", "Selu", "Cast"}
)


@dataclass(frozen=True)
class Options:
    """How a model is cut.

    Attributes:
        work: units of `work.work_of` that a vector may take.
        deadline: seconds of the processor that the oracle may take for one.
        dimensions: numbers for named dimensions.
        fed: values of graph inputs by name.
    """

    work: int = WORK
    deadline: float = DEADLINE
    dimensions: Mapping[str, int] = field(default_factory=dict)
    fed: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class Cut:
    """What became of a model.

    Attributes:
        vectors: the vectors.
        refused: the uses without one, with the reason.
        remarks: what holds for all of them, a sentence each.
    """

    vectors: tuple[CutVector, ...]
    refused: tuple[tuple[Use, str], ...]
    remarks: tuple[str, ...]


def cut_model(model: ModelUses, options: Options | None = None) -> Cut:
    """A vector for each use of a model, and one with special values where they are safe."""
    return _Cutter(model, options or Options()).cut()


class _Cutter:
    """One model while it is cut."""

    def __init__(self, model: ModelUses, options: Options) -> None:
        self._model = model
        self._options = options
        self._typed, self._reason, self._numbers = with_shapes(
            model.typed, options.dimensions, options.fed
        )
        self._constants = Constants(model.opened, self._typed)
        self._values = Values(
            self._typed,
            self._constants,
            options.fed,
            model.imports,
            model.opened.digest,
        )

    def cut(self) -> Cut:
        """All uses, in the order in which they first occur."""
        for node in self._typed.graph.node:
            self._values.advance(node)
        nodes = _by_use(self._model.typed, self._typed)
        vectors: list[CutVector] = []
        refused: list[tuple[Use, str]] = []
        for found in self._model.found:
            try:
                vectors += self._use(found.use, nodes.get(found.use, found.nodes))
            except NotCutError as error:
                refused.append((found.use, str(error)))
        return Cut(tuple(vectors), tuple(refused), tuple(self._remarks()))

    def _remarks(self) -> Iterator[str]:
        if self._reason is not None:
            yield f"{self._reason}: shapes are unknown"
        if self._numbers:
            shown = ", ".join(f"{name} = {size}" for name, size in self._numbers.items())
            yield f"dynamic dimensions were given sizes: {shown} (--dim NAME=N gives others)"

    def _use(self, use: Use, nodes: Sequence[SeenNode]) -> list[CutVector]:
        """The vectors of a use; NotCutError says why there is none."""
        if not use.since_version:
            foreign = newest_opset(use.domain) is None
            raise NotCutError(
                "ONNX has no document of it" if foreign else "its opset does not have it"
            )
        reasons = []
        for node in nodes[:_TRIED]:
            try:
                return self._node(use, node)
            except NotCutError as error:
                reasons.append(str(error))
        raise NotCutError(reasons[0])

    def _node(self, use: Use, node: SeenNode) -> list[CutVector]:
        self._values.learn(node)
        shapes = self._values.shapes(node.proto)
        for name, shape in zip(node.proto.input, shapes, strict=True):
            if name and shape is None:
                self._values.value(name)  # says why it is not known
        values = "fed" if self._options.fed else "realistic"
        try:
            given, whose = self._sized(node, shapes)
        except NotCutError:
            return [self._sampled(use, node, shapes, values)]
        made = [self._asked(use, node, self._ranged(node, given), whose, values)]
        if whose != "own":
            with suppress(NotCutError):
                made.append(self._sampled(use, node, shapes, values))
        special = self._special(node, given) if values == "realistic" else None
        if special is not None:
            made.append(self._asked(use, node, special, whose, "special"))
        return made

    def _sized(
        self, node: SeenNode, shapes: Sequence[tuple[int, ...] | None]
    ) -> tuple[list[tuple[Value | None, bool]], str]:
        """Inputs as large as the oracle can afford, and whose shapes they have."""
        for work in (self._options.work, _STRETCHED * self._options.work):
            if self._values.work(node.proto, shapes) <= work:
                return self._whole(node), "own"
            found = reduced_shapes(node.proto, shapes, partial(self._affords, node, work))
            if found is not None:
                return self._reduced(node, shapes, found), "reduced"
        raise NotCutError(
            "its own shapes are too much for the oracle, and no rule makes them small enough"
        )

    def _sampled(
        self, use: Use, node: SeenNode, shapes: Sequence[tuple[int, ...] | None], values: str
    ) -> CutVector:
        """A vector with the model's own shapes that compares some elements; NotCutError without."""
        if sum(math.prod(shape) for shape in shapes if shape is not None) > _MOST_SAMPLED:
            raise NotCutError("its own shapes are too much for the oracle, and to be sampled")
        opened = self._model.opened
        given = self._ranged(node, self._whole(node))
        sampling = Sampling(
            self._model.imports,
            opened.proto.ir_version,
            self._options.work,
            f"{opened.digest}/{use.digest}",
        )
        with deadline(self._options.deadline):
            found = sampled_answer(node.proto, given, sampling)
        return cut_vector(
            found.answered,
            use,
            node.where,
            shapes="own",
            values=values,
            model=opened.digest,
            compared=found.compared,
        )

    def _whole(self, node: SeenNode) -> list[tuple[Value | None, bool]]:
        """Inputs with the model's own shapes."""
        return [self._values.given(name) for name in node.proto.input]

    def _affords(self, node: SeenNode, most: int, shapes: Sequence[tuple[int, ...] | None]) -> bool:
        return self._values.work(node.proto, shapes) <= most

    def _reduced(
        self,
        node: SeenNode,
        shapes: Sequence[tuple[int, ...] | None],
        found: Sequence[tuple[int, ...] | None],
    ) -> list[tuple[Value | None, bool]]:
        """Inputs with smaller dimensions: what the model stores is cut, all else is drawn."""
        given: list[tuple[Value | None, bool]] = []
        for name, own, shape in zip(node.proto.input, shapes, found, strict=True):
            if not name or shape is None:
                given.append((None, False))
            elif shape == own:
                given.append(self._values.given(name))
            else:
                given.append(self._smaller(name, shape))
        return given

    def _smaller(self, name: str, shape: tuple[int, ...]) -> tuple[Value, bool]:
        stored = self._constants.value(name) if self._values.stored(name) else None
        if stored is not None:
            return corner(stored, shape), True
        word = self._values.type(name)
        try:
            element_type(word)
        except BadInputError:
            raise NotCutError(f"the type of '{name}' is unknown") from None
        seed = f"{self._model.opened.digest}/{name}/{shape}"
        return drawn(word, shape, seed), self._values.stored(name)

    def _ranged(
        self, node: SeenNode, given: Sequence[tuple[Value | None, bool]]
    ) -> list[tuple[Value | None, bool]]:
        """The inputs, with drawn ones replaced that an operator takes within a range alone."""
        found = list(given)
        for position, (value, stored) in enumerate(given):
            if not isinstance(value, Tensor):
                continue
            name, operator = node.proto.input[position], node.proto.op_type
            own = self._values.computed(name) == value
            seed = f"{self._model.opened.digest}/{name}/ranged"
            if (operator, position) in _POSITIVE and value.type in SPECIAL_TYPES and not own:
                found[position] = positive(value.type, value.shape, seed), stored
            elif operator in _INDEXED and position == 1:
                below = _size_along_axis(node.proto, given[0][0])
                # The model's own indices may lie outside data that were made smaller.
                if below and not (own and _within(value, below)):
                    found[position] = positions(value.shape, value.type, below, seed), stored
        return found

    def _special(
        self, node: SeenNode, given: Sequence[tuple[Value | None, bool]]
    ) -> list[tuple[Value | None, bool]] | None:
        """The inputs with special numbers among those that are fed; None where that proves nothing.

        Sums and products of rows are left out: an algorithm may take them apart, and infinities
        then meet that do not meet in the formula.
        """
        name = node.proto.op_type
        if family_of(name) not in _SPECIAL_FAMILIES and name not in _SPECIAL_NAMES:
            return None
        found: list[tuple[Value | None, bool]] = []
        changed = False
        for position, (value, stored) in enumerate(given):
            if isinstance(value, Tensor) and not stored and value.type in SPECIAL_TYPES:
                seed = f"{self._model.opened.digest}/{node.proto.input[position]}/special"
                found.append((drawn(value.type, value.shape, seed, special=True), stored))
                changed = True
            else:
                found.append((value, stored))
        return found if changed else None

    def _asked(
        self,
        use: Use,
        node: SeenNode,
        given: Sequence[tuple[Value | None, bool]],
        shapes: str,
        values: str,
    ) -> CutVector:
        opened = self._model.opened
        outer = {
            name: (self._values.value(name), self._values.stored(name))
            for name in captured(node.proto)
        }
        question = question_of(
            node.proto, given, outer, self._model.imports, opened.proto.ir_version
        )
        with deadline(self._options.deadline):
            found = answered(question)
        return cut_vector(found, use, node.where, shapes=shapes, values=values, model=opened.digest)


def _by_use(listed: onnx.ModelProto, typed: onnx.ModelProto) -> dict[Use, list[SeenNode]]:
    """The nodes of each use as the model has them with shapes: the same nodes, in the same order.

    What is known of shapes is no part of how the uses are told apart: their ids stay the same.
    """
    found: dict[Use, list[SeenNode]] = {}
    for one, other in zip(nodes_of(listed), nodes_of(typed), strict=False):
        if not one.called and one.proto.op_type == other.proto.op_type:
            found.setdefault(use_of(one), []).append(other)
    return found


def captured(node: onnx.NodeProto) -> list[str]:
    """The names that the subgraphs of a node take from around it, in order."""
    graphs = (graph for item in node.attribute for graph in graphs_in(item))
    return list(dict.fromkeys(name for graph in graphs for name in names_from_around(graph)))


def _size_along_axis(node: onnx.NodeProto, data: Value | None) -> int:
    """How many positions an operator that gathers can take along its axis; 0 if none."""
    axis = next((item.i for item in node.attribute if item.name == "axis"), 0)
    if not isinstance(data, Tensor) or not -len(data.shape) <= axis < len(data.shape):
        return 0
    return data.shape[axis]


def _within(indices: Tensor, below: int) -> bool:
    """Whether all indices lie within a size; negative ones count from its end."""
    from ..oracle.arith.grid import grid_of

    return all(-below <= item < below for item in grid_of(indices).items)


def corner(tensor: Tensor, shape: tuple[int, ...]) -> Tensor:
    """The first elements of a tensor along each axis."""
    from ..oracle.arith.grid import grid_of, tensor_of

    first = [place for _, place in places(whole(shape), tensor.shape)]
    return tensor_of(grid_of(tensor).take(first, shape))


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """NotCutError after seconds of the processor, so that a busy machine cuts the same vectors."""
    try:
        with processor_deadline(seconds):
            yield
    except OutOfTimeError:
        raise NotCutError(f"the oracle takes more than {seconds:g} seconds for it") from None
