from __future__ import annotations

import io
import json
import os
import pwd
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import onnx
import pytest

from onnx_conformance.core.corpus.corpus import load, open_corpus
from onnx_conformance.core.corpus.vector_files import digest, read_files
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.corpus.abandoned import hold, release
from onnx_conformance.generators.corpus.installed import PACKAGE, cache_folder, installed_corpus
from onnx_conformance.generators.corpus.making import expected_files, plan_corpus

if TYPE_CHECKING:
    from collections.abc import Mapping


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Mapping[str, object]]:
    """A package with the spec of one small operator, as a wheel would carry it."""
    package = tmp_path_factory.mktemp("package")
    (package / "specs").mkdir()
    for name in ("corpus.yaml", "types.yaml", "schemas.json", "size.yaml"):
        shutil.copy(PACKAGE / "specs" / name, package / "specs" / name)
    corpus = plan_corpus(package / "specs")
    files = {place: dict(content) for place, content in expected_files(corpus)}
    (package / "published").mkdir()
    (package / "published" / "manifest.json").write_bytes(files[""]["manifest.json"])
    return package, files


def environment(folder: Path) -> dict[str, str]:
    return {"ONNX_CONFORMANCE_CACHE": str(folder / "cache")}


@pytest.fixture(scope="module")
def first_use(
    published: tuple[Path, object], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Path, str]:
    """The cache's parent, the folder of the corpus, and what was said while it was written."""
    parent = tmp_path_factory.mktemp("user")
    said = io.StringIO()
    return parent, installed_corpus(said, published[0], environment(parent)), said.getvalue()


def test_the_first_use_writes_every_file_and_says_where(
    published: tuple[Path, Mapping[str, Mapping[str, bytes]]], first_use: tuple[Path, Path, str]
) -> None:
    _, files = published
    parent, folder, said = first_use
    assert dict(files) == {place: read_files(folder / place) for place in files if place} | {
        "": {name: (folder / name).read_bytes() for name in files[""]}
    }
    assert str(folder) in said
    assert [folder] == list((parent / "cache").iterdir())


def test_the_second_use_writes_nothing_and_says_nothing(
    published: tuple[Path, object], first_use: tuple[Path, Path, str]
) -> None:
    parent, folder, _ = first_use
    before = (folder / "manifest.json").stat().st_mtime_ns
    said = io.StringIO()
    assert folder == installed_corpus(said, published[0], environment(parent))
    assert ("", before) == (said.getvalue(), (folder / "manifest.json").stat().st_mtime_ns)


def test_a_written_corpus_opens(first_use: tuple[Path, Path, str]) -> None:
    corpus = open_corpus(first_use[1])
    assert corpus.manifest["count"] == len(corpus.entries)


def test_what_comes_out_differently_is_not_used(
    published: tuple[Path, object], tmp_path: Path
) -> None:
    package = shutil.copytree(published[0], tmp_path / "package")
    path = package / "published" / "manifest.json"
    manifest = json.loads(path.read_bytes())
    first = min(manifest["vectors"]["valid"])
    manifest["vectors"]["valid"][first] = "0" * 64
    manifest["onnx"] = "1.2.3"
    path.write_text(json.dumps(manifest))
    with pytest.raises(BadInputError) as caught:
        installed_corpus(io.StringIO(), package, environment(tmp_path))
    message = str(caught.value)
    assert f"1 of {manifest['count']} vectors come out differently here, such as {first}" in message
    assert "published with onnx 1.2.3; install that" in message
    assert [] == list((tmp_path / "cache").iterdir())


def test_a_cache_that_cannot_be_written_is_one_line(
    published: tuple[Path, object], tmp_path: Path
) -> None:
    (tmp_path / "cache").write_text("a file, not a folder")
    with pytest.raises(BadInputError) as caught:
        installed_corpus(io.StringIO(), published[0], environment(tmp_path))
    assert f"{tmp_path / 'cache'}: cannot be written" in str(caught.value)
    assert "$ONNX_CONFORMANCE_CACHE" in str(caught.value)


def test_an_onnx_that_is_too_old_to_write_the_corpus_is_one_line(
    published: tuple[Path, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(onnx, "__version__", "1.14.1")
    with pytest.raises(BadInputError, match=r"this is onnx 1.14.1, which cannot write it"):
        installed_corpus(io.StringIO(), published[0], environment(tmp_path))


def test_an_installation_without_manifest_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(BadInputError) as caught:
        installed_corpus(io.StringIO(), tmp_path, environment(tmp_path))
    assert "the installation is not whole" in str(caught.value)


@pytest.mark.parametrize(
    ("variables", "folder"),
    [
        ({"ONNX_CONFORMANCE_CACHE": "/a", "XDG_CACHE_HOME": "/b"}, Path("/a")),
        ({"XDG_CACHE_HOME": "/b"}, Path("/b/onnx-conformance")),
        ({"XDG_CACHE_HOME": "b"}, Path.home() / ".cache/onnx-conformance"),
        ({}, Path.home() / ".cache/onnx-conformance"),
    ],
)
def test_the_cache_is_where_the_environment_says(variables: dict[str, str], folder: Path) -> None:
    assert folder == cache_folder(variables)


# --- a cache that is not as it was written ----------------------------------------------------


@pytest.fixture
def cached(
    published: tuple[Path, object], first_use: tuple[Path, Path, str], tmp_path: Path
) -> tuple[Path, Path]:
    """The package, and a corpus in a cache of its own that may be spoiled."""
    folder = tmp_path / "cache" / first_use[1].name
    shutil.copytree(first_use[1], folder)
    return published[0], folder


def used_again(package: Path, folder: Path) -> str:
    """What is said when the cache is used; the corpus is whole afterwards."""
    said = io.StringIO()
    assert folder == installed_corpus(said, package, environment(folder.parents[1]))
    for entry in open_corpus(folder).entries.values():
        load(entry)
    return said.getvalue()


def test_vector_and_manifest_changed_together_are_not_believed(cached: tuple[Path, Path]) -> None:
    _, folder = cached
    path = folder / "manifest.json"
    manifest = json.loads(path.read_bytes())
    vector = open_corpus(folder).entries[min(manifest["vectors"]["valid"])]
    (vector.directory / "test_data_set_0" / "output_0.pb").write_bytes(b"")
    manifest["vectors"]["valid"][vector.id] = digest(read_files(vector.directory))
    path.write_text(json.dumps(manifest))
    assert "its manifest is not the published one; it is written again" in used_again(*cached)


@pytest.mark.parametrize("missing", ["manifest.json", "valid"])
def test_half_a_cache_is_written_again(cached: tuple[Path, Path], missing: str) -> None:
    path = cached[1] / missing
    path.unlink() if path.is_file() else shutil.rmtree(path)
    assert "writing corpus" in used_again(*cached)


def test_vector_that_is_missing_in_the_cache_says_what_helps(cached: tuple[Path, Path]) -> None:
    entry = next(iter(open_corpus(cached[1]).entries.values()))
    shutil.rmtree(entry.directory)
    with pytest.raises(BadInputError, match=r"is missing; .*delete the folder of the corpus where"):
        load(entry)


def test_what_a_killed_writer_left_is_removed_and_what_a_living_one_writes_is_not(
    cached: tuple[Path, Path],
) -> None:
    package, folder = cached
    dead, living, young = (folder.parent / f".writing-{name}" for name in ("dead", "live", "new"))
    for path in (dead, living, young):
        (path / "valid").mkdir(parents=True)
        if path != young:
            os.utime(path, (0, 0))
    held = hold(living)
    shutil.rmtree(folder)
    used_again(package, folder)
    release(held)
    assert {folder, living, young} == set(folder.parent.iterdir())


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_cache_that_may_not_be_read_is_said(cached: tuple[Path, Path]) -> None:
    cached[1].chmod(0)
    with pytest.raises(BadInputError, match="mend its permissions, or name another folder"):
        installed_corpus(io.StringIO(), cached[0], environment(cached[1].parents[1]))


@pytest.mark.parametrize("variables", [{}, {"HOME": ""}, {"HOME": "relative"}])
def test_home_that_is_none_is_that_of_the_user(variables: dict[str, str]) -> None:
    home = pwd.getpwuid(os.getuid()).pw_dir
    assert Path(home) / ".cache" / "onnx-conformance" == cache_folder(variables)


def test_no_home_at_all_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(_user: int) -> object:
        raise KeyError

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    with pytest.raises(BadInputError, match=r"name a folder in .ONNX_CONFORMANCE_CACHE"):
        cache_folder({})
