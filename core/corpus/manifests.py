"""The manifest of a corpus: what wrote it, and each vector with its digest.

A large corpus has one manifest for each operator version, so that a change to one operator changes
one small file, and `manifest.json` holds the digest of each of these. A small one, such as ONNX's
own cases in a folder, lists its vectors in `manifest.json` itself. vectors/README.md describes
both for readers without our tools.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..documents import (
    INTEGER,
    OBJECT,
    OBJECT_OF_TEXTS,
    TEXT,
    TEXT_MAP,
    TEXT_OR_NULL,
    Must,
    check,
    is_id,
    json_line,
    parsed,
    read_plain,
)
from ..errors import BadInputError
from ..limits import MANIFEST
from .vectors import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from .vectors import Vector

MANIFEST_FILE = "manifest.json"
MANIFESTS_FOLDER = "manifests"
# The format of a manifest.json that lists vectors itself, and of one that names a manifest for each
# operator version.
INLINE_FORMAT = 1
FORMAT = 2
_PLACES = {kind: place for place, kind in enumerate(Kind)}
_PLAIN_FORM = "static"  # the name that generators use; here it is only the default of a line


@dataclass(frozen=True, slots=True)
class Facts:
    """What a manifest says of a vector: enough to select it, and to plan a run.

    Attributes:
        operator, domain, since_version: the operator version, spelled as ONNX does.
        opset: what the model imports.
        form: how the model presents the case.
        types: element type of each type variable.
        covers: ids of the requirements that the vector exercises.
        control: id of the valid vector that an invalid one is compared with.
    """

    operator: str
    domain: str
    since_version: int
    opset: int
    form: str
    types: Mapping[str, str]
    covers: tuple[str, ...]
    control: str | None


@dataclass(frozen=True, slots=True)
class Listed:
    """A vector as a manifest lists it."""

    #: Id of the vector.
    id: str
    #: What it asks.
    kind: Kind
    #: SHA-256 of its files, see `vector_files.digest`.
    digest: str
    #: What is needed to select it and to plan a run.
    facts: Facts

    @property
    def operator_version(self) -> str:
        """The first part of its id, e.g. `reshape-14`."""
        return self.id.split("/", 1)[0]


def listed(vector: Vector, digest: str) -> Listed:
    """The entry of a vector in a manifest."""
    facts = Facts(
        operator=vector.operator,
        domain=vector.domain,
        since_version=vector.since_version,
        opset=vector.opset,
        form=vector.form,
        types=vector.types,
        covers=vector.covers,
        control=vector.control,
    )
    return Listed(vector.id, vector.kind, digest, facts)


# --- writing --------------------------------------------------------------------------------


def manifest_files(head: Mapping[str, Any], vectors: Iterable[Listed]) -> dict[str, bytes]:
    """The manifests of a corpus by path below its folder; manifest.json is the last.

    Args:
        head: the first keys of manifest.json.
        vectors: all vectors to list, in any order.
    """
    by_version: dict[str, list[Listed]] = {}
    for item in vectors:
        by_version.setdefault(item.operator_version, []).append(item)
    files = {}
    versions = {}
    for name in sorted(by_version, key=_by_version):
        content = _operator_manifest(by_version[name])
        files[f"{MANIFESTS_FOLDER}/{name}.json"] = content
        versions[name] = {"count": len(by_version[name]), "digest": digest_of(content)}
    document = {
        "format": FORMAT,
        **head,
        "count": sum(len(items) for items in by_version.values()),
    }
    lines = [f" {json_line(key)}: {json_line(value)}" for key, value in document.items()]
    lines.append(_one_a_line("operators", versions))
    files[MANIFEST_FILE] = ("{\n" + ",\n".join(lines) + "\n}\n").encode()
    return files


def digest_of(content: bytes) -> str:
    """The digest of a manifest: SHA-256."""
    return hashlib.sha256(content).hexdigest()


def _by_version(operator_version: str) -> tuple[str, int]:
    """A key by which add-7 comes before add-14."""
    operator, _, number = operator_version.rpartition("-")
    return operator, int(number) if number.isdecimal() else 0


def _operator_manifest(vectors: Sequence[Listed]) -> bytes:
    facts = vectors[0].facts
    covers = {item.id.split("/")[1]: item.facts.covers for item in vectors}
    for item in vectors:
        if item.facts.covers != covers[item.id.split("/")[1]]:
            raise ValueError(f"{item.id}: covers something else than its case")
    ordered = sorted(vectors, key=lambda item: (_PLACES[item.kind], item.id))
    lines = [
        f' "operator": {json_line(facts.operator)}',
        f' "domain": {json_line(facts.domain)}',
        f' "since_version": {facts.since_version}',
        _one_a_line("covers", {case: list(ids) for case, ids in sorted(covers.items())}),
        _one_a_line("vectors", {item.id: _line(item) for item in ordered}),
    ]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _line(item: Listed) -> dict[str, Any]:
    """The line of one vector; keys with their default value are left out."""
    facts = item.facts
    line: dict[str, Any] = {"kind": item.kind, "types": dict(facts.types)}
    if facts.opset != facts.since_version:
        line["opset"] = facts.opset
    if facts.form != _PLAIN_FORM:
        line["form"] = facts.form
    if facts.control is not None:
        line["control"] = facts.control
    return {**line, "digest": item.digest}


def _one_a_line(key: str, values: Mapping[str, Any]) -> str:
    inner = ",\n".join(f"  {json_line(name)}: {json_line(value)}" for name, value in values.items())
    return f" {json_line(key)}: {{\n{inner}\n }}" if values else f" {json_line(key)}: {{}}"


# --- reading --------------------------------------------------------------------------------

_VERSION = {"count": INTEGER, "digest": TEXT}
_OPERATOR = {
    "operator": TEXT,
    "domain": TEXT,
    "since_version": INTEGER,
    "covers": OBJECT_OF_TEXTS,
    "vectors": OBJECT,
}
_LINE = {
    "kind": TEXT,
    "types": TEXT_MAP,
    "opset": INTEGER,
    "form": TEXT,
    "control": TEXT_OR_NULL,
    "digest": TEXT,
}
_ALWAYS = 3  # keys of a line that are always there: kind, types, digest
_KINDS = {kind.value: kind for kind in Kind}


def versions_in(manifest: Mapping[str, Any]) -> dict[str, str]:
    """The digest of the manifest of each operator version that a manifest.json names.

    Raises ValueError, KeyError or TypeError if the manifest does not have the right form.
    """
    named = manifest["operators"]
    check(manifest, {"operators": OBJECT, "count": INTEGER})
    total = 0
    for name, item in named.items():
        check(named, {name: OBJECT})
        check(item, _VERSION)
        total += item["count"]
        if not is_id(name) or "/" in name or name.startswith("."):
            raise ValueError(f"{name!r} is no operator version")
    if total != manifest["count"]:
        raise ValueError(f"count is {manifest['count']}, and {total} vectors are in its manifests")
    return {name: item["digest"] for name, item in named.items()}


def read_operator_manifests(root: Path, manifest: Mapping[str, Any]) -> Iterator[Listed]:
    """The vectors of the operator versions that a manifest.json names, in its order.

    Raises BadInputError if one of their manifests is missing or is not what manifest.json says;
    other errors as `versions_in`.
    """
    for name, digest in versions_in(manifest).items():
        yield from read_operator_manifest(
            root, name, digest, int(manifest["operators"][name]["count"])
        )


def read_operator_manifest(
    root: Path, operator_version: str, digest: str, count: int
) -> tuple[Listed, ...]:
    """The vectors that the manifest of one operator version lists, in its order.

    Args:
        root: the corpus's folder.
        operator_version: e.g. `reshape-14`.
        digest: of its manifest, as manifest.json says.
        count: how many vectors it lists, as manifest.json says.

    Raises BadInputError if it is missing, cannot be read or is not what manifest.json says.
    """
    path = root / MANIFESTS_FOLDER / f"{operator_version}.json"
    try:
        content = read_plain(path, MANIFEST)
    except FileNotFoundError:
        raise BadInputError(
            f"{path}: is missing, and {MANIFEST_FILE} names it; without it nobody knows which"
            " vectors there should be: write the folder again, or restore it as a whole"
        ) from None
    except OSError as error:
        raise BadInputError(f"{path}: cannot be read: {error.strerror or error}") from None
    if digest_of(content) != digest:
        raise BadInputError(
            f"{path}: differs from what {MANIFEST_FILE} says of it; the two are written together:"
            " write the folder again, or restore it as a whole"
        )
    try:
        found = _vectors_in(parsed(content), operator_version)
        check({"vectors": len(found)}, {"vectors": _exactly(count)})
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInputError(f"{path}: is not a manifest: {error!r}") from None
    return found


def _exactly(count: int) -> Must:
    return Must(f"{count}, as {MANIFEST_FILE} says", lambda value: value == count)


def _vectors_in(document: Any, operator_version: str) -> tuple[Listed, ...]:  # noqa: ANN401
    check(document, _OPERATOR)
    operator, domain = document["operator"], document["domain"]
    since_version = document["since_version"]
    covers = {case: tuple(ids) for case, ids in document["covers"].items()}
    checked: dict[str, str] = {}
    found = []
    for vector_id, line in document["vectors"].items():
        # Every command reads tens of thousands of lines; most have the same types as others.
        if not (
            type(line) is dict
            and len(line) == _ALWAYS
            and line["types"] == checked
            and type(line["digest"]) is str
        ):
            check(line, _LINE)
            checked = line["types"]
        version, case = vector_id.split("/")[:2]
        if version != operator_version or not is_id(vector_id):
            raise ValueError(f"{vector_id!r} is no id of {operator_version}")
        facts = Facts(
            operator,
            domain,
            since_version,
            line.get("opset", since_version),
            line.get("form", _PLAIN_FORM),
            line["types"],
            covers[case],
            line.get("control"),
        )
        found.append(Listed(vector_id, _KINDS[line["kind"]], line["digest"], facts))
    return tuple(found)
