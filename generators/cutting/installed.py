"""The cutter that is installed with this package: see `core.models.cutting`."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.models.cutting import CutReport, ExpectedNode, Interpreted
from onnx_conformance.core.models.inferring import without_weights
from onnx_conformance.core.models.uses import use_of
from onnx_conformance.core.models.walking import GRAPH, SeenNode, nodes_of
from onnx_conformance.core.text import one_line
from onnx_conformance.core.values.tensors import Value

from ..interpreter import run_model
from ..interpreter.outcomes import NoOracleError, RefusedError
from .constants import Constants
from .cutting import WORK, Options, captured, cut_model, deadline
from .feeding import read_inputs
from .making import CutVector, cut_vector
from .questions import NotCutError, answered, question_of
from .sampling.asking import SampledAnswer, Sampling, sampled_answer
from .shapes import with_shapes
from .values import Values
from .writing import write_cut

if TYPE_CHECKING:
    import onnx

    from onnx_conformance.core.models.listing import ModelUses


# A node of the whole model may take as long as a vector of its own.
_NODE_SECONDS = 20.0
# What the elements that are sampled of a large node may take together; WORK is about a second.
_SAMPLED = 15_000
# What all nodes may take together: by their sizes, so that each machine judges the same nodes. The
# processor's seconds end it where a machine is far slower than was thought.
_IN_ALL, _SECONDS = 90 * WORK, 900.0
# What a model may take that is run on the oracles as a whole.
_WHOLE, _WHOLE_SECONDS = 20 * WORK, 120.0


@dataclass(frozen=True)
class InstalledCutter:
    """Cuts models with the specs and oracles of this package."""

    def cut(
        self, model: ModelUses, output: Path, dimensions: Mapping[str, int], inputs: Path | None
    ) -> CutReport:
        """As `core.models.cutting.Cutter` says."""
        fed = {} if inputs is None else read_inputs(inputs, model.opened.proto)
        cut = cut_model(model, Options(dimensions=dimensions, fed=fed))
        if cut.vectors:
            write_cut(cut.vectors, model.opened.digest, output)
        return CutReport(
            len(cut.vectors),
            {use.digest: reason for use, reason in cut.refused},
            frozenset(item.use.digest for item in cut.vectors if item.shapes == "reduced"),
            frozenset(item.use.digest for item in cut.vectors if item.vector.compared),
            cut.remarks,
        )

    def inputs(
        self, model: ModelUses, dimensions: Mapping[str, int], inputs: Path | None
    ) -> dict[str, Value]:
        """As `core.models.cutting.Cutter` says."""
        proto = model.opened.proto
        if inputs is not None:
            return read_inputs(inputs, proto)
        typed, _, _ = with_shapes(model.typed, dimensions, {})
        constants = Constants(model.opened, typed)
        values = Values(typed, constants, {}, model.imports, model.opened.digest)
        stored = {item.name for item in proto.graph.initializer}
        try:
            return {
                item.name: values.value(item.name)
                for item in proto.graph.input
                if item.name not in stored
            }
        except NotCutError as error:
            raise BadInputError(f"{model.opened.path}: {error}") from None

    def expected(self, model: ModelUses, values: Mapping[str, Value]) -> Iterator[ExpectedNode]:
        """As `core.models.cutting.Cutter` says."""
        typed, known = _known(model, values)
        over = time.process_time() + _SECONDS
        left = _IN_ALL
        for node in nodes_of(typed):
            if node.form != GRAPH:
                continue
            names = tuple(name for name in node.proto.output if name)
            files, is_sampled = None, False
            if left <= 0 or time.process_time() > over:
                reason = "the oracle's work for the model as a whole is done"
            else:
                try:
                    (vector, spent), reason = _vector(model, node, known), ""
                    files, is_sampled = vector.files, bool(vector.vector.compared)
                    left -= spent
                except NotCutError as error:
                    reason = str(error)
            yield ExpectedNode(node.where, node.proto.op_type, names, files, reason, is_sampled)

    def interpreted(
        self, model: ModelUses, fed: Mapping[str, Value], values: Mapping[str, Value]
    ) -> Interpreted:
        """As `core.models.cutting.Cutter` says."""
        if model.opened.remarks:
            return Interpreted(None, model.opened.remarks[0])
        typed, known = _known(model, values)
        try:
            work = sum(_work(node, known) for node in nodes_of(typed) if node.form == GRAPH)
            if work > _WHOLE:
                return Interpreted(None, "the whole of it is too much for the oracles")
            with deadline(_WHOLE_SECONDS):
                folder = model.opened.path.parent
                return Interpreted(run_model(model.opened.proto, fed, folder), "")
        except NotCutError as error:
            return Interpreted(None, str(error))
        except (RefusedError, NoOracleError, BadInputError) as error:
            return Interpreted(None, f"the interpreter does not take it: {error}")


def _known(model: ModelUses, values: Mapping[str, Value]) -> tuple[onnx.ModelProto, Values]:
    """The model with its types, and its values as far as they are known."""
    proto = model.opened.proto
    typed = without_weights(proto) if proto.functions else model.typed
    constants = Constants(model.opened, typed)
    return typed, Values(typed, constants, values, model.imports, model.opened.digest)


def _work(node: SeenNode, known: Values) -> int:
    """What a node takes; NotCutError where the shapes of its inputs are unknown."""
    for name in node.proto.input:
        if name and known.shape(name) is None:
            raise NotCutError(f"the shape of '{one_line(name, 60)}' is not known")
    return known.work(node.proto)


def _vector(model: ModelUses, node: SeenNode, known: Values) -> tuple[CutVector, int]:
    """The vector of a node, and what it took; NotCutError says why there is none.

    Nothing is drawn: a value that is not known leaves its nodes without an answer.
    """
    if node.called:
        raise NotCutError("it calls a function of the model")
    if not use_of(node).since_version:
        raise NotCutError("ONNX has no document of it")

    def given(name: str) -> tuple[Value, bool]:
        value = known.computed(name)
        if value is None:
            raise NotCutError("a value that it takes was not asked for, or not returned")
        return value, known.stored(name)

    inputs: list[tuple[Value | None, bool]] = [
        given(name) if name else (None, False) for name in node.proto.input
    ]
    outer = {name: given(name) for name in captured(node.proto)}
    work = known.work(node.proto)
    imports, ir_version = model.imports, model.opened.proto.ir_version
    digest = model.opened.digest
    with deadline(_NODE_SECONDS):
        if work <= WORK:
            question = question_of(node.proto, inputs, outer, imports, ir_version)
            found = SampledAnswer(answered(question), {}, work)
        else:
            sampling = Sampling(imports, ir_version, _SAMPLED, f"{digest}/{node.where}")
            found = sampled_answer(node.proto, inputs, sampling)
    vector = cut_vector(
        found.answered,
        use_of(node),
        node.where,
        shapes="own",
        values="fed",
        model=digest,
        compared=found.compared,
    )
    return vector, found.work


def installed_cutter() -> InstalledCutter:
    """The cutter; nothing is read before it is used."""
    return InstalledCutter()
