"""What is known of one vector: its metadata and its vocabulary.

The format is described for people without our tools in vectors/README.md. `metadata` reads and
writes data.json, `vector_files` the files beside it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..words import Word

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..values.tensors import NamedValue


class Expect(Word):
    """What a backend must do with a vector."""

    OUTPUTS = "outputs"
    REJECTION = "rejection"
    ANY = "any"  # one of the permitted results


class Kind(Word):
    """What a vector asks: the right answer, a refusal, or one of several permitted answers."""

    VALID = "valid"
    INVALID = "invalid"
    LATITUDE = "latitude"

    @property
    def expect(self) -> Expect:
        """What a backend must do with a vector of this kind."""
        return _EXPECT[self]


class Phase(Word):
    """Where a model is refused; of an invalid vector, where its fault can first be known."""

    DECODE = "decode"
    LOAD = "load"
    RUN = "run"


_EXPECT = {
    Kind.VALID: Expect.OUTPUTS,
    Kind.INVALID: Expect.REJECTION,
    Kind.LATITUDE: Expect.ANY,
}
KINDS = tuple(kind.value for kind in Kind)
PHASES = tuple(phase.value for phase in Phase)
MODEL_FILE = "model.onnx"
DATA_FILE = "data.json"
# Keys of `extra` for vectors whose values are not all tensors, or not all there.
VALUE_KINDS = "value_kinds"  # name of an input or output -> sequence, optional or map
ABSENT_INPUTS = "absent_inputs"  # names of inputs whose file may be missing: they are not fed
# How the results of a latitude vector are permitted: one of them as a whole, or for each element
# one of those at its place.
RESULT = "result"
ELEMENT = "element"


@dataclass(frozen=True)
class Permitted:
    """One of the results that a document leaves open.

    Attributes:
        taken: label of the result, shown in reports.
        reason: why the document permits it.
        folder: where its output_N.pb are, inside the vector; None where rejecting is permitted.
        any: whether every value of the type and shape of those outputs is permitted.
    """

    taken: str
    reason: str
    folder: str | None
    any: bool = False


@dataclass(frozen=True)
class Vector:
    """What is known of a vector without opening its model.

    Attributes:
        id: `<operator>-<since_version>/<case>/<variant>`.
        kind: the folder that it lives in.
        expect: what a backend must do with it.
        types: element type of each type variable, e.g. {"T": "float32"}.
        case: id of the case in the spec.
        form: how the model presents the case, e.g. `initializer`.
        covers: ids of the requirements that the vector exercises.
        documented: ONNX's own name of the example, or None.
        rtol, atol: relative and absolute tolerance; both 0 means exact.
        inputs, outputs: names of the values fed and fetched, in the order of the .pb files.
        reject: first phase at which the fault of an invalid vector can be known.
        control: id of the valid vector that must pass for a rejection to count.
        permitted: the results a latitude vector may have.
        permitted_by: `result`, one of them as a whole; or `element`: each element of the outputs is
            that of one of them at its place.
        accuracy: `rule`, a text, and whatever else says how the limits beside the outputs were
            derived; None where the outputs are exact or have a tolerance only.
        laws: what must hold, by the name of the output, for outputs that nobody can foretell: lists
            of laws (`values.laws`).
        purpose: one line for people: what goes wrong in a runtime that fails this.
        extra: whatever else data.json holds (provenance of imported vectors).
    """

    id: str
    kind: Kind
    operator: str
    since_version: int
    opset: int
    ir_version: int
    types: Mapping[str, str]
    case: str
    form: str
    covers: tuple[str, ...]
    documented: str | None
    expect: Expect
    rtol: float
    atol: float
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    domain: str = ""
    reject: Phase | None = None
    control: str | None = None
    permitted: tuple[Permitted, ...] = ()
    permitted_by: str = RESULT
    accuracy: Mapping[str, Any] | None = None
    laws: Mapping[str, Any] = field(default_factory=dict)
    purpose: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class DataSet:
    """The values of one test_data_set_N: `outputs` is empty where a rejection is expected."""

    inputs: tuple[NamedValue, ...]
    outputs: tuple[NamedValue, ...]


_OTHERS = re.compile("[^a-z0-9]+")


def slug(vector_id: str) -> str:
    """Name of the vector's directory: `test_` and the id with other characters as `_`."""
    return "test_" + _OTHERS.sub("_", vector_id.lower())


def relative_directory(kind: str, vector_id: str) -> str:
    """Where a vector lives below the vectors folder, e.g. `valid/shape-15/test_shape_15_...`."""
    return f"{kind}/{vector_id.split('/', 1)[0]}/{slug(vector_id)}"
