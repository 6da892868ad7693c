"""Writes an archive: the vectors of an operator version, and before them what they are.

It is a tar, compressed by gzip, whose bytes follow from the vectors: files are in order, owned by
nobody and dated 1970. Archives of a release, of the data wheel and of the cache are the same files.
"""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Iterable, Mapping, Sequence

from ..listing.model import Listed, VersionManifest
from ..listing.writing import operator_manifest
from ..vectors import relative_directory

ENDING = ".tar.gz"
# The folder in an archive with the list of its vectors. Not that of the manifests: those of a
# release say more, and archives are unpacked beside them.
CONTENTS = "contents"
# 9 takes five times as long, and saves a twentieth.
_LEVEL = 6


def archive_of(vectors: Sequence[Listed], files: Mapping[str, Mapping[str, bytes]]) -> bytes:
    """The archive of an operator version.

    Args:
        vectors: all of its vectors, as its manifest lists them; at least one.
        files: the files of each, by its id.
    """
    named = {
        f"{relative_directory(item.kind, item.id)}/{name}": content
        for item in vectors
        for name, content in files[item.id].items()
    }
    contents = f"{CONTENTS}/{vectors[0].operator_version}.json"
    return packed([(contents, _contents(vectors)), *sorted(named.items())])


def _contents(vectors: Sequence[Listed]) -> bytes:
    """What is in the archive, in the form of a manifest, without the history of vectors.

    An archive stays the same where that grows.
    """
    facts = vectors[0].facts
    now = tuple(Listed(item.id, item.kind, item.digest, item.facts) for item in vectors)
    return operator_manifest(
        VersionManifest(facts.operator, facts.domain, facts.since_version, now)
    )


def packed(files: Iterable[tuple[str, bytes]]) -> bytes:
    """A tar of these files in this order, compressed.

    It is a plain one (ustar), which the shortest of readers can read, unless a name is too long.
    """
    taken = list(files)
    try:
        return _packed(taken, tarfile.USTAR_FORMAT)
    except ValueError:  # a name that has more than 100 bytes after the last / that may divide it
        return _packed(taken, tarfile.PAX_FORMAT)


def _packed(files: Iterable[tuple[str, bytes]], form: int) -> bytes:
    stream = io.BytesIO()
    # Not gzip.compress: what it writes in the header differs between versions of Python.
    with (
        gzip.GzipFile("", "wb", _LEVEL, stream, mtime=0) as compressed,
        tarfile.open(fileobj=compressed, mode="w", format=form) as archive,
    ):
        for name, content in files:
            item = tarfile.TarInfo(name)
            item.size = len(content)
            archive.addfile(item, io.BytesIO(content))
    return stream.getvalue()
