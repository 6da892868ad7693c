"""A part of a corpus that is named as vectors folder is told from the corpus."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from places import ROOT
from runnable_corpus import runnable_corpus

from onnx_conformance.core.corpus.corpus import open_corpus
from onnx_conformance.core.corpus.vectors_folder import open_vectors
from onnx_conformance.core.errors import BadInputError

if TYPE_CHECKING:
    from pathlib import Path


def test_part_of_a_corpus_is_hinted_at_its_manifest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = runnable_corpus(tmp_path / "vectors", ["one"])
    assert root / "valid" == open_vectors(root / "valid").root
    said = capsys.readouterr().err
    assert f"note: {root / 'valid'} has no manifest" in said
    assert f"--vectors {root} has one" in said


def test_corpus_and_a_folder_of_its_own_get_no_hint(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = runnable_corpus(tmp_path / "vectors", ["one"])
    open_vectors(root)
    open_vectors(tmp_path)
    with pytest.raises(BadInputError, match="no such folder"):
        open_vectors(tmp_path / "nowhere")
    assert "--vectors" not in capsys.readouterr().err


def test_an_installation_that_cannot_make_the_corpus_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path)])  # nothing is installed here
    with pytest.raises(BadInputError, match=r"no vectors: .* name a folder with --vectors"):
        open_vectors(None)


def test_the_manifests_of_the_published_corpus_alone_stand_for_it() -> None:
    folder = ROOT / "vectors" / "standard"
    corpus = open_vectors(folder)
    assert corpus.source is not None
    assert open_corpus(folder).digest == corpus.digest


def test_manifests_of_another_corpus_alone_make_nothing(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"format": 1, "corpus": "1", "vectors": {}}')
    assert open_vectors(tmp_path).source is None
