"""The folder of the vectors that were cut from a model: written whole, with a manifest."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.listing.model import INLINE_FORMAT
from onnx_conformance.core.corpus.replacing import check_replaceable, write_vectors
from onnx_conformance.core.corpus.vector_files import digest
from onnx_conformance.core.corpus.vectors import KINDS, relative_directory

if TYPE_CHECKING:
    from .making import CutVector

CORPUS_PREFIX = "cut-"


def check_output(root: Path) -> None:
    """Raise UsageError unless `root` may be written: new, empty, or vectors cut earlier."""
    check_replaceable(root, CORPUS_PREFIX, "a folder of vectors that were cut earlier")


def write_cut(vectors: Sequence[CutVector], model_digest: str, root: Path) -> None:
    """Write vectors as the folder `root`, which is replaced as a whole.

    Args:
        vectors: the vectors.
        model_digest: SHA-256 of the model that they were cut from; it names the corpus.
        root: the folder.

    Raises UsageError if `root` holds something else, BadInputError if it cannot be written.
    """
    check_output(root)
    listed: dict[str, dict[str, str]] = {kind: {} for kind in KINDS}
    for item in sorted(vectors, key=lambda item: item.vector.id):
        listed[item.vector.kind][item.vector.id] = digest(item.files)
    manifest = {
        "format": INLINE_FORMAT,
        "corpus": f"{CORPUS_PREFIX}{model_digest[:12]}",
        "vectors": listed,
    }
    places = (
        (relative_directory(item.vector.kind, item.vector.id), item.files) for item in vectors
    )
    write_vectors(root, manifest, places)
