"""A folder of imported cases: written completely or not at all, with a manifest of digests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from onnx_conformance.core.corpus.listing.model import INLINE_FORMAT
from onnx_conformance.core.corpus.replacing import check_replaceable, write_vectors
from onnx_conformance.core.corpus.vector_files import digest
from onnx_conformance.core.corpus.vectors import Vector

from .cases import FOLDER

CORPUS_PREFIX = "onnx-"


@dataclass(frozen=True)
class ImportedCase:
    """A case with its metadata and all of its files, by their path inside its directory."""

    #: Its metadata.
    vector: Vector
    #: All its files by path in its directory.
    files: Mapping[str, bytes]

    @property
    def folder(self) -> str:
        """Its directory below the output folder, named as ONNX names the case."""
        return f"{FOLDER}/{self.vector.case}"


def manifest_of(cases: Iterable[ImportedCase], onnx_version: str) -> dict[str, object]:
    """The manifest: the digest and the directory of each case, by id."""
    ordered = sorted(cases, key=lambda case: case.vector.id)
    return {
        "format": INLINE_FORMAT,
        "corpus": CORPUS_PREFIX + onnx_version,
        "vectors": {"valid": {case.vector.id: digest(case.files) for case in ordered}},
        "folders": {case.vector.id: case.folder for case in ordered},
    }


def check_output(root: Path) -> None:
    """Raise UsageError unless `root` may be written: new, empty, or an earlier import."""
    check_replaceable(root, CORPUS_PREFIX, "an earlier import")


def write(cases: Sequence[ImportedCase], onnx_version: str, root: Path) -> None:
    """Write the cases and their manifest as the folder `root`, which is replaced as a whole.

    Raises UsageError if `root` holds something else, BadInputError if it cannot be written; in both
    cases its present content stays.
    """
    check_output(root)
    places = ((case.folder, case.files) for case in cases)
    write_vectors(root, manifest_of(cases, onnx_version), places)
