"""The vectors folder: its manifest, and the vectors that can be trusted.

A corpus is opened by its manifest when there is one: the manifest lists every vector with the
digest of its files, and a vector that differs is never judged.
"""

from __future__ import annotations

import contextlib
import os
import posixpath
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..documents import (
    DIGESTS,
    INTEGER,
    OBJECT,
    TEXT,
    TEXT_MAP,
    check,
    is_id,
    parse_json,
    parsed,
    read_plain,
)
from ..errors import BadInputError
from ..exploring.ids import is_explored
from ..limits import ID, MANIFEST, METADATA, VECTOR_FILE
from ..text import brief
from .listing.folders import Found, vectors_below
from .listing.model import FORMAT, INLINE_FORMAT, MANIFEST_FILE, Facts, Listed, Withdrawn, digest_of
from .manifests import read_version_manifests
from .plain_vectors import is_plain, plain_vector
from .sources import Everything, Holder, Source, Supply
from .vector_files import digest, read_files, vector_of
from .vectors import DATA_FILE, KINDS, MODEL_FILE, Kind, Vector, relative_directory

_RESTORE = "restore it with the command that wrote it (`onnx-vectors generate` or `import`)"
# The advice for an environment that cannot make the vectors; reading them takes much less.
ELSEWHERE = (
    "write it in another environment (`onnx-vectors generate --output DIR`), and name that folder"
    " with --vectors, or --onnx-vectors of pytest"
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A vector's place in a corpus.

    Attributes:
        id: of the vector.
        kind: what it asks.
        location: path of the directory of its files.
        digest: of its files; None in a folder without a manifest.
        plain: whether the directory has no data.json of ours, as in a checkout of ONNX.
        facts: what the manifest tells about it beyond that; None if it tells no more.
        nameless: whether its data.json cannot be read, so that nobody knows its id: `id` is then
            the path of its directory.
        since: the release of the corpus since which it stands; None if the manifest does not say.
        was: the digests that it had before, by the last release that had them.
        holder: has its files; None if they are in the directory.
        problem: why it cannot be used, if that is known before it is read.
        root: the real path of the folder in which links of its files may lead; empty if its files
            may be no links.
    """

    id: str
    kind: Kind
    location: str | Path  # a text in a large corpus: a Path takes five times its memory
    digest: str | None
    plain: bool = False
    facts: Facts | None = field(default=None, compare=False)
    nameless: bool = False
    since: str | None = field(default=None, compare=False)
    was: Mapping[str, str] = field(default_factory=dict, compare=False)
    holder: Holder | None = field(default=None, compare=False)
    problem: str = field(default="", compare=False)
    root: str = field(default="", compare=False)

    @property
    def operator_version(self) -> str:
        """The first part of its id, e.g. `reshape-14`."""
        return self.id.split("/", 1)[0]

    @property
    def directory(self) -> Path:
        """The folder of its files; in an archive, its path followed by the path inside."""
        return Path(self.location)


@dataclass(frozen=True)
class Corpus:
    """A vectors folder.

    Attributes:
        root: the folder.
        version: the corpus version of the manifest, or "unversioned" without one.
        digest: SHA-256 of manifest.json, or None without one.
        entries: every vector, by id, in the order of the manifest.
        manifest: the manifest's other keys.
        source: writes the vectors when they are needed; None if they are all in the folder.
        withdrawn: what it held before, by id, as far as the manifests say.
    """

    root: Path
    version: str
    digest: str | None
    entries: Mapping[str, Entry]
    manifest: Mapping[str, Any]
    source: Source | None = None
    withdrawn: Mapping[str, Withdrawn] = field(default_factory=dict)

    def supply(self, entries: Iterable[Entry]) -> Supply:
        """Makes the files of these vectors where they are missing, in their order.

        Nothing is made before it is started.
        """
        if self.source is None:
            return Everything()
        listed = (item.operator_version for item in entries if not is_explored(item.id))
        missing = self.source.missing(dict.fromkeys(listed))
        return self.source.supply(missing) if missing else Everything()

    def provide(self, entries: Iterable[Entry]) -> None:
        """Make sure that the files of these vectors exist, which may take long.

        Raises BadInputError or CannotWriteError if they cannot be made.
        """
        with contextlib.closing(self.supply(entries)) as supply:
            supply.start()
            supply.wait()


@dataclass(frozen=True)
class LoadedVector:
    """A vector with all of its files, compared with its digest."""

    #: Its metadata.
    vector: Vector
    #: Path of its directory; names it in messages.
    location: str
    #: The content of each of its files, by path in its directory.
    files: Mapping[str, bytes]

    @property
    def directory(self) -> Path:
        """The folder that holds its files."""
        return Path(self.location)


def open_corpus(root: Path, source: Source | None = None) -> Corpus:
    """Open a vectors folder; BadInputError if it is missing, empty or contradicts itself.

    `source` makes the vectors that the manifest lists; None means that they are in the folder.
    """
    if not root.is_dir():
        raise BadInputError(f"{root}: no such folder; `onnx-vectors generate` writes the vectors")
    path = root / MANIFEST_FILE
    if not os.path.lexists(path):
        return _without_manifest(root)
    try:
        content = read_plain(path, MANIFEST)
    except OSError as error:
        raise BadInputError(f"{path}: cannot be read: {error.strerror or error}") from None
    try:
        manifest = parsed(content)
        check(manifest, _MUSTS)
        version = manifest["corpus"]
        gone: Mapping[str, Withdrawn] = {}
        if manifest.get("format") == FORMAT:
            versions = tuple(read_version_manifests(root, manifest))
            vectors = (item for version in versions for item in version.vectors)
            entries = entries_of(vectors, root, None if source is None else source.holder)
            gone = {item.id: item for version in versions for item in version.withdrawn}
        elif manifest.get("format") == INLINE_FORMAT:
            entries = _inline(root, manifest)
        else:
            raise BadInputError(
                f"{path}: has format {manifest.get('format')!r}; this version reads {FORMAT}"
            )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInputError(f"{path}: is not a manifest: {error!r}") from None
    for key in ("vectors", "folders", "operators"):
        manifest.pop(key, None)
    return Corpus(root, version, digest_of(content), entries, manifest, source, gone)


def entries_of(
    vectors: Iterable[Listed], root: Path, holder: Callable[[str], Holder] | None = None
) -> dict[str, Entry]:
    """The entries of the vectors that manifests of operator versions list.

    Args:
        vectors: all of them.
        root: the folder of the corpus.
        holder: what has the vectors of an operator version; None if they are below the root.

    Raises ValueError if two of them would have one folder.
    """
    entries = {}
    holders: dict[str, tuple[Holder | None, str]] = {}
    taken: dict[str, str] = {}
    for item in vectors:
        name = item.operator_version
        if name not in holders:
            held = None if holder is None else holder(name)
            holders[name] = held, str(root if held is None else held.path)
        held, folder = holders[name]
        place = f"{folder}/{relative_directory(item.kind.value, item.id)}"
        other = taken.setdefault(place, item.id)
        if other != item.id:
            raise ValueError(f"'{other}' and '{item.id}' name one folder, {place}")
        entries[item.id] = Entry(
            item.id,
            item.kind,
            place,
            item.digest,
            facts=item.facts,
            since=item.since,
            was=item.was,
            holder=held,
        )
    return entries


def _inline(root: Path, manifest: Mapping[str, Any]) -> dict[str, Entry]:
    """The entries of a corpus whose manifest.json lists them."""
    vectors, folders = manifest["vectors"], manifest.get("folders", {})
    check(vectors, dict.fromkeys(KINDS, DIGESTS))
    listed = sum(map(len, vectors.values()))
    if manifest.get("count", listed) != listed:
        raise ValueError(f"count is {brief(manifest['count'])}, and {listed} vectors are listed")
    entries = {
        vector_id: Entry(vector_id, kind, f"{root}/{_place(kind, vector_id, folders)}", value)
        for kind in Kind
        for vector_id, value in vectors.get(kind, {}).items()
    }
    _check_entries(entries, folders)
    return entries


_MUSTS = {"corpus": TEXT, "vectors": OBJECT, "folders": TEXT_MAP, "format": INTEGER}


def _check_entries(entries: Mapping[str, Entry], folders: Mapping[str, str]) -> None:
    """Raise ValueError if an id is not a valid one, or if two ids mean the same directory."""
    bad = next((item for item in entries if not is_id(item)), None)
    if bad is not None:
        raise ValueError(f"{brief(bad)} is no id: 1 to {ID} printable characters")
    taken: dict[str, str] = {}
    for vector_id, place in folders.items():
        other = taken.setdefault(posixpath.normpath(place), vector_id)
        if other != vector_id:
            raise ValueError(f"'{other}' and {brief(vector_id)} name one folder, {brief(place)}")


def _place(kind: Kind, vector_id: str, folders: Mapping[str, str]) -> str:
    """A vector's directory below the root: by its id, or as the manifest says if imported."""
    place = folders.get(vector_id)
    if place is None:
        return relative_directory(kind, vector_id)
    if place.startswith("/") or ".." in place.split("/"):
        raise ValueError(f"vector '{vector_id}' is said to lie outside, at {place!r}")
    return place


def _without_manifest(root: Path) -> Corpus:
    """A corpus of every directory below `root` that is a vector, or should be one."""
    entries: dict[str, Entry] = {}
    for found in vectors_below(str(root)):
        entry = _unlisted_entry(root, found)
        other = entries.setdefault(entry.id, entry)
        if other is not entry and other.directory.resolve() != entry.directory.resolve():
            raise BadInputError(
                f"{entry.directory}: has the id '{entry.id}', as {other.directory} has"
            )
    return Corpus(root, "unversioned", None, entries, {})


def _unlisted_entry(root: Path, found: Found) -> Entry:
    """The entry of a directory; one that cannot be read has an entry too, and fails when loaded."""
    directory = Path(found.directory)
    by_name = Entry(
        found.name_in(root),
        Kind.VALID,
        directory,
        None,
        plain=not found.described,
        problem=found.problem,
        root=os.path.realpath(root),
    )
    if not found.described:
        return by_name
    path = directory / DATA_FILE
    try:
        content = read_plain(path, METADATA)
        if is_plain(parse_json(content, path)):
            return replace(by_name, plain=True)
        vector = vector_of({DATA_FILE: content}, str(directory))
    except (BadInputError, OSError):
        return replace(by_name, nameless=True)  # `load` fails in the same way, and reports why
    return replace(by_name, id=vector.id, kind=vector.kind)


def load(entry: Entry) -> LoadedVector:
    """Read a vector's files; BadInputError if they are not what the manifest lists.

    Every fault in them is a BadInputError, so that it costs this vector and no other.
    """
    where = _where(entry)
    files = _files(entry, where)
    if entry.digest is not None and digest(files) != entry.digest:
        raise BadInputError(f"{where}: differs from the manifest; {_advice(entry)}")
    return LoadedVector(_vector(entry, files), where, files)


def model_of(entry: Entry) -> bytes | None:
    """The content of a vector's model, without any check; None if it cannot be read."""
    try:
        if entry.holder is not None:
            return _files(entry, _where(entry)).get(MODEL_FILE)
        return read_plain(f"{entry.location}/{MODEL_FILE}", VECTOR_FILE)
    except (BadInputError, OSError):
        return None


def _where(entry: Entry) -> str:
    """The directory of a vector, as a text."""
    # A Path is made where it changes the text, on Windows; it costs more than reading a file.
    where = str(entry.location if os.sep == "/" else entry.directory)
    try:
        where.encode()
    except UnicodeEncodeError:
        raise BadInputError(f"{where}: the name of the folder is no UTF-8") from None
    return where


def _files(entry: Entry, where: str) -> dict[str, bytes]:
    """A vector's files, by path in its directory."""
    if entry.problem:
        raise BadInputError(f"{where}: {entry.problem}")
    try:
        if entry.holder is not None:
            return entry.holder.files(relative_directory(entry.kind, entry.id))
        return read_files(where, entry.root)
    except (FileNotFoundError, NotADirectoryError):
        missing = f"{where}: vector '{entry.id}' is missing; {_advice(entry)}"
        raise BadInputError(missing) from None
    except OSError as error:
        raise BadInputError(f"{where}: cannot be read: {error.strerror or error}") from None


def _advice(entry: Entry) -> str:
    return _RESTORE if entry.holder is None else entry.holder.restore


def _vector(entry: Entry, files: Mapping[str, bytes]) -> Vector:
    """The vector in some files; BadInputError if they hold none, or not the one listed."""
    where = str(entry.location)
    try:
        vector = plain_vector(entry.id, files, where) if entry.plain else vector_of(files, where)
    except BadInputError:
        raise
    except Exception as error:  # protobuf raises many things, and a model can hold anything
        raise BadInputError(f"{where}: cannot be read: {type(error).__name__}: {error}") from None
    if (vector.id, vector.kind) != (entry.id, entry.kind):
        raise BadInputError(
            f"{where}: says that it is the {vector.kind} vector '{vector.id}', but was to be the"
            f" {entry.kind} vector '{entry.id}'"
        )
    return vector


def read_metadata(entry: Entry) -> Vector:
    """What a vector's data.json says, without its other files; nothing is verified yet.

    Of a plain directory everything is read: its model says what it is.
    """
    if entry.plain:
        return load(entry).vector
    where = _where(entry)
    if entry.holder is not None:
        return _vector(entry, _files(entry, where))
    path = Path(where) / DATA_FILE
    try:
        content = read_plain(path, METADATA)
    except OSError:
        raise BadInputError(f"{path}: vector '{entry.id}' is missing") from None
    return _vector(entry, {DATA_FILE: content})
