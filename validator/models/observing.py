"""What a backend returns for a whole model: its outputs, and every value between its nodes."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.vector_files import data_sets_of, vector_of
from onnx_conformance.core.corpus.vectors import MODEL_FILE, DataSet
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.limits import MEBIBYTE
from onnx_conformance.core.models.values import UNKNOWN_TYPE, Known, values_of
from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import NamedValue, Value

from ..host.backends import Backend
from ..host.engine import Engine
from ..host.model_files import ModelFiles
from ..host.protocol import Description, run_request
from ..host.requests import Request
from ..host.worker import Settings
from ..judging.verdicts import (
    Accepted,
    Crashed,
    HarnessError,
    Observation,
    Outputs,
    ProtocolBroken,
    Rejected,
    TimedOut,
    Unsupported,
)

if TYPE_CHECKING:
    import onnx

    from onnx_conformance.core.models.listing import ModelUses


# A model is sent as a whole, with weights that it keeps in other files: more is not sent.
LARGEST = 256 * MEBIBYTE
# Elements of a value that is returned: larger ones take more memory than a node is worth.
_MOST_ELEMENTS = 1 << 24
# Of all values that are returned together.
_MOST_TOGETHER = 1 << 27
AS_IT_IS, WITH_ALL = "as it is", "with all values"


@dataclass(frozen=True)
class Observed:
    """What a backend did with a model.

    Attributes:
        outputs: by name, of the model as it is; None if it returned none.
        everything: by name, outputs and values between nodes of the model that returns them all;
            None if it returned none.
        why: why there are none, for either; in a few words.
    """

    outputs: Mapping[str, Value] | None
    everything: Mapping[str, Value] | None
    why: Mapping[str, str]


def observe(
    backend: Backend, settings: Settings, model: ModelUses, fed: Mapping[str, Value]
) -> Observed:
    """Run a model as it is, and once more so that it returns every value of its main graph.

    Raises BadInputError if it is too large to be sent, or BackendUnusableError.
    """
    whole = _with_weights(model)
    known = values_of(model.typed.graph)
    exposed = _exposed(whole, known, _made(whole.graph.node))
    found, why = _run(backend, settings, {AS_IT_IS: whole, WITH_ALL: exposed}, fed)
    return Observed(found.get(AS_IT_IS), found.get(WITH_ALL), why)


def values_at(
    backend: Backend,
    settings: Settings,
    model: ModelUses,
    fed: Mapping[str, Value],
    names: Sequence[str],
) -> Mapping[str, Value] | None:
    """What a backend returns for a model with some values more among its outputs; None if nothing.

    Raises as `observe` does.
    """
    exposed = _exposed(_with_weights(model), values_of(model.typed.graph), names)
    return _run(backend, settings, {WITH_ALL: exposed}, fed)[0].get(WITH_ALL)


def _run(
    backend: Backend,
    settings: Settings,
    protos: Mapping[str, onnx.ModelProto],
    fed: Mapping[str, Value],
) -> tuple[dict[str, Mapping[str, Value]], dict[str, str]]:
    """What a backend returns for models, by their names, or why it returns nothing."""
    files = ModelFiles()
    inputs = tuple(NamedValue(name, value) for name, value in fed.items())

    def prepare(name: str, description: Description) -> Request[tuple[str, ...]]:
        content = protos[name].SerializeToString()
        names = tuple(item.name for item in protos[name].graph.output)
        sent = content if description.model == "inline" else files.path(name, {MODEL_FILE: content})
        message = run_request(name, sent, names, (DataSet(inputs, ()),))
        return Request(name, message, names, 1, context=names)

    engine: Engine[tuple[str, ...]] = Engine(backend.command, prepare, settings, ())
    found: dict[str, Mapping[str, Value]] = {}
    why: dict[str, str] = {}
    with contextlib.closing(files), contextlib.closing(engine):
        engine.start()
        for name in protos:
            observation = engine.one(name).observation
            if isinstance(observation, Outputs):
                found[name] = {item.name: item.value for item in observation.data_sets[0]}
            else:
                why[name] = words_of(observation)
    return found, why


def run_alone(
    backend: Backend, settings: Settings, vectors: Mapping[str, Mapping[str, bytes]]
) -> dict[str, Observation | None]:
    """What a backend does with single vectors.

    Args:
        backend: the backend.
        settings: the limits of its child.
        vectors: the files of each, by a name.
    """
    models = ModelFiles()

    def prepare(name: str, description: Description) -> Request[None]:
        files = vectors[name]
        vector = vector_of(files, name)
        inline = description.model == "inline"
        sent = files[MODEL_FILE] if inline else models.path(name, files)
        data_sets = data_sets_of(vector, files, name)
        message = run_request(name, sent, vector.outputs, data_sets)
        return Request(name, message, vector.outputs, len(data_sets), context=None)

    engine: Engine[None] = Engine(backend.command, prepare, settings, ())
    with contextlib.closing(models), contextlib.closing(engine):
        engine.start()
        return {name: engine.one(name).observation for name in vectors}


def words_of(observation: Observation | None) -> str:
    """What a backend did instead of returning outputs."""
    if isinstance(observation, Rejected):
        return f"refuses it at {observation.phase}: {observation.message}"
    if isinstance(observation, Unsupported):
        return f"does not support it: {observation.reason}"
    if isinstance(observation, Crashed):
        return f"crashes: {observation.how}"
    if isinstance(observation, TimedOut):
        return f"gives no reply within {observation.deadline:g} seconds"
    if isinstance(observation, (HarnessError, ProtocolBroken)):
        return f"is not judged: {observation.message}"
    return "judges validity alone" if isinstance(observation, Accepted) else "was not run"


def _with_weights(model: ModelUses) -> onnx.ModelProto:
    """The model with the data that it keeps in other files."""
    import onnx.external_data_helper

    size = sum(model.opened.beside.values())
    if model.opened.remarks:
        raise BadInputError(f"{model.opened.path}: {model.opened.remarks[0]}")
    if size > LARGEST:
        raise BadInputError(
            f"{model.opened.path}: keeps {size:,} bytes in other files; up to {LARGEST:,} are sent"
        )
    whole = type(model.opened.proto)()
    whole.CopyFrom(model.opened.proto)
    if model.opened.beside:
        onnx.external_data_helper.load_external_data_for_model(whole, str(model.opened.path.parent))
    return whole


def _exposed(
    whole: onnx.ModelProto, known: Mapping[str, Known], names: Sequence[str]
) -> onnx.ModelProto:
    """The model with some tensors of its main graph among its outputs, but for the largest.

    All of them together stay below the size of a model that is sent.
    """
    from onnx import helper

    exposed = type(whole)()
    exposed.CopyFrom(whole)
    there = {item.name for item in exposed.graph.output}
    left = _MOST_TOGETHER
    for name in names:
        value = known.get(name, Known())
        word = value.type
        if name in there or "(" in word or _elements(value) > min(_MOST_ELEMENTS, left):
            continue
        left -= _elements(value)
        if word == UNKNOWN_TYPE:
            exposed.graph.output.append(helper.make_empty_tensor_value_info(name))
        else:
            info = helper.make_tensor_value_info(name, element_type(word).code, None)
            exposed.graph.output.append(info)
    return exposed


def _elements(value: Known) -> int:
    """How many elements a tensor has, as far as the model says it: unknown dimensions count 1."""
    return math.prod(item for item in value.shape or () if isinstance(item, int))


def _made(nodes: Sequence[onnx.NodeProto]) -> list[str]:
    """The names of the values that nodes make."""
    return [name for node in nodes for name in node.output if name]
