"""The cutter that is installed with this package: see `core.models.cutting`."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.models.cutting import CutReport, ExpectedNode
from onnx_conformance.core.models.inferring import without_weights
from onnx_conformance.core.models.uses import use_of
from onnx_conformance.core.models.walking import GRAPH, nodes_of
from onnx_conformance.core.values.tensors import Tensor

from .constants import Constants
from .cutting import WORK, Options, captured, cut_model, deadline
from .feeding import read_inputs
from .making import cut_vector
from .questions import NotCutError, answered, question_of
from .sampling.asking import Sampling, sampled_answer
from .shapes import with_shapes
from .values import Values
from .work import work_of
from .writing import write_cut

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from onnx_conformance.core.models.listing import ModelUses
    from onnx_conformance.core.models.walking import SeenNode
    from onnx_conformance.core.values.tensors import Value

# A node of the whole model may take as long as a vector of its own.
_NODE_SECONDS = 20.0
# What the elements that are sampled of a large node may take together; WORK is about a second.
_SAMPLED = 15_000


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

    def expected(
        self, model: ModelUses, values: Mapping[str, Value], seconds: float
    ) -> Iterator[ExpectedNode]:
        """As `core.models.cutting.Cutter` says."""
        proto = model.opened.proto
        typed = without_weights(proto) if proto.functions else model.typed
        constants = Constants(model.opened, typed)
        known = Values(typed, constants, values, model.imports, model.opened.digest)
        over = time.monotonic() + seconds
        for node in nodes_of(typed):
            if node.form != GRAPH:
                continue
            names = tuple(name for name in node.proto.output if name)
            files, reason = None, "the time for the model as a whole is over"
            if time.monotonic() < over:
                try:
                    files, reason = _files(model, node, known), ""
                except NotCutError as error:
                    reason = str(error)
            yield ExpectedNode(node.where, node.proto.op_type, names, files, reason)


def _files(model: ModelUses, node: SeenNode, known: Values) -> Mapping[str, bytes]:
    """The files of the vector of a node with values that the model had; NotCutError says why not.

    Nothing is drawn: a value that is not known leaves its nodes without an answer.
    """
    if node.called:
        raise NotCutError("it calls a function of the model")
    use = use_of(node)
    if not use.since_version:
        raise NotCutError("ONNX has no document of it")

    def given(name: str) -> tuple[Value, bool]:
        value = known.computed(name)
        if value is None:
            raise NotCutError("a value that it takes was not asked for, or not returned")
        return value, known.stored(name)

    inputs = [given(name) if name else None for name in node.proto.input]
    shapes = [item[0].shape if item and isinstance(item[0], Tensor) else None for item in inputs]
    outputs = [shape for name in node.proto.output if (shape := known.shape(name)) is not None]
    outer = {name: given(name) for name in captured(node.proto)}
    imports, ir_version = model.imports, model.opened.proto.ir_version
    values = [item or (None, False) for item in inputs]
    digest = model.opened.digest
    compared: dict[str, tuple[int, ...]] = {}
    with deadline(_NODE_SECONDS):
        if work_of(node.proto, shapes, outputs) <= WORK:
            found = answered(question_of(node.proto, values, outer, imports, ir_version))
        else:
            sampling = Sampling(imports, ir_version, _SAMPLED, f"{digest}/{node.where}")
            found, compared = sampled_answer(node.proto, values, sampling)
    vector = cut_vector(
        found,
        use,
        node.where,
        shapes="own",
        values="fed",
        model=digest,
        compared=compared,
    )
    return vector.files


def installed_cutter() -> InstalledCutter:
    """The cutter; nothing is read before it is used."""
    return InstalledCutter()
