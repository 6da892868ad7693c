"""Small vectors: those without a file of more than 16 KiB."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from small_corpus import small_vector, write_corpus

from onnx_conformance.core.corpus.corpus import open_corpus
from onnx_conformance.core.corpus.listing.model import listed
from onnx_conformance.core.corpus.listing.sizes import SMALL_FILE, SMALL_KEY, listed_size
from onnx_conformance.core.corpus.listing.writing import manifest_files
from onnx_conformance.core.corpus.small import small_entries
from onnx_conformance.core.corpus.vector_files import digest, read_files
from onnx_conformance.core.corpus.vectors import relative_directory

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from onnx_conformance.core.corpus.corpus import Corpus

FITS = small_vector("relu-14/fits/float32")
LARGE = small_vector("relu-14/large/float32")
INVALID = small_vector("relu-14/wrong/float32", "invalid", control=LARGE.id, reject="load")
BYTES = {FITS.id: SMALL_FILE, LARGE.id: SMALL_FILE + 1, INVALID.id: 10}


def written(root: Path, head: Mapping[str, object]) -> Corpus:
    """A corpus whose vectors have, beside data.json, one file of so many bytes."""
    lines = []
    write_corpus(root, (FITS, LARGE, INVALID))
    for vector in (FITS, LARGE, INVALID):
        folder = root / relative_directory(vector.kind, vector.id)
        (folder / "model.onnx").write_bytes(bytes(BYTES[vector.id]))
        files = read_files(folder)
        size = listed_size(files) if SMALL_KEY in head else 0
        lines.append(listed(vector, digest(files), size))
    for name, content in manifest_files({"corpus": "test", **head}, lines).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    return open_corpus(root)


def small_in(corpus: Corpus) -> list[str]:
    return [entry.id for entry in small_entries(corpus, tuple(corpus.entries.values()))]


def test_a_file_may_have_16_kib_and_no_byte_more() -> None:
    assert 16_384 == SMALL_FILE
    assert [0, 16_385] == [listed_size({"a": b"", "b": bytes(count)}) for count in (16_384, 16_385)]


def test_a_manifest_lists_the_size_of_what_is_not_small(tmp_path: Path) -> None:
    corpus = written(tmp_path / "vectors", {SMALL_KEY: SMALL_FILE})
    sizes = {entry.id: entry.facts.size for entry in corpus.entries.values() if entry.facts}
    assert {FITS.id: 0, LARGE.id: SMALL_FILE + 1, INVALID.id: 0} == sizes


@pytest.mark.parametrize("head", [{SMALL_KEY: SMALL_FILE}, {}, {SMALL_KEY: 99}])
def test_what_is_small_has_a_small_control(tmp_path: Path, head: dict[str, object]) -> None:
    assert [FITS.id] == small_in(written(tmp_path / "vectors", head))


def test_a_manifest_that_lists_sizes_spares_looking_at_files(tmp_path: Path) -> None:
    corpus = written(tmp_path / "vectors", {SMALL_KEY: SMALL_FILE})
    for path in (tmp_path / "vectors").rglob("model.onnx"):
        path.write_bytes(bytes(SMALL_FILE + 1))
    assert [FITS.id] == small_in(corpus)


def test_of_a_folder_without_a_manifest_the_files_say_it(tmp_path: Path) -> None:
    written(tmp_path / "vectors", {})
    (tmp_path / "vectors" / "manifest.json").unlink()
    assert {FITS.id, INVALID.id} == set(small_in(open_corpus(tmp_path / "vectors")))


def test_what_cannot_be_read_is_not_hidden(tmp_path: Path) -> None:
    corpus = written(tmp_path / "vectors", {})
    entry = replace(corpus.entries[FITS.id], location=tmp_path / "nowhere")
    assert [entry] == small_entries(corpus, [entry])
