"""Vectors in the user's cache: an archive for each operator version, whole or not there at all.

An archive is named after the operator version and the digest of its manifest, which holds the
digest of each of its vectors. So two versions of this package share an archive exactly when they
need the same vectors.
"""

from __future__ import annotations

import contextlib
import errno
import os
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from .. import systems
from ..errors import BadInputError, cannot_write
from ..files import lock, replacing
from .abandoned import TEMPORARY, remove_abandoned
from .archived.packing import ENDING, archive_of
from .listing.model import Listed
from .vector_files import digest

CACHE_VARIABLE = "ONNX_CONFORMANCE_CACHE"
_DIGITS = 16  # characters of the digest in an archive's name
_LENGTH = 4  # bytes at the end of a gzip file


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


def place_in(cache: Path, operator_version: str, manifest_digest: str) -> Path:
    """The archive of an operator version, there or not; `manifest_digest` is of its manifest."""
    return cache / f"{operator_version}-{manifest_digest[:_DIGITS]}{ENDING}"


def is_whole(path: Path) -> bool:
    """Whether an archive is in the cache, and not cut short by a full disk or a lost machine.

    Its content is compared with the digests later, when it is read. Raises BadInputError if it may
    not be read.
    """
    try:
        with path.open("rb") as stream:
            stream.seek(-_LENGTH, os.SEEK_END)
            # gzip ends with the length of what it holds, and a tar is filled up to whole records.
            length = int.from_bytes(stream.read(_LENGTH), "little")
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        if error.errno == errno.EINVAL:  # shorter than the number at its end
            return False
        raise BadInputError(
            f"{path}: cannot be read: {error.strerror or error}; mend its permissions, or name"
            f" another folder for vectors in ${CACHE_VARIABLE}"
        ) from None
    return length > 0 and length % tarfile.RECORDSIZE == 0


def put(
    path: Path,
    vectors: Sequence[Listed],
    made: Mapping[str, Mapping[str, bytes]],
) -> list[str]:
    """Write the archive of an operator version into the cache, whole or not at all.

    Args:
        path: the archive.
        vectors: what the manifest lists.
        made: the files of each vector, by its id.

    Returns the ids of vectors that are missing, that nobody listed, or that differ from what the
    manifest lists; if there are any, nothing is written. Two processes may do this at the same
    time: they write the same file. Raises BadInputError or CannotWriteError if the cache cannot be
    written.
    """
    due = {item.id: item.digest for item in vectors}
    differing = sorted(
        item
        for item in {**due, **made}
        if item not in due or item not in made or digest(made[item]) != due[item]
    )
    if differing:
        return differing
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        remove_abandoned(path.parent)
        with replacing(path, prefix=TEMPORARY) as stream:
            lock(stream.fileno())  # while it is, nobody considers it abandoned
            stream.write(archive_of(vectors, made))
    except OSError as error:
        known = cannot_write(error.filename or path, error)
        raise type(known)(
            f"{known}; name another folder for vectors in ${CACHE_VARIABLE}"
        ) from None
    return []
