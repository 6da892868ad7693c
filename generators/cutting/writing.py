"""The folder of the vectors that were cut from a model: written whole, with a manifest."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.listing.model import INLINE_FORMAT, MANIFEST_FILE
from onnx_conformance.core.corpus.vector_files import digest
from onnx_conformance.core.corpus.vectors import KINDS, relative_directory
from onnx_conformance.core.errors import BadInputError, UsageError
from onnx_conformance.core.files import replacing_folder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from .making import CutVector

CORPUS_PREFIX = "cut-"


def check_output(root: Path) -> None:
    """Raise UsageError unless `root` may be written: new, empty, or vectors cut earlier."""
    if not root.exists() or (root.is_dir() and not any(root.iterdir())):
        return
    try:
        document = json.loads((root / MANIFEST_FILE).read_bytes())
        ours = str(document["corpus"]).startswith(CORPUS_PREFIX)
    except (OSError, ValueError, KeyError, TypeError):
        ours = False
    if not ours:
        raise UsageError(
            f"{root}: is neither empty nor a folder of vectors that were cut earlier, and would be"
            " replaced as a whole; name another folder with --output"
        )


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
    try:
        with replacing_folder(root) as folder:
            for item in vectors:
                place = folder / relative_directory(item.vector.kind, item.vector.id)
                for name, content in item.files.items():
                    path = place / name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(content)
            (folder / MANIFEST_FILE).write_text(json.dumps(manifest, indent=1) + "\n", "utf-8")
    except OSError as error:
        raise BadInputError(f"{root}: cannot be written: {error}") from None
