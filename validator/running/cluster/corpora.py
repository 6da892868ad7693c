"""The corpus on a worker: its own where the digest is that of the run, else sent once.

What is sent are the manifests and, of the operator versions that the run needs, the archives, or
the folders of their vectors where there are no archives. Each vector is compared with its
digest before it is judged, as everywhere: a spoiled copy costs its vectors their verdict.
"""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from onnx_conformance.core.corpus.archived.packing import ENDING
from onnx_conformance.core.corpus.cache import cache_folder
from onnx_conformance.core.corpus.corpus import Corpus, Entry, load
from onnx_conformance.core.corpus.vectors import relative_directory
from onnx_conformance.core.corpus.vectors_folder import open_published, open_vectors
from onnx_conformance.core.errors import BadInputError, ConformanceError
from onnx_conformance.core.files import replacing_folder

from .batches import RunSpec

_FOLDER = "sent"
_DIGITS = 32
_MOST = 8 * 1024**3  # bytes of a corpus that was sent


# --- on the worker --------------------------------------------------------------------------


def own_corpus(spec: RunSpec) -> Corpus | None:
    """The corpus of a run as this machine has it; None if it has to be sent.

    That is the folder of the recording machine where both share it, the published corpus with its
    archives, or what was sent before.
    """
    for corpus in _candidates(spec):
        if corpus.digest == spec.corpus and _is_there(corpus, spec):
            return corpus
    return None


def _candidates(spec: RunSpec) -> Iterator[Corpus]:
    given = [Path(spec.root), sent_folder(spec)]
    for path in given:
        if path.exists():
            try:
                yield open_vectors(path)
            except ConformanceError:
                continue  # another folder of that name
    try:
        yield open_published()
    except ConformanceError:
        return


def _is_there(corpus: Corpus, spec: RunSpec) -> bool:
    return corpus.source is None or not corpus.source.missing(spec.operator_versions)


def sent_folder(spec: RunSpec) -> Path:
    """Where a corpus is kept that was sent, with the operator versions of the run."""
    what = "\n".join((spec.corpus, *spec.operator_versions))
    name = hashlib.sha256(what.encode()).hexdigest()[:_DIGITS]
    return cache_folder(os.environ) / _FOLDER / name


def keep(content: bytes, spec: RunSpec) -> None:
    """Keep a corpus that was sent; BadInputError if it is none."""
    folder = sent_folder(spec)
    with replacing_folder(folder) as beside:
        _unpack(content, beside)


def _unpack(content: bytes, folder: Path) -> None:
    """Unpack plain files, none outside of the folder."""
    total = 0
    try:
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            for item in archive:
                place = (folder / item.name).resolve()
                if not item.isfile() or not place.is_relative_to(folder.resolve()):
                    raise BadInputError(f"a corpus that was sent has {item.name!r} in it")
                total += item.size
                stream = archive.extractfile(item)
                if stream is None or total > _MOST:
                    raise BadInputError("a corpus that was sent is too large")
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(stream.read())
    except tarfile.TarError as error:
        raise BadInputError(f"a corpus that was sent cannot be read: {error}") from None


# --- on the machine that records ------------------------------------------------------------


def packed_corpus(corpus: Corpus, entries: Mapping[str, Entry]) -> bytes:
    """A corpus as it is sent: its manifests, and what a run needs of its vectors."""
    corpus.provide(entries.values())
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, content in _files(corpus, entries):
            item = tarfile.TarInfo(name)
            item.size = len(content)
            archive.addfile(item, io.BytesIO(content))
    return stream.getvalue()


def _files(corpus: Corpus, entries: Mapping[str, Entry]) -> Iterator[tuple[str, bytes]]:
    for path in sorted((*corpus.root.glob("*.json"), *corpus.root.glob("manifests/**/*.json"))):
        yield path.relative_to(corpus.root).as_posix(), path.read_bytes()
    # Whole operator versions: another run may take other vectors of them from the same folder.
    by_version: dict[str, list[Entry]] = {entry.operator_version: [] for entry in entries.values()}
    for entry in corpus.entries.values():
        if entry.operator_version in by_version:
            by_version[entry.operator_version].append(entry)
    for version, those in by_version.items():
        holder = those[0].holder
        if holder is not None:
            yield f"{version}{ENDING}", holder.path.read_bytes()
        else:
            yield from _folders(corpus.root, those)


def _folders(root: Path, entries: Sequence[Entry]) -> Iterator[tuple[str, bytes]]:
    for entry in entries:
        try:
            files = load(entry).files
        except (BadInputError, OSError):
            continue  # it is missing there, and so cannot be judged there either
        here = Path(entry.location)
        below = here.is_relative_to(root)
        place = (
            here.relative_to(root).as_posix() if below else relative_directory(entry.kind, entry.id)
        )
        for name, content in files.items():
            yield f"{place}/{name}", content
