"""Vectors that are installed beside this package, as a wheel of their own.

`onnx-conformance-vectors` has the archives of a release and its manifest.json, and no code. An
operator version is taken from it where both name the same manifest for it, and so the same vectors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from onnx_conformance.core.corpus.archived.packing import ENDING
from onnx_conformance.core.corpus.listing.model import MANIFEST_FILE
from onnx_conformance.core.corpus.manifests import versions_in
from onnx_conformance.core.documents import read_json
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.limits import MANIFEST

MODULE = "onnx_conformance_vectors"
PACKAGE = "onnx-conformance-vectors"


@dataclass(frozen=True)
class Delivered:
    """The installed vectors.

    Attributes:
        root: the folder of the archives.
        corpus: the version of the corpus.
        digests: of the manifest of each operator version.
    """

    root: Path
    corpus: str
    digests: Mapping[str, str]

    def archive(self, operator_version: str, digest: str) -> Path | None:
        """The archive of an operator version whose manifest has that digest; None if not here."""
        if self.digests.get(operator_version) != digest:
            return None
        return self.root / f"{operator_version}{ENDING}"


def delivered_vectors() -> Delivered | None:
    """The installed vectors; None if there are none, BadInputError if they are not whole."""
    found = find_spec(MODULE)
    if found is None or not found.submodule_search_locations:
        return None
    root = Path(next(iter(found.submodule_search_locations)))
    path = root / MANIFEST_FILE
    try:
        manifest = read_json(path, MANIFEST)
        return Delivered(root, str(manifest["corpus"]), versions_in(manifest))
    except (ValueError, KeyError, TypeError, AttributeError, BadInputError) as error:
        raise BadInputError(
            f"{path}: cannot be used ({error}): install {PACKAGE} again, or remove it, and vectors"
            " are made here"
        ) from None
