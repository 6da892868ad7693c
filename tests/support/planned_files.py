"""The files of a planned corpus, and writing them: as the commands do, without a lock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.listing.model import listed
from onnx_conformance.core.corpus.listing.sizes import listed_size
from onnx_conformance.core.corpus.requirements import REQUIREMENTS_FILE
from onnx_conformance.core.corpus.vector_files import digest
from onnx_conformance.core.corpus.vectors import relative_directory
from onnx_conformance.generators.corpus.making import (
    as_json,
    build_all,
    manifests,
    requirements_of,
)
from onnx_conformance.generators.corpus.writing import CorpusWriter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from onnx_conformance.generators.corpus.making import CorpusPlan
    from onnx_conformance.generators.corpus.writing import Written


def expected_files(corpus: CorpusPlan) -> Iterator[tuple[str, Mapping[str, bytes]]]:
    """(relative directory, files) of each vector, then the corpus's own files under ``""``."""
    all_listed = []
    for built in build_all(corpus):
        vector = built.vector
        all_listed.append(listed(vector, digest(built.files), listed_size(built.files)))
        yield relative_directory(vector.kind, vector.id), built.files
    words = {name: item for spec in corpus.specs for name, item in requirements_of(spec).items()}
    own = manifests(corpus.facts, corpus.profile, all_listed)
    yield "", {REQUIREMENTS_FILE: as_json(words), **own}


def write_corpus(corpus: CorpusPlan, root: Path) -> Written:
    """Write every vector of a plan below `root`."""
    with CorpusWriter(root) as writer:
        for place, files in expected_files(corpus):
            if not place:
                return writer.finish(files)
            writer.add(place, files)
    raise ValueError("a corpus ends with its own files")
