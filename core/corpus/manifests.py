"""The manifest of a corpus: what wrote it, and each vector with its digest.

A large corpus has one manifest for each operator version, so that a change to one operator changes
one small file, and `manifest.json` holds the digest of each of these. A small one, such as ONNX's
own cases in a folder, lists its vectors in `manifest.json` itself. vectors/README.md describes
both for readers without our tools.

The manifests of the standard corpus are its lock too: the list of what it holds. A line says since
which release its vector stands, and what digest it had before; a vector that was withdrawn keeps a
line of its own, so that its id is never used again. `listing` has what they list, and writes them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

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
    parsed,
    read_plain,
)
from ..errors import BadInputError
from ..limits import MANIFEST
from .listing.model import (
    MANIFEST_FILE,
    MANIFESTS_FOLDER,
    PLAIN_FORM,
    PLAIN_RULE,
    Facts,
    Listed,
    VersionManifest,
    Withdrawn,
    digest_of,
)
from .listing.releases import RELEASE, RELEASE_MAP
from .vectors import Kind

_VERSION = {"count": INTEGER, "digest": TEXT}
_OPERATOR = {
    "operator": TEXT,
    "domain": TEXT,
    "since_version": INTEGER,
    "since": RELEASE,
    "covers": OBJECT_OF_TEXTS,
    "vectors": OBJECT,
    "withdrawn": OBJECT,
}
_LINE = {
    "kind": TEXT,
    "types": TEXT_MAP,
    "opset": INTEGER,
    "form": TEXT,
    "control": TEXT_OR_NULL,
    "size": INTEGER,
    "since": RELEASE,
    "rule": TEXT,
    "was": RELEASE_MAP,
    "digest": TEXT,
}
_GONE_LINE = {
    "release": RELEASE,
    "reason": TEXT,
    "since": RELEASE,
    "was": RELEASE_MAP,
    "digest": TEXT,
}
_ALWAYS = 3  # keys of a line that are always there: kind, types, digest
_KINDS = {kind.value: kind for kind in Kind}
_NEVER: Mapping[str, str] = {}


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


def listed_versions(root: Path, manifest: Mapping[str, Any]) -> dict[str, str]:
    """As `versions_in`, of the manifest.json in a folder; BadInputError if it cannot be used."""
    try:
        return versions_in(manifest)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInputError(f"{root / MANIFEST_FILE}: is not a manifest: {error!r}") from None


def read_version_manifests(root: Path, manifest: Mapping[str, Any]) -> Iterator[VersionManifest]:
    """The manifests of the operator versions that a manifest.json names, in its order.

    Raises BadInputError if one of them is missing or is not what manifest.json says; other errors
    as `versions_in`.
    """
    for name, digest in versions_in(manifest).items():
        yield read_version_manifest(root, name, digest, int(manifest["operators"][name]["count"]))


def read_version_manifest(
    root: Path, operator_version: str, digest: str, count: int
) -> VersionManifest:
    """What the manifest of one operator version lists.

    Args:
        root: the corpus's folder.
        operator_version: e.g. `reshape-14`.
        digest: of its manifest, as manifest.json says.
        count: how many vectors it lists, as manifest.json says.

    Raises BadInputError if it is missing, cannot be read or is not what manifest.json says.
    """
    path, content = _content(root, operator_version, digest)
    found = manifest_in(content, operator_version, str(path))
    try:
        check({"vectors": len(found.vectors)}, {"vectors": _exactly(count)})
    except TypeError as error:
        raise BadInputError(f"{path}: is not a manifest: {error!r}") from None
    return found


def read_ids(root: Path, operator_version: str, digest: str, count: int) -> tuple[str, ...]:
    """The ids that the manifest of one operator version lists, in its order, and nothing else.

    Arguments and errors are those of `read_version_manifest`; the lines are not looked at, which
    saves most of the time.
    """
    path, content = _content(root, operator_version, digest)
    try:
        document = parsed(content)
        check(document, {"vectors": OBJECT})
        ids = tuple(document["vectors"])
        check({"vectors": len(ids)}, {"vectors": _exactly(count)})
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInputError(f"{path}: is not a manifest: {error!r}") from None
    return ids


def _content(root: Path, operator_version: str, digest: str) -> tuple[Path, bytes]:
    """Path and content of a manifest; BadInputError if it is not what manifest.json says."""
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
    return path, content


def manifest_in(content: bytes, operator_version: str, where: str) -> VersionManifest:
    """The manifest of one operator version, from its content; BadInputError if it is none."""
    try:
        return _version_in(parsed(content, unique=True), operator_version)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInputError(f"{where}: is not a manifest: {error!r}") from None


def _exactly(count: int) -> Must:
    return Must(f"{count}, as {MANIFEST_FILE} says", lambda value: value == count)


def _version_in(document: Any, operator_version: str) -> VersionManifest:  # noqa: ANN401
    check(document, _OPERATOR)
    vectors = tuple(_vectors_in(document, operator_version))
    gone = tuple(_withdrawn_in(document, operator_version))
    for item in gone:
        if item.id in document["vectors"]:
            raise ValueError(f"{item.id!r} is withdrawn since {item.release}, and still stands")
    return VersionManifest(
        document["operator"], document["domain"], document["since_version"], vectors, gone
    )


def _vectors_in(document: Any, operator_version: str) -> Iterator[Listed]:  # noqa: ANN401
    operator, domain = document["operator"], document["domain"]
    since_version, since = document["since_version"], document.get("since")
    covers = {case: tuple(ids) for case, ids in document["covers"].items()}
    checked: dict[str, str] = {}
    # Half of what a corpus takes in memory would be copies of a few types and forms.
    shared: dict[tuple[tuple[str, str], ...], dict[str, str]] = {}
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
            sys.intern(line.get("form", PLAIN_FORM)),
            shared.setdefault(tuple(line["types"].items()), line["types"]),
            covers[case],
            line.get("control"),
            line.get("size", 0),
        )
        yield Listed(
            vector_id,
            _KINDS[line["kind"]],
            line["digest"],
            facts,
            line.get("since", since),
            line.get("rule", PLAIN_RULE),
            line.get("was", _NEVER),
        )


def _withdrawn_in(document: Any, operator_version: str) -> Iterator[Withdrawn]:  # noqa: ANN401
    for vector_id, line in document.get("withdrawn", {}).items():
        check(line, _GONE_LINE)
        if vector_id.split("/")[0] != operator_version or not is_id(vector_id):
            raise ValueError(f"{vector_id!r} is no id of {operator_version}")
        yield Withdrawn(
            vector_id,
            line["digest"],
            line["release"],
            line["reason"],
            line.get("since", document.get("since")),
            line.get("was", _NEVER),
        )
