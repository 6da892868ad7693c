"""Vectors in the user's cache: a folder for each operator version, complete or not there at all.

A folder is named after the operator version and the digest of its manifest, which holds the digest
of each of its vectors. So two versions of this package share a folder exactly when they need the
same vectors.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from .. import systems
from ..documents import parse_json, read_plain
from ..errors import BadInputError, cannot_write
from ..limits import MANIFEST
from .abandoned import TEMPORARY, hold, release, remove_abandoned
from .listing.model import MANIFEST_FILE
from .manifests import read_operator_manifest, versions_in
from .vector_files import digest
from .vectors import relative_directory

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from .listing.model import Listed

CACHE_VARIABLE = "ONNX_CONFORMANCE_CACHE"
_DIGITS = 16  # characters of the digest in a folder's name
# Random characters in the name of a temporary folder. That name is made as long as the final one,
# so that paths inside it fit if they fit at the end: systems limit the length of a path.
_RANDOM = 8


def cache_folder(environment: Mapping[str, str]) -> Path:
    """Where vectors are kept.

    It is $ONNX_CONFORMANCE_CACHE if that is set, else the place that the XDG Base Directory
    Specification names; on Windows, the folder where a user's programs keep their data.
    """
    if environment.get(CACHE_VARIABLE):
        return Path(environment[CACHE_VARIABLE])
    if systems.WINDOWS:
        local = environment.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData/Local") / "onnx-conformance"
    home = environment.get("XDG_CACHE_HOME", "")
    # The specification asks to ignore a relative path in the variable.
    base = Path(home) if home.startswith("/") else _home(environment) / ".cache"
    return base / "onnx-conformance"


def _home(environment: Mapping[str, str]) -> Path:
    """The user's home; BadInputError if there is none, as in some containers and services."""
    home = environment.get("HOME", "")
    if not home.startswith("/"):
        with contextlib.suppress(ImportError, KeyError):
            import pwd

            home = pwd.getpwuid(os.getuid()).pw_dir
    if not home.startswith("/"):
        raise BadInputError(
            f"there is no home folder to keep vectors in; name a folder in ${CACHE_VARIABLE}"
        )
    return Path(home)


@dataclass(frozen=True)
class CachedVectors:
    """A corpus with its manifests in a folder, and its vectors written to the cache when needed.

    A subclass adds the method `provide`, which writes the vectors: that makes it a `corpus.Source`.

    Attributes:
        root: the folder of the manifests.
        cache: where vectors are kept.
        messages: stream for notes about what takes the time on first use.
    """

    root: Path
    cache: Path
    messages: TextIO

    @cached_property
    def manifest(self) -> Mapping[str, Any]:
        """The content of manifest.json; BadInputError if it cannot be used."""
        path = self.root / MANIFEST_FILE
        try:
            document = parse_json(read_plain(path, MANIFEST), path)
        except OSError as error:
            raise BadInputError(f"{path}: cannot be read: {error.strerror or error}") from None
        found: Mapping[str, Any] = document
        return found

    @cached_property
    def _digests(self) -> Mapping[str, str]:
        try:
            return versions_in(self.manifest)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            path = self.root / MANIFEST_FILE
            raise BadInputError(f"{path}: is not a manifest: {error!r}") from None

    def folder(self, operator_version: str) -> Path:
        """The folder of an operator version; `valid/`, `invalid/` and `latitude/` lie in it."""
        digest_of_it = self._digests[operator_version]
        return self.cache / f"{operator_version}-{digest_of_it[:_DIGITS]}"

    def listed(self, operator_version: str) -> tuple[Listed, ...]:
        """What the manifest of an operator version lists."""
        return read_operator_manifest(
            self.root,
            operator_version,
            self._digests[operator_version],
            self.manifest["operators"][operator_version]["count"],
        )

    def missing(self, operator_versions: Iterable[str]) -> tuple[str, ...]:
        """The given operator versions that are not in the cache, or not completely."""
        return tuple(
            item for item in operator_versions if not is_whole(self.folder(item), self.listed(item))
        )


def is_whole(place: Path, vectors: Iterable[Listed]) -> bool:
    """Whether the directory of each of these vectors is in a folder of the cache.

    Their content is compared with the digests later, when it is read. Raises BadInputError if the
    folder exists but may not be read.
    """
    due: dict[str, set[str]] = {}
    for item in vectors:
        folder, _, name = relative_directory(item.kind, item.id).rpartition("/")
        due.setdefault(folder, set()).add(name)
    try:
        return all(
            names <= {entry.name for entry in os.scandir(place / folder)}
            for folder, names in due.items()
        )
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise BadInputError(
            f"{error.filename or place}: cannot be read: {error.strerror or error}; mend its"
            f" permissions, or name another folder for vectors in ${CACHE_VARIABLE}"
        ) from None


def put(
    place: Path,
    vectors: Sequence[Listed],
    made: Iterable[tuple[str, Mapping[str, bytes]]],
) -> list[str]:
    """Write the vectors of an operator version beside its place, and then move them there at once.

    Args:
        place: the folder of the operator version.
        vectors: what the manifest lists.
        made: the id and the files of each.

    Returns the ids of vectors that are missing, that nobody listed, or that differ from what the
    manifest lists; if there are any, nothing is put in the place. Two processes may do this at the
    same time: the second finds the same files in the place already. Raises BadInputError or
    CannotWriteError if the cache cannot be written.
    """
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        remove_abandoned(place.parent)
        temporary = Path(tempfile.mkdtemp(dir=place.parent, prefix=_prefix(place.name)))
        held = hold(temporary)
        try:
            differing = _write(temporary, vectors, made)
            if not differing:
                temporary.chmod(0o755)
                _move(temporary, place, vectors)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
            release(held)
    except OSError as error:
        known = cannot_write(error.filename or place, error)
        raise type(known)(
            f"{known}; name another folder for vectors in ${CACHE_VARIABLE}"
        ) from None
    return differing


def _prefix(name: str) -> str:
    """The beginning of a temporary folder's name, so long that the name is as long as `name`."""
    return TEMPORARY + name[: max(len(name) - len(TEMPORARY) - _RANDOM, 0)]


def _write(
    root: Path, vectors: Sequence[Listed], made: Iterable[tuple[str, Mapping[str, bytes]]]
) -> list[str]:
    """Write the vectors that agree with the manifest; return the ids of all others."""
    due = {item.id: item for item in vectors}
    differing = []
    for vector_id, files in made:
        item = due.pop(vector_id, None)
        if item is None or digest(files) != item.digest:
            differing.append(vector_id)
            continue
        folder = root / relative_directory(item.kind, item.id)
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    return sorted([*differing, *due])


def _move(temporary: Path, place: Path, vectors: Sequence[Listed]) -> None:
    """Rename a folder to its place; an incomplete folder in the place is moved away and removed."""
    for _ in range(2):
        try:
            temporary.rename(place)
        except OSError:
            if is_whole(place, vectors):
                return  # another process was as quick, and wrote the same files
            aside = Path(tempfile.mkdtemp(dir=place.parent, prefix=TEMPORARY))
            with contextlib.suppress(FileNotFoundError):  # as above, and moved it away already
                place.rename(aside / place.name)
            shutil.rmtree(aside, ignore_errors=True)
        else:
            return
    raise BadInputError(f"{place}: cannot be replaced; delete it, and it is written again")
