"""Vectors that are installed as a wheel of their own: then none is made."""

from __future__ import annotations

import io
import shutil
import zipfile
from typing import TYPE_CHECKING

import pytest
from places import ROOT
from releasing.vectors_wheel import build_vectors_wheel
from sample_specs import write_specs

from onnx_conformance.core.corpus.corpus import load, open_corpus
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.corpus.shipping.archiving import write_release
from onnx_conformance.generators.corpus.shipping.installed import installed_corpus

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.core.corpus.corpus import Corpus

LICENCE = ROOT / "LICENSE"
VERSIONS = {"reshape-1", "reshape-5", "reshape-14"}


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the wheel of the code carries, and the release of its vectors."""
    folder = tmp_path_factory.mktemp("package")
    write_release(write_specs(folder / "specs"), "standard", folder / "release")
    for path in (folder / "release").rglob("*.json"):
        target = folder / "published" / path.relative_to(folder / "release")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    return folder


@pytest.fixture(scope="module")
def wheel(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("wheel")
    return build_vectors_wheel(package / "release", output, LICENCE, 1_700_000_000)


@pytest.fixture
def site(wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place where the wheel is installed; its files may be spoiled."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    monkeypatch.syspath_prepend(tmp_path / "site")
    return tmp_path / "site" / "onnx_conformance_vectors"


def opened(package: Path, folder: Path) -> tuple[Corpus, io.StringIO]:
    said = io.StringIO()
    cache = {"ONNX_CONFORMANCE_CACHE": str(folder / "cache")}
    source = installed_corpus(said, package, cache)
    return open_corpus(source.root, source), said


def missing(corpus: Corpus) -> set[str]:
    assert corpus.source is not None
    return set(corpus.source.missing(sorted(VERSIONS)))


def test_the_wheel_has_the_archives_of_the_release_and_its_manifest(
    package: Path, wheel: Path
) -> None:
    assert "onnx_conformance_vectors-0.0.1-py3-none-any.whl" == wheel.name
    release = package / "release"
    expected = {path.name: path.read_bytes() for path in release.glob("*.tar.gz")}
    expected["manifest.json"] = (release / "manifest.json").read_bytes()
    with zipfile.ZipFile(wheel) as archive:
        found = {
            name.partition("/")[2]: archive.read(name)
            for name in archive.namelist()
            if ".dist-info/" not in name and not name.endswith("__init__.py")
        }
    assert expected == found


def test_installed_vectors_are_read_and_nothing_is_made(
    package: Path, site: Path, tmp_path: Path
) -> None:
    corpus, said = opened(package, tmp_path)
    corpus.provide(corpus.entries.values())
    for entry in corpus.entries.values():
        assert entry.id == load(entry).vector.id
        assert str(entry.location).startswith(str(site))
    assert ("", False) == (said.getvalue(), (tmp_path / "cache").exists())


def test_without_them_everything_is_made(package: Path, tmp_path: Path) -> None:
    assert VERSIONS == missing(opened(package, tmp_path)[0])


def test_vectors_of_another_corpus_are_made_and_the_others_are_not(
    package: Path, site: Path, tmp_path: Path
) -> None:
    path = site / "manifest.json"
    text = path.read_text("utf-8")
    of_reshape_1 = text.partition('"reshape-1": ')[2].partition('"digest": "')[2][:64]
    path.write_text(text.replace(of_reshape_1, "0" * 64).replace('"0.0.1"', '"9.9.9"'), "utf-8")
    corpus, said = opened(package, tmp_path)
    assert {"reshape-1"} == missing(corpus)
    corpus.provide(corpus.entries.values())
    assert "(those that are installed are of corpus 9.9.9)" in said.getvalue()
    assert ["reshape-1"] == [
        path.name.rpartition("-")[0] for path in (tmp_path / "cache").iterdir()
    ]


def test_an_installed_archive_that_is_cut_short_is_made_in_the_cache(
    package: Path, site: Path, tmp_path: Path
) -> None:
    archive = site / "reshape-5.tar.gz"
    archive.write_bytes(archive.read_bytes()[:-1])
    before = archive.read_bytes()
    corpus, _ = opened(package, tmp_path)
    assert {"reshape-5"} == missing(corpus)
    corpus.provide(corpus.entries.values())
    assert before == archive.read_bytes()


@pytest.mark.parametrize("content", [None, "{}", '{"corpus": "1", "operators": {"a-1": {}}}'])
def test_vectors_whose_manifest_cannot_be_used_are_said(
    package: Path, site: Path, tmp_path: Path, content: str | None
) -> None:
    if content is None:
        (site / "manifest.json").unlink()
    else:
        (site / "manifest.json").write_text(content)
    with pytest.raises(BadInputError, match="install onnx-conformance-vectors again, or remove it"):
        opened(package, tmp_path)


def test_a_release_without_an_end_makes_no_wheel(package: Path, tmp_path: Path) -> None:
    shutil.copytree(package / "release", tmp_path / "release")
    (tmp_path / "release" / "manifest.json").unlink()
    with pytest.raises(BadInputError, match=r"manifest\.json: is missing"):
        build_vectors_wheel(tmp_path / "release", tmp_path, LICENCE, 0)


def test_a_wheel_that_is_larger_than_people_want_is_refused(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("releasing.vectors_wheel.LARGEST", 1000)
    with pytest.raises(BadInputError, match="1,000 are the most"):
        build_vectors_wheel(package / "release", tmp_path, LICENCE, 0)
