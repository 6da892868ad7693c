"""Solid archives of vectors: a corpus as one tar, and one for each operator version.

A tar has a header for each file; the headers here hold a name, a size and 1980-01-01, nothing of
who made it or when. Files go in by path: neighbours are alike, which is what makes xz pack well.
"""

from __future__ import annotations

import io
import lzma
import tarfile
from pathlib import Path
from typing import IO, TYPE_CHECKING

from onnx_conformance.core.corpus.archived.packing import ENDING, archive_of
from onnx_conformance.core.corpus.corpus import open_corpus
from onnx_conformance.core.corpus.listing.model import MANIFEST_FILE, MANIFESTS_FOLDER
from onnx_conformance.core.corpus.manifests import read_version_manifests, versions_in
from onnx_conformance.core.corpus.requirements import REQUIREMENTS_FILE
from onnx_conformance.core.corpus.vector_files import digest, read_files
from onnx_conformance.core.documents import parsed
from onnx_conformance.core.errors import BadInputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from onnx_conformance.core.corpus.corpus import Entry

_DATE = 315532800  # 1980-01-01, the date of the entries of the zips too
# Everything that decides what xz writes is said here, and nothing left to a default of the day.
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9}]
_PAGE = "README.md"
# What vectors are written in, for whoever has no ONNX: the messages, as the onnx package has them.
_PROTO = ("onnx-ml.proto", "onnx-data.proto")


def write_corpus_archive(corpus: Path, page: Path, target: Path, name: str) -> int:
    """Pack a corpus, and return how many vectors are in it.

    Args:
        corpus: a folder of vectors with its manifest.
        page: the page on the format, which goes in as README.md.
        target: the file to write; its bytes follow from the corpus alone.
        name: the folder that all files in the archive are in.

    Raises BadInputError if a vector is missing or differs from its manifest, or a manifest from
    what manifest.json says.
    """
    head = _head(corpus, page)
    opened = open_corpus(corpus)

    def files() -> Iterator[tuple[str, bytes]]:
        yield from head.items()
        for entry in sorted(opened.entries.values(), key=lambda item: str(item.location)):
            place = Path(entry.location).relative_to(corpus).as_posix()
            yield from ((f"{place}/{inside}", data) for inside, data in _files(entry).items())

    with (
        target.open("wb") as stream,
        lzma.LZMAFile(
            stream, "wb", format=lzma.FORMAT_XZ, check=lzma.CHECK_SHA256, filters=_FILTERS
        ) as packed,
    ):
        write_tar(packed, ((f"{name}/{inside}", data) for inside, data in files()))
    return len(opened.entries)


def write_operator_archives(corpus: Path, page: Path, folder: Path) -> int:
    """Pack each operator version of a corpus by itself, and return how many there are.

    The folder is then what `onnx-vectors generate --archive` writes, from vectors that are made
    already. Arguments and errors are those of `write_corpus_archive`.
    """
    head = _head(corpus, page)
    entries = open_corpus(corpus).entries
    count = 0
    for version in read_version_manifests(corpus, parsed(head[MANIFEST_FILE])):
        if version.vectors:
            files = {item.id: _files(entries[item.id]) for item in version.vectors}
            head[f"{version.name}{ENDING}"] = archive_of(version.vectors, files)
            count += 1
    for name, content in head.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return count


def _head(corpus: Path, page: Path) -> dict[str, bytes]:
    """What an archive has beside vectors: the page, the manifests, the messages of ONNX."""
    import onnx

    if not (corpus / MANIFEST_FILE).is_file():
        raise BadInputError(f"{corpus}: has no vectors with a manifest: run `make vectors`")
    manifest = (corpus / MANIFEST_FILE).read_bytes()
    found = {_PAGE: page.read_bytes(), MANIFEST_FILE: manifest}
    parts = [f"{MANIFESTS_FOLDER}/{version}.json" for version in versions_in(parsed(manifest))]
    for part in (*parts, REQUIREMENTS_FILE):
        found[part] = (corpus / part).read_bytes()
    for name in _PROTO:
        found[f"proto/{name}"] = (Path(onnx.__file__).parent / name).read_bytes()
    return dict(sorted(found.items()))


def _files(entry: Entry) -> dict[str, bytes]:
    found = read_files(entry.location)
    if digest(found) != entry.digest:
        raise BadInputError(f"{entry.location}: differs from its manifest: run `make vectors`")
    return found


def write_tar(stream: IO[bytes], files: Iterable[tuple[str, bytes]]) -> None:
    """Write files as a tar, in the order in which they come."""
    with tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT) as archive:
        for name, content in files:
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime, entry.mode = len(content), _DATE, 0o644
            archive.addfile(entry, io.BytesIO(content))


def write_folder_tar(folder: Path, target: Path, name: str) -> None:
    """Put the files of a folder into a tar that compresses nothing, by path."""
    paths = sorted(
        (path.relative_to(folder).as_posix(), path) for path in folder.rglob("*") if path.is_file()
    )
    with target.open("wb") as stream:
        write_tar(stream, ((f"{name}/{inside}", path.read_bytes()) for inside, path in paths))
