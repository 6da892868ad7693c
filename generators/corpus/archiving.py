"""The release archive: the corpus as one file, for people without Python.

The same bytes wherever it is made: entries are sorted, owned by nobody, and dated 1980, the
earliest date that every archive format knows.
"""

from __future__ import annotations

import gzip
import io
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import BadInputError, UsageError
from onnx_conformance.core.files import replacing

from .making import expected_files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO

    from .making import CorpusPlan

_DATE = 315532800  # 1980-01-01 00:00 UTC
_ENDINGS = (".tar", ".tar.gz")


def write_archive(corpus: CorpusPlan, path: Path) -> int:
    """Write the corpus to a .tar or .tar.gz file, whole or not at all; returns its size in bytes.

    A .tar is the same everywhere; a .tar.gz is the same for one version of zlib. Raises UsageError
    for another ending, BadInputError where the file cannot be written.
    """
    if not path.name.endswith(_ENDINGS):
        raise UsageError(f"{path}: an archive ends in {' or '.join(_ENDINGS)}")
    root = f"onnx-conformance-{corpus.facts.version}"
    try:
        with replacing(path) as stream:
            if path.name.endswith(".gz"):
                with gzip.GzipFile("", "wb", fileobj=stream, mtime=_DATE) as compressed:
                    _write_tar(corpus, root, compressed)
            else:
                _write_tar(corpus, root, stream)
    except OSError as error:
        raise BadInputError(f"{path}: cannot be written: {error.strerror or error}") from None
    return path.stat().st_size


def _write_tar(corpus: CorpusPlan, root: str, stream: IO[bytes] | gzip.GzipFile) -> None:
    # USTAR has no extended headers, whose contents would name the machine.
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, content in sorted(_entries(corpus)):
            entry = tarfile.TarInfo(f"{root}/{name}")
            entry.size = len(content)
            entry.mtime = _DATE
            entry.mode = 0o644
            archive.addfile(entry, io.BytesIO(content))


def _entries(corpus: CorpusPlan) -> Iterator[tuple[str, bytes]]:
    for place, files in expected_files(corpus):
        for name, content in files.items():
            yield f"vectors/{place}/{name}" if place else f"vectors/{name}", content
    yield "vectors/README.md", format_page()


def format_page() -> bytes:
    """vectors/README.md: what the files are, for readers without our tools."""
    places = (
        Path(__file__).parents[2] / "published" / "README.md",  # installed
        Path(__file__).resolve().parents[2] / "vectors" / "README.md",  # a checkout
    )
    for place in places:
        if place.is_file():
            return place.read_bytes()
    raise BadInputError(f"the page on the format is missing: {places[0]}")
