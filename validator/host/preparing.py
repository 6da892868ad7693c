"""Makes a vector ready to be sent: reads its files when its turn comes, and not before.

Only the parts that judging needs are kept, so that memory does not grow with the corpus.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from onnx_conformance.core.corpus.corpus import Entry, LoadedVector, load
from onnx_conformance.core.corpus.sources import Everything, Supply
from onnx_conformance.core.corpus.vector_files import data_sets_of, permitted_outputs_of
from onnx_conformance.core.corpus.vectors import MODEL_FILE, DataSet, Vector, relative_directory
from onnx_conformance.core.errors import BadInputError, CannotWriteError
from onnx_conformance.core.exploring.ids import is_explored
from onnx_conformance.core.limits import LINE
from onnx_conformance.core.text import one_line
from onnx_conformance.core.values.tensors import NamedValue

from ..judging.verdicts import Unsupported
from .model_files import ModelFiles, beside
from .protocol import Description, run_request
from .requests import Finished, Request


@dataclass(frozen=True)
class Expectation:
    """The parts of a vector that judging needs.

    Attributes:
        vector: its metadata.
        data_sets: inputs and expected outputs.
        permitted: the outputs of each permitted result of a latitude vector.
    """

    vector: Vector
    data_sets: tuple[DataSet, ...]
    permitted: Mapping[str, tuple[NamedValue, ...]]


@dataclass(frozen=True)
class Preparer:
    """Makes the request to run a vector, given its id."""

    #: Where each vector is, by id.
    entries: Mapping[str, Entry]
    #: Models, for harnesses that open them by path; the caller closes it.
    model_files: ModelFiles = field(default_factory=ModelFiles)
    #: Says which vectors are there already; the caller starts and closes it.
    supply: Supply = field(default_factory=Everything)

    def __call__(
        self, vector_id: str, description: Description
    ) -> Request[Expectation] | Finished[Expectation] | None:
        """The request for one vector; None if it is not made yet.

        `Finished` if there is nothing to send: the vector differs from what was published, or the
        harness has declared that it cannot run it. Raises CannotWriteError if the disk is full, and
        BadInputError if vectors cannot be made.
        """
        entry = self.entries[vector_id]
        place = relative_directory(entry.kind, entry.id)
        made = is_explored(vector_id) or self.supply.is_there(entry.operator_version, place)
        if not made:
            return None
        try:
            return _ready(entry, description, self.model_files)
        except CannotWriteError:
            raise
        except (BadInputError, OSError) as error:
            return Finished(vector_id, None, problem=one_line(str(error), LINE))
        except Exception as error:
            # An unforeseen error concerns this vector only: the run goes on.
            problem = f"{entry.location}: cannot be read: {type(error).__name__}: {error}"
            return Finished(vector_id, None, problem=one_line(problem, LINE))


def _ready(
    entry: Entry, description: Description, model_files: ModelFiles
) -> Request[Expectation] | Finished[Expectation]:
    loaded = load(entry)
    expectation = _expectation(loaded)
    refusal = _refusal(loaded, description)
    if refusal:
        return Finished(entry.id, Unsupported(refusal), context=expectation)
    message = run_request(
        entry.id,
        loaded.files[MODEL_FILE]
        if description.model == "inline"
        else model_files.path(entry.id, loaded.files),
        loaded.vector.outputs,
        expectation.data_sets,
    )
    return Request(
        entry.id, message, loaded.vector.outputs, len(expectation.data_sets), context=expectation
    )


def _expectation(loaded: LoadedVector) -> Expectation:
    where = loaded.location
    if MODEL_FILE not in loaded.files:
        raise BadInputError(f"{where}: has no {MODEL_FILE}")
    return Expectation(
        loaded.vector,
        data_sets_of(loaded.vector, loaded.files, where),
        permitted_outputs_of(loaded.vector, loaded.files, where),
    )


def _refusal(loaded: LoadedVector, description: Description) -> str:
    """Why a vector is not sent to this harness; empty if it is sent."""
    limit = description.max_opset
    if limit is not None and loaded.vector.domain == "" and loaded.vector.opset > limit:
        return f"the model imports opset {loaded.vector.opset}; the backend takes at most {limit}"
    data = beside(loaded.files)
    if data and description.model == "inline":
        return f"the model keeps data beside it ({data[0]}), which is not sent inline"
    if data and description.adapts:
        return f"the model keeps data beside it ({data[0]}), which an adapted model does not have"
    return ""
