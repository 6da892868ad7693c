"""A corpus that a worker lacks is sent once, and is the same there."""

from __future__ import annotations

import io
import tarfile
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from committed_corpus import VECTORS
from runnable_corpus import runnable_corpus

from onnx_conformance.core.corpus.corpus import load, open_corpus
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.validator.host.worker import Settings
from onnx_conformance.validator.running.cluster.batches import RunSpec
from onnx_conformance.validator.running.cluster.corpora import keep, own_corpus, packed_corpus

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.core.corpus.corpus import Corpus


def spec_of(corpus: Corpus, *versions: str) -> RunSpec:
    return RunSpec(
        run="test",
        given="some",
        python=None,
        name="some",
        settings=Settings(),
        tolerance="onnx",
        accuracy="ieee",
        claims=None,
        options={},
        corpus=str(corpus.digest),
        root="/nowhere/at/all",
        operator_versions=versions,
    )


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ONNX_CONFORMANCE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize("format_of", ["one manifest", "a manifest for each version"])
def test_corpus_that_was_sent_is_the_same(format_of: str, tmp_path: Path) -> None:
    inline = format_of == "one manifest"
    corpus = open_corpus(runnable_corpus(tmp_path / "v", ["one", "two"]) if inline else VECTORS)
    version = "shape-15" if inline else "add-14"
    entries = {k: it for k, it in corpus.entries.items() if it.operator_version == version}
    spec = spec_of(corpus, version)
    assert own_corpus(spec) is None
    keep(packed_corpus(corpus, entries), spec)
    found = own_corpus(spec)
    assert found is not None
    assert corpus.digest == found.digest
    assert {item: load(entry).files for item, entry in entries.items()} == {
        item: load(found.entries[item]).files for item in entries
    }


@pytest.mark.usefixtures("cache")
def test_folder_of_another_corpus_is_not_taken(tmp_path: Path) -> None:
    corpus = open_corpus(runnable_corpus(tmp_path / "one", ["one"]))
    other = runnable_corpus(tmp_path / "other", ["two"])
    assert own_corpus(replace(spec_of(corpus), root=str(other))) is None
    assert own_corpus(replace(spec_of(corpus), root=str(corpus.root))) is not None


@pytest.mark.parametrize("name", ["../outside", "/outside"])
def test_file_outside_of_the_folder_is_refused(name: str, cache: Path) -> None:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        archive.addfile(tarfile.TarInfo(name), io.BytesIO())
    corpus = open_corpus(VECTORS)
    with pytest.raises(BadInputError, match="outside"):
        keep(stream.getvalue(), spec_of(corpus))
    assert [] == [path for path in cache.rglob("*") if path.is_file()]


def test_what_is_no_archive_is_refused(cache: Path) -> None:
    del cache
    with pytest.raises(BadInputError, match="cannot be read"):
        keep(b"nothing", spec_of(open_corpus(VECTORS)))
