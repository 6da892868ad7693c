"""The metadata of one vector: the dataclasses, and the enums that they use.

The format is described for people without our tools in vectors/README.md. `metadata` reads and
writes data.json, `vector_files` the files beside it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..words import Word

if TYPE_CHECKING:
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
    """Where a model is refused; for an invalid vector, the first phase that can know its fault."""

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
# Keys of `extra` for vectors with values that are not tensors, or with inputs that have no file.
VALUE_KINDS = "value_kinds"  # name of an input or output -> sequence, optional or map
ABSENT_INPUTS = "absent_inputs"  # names of inputs whose file may be missing: they are not fed
# How a latitude vector permits results: one of them as a whole, or for each element one of the
# elements at its place.
RESULT = "result"
ELEMENT = "element"


@dataclass(frozen=True)
class Permitted:
    """One of the results that a document leaves open.

    Attributes:
        taken: label of the result, shown in reports.
        reason: why the document permits it.
        folder: path inside the vector of its output_N.pb; None if a rejection is permitted.
        any: whether every value of the type and shape of those outputs is permitted.
        laws: whether the laws of the vector hold for those outputs; if not, they are compared as
            they are.
    """

    taken: str
    reason: str
    folder: str | None
    any: bool = False
    laws: bool = True


@dataclass(frozen=True)
class Vector:
    """The metadata of one vector; its model is not needed for it.

    Attributes:
        id: `<operator>-<since_version>/<case>/<variant>`.
        kind: what it asks; also the name of the folder that it is in.
        operator, domain, since_version: the operator version; 0 for an imported vector if unknown.
        opset, ir_version: what the model imports, and its IR version.
        types: element type of each type variable, e.g. {"T": "float32"}.
        case: id of the case in the spec.
        form: how the model presents the case, e.g. `initializer`.
        covers: ids of the requirements that the vector exercises.
        documented: ONNX's own name of the example, or None.
        rtol, atol: relative and absolute tolerance; both 0 means exact.
        inputs, outputs: names of the values fed and fetched, in the order of the .pb files.
        reject: first phase at which the fault of an invalid vector can be known.
        control: id of the valid vector that must pass if a rejection is to count.
        permitted: the results a latitude vector may have.
        permitted_by: `result`: one of them as a whole; or `element`: each element of the outputs
            equals the element at its place in one of them.
        accuracy: `rule`, a text, and anything else that says how the limits beside the outputs were
            derived; None if the outputs are exact or have only a tolerance.
        laws: name of the output -> list of laws (`values.laws`), for outputs that nobody can
            predict element by element.
        compared: name of the output -> the row-major positions of the elements that are compared,
            where the others were too much to compute; an output that is not named is compared
            whole.
        purpose: one line for people: what goes wrong in a runtime that fails this.
        extra: other keys of data.json (such as the provenance of imported vectors).
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
    compared: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    purpose: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def expect(self) -> Expect:
        """What a backend must do with it, which follows from its kind."""
        return self.kind.expect


@dataclass(frozen=True)
class DataSet:
    """The values of one test_data_set_N; `outputs` is empty if a rejection is expected."""

    #: The values to feed, in the order of the vector's inputs.
    inputs: tuple[NamedValue, ...]
    #: The required values, in the order of the vector's outputs.
    outputs: tuple[NamedValue, ...]


_OTHERS = re.compile("[^a-z0-9]+")


def slug(vector_id: str) -> str:
    """Name of the vector's directory: `test_` and the id, with `_` for every other character."""
    return "test_" + _OTHERS.sub("_", vector_id.lower())


def relative_directory(kind: str, vector_id: str) -> str:
    """A vector's directory below the vectors folder, e.g. `valid/shape-15/test_shape_15_...`."""
    return f"{kind}/{vector_id.split('/', 1)[0]}/{slug(vector_id)}"
