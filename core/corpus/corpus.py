"""The vectors folder: its manifest, and the vectors that can be trusted.

A corpus is opened by its manifest when there is one: the manifest lists every vector with the
digest of its files, and a vector that differs is never judged.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import BadInputError
from .plain_vectors import is_plain, plain_vector
from .vectors import (
    DATA_FILE,
    MODEL_FILE,
    Kind,
    digest,
    read_files,
    relative_directory,
    vector_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .vectors import Vector

MANIFEST_FILE = "manifest.json"
MANIFEST_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Entry:
    """A vector's place in a corpus.

    Attributes:
        id: of the vector.
        kind: what it asks.
        location: path of the folder that holds its files.
        digest: of its files; None in a folder without a manifest.
        plain: whether the directory has no data.json of ours, as in a checkout of ONNX.
    """

    id: str
    kind: Kind
    location: str | Path  # a text in a large corpus: a Path takes five times its memory
    digest: str | None
    plain: bool = False

    @property
    def directory(self) -> Path:
        """The folder that holds its files."""
        return Path(self.location)


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
        folders = manifest.pop("folders", {})
        entries = {
            vector_id: Entry(vector_id, kind, f"{root}/{_place(kind, vector_id, folders)}", value)
            for kind in Kind
            for vector_id, value in listed.get(kind, {}).items()
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInputError(f"{path}: is not a manifest: {error!r}") from None
    if manifest.get("format") != MANIFEST_FORMAT:
        raise BadInputError(
            f"{path}: has format {manifest.get('format')!r}; this version reads {MANIFEST_FORMAT}"
        )
    return Corpus(root, version, hashlib.sha256(content).hexdigest(), entries, manifest)


def _place(kind: Kind, vector_id: str, folders: Mapping[str, str]) -> str:
    """A vector's directory below the root: ours by its id, an imported one as its manifest says."""
    place = folders.get(vector_id)
    if place is None:
        return relative_directory(kind, vector_id)
    if place.startswith("/") or ".." in place.split("/"):
        raise ValueError(f"vector '{vector_id}' is said to lie outside, at {place!r}")
    return place


def _without_manifest(root: Path) -> Corpus:
    """Every directory below with a model or a data.json; sub-directories of one are its own."""
    entries: dict[str, Entry] = {}
    for folder, below, names in os.walk(root):
        below.sort()
        if MODEL_FILE in names or DATA_FILE in names:
            below.clear()
            entry = _unlisted_entry(root, Path(folder), described=DATA_FILE in names)
            if entry.id in entries:
                other = entries[entry.id].directory
                raise BadInputError(f"{folder}: has the id '{entry.id}', as {other} has")
            entries[entry.id] = entry
    return Corpus(root, "unversioned", None, entries, {})


def _unlisted_entry(root: Path, directory: Path, *, described: bool) -> Entry:
    if described:
        content = (directory / DATA_FILE).read_bytes()
        try:
            plain = is_plain(json.loads(content))
        except ValueError as error:
            raise BadInputError(f"{directory / DATA_FILE}: is not JSON: {error}") from None
        if not plain:
            vector = vector_of({DATA_FILE: content}, str(directory))
            return Entry(vector.id, vector.kind, directory, None)
    # Patterns of ids are in lower case; a folder opened by itself is called by its own name.
    relative = directory.relative_to(root).as_posix()
    name = directory.absolute().name if relative == "." else relative
    return Entry(name.lower(), Kind.VALID, directory, None, plain=True)


def load(entry: Entry) -> LoadedVector:
    """Read a vector's files, and refuse them where they are not what the manifest lists."""
    directory, where = entry.directory, str(entry.location)
    try:
        files = read_files(directory)
    except (FileNotFoundError, NotADirectoryError):
        raise BadInputError(f"{where}: vector '{entry.id}' is missing") from None
    if entry.digest is not None and digest(files) != entry.digest:
        raise BadInputError(
            f"{where}: differs from the manifest; restore it with the command that"
            " wrote it (`onnx-vectors generate` or `onnx-vectors import`)"
        )
    vector = plain_vector(entry.id, files, where) if entry.plain else vector_of(files, where)
    return LoadedVector(vector, directory, files)


def read_metadata(entry: Entry) -> Vector:
    """What a vector's data.json says, without its other files; nothing is verified yet.

    Of a plain directory everything is read: its model says what it is.
    """
    if entry.plain:
        return load(entry).vector
    path = entry.directory / DATA_FILE
    try:
        content = path.read_bytes()
    except OSError:
        raise BadInputError(f"{path}: vector '{entry.id}' is missing") from None
    return vector_of({DATA_FILE: content}, str(entry.directory))
