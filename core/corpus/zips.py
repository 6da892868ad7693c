"""A release of the corpus: its manifests, and a zip for each operator version.

Zips that are needed are unpacked into the user's cache, because runtimes open models by path. A
person who needs only files unpacks all zips into the folder that contains them: then it is a
vectors folder.
"""

from __future__ import annotations

import os
import sys
import zipfile
import zlib
from typing import TYPE_CHECKING

from ..errors import BadInputError
from ..limits import ARCHIVE, VECTOR_FILES
from .cache import CachedVectors, cache_folder, put
from .listing.model import MANIFEST_FILE
from .vectors import KINDS, relative_directory

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from .listing.model import Listed

ENDING = ".zip"


class Zips(CachedVectors):
    """A folder of zips: a `Source` of vectors."""

    def provide(self, operator_versions: Sequence[str]) -> None:
        """Unpack operator versions into the cache.

        Raises BadInputError if a zip is missing, cannot be read, or holds other vectors than its
        manifest lists.
        """
        for name in operator_versions:
            path, listed = self.root / f"{name}{ENDING}", self.listed(name)
            try:
                made = list(_vectors_in(path, listed))
            except FileNotFoundError:
                raise BadInputError(f"{path}: is missing: fetch it, beside the manifests") from None
            except (OSError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
                raise BadInputError(f"{path}: cannot be unpacked: {error}") from None
            differing = put(self.folder(name), listed, made)
            if differing:
                raise BadInputError(
                    f"{path}: {len(differing)} of {len(listed)} vectors are not what the manifest"
                    f" lists, such as {differing[0]}; fetch zips and manifests again"
                )


def zips_in(folder: Path, environment: Mapping[str, str] = os.environ) -> Zips | None:
    """The vectors of a folder of zips; None if it has no zips, or they are unpacked beside them."""
    unpacked = any((folder / kind).is_dir() for kind in KINDS)
    if unpacked or not (folder / MANIFEST_FILE).is_file():
        return None
    if next(folder.glob(f"*{ENDING}"), None) is None:
        return None
    return Zips(folder, cache_folder(environment), sys.stderr)


def _vectors_in(path: Path, listed: Sequence[Listed]) -> Iterator[tuple[str, Mapping[str, bytes]]]:
    """The id and the files of each vector in a zip; an unlisted file is given its path as id."""
    places = {relative_directory(item.kind, item.id): item.id for item in listed}
    with zipfile.ZipFile(path) as archive:
        found: dict[str, dict[str, zipfile.ZipInfo]] = {}
        size = 0
        for item in archive.infolist():
            place = "/".join(item.filename.split("/")[:3])
            inside = item.filename[len(place) + 1 :]
            if not _is_plain(inside):
                raise BadInputError(f"{path}: holds {item.filename!r}, which is no vector's file")
            files = found.setdefault(places.get(place, place), {})
            files[inside] = item
            size += item.file_size
            if len(files) > VECTOR_FILES or size > ARCHIVE:
                raise BadInputError(f"{path}: holds more than is taken: {size:,} bytes or more")
        for vector_id, files in found.items():
            yield vector_id, {name: archive.read(item) for name, item in files.items()}


def _is_plain(name: str) -> bool:
    """Whether a path inside a zip stays inside the folder that it is unpacked to."""
    parts = name.split("/")
    return all(part and part not in (".", "..") and "\\" not in part for part in parts)
