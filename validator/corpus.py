"""The vectors folder: its manifest, and the vectors that can be trusted.

A corpus is opened by its manifest when there is one: the manifest lists every vector with the
digest of its files, and a vector that differs is never judged.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .errors import BadInputError
from .vectors import DATA_FILE, KINDS, digest, read_files, relative_directory, vector_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from .vectors import Vector

MANIFEST_FILE = "manifest.json"
REQUIREMENTS_FILE = "requirements.json"
MANIFEST_FORMAT = 1


@dataclass(frozen=True)
class Entry:
    """A vector's place in a corpus; `digest` is None in a folder without a manifest."""

    id: str
    kind: str
    directory: Path
    digest: str | None


@dataclass(frozen=True)
class Corpus:
    """A vectors folder.

    Attributes:
        root: the folder.
        version: the corpus version of the manifest, or "unversioned" without one.
        digest: SHA-256 of the manifest, or None without one.
        entries: every vector, by id, in the order of the manifest.
        manifest: the manifest's other keys.
    """

    root: Path
    version: str
    digest: str | None
    entries: Mapping[str, Entry]
    manifest: Mapping[str, Any]


@dataclass(frozen=True)
class LoadedVector:
    """A vector with all of its files, digest verified."""

    vector: Vector
    directory: Path
    files: Mapping[str, bytes]


def open_corpus(root: Path) -> Corpus:
    """Open a vectors folder; BadInputError where it is missing, empty or contradicts itself."""
    if not root.is_dir():
        raise BadInputError(f"{root}: no such folder; `onnx-vectors generate` writes the vectors")
    path = root / MANIFEST_FILE
    if not path.is_file():
        return _without_manifest(root)
    content = path.read_bytes()
    try:
        manifest = json.loads(content)
        listed = manifest.pop("vectors")
        version = manifest["corpus"]
        entries = {
            vector_id: Entry(vector_id, kind, root / relative_directory(kind, vector_id), value)
            for kind in KINDS
            for vector_id, value in listed.get(kind, {}).items()
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInputError(f"{path}: is not a manifest: {error!r}") from None
    if manifest.get("format") != MANIFEST_FORMAT:
        raise BadInputError(
            f"{path}: has format {manifest.get('format')!r}; this version reads {MANIFEST_FORMAT}"
        )
    return Corpus(root, version, hashlib.sha256(content).hexdigest(), entries, manifest)


def _without_manifest(root: Path) -> Corpus:
    entries = {}
    for path in sorted(root.rglob("data.json")):
        directory = path.parent
        vector = vector_of({"data.json": path.read_bytes()}, str(directory))
        entries[vector.id] = Entry(vector.id, vector.kind, directory, None)
    return Corpus(root, "unversioned", None, entries, {})


def load(entry: Entry) -> LoadedVector:
    """Read a vector's files, and refuse them where they are not what the manifest lists."""
    try:
        files = read_files(entry.directory)
    except (FileNotFoundError, NotADirectoryError):
        raise BadInputError(f"{entry.directory}: vector '{entry.id}' is missing") from None
    if entry.digest is not None and digest(files) != entry.digest:
        raise BadInputError(
            f"{entry.directory}: differs from the manifest; restore it with"
            " `onnx-vectors generate`, or see what changed with `onnx-vectors check`"
        )
    return LoadedVector(vector_of(files, str(entry.directory)), entry.directory, files)


def read_metadata(entry: Entry) -> Vector:
    """What a vector's data.json says, without its other files; nothing is verified yet."""
    path = entry.directory / DATA_FILE
    try:
        content = path.read_bytes()
    except OSError:
        raise BadInputError(f"{path}: vector '{entry.id}' is missing") from None
    return vector_of({DATA_FILE: content}, str(entry.directory))


def requirements(root: Path) -> dict[str, Any]:
    """The words behind each requirement: {operator: {id: {text, document, part, url}}}."""
    path = root / REQUIREMENTS_FILE
    if not path.is_file():
        return {}
    try:
        document = json.loads(path.read_bytes())
    except ValueError as error:
        raise BadInputError(f"{path}: is not JSON: {error}") from None
    if not isinstance(document, dict):
        raise BadInputError(f"{path}: must hold one JSON object")
    return document
