"""One vector: the directory on disk, and what its data.json says of it.

The format is described for people without our tools in vectors/README.md; this module is its
only reader and writer.
"""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..documents import (
    FLAG,
    INTEGER,
    NUMBER,
    OBJECTS,
    TEXT,
    TEXT_MAP,
    TEXT_OR_NULL,
    TEXTS,
    VECTOR_ID,
    check,
    parse_json,
    read_plain,
)
from ..errors import BadInputError
from ..limits import FOLDERS, METADATA, VECTOR_FILE, VECTOR_FILES
from ..values.limits import GPU, IEEE, check_limits, limit_values, profiles_of, with_limits
from ..values.onnx_values import TENSOR, parse_value, serialize_value
from ..values.tensors import NamedValue
from ..words import Word

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from ..values.tensors import Value


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
_LIMIT_FILES = {IEEE: ("low", "high"), GPU: ("gpu_low", "gpu_high")}  # profile -> names of files


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
    purpose: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class DataSet:
    """The values of one test_data_set_N: `outputs` is empty where a rejection is expected."""

    inputs: tuple[NamedValue, ...]
    outputs: tuple[NamedValue, ...]


def slug(vector_id: str) -> str:
    """Name of the vector's directory: `test_` and the id with other characters as `_`."""
    return "test_" + re.sub(r"[^a-z0-9]+", "_", vector_id.lower())


def relative_directory(kind: str, vector_id: str) -> str:
    """Where a vector lives below the vectors folder, e.g. `valid/shape-15/test_shape_15_...`."""
    return f"{kind}/{vector_id.split('/', 1)[0]}/{slug(vector_id)}"


def digest(files: Mapping[str, bytes]) -> str:
    """SHA-256 over a vector's files: each name and the SHA-256 of its content, sorted by name."""
    total = hashlib.sha256()
    for name in sorted(files):
        total.update(os.fsencode(name) + b"\0" + hashlib.sha256(files[name]).digest())
    return total.hexdigest()


def to_json(vector: Vector) -> dict[str, Any]:
    """The content of data.json, in the order in which a person reads it."""
    document: dict[str, Any] = {
        "id": vector.id,
        "kind": vector.kind,
        "purpose": vector.purpose,
        "operator": vector.operator,
        "domain": vector.domain,
        "since_version": vector.since_version,
        "opset": vector.opset,
        "ir_version": vector.ir_version,
        "types": dict(vector.types),
        "case": vector.case,
        "form": vector.form,
        "covers": list(vector.covers),
        "documented": vector.documented,
        "expect": vector.expect,
        "rtol": vector.rtol,
        "atol": vector.atol,
        "inputs": list(vector.inputs),
        "outputs": list(vector.outputs),
    }
    if vector.expect == Expect.REJECTION:
        document["reject"] = vector.reject
        document["control"] = vector.control
    if vector.expect == Expect.ANY:
        document["permitted"] = [
            {"taken": item.taken, "reason": item.reason, "folder": item.folder}
            | ({"any": True} if item.any else {})
            for item in vector.permitted
        ]
        if vector.permitted_by != RESULT:
            document["permitted_by"] = vector.permitted_by
    if vector.accuracy is not None:
        document["accuracy"] = dict(vector.accuracy)
    return {**document, **vector.extra}


_KNOWN = frozenset(Vector.__dataclass_fields__)


def from_json(document: Any, where: str) -> Vector:  # noqa: ANN401  a file's content
    """The vector that a data.json describes; BadInputError names `where` and the missing key."""
    if not isinstance(document, dict):
        raise BadInputError(f"{where}: must hold one JSON object")
    permitted_by = document.get("permitted_by", RESULT)
    if permitted_by not in (RESULT, ELEMENT):
        raise BadInputError(
            f"{where}: permitted_by is {permitted_by!r}; it is '{RESULT}' or '{ELEMENT}'"
        )
    accuracy = document.get("accuracy")
    if accuracy is not None and not (isinstance(accuracy, dict) and "rule" in accuracy):
        raise BadInputError(f"{where}: accuracy must be an object with the key 'rule'")
    try:
        check(document, _MUSTS)
        for item in document.get("permitted", ()):
            check(item, _PERMITTED_MUSTS)
        return Vector(
            id=document["id"],
            kind=Kind(document["kind"]),
            operator=document["operator"],
            domain=document.get("domain", ""),
            since_version=document["since_version"],
            opset=document["opset"],
            ir_version=document["ir_version"],
            types=document["types"],
            case=document["case"],
            form=document["form"],
            covers=tuple(document["covers"]),
            documented=document["documented"],
            expect=Expect(document["expect"]),
            rtol=document["rtol"],
            atol=document["atol"],
            inputs=tuple(document["inputs"]),
            outputs=tuple(document["outputs"]),
            reject=Phase(document["reject"]) if document.get("reject") else None,
            control=document.get("control"),
            permitted=tuple(
                Permitted(item["taken"], item["reason"], item["folder"], item.get("any", False))
                for item in document.get("permitted", ())
            ),
            permitted_by=permitted_by,
            accuracy=accuracy,
            purpose=document.get("purpose", ""),
            extra={key: value for key, value in document.items() if key not in _KNOWN},
        )
    except KeyError as error:
        raise BadInputError(f"{where}: key {error} is missing") from None
    except (TypeError, ValueError) as error:
        raise BadInputError(f"{where}: a key has a value of the wrong type: {error}") from None


_MUSTS = {
    "id": VECTOR_ID,
    "kind": TEXT,
    "operator": TEXT,
    "domain": TEXT,
    "since_version": INTEGER,
    "opset": INTEGER,
    "ir_version": INTEGER,
    "types": TEXT_MAP,
    "case": TEXT,
    "form": TEXT,
    "covers": TEXTS,
    "documented": TEXT_OR_NULL,
    "expect": TEXT,
    "rtol": NUMBER,
    "atol": NUMBER,
    "inputs": TEXTS,
    "outputs": TEXTS,
    "reject": TEXT_OR_NULL,
    "control": TEXT_OR_NULL,
    "permitted": OBJECTS,
    "purpose": TEXT,
    VALUE_KINDS: TEXT_MAP,
    ABSENT_INPUTS: TEXTS,
}
_PERMITTED_MUSTS = {"taken": TEXT, "reason": TEXT, "folder": TEXT_OR_NULL, "any": FLAG}


def read_files(directory: Path) -> dict[str, bytes]:
    """Every file below a vector's directory by its relative POSIX path; links are not followed.

    Raises BadInputError where there is more than a vector may have (`core.limits`).
    """
    files: dict[str, bytes] = {}
    _read_below(os.fspath(directory), "", files, FOLDERS)
    return dict(sorted(files.items()))


def _read_below(folder: str, prefix: str, files: dict[str, bytes], depth: int) -> None:
    # os rather than pathlib: this runs for every vector, and took half of its time.
    if depth == 0:
        raise BadInputError(f"{folder}: more than {FOLDERS} folders inside each other")
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_symlink():
                raise BadInputError(f"{entry.path}: is a link; a vector holds plain files only")
            if entry.is_dir(follow_symlinks=False):
                _read_below(entry.path, f"{prefix}{entry.name}/", files, depth - 1)
            elif entry.is_file(follow_symlinks=False):
                files[prefix + entry.name] = read_plain(entry.path, VECTOR_FILE)
                if len(files) > VECTOR_FILES:
                    raise BadInputError(f"{folder}: more than {VECTOR_FILES:,} files")


def vector_of(files: Mapping[str, bytes], where: str) -> Vector:
    """The vector whose files these are; BadInputError where data.json is missing or unusable."""
    if DATA_FILE not in files:
        raise BadInputError(f"{where}: has no {DATA_FILE}")
    if len(files[DATA_FILE]) > METADATA:
        raise BadInputError(f"{where}/{DATA_FILE}: has more than {METADATA:,} bytes")
    place = f"{where}/{DATA_FILE}"
    return from_json(parse_json(files[DATA_FILE], place), place)


def data_sets_of(vector: Vector, files: Mapping[str, bytes], where: str) -> tuple[DataSet, ...]:
    """The values in test_data_set_0, test_data_set_1 ... of a vector's files."""
    folders = {name.split("/")[0] for name in files if name.startswith("test_data_set_")}
    count = max(len(folders), 1)  # a model that takes nothing and must be refused has no .pb
    return tuple(
        DataSet(
            _values(vector, vector.inputs, files, f"test_data_set_{index}/input", where),
            ()
            if vector.expect != Expect.OUTPUTS
            else _outputs(vector, files, f"test_data_set_{index}", where),
        )
        for index in range(count)
    )


def permitted_outputs_of(
    vector: Vector, files: Mapping[str, bytes], where: str
) -> dict[str, tuple[NamedValue, ...]]:
    """The outputs of each permitted result of a latitude vector, by its label."""
    return {
        item.taken: _outputs(vector, files, item.folder, where)
        for item in vector.permitted
        if item.folder is not None
    }


def limit_files(folder: str, index: int, value: Value, name: str = "") -> dict[str, bytes]:
    """The files beside `output_<index>.pb` that hold the limits of a value; none where it has none.

    Limits of a profile that are those of the tighter one have no files of their own: readers take
    them from there.

    Args:
        folder: that of the output, e.g. `test_data_set_0`.
        index: of the output.
        value: the expected output; a Bounded, or what holds one.
        name: of the output.

    Raises BadInputError where limits contradict the value or each other.
    """
    check_limits(value)
    files = {}
    tighter: tuple[Value, Value] = value, value
    for profile in profiles_of(value):
        limits = limit_values(value, profile)
        if limits != tighter:
            for file, limit in zip(_LIMIT_FILES[profile], limits, strict=True):
                files[f"{folder}/{file}_{index}.pb"] = serialize_value(limit, name)
        tighter = limits
    return files


def _outputs(
    vector: Vector, files: Mapping[str, bytes], folder: str, where: str
) -> tuple[NamedValue, ...]:
    """The outputs in a folder, each with the limits that are beside it."""
    outputs = list(_values(vector, vector.outputs, files, f"{folder}/output", where))
    for index, item in enumerate(outputs):
        limits = {}
        for profile, names in _LIMIT_FILES.items():
            paths = [f"{folder}/{name}_{index}.pb" for name in names]
            if not files.keys().isdisjoint(paths):  # one alone is an error: the other is missing
                low, high = (_value(vector, item.name, files, path, where) for path in paths)
                limits[profile] = low, high
        if limits:
            try:
                outputs[index] = NamedValue(item.name, with_limits(item.value, limits))
            except BadInputError as error:
                raise BadInputError(f"{where}/{folder}/output_{index}.pb: {error}") from None
    return tuple(outputs)


def _values(
    vector: Vector, names: Iterable[str], files: Mapping[str, bytes], stem: str, where: str
) -> tuple[NamedValue, ...]:
    absent = vector.extra.get(ABSENT_INPUTS, ())
    values = []
    for index, name in enumerate(names):
        file = f"{stem}_{index}.pb"
        if file in files or name not in absent:
            values.append(NamedValue(name, _value(vector, name, files, file, where)))
    return tuple(values)


def _value(vector: Vector, name: str, files: Mapping[str, bytes], file: str, where: str) -> Value:
    if file not in files:
        raise BadInputError(f"{where}/{file}: is missing")
    kind = vector.extra.get(VALUE_KINDS, {}).get(name, TENSOR)
    try:
        return parse_value(kind, files[file])
    except BadInputError as error:
        raise BadInputError(f"{where}/{file}: {error}") from None
