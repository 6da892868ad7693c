"""One vector: the directory on disk, and what its data.json says of it.

The format is described for people without our tools in vectors/README.md; this module is its
only reader and writer.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..errors import BadInputError
from ..values.onnx_values import TENSOR, parse_value
from ..values.tensors import NamedValue

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

KINDS = ("valid", "invalid", "latitude")
PHASES = ("decode", "load", "run")  # of a rejection: the first at which the fault can be known
MODEL_FILE = "model.onnx"
DATA_FILE = "data.json"
_CHUNK = 1 << 16
# Keys of `extra` for vectors whose values are not all tensors, or not all there.
VALUE_KINDS = "value_kinds"  # name of an input or output -> sequence, optional or map
ABSENT_INPUTS = "absent_inputs"  # names of inputs whose file may be missing: they are not fed


@dataclass(frozen=True)
class Permitted:
    """One of the results that a document leaves open.

    Attributes:
        taken: label of the result, shown in reports.
        reason: why the document permits it.
        folder: where its output_N.pb are, inside the vector; None where rejecting is permitted.
    """

    taken: str
    reason: str
    folder: str | None


@dataclass(frozen=True)
class Vector:
    """What is known of a vector without opening its model.

    Attributes:
        id: `<operator>-<since_version>/<case>/<variant>`.
        kind: `valid`, `invalid` or `latitude`: the folder that it lives in.
        expect: `outputs`, `rejection` or `any`.
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
        purpose: one line for people: what goes wrong in a runtime that fails this.
        extra: whatever else data.json holds (provenance of imported vectors).
    """

    id: str
    kind: str
    operator: str
    since_version: int
    opset: int
    ir_version: int
    types: Mapping[str, str]
    case: str
    form: str
    covers: tuple[str, ...]
    documented: str | None
    expect: str
    rtol: float
    atol: float
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    domain: str = ""
    reject: str | None = None
    control: str | None = None
    permitted: tuple[Permitted, ...] = ()
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
        total.update(name.encode() + b"\0" + hashlib.sha256(files[name]).digest())
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
    if vector.expect == "rejection":
        document["reject"] = vector.reject
        document["control"] = vector.control
    if vector.expect == "any":
        document["permitted"] = [
            {"taken": item.taken, "reason": item.reason, "folder": item.folder}
            for item in vector.permitted
        ]
    return {**document, **vector.extra}


_KNOWN = frozenset(Vector.__dataclass_fields__)


def from_json(document: Any, where: str) -> Vector:  # noqa: ANN401  a file's content
    """The vector that a data.json describes; BadInputError names `where` and the missing key."""
    if not isinstance(document, dict):
        raise BadInputError(f"{where}: must hold one JSON object")
    try:
        return Vector(
            id=document["id"],
            kind=document["kind"],
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
            expect=document["expect"],
            rtol=document["rtol"],
            atol=document["atol"],
            inputs=tuple(document["inputs"]),
            outputs=tuple(document["outputs"]),
            reject=document.get("reject"),
            control=document.get("control"),
            permitted=tuple(
                Permitted(item["taken"], item["reason"], item["folder"])
                for item in document.get("permitted", ())
            ),
            purpose=document.get("purpose", ""),
            extra={key: value for key, value in document.items() if key not in _KNOWN},
        )
    except KeyError as error:
        raise BadInputError(f"{where}: key {error} is missing") from None
    except TypeError as error:
        raise BadInputError(f"{where}: a key has a value of the wrong type: {error}") from None


def read_files(directory: Path) -> dict[str, bytes]:
    """Every file below a vector's directory by its relative POSIX path; links are not followed."""
    files: dict[str, bytes] = {}
    _read_below(os.fspath(directory), "", files)
    return dict(sorted(files.items()))


def _read_below(folder: str, prefix: str, files: dict[str, bytes]) -> None:
    # os rather than pathlib: this runs for every vector, and took half of its time.
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_symlink():
                raise BadInputError(f"{entry.path}: is a link; a vector holds plain files only")
            if entry.is_dir(follow_symlinks=False):
                _read_below(entry.path, f"{prefix}{entry.name}/", files)
            elif entry.is_file(follow_symlinks=False):
                files[prefix + entry.name] = _content(entry.path)


def _content(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        chunks = [os.read(descriptor, _CHUNK)]
        while len(chunks[-1]) == _CHUNK:
            chunks.append(os.read(descriptor, _CHUNK))
    finally:
        os.close(descriptor)
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def vector_of(files: Mapping[str, bytes], where: str) -> Vector:
    """The vector whose files these are; BadInputError where data.json is missing or unusable."""
    if DATA_FILE not in files:
        raise BadInputError(f"{where}: has no {DATA_FILE}")
    try:
        document = json.loads(files[DATA_FILE])
    except ValueError as error:
        raise BadInputError(f"{where}/{DATA_FILE}: is not JSON: {error}") from None
    return from_json(document, f"{where}/{DATA_FILE}")


def data_sets_of(vector: Vector, files: Mapping[str, bytes], where: str) -> tuple[DataSet, ...]:
    """The values in test_data_set_0, test_data_set_1 ... of a vector's files."""
    folders = {name.split("/")[0] for name in files if name.startswith("test_data_set_")}
    count = max(len(folders), 1)  # a model that takes nothing and must be refused has no .pb
    return tuple(
        DataSet(
            _values(vector, vector.inputs, files, f"test_data_set_{index}/input", where),
            ()
            if vector.expect != "outputs"
            else _values(vector, vector.outputs, files, f"test_data_set_{index}/output", where),
        )
        for index in range(count)
    )


def permitted_outputs_of(
    vector: Vector, files: Mapping[str, bytes], where: str
) -> dict[str, tuple[NamedValue, ...]]:
    """The outputs of each permitted result of a latitude vector, by its label."""
    return {
        item.taken: _values(vector, vector.outputs, files, f"{item.folder}/output", where)
        for item in vector.permitted
        if item.folder is not None
    }


def _values(
    vector: Vector, names: Iterable[str], files: Mapping[str, bytes], stem: str, where: str
) -> tuple[NamedValue, ...]:
    kinds = vector.extra.get(VALUE_KINDS, {})
    values = []
    for index, name in enumerate(names):
        file = f"{stem}_{index}.pb"
        if file not in files:
            if name in vector.extra.get(ABSENT_INPUTS, ()):
                continue
            raise BadInputError(f"{where}/{file}: is missing")
        try:
            values.append(NamedValue(name, parse_value(kinds.get(name, TENSOR), files[file])))
        except BadInputError as error:
            raise BadInputError(f"{where}/{file}: {error}") from None
    return tuple(values)
