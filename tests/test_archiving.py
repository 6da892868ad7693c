from __future__ import annotations

import tarfile
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from sample_specs import write_specs

from onnx_conformance.core.corpus.corpus import load, open_corpus
from onnx_conformance.core.errors import BadInputError, UsageError
from onnx_conformance.generators.corpus.archiving import format_page, write_archive
from onnx_conformance.generators.corpus.making import plan_corpus
from onnx_conformance.generators.corpus.writing import write_corpus

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.generators.corpus.making import CorpusPlan


@pytest.fixture
def corpus(tmp_path: Path) -> CorpusPlan:
    return plan_corpus(write_specs(tmp_path))


@pytest.mark.parametrize("ending", [".tar", ".tar.gz"])
def test_two_archives_of_one_corpus_have_the_same_bytes(
    corpus: CorpusPlan, tmp_path: Path, ending: str
) -> None:
    first, second = tmp_path / f"first{ending}", tmp_path / f"second{ending}"
    write_archive(corpus, first)
    write_archive(corpus, second)
    assert first.read_bytes() == second.read_bytes()


def test_what_is_unpacked_is_the_corpus_with_the_page_on_its_format(
    corpus: CorpusPlan, tmp_path: Path
) -> None:
    write_archive(corpus, tmp_path / "a.tar.gz")
    with tarfile.open(tmp_path / "a.tar.gz") as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    unpacked = tmp_path / "unpacked" / "onnx-conformance-0.0.1" / "vectors"
    write_corpus(corpus, tmp_path / "vectors")
    assert {
        path.relative_to(unpacked).as_posix(): path.read_bytes()
        for path in unpacked.rglob("*")
        if path.is_file()
    } == {
        "README.md": format_page(),
        **{
            path.relative_to(tmp_path / "vectors").as_posix(): path.read_bytes()
            for path in (tmp_path / "vectors").rglob("*")
            if path.is_file()
        },
    }


def test_an_unpacked_archive_is_a_corpus_that_its_manifest_vouches_for(
    corpus: CorpusPlan, tmp_path: Path
) -> None:
    write_archive(corpus, tmp_path / "a.tar")
    with tarfile.open(tmp_path / "a.tar") as archive:
        archive.extractall(tmp_path, filter="data")
    opened = open_corpus(tmp_path / "onnx-conformance-0.0.1" / "vectors")
    loaded = [load(entry).vector.id for entry in opened.entries.values()]
    assert sorted(plan.id for plan in corpus.plans) == sorted(loaded)


def test_no_entry_tells_who_made_it_or_when(corpus: CorpusPlan, tmp_path: Path) -> None:
    write_archive(corpus, tmp_path / "a.tar")
    with tarfile.open(tmp_path / "a.tar") as archive:
        facts = {(item.mtime, item.uid, item.gid, item.uname, item.gname) for item in archive}
    assert facts == {(315532800, 0, 0, "", "")}


def test_another_ending_is_refused(corpus: CorpusPlan, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"a\.zip: an archive ends in \.tar or \.tar\.gz"):
        write_archive(corpus, tmp_path / "a.zip")


def test_a_folder_that_does_not_exist_is_named(corpus: CorpusPlan, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"nowhere/a\.tar: cannot be written: No such file"):
        write_archive(corpus, tmp_path / "nowhere" / "a.tar")


def test_an_archive_that_cannot_be_finished_leaves_nothing(
    corpus: CorpusPlan, tmp_path: Path
) -> None:
    place = tmp_path / "out"
    place.mkdir()
    unbuildable: Any = None
    with pytest.raises(AttributeError):
        write_archive(replace(corpus, plans=(*corpus.plans, unbuildable)), place / "a.tar")
    assert [] == list(place.iterdir())
