from __future__ import annotations

import io
import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from onnx_conformance.core.corpus.corpus import open_corpus
from onnx_conformance.core.corpus.vectors import read_files
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.corpus.installed import PACKAGE, cache_folder, installed_corpus
from onnx_conformance.generators.corpus.making import expected_files, plan_corpus

if TYPE_CHECKING:
    from collections.abc import Mapping


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Mapping[str, object]]:
    """A package with the spec of one small operator, as a wheel would carry it."""
    package = tmp_path_factory.mktemp("package")
    (package / "specs").mkdir()
    for name in ("corpus.yaml", "types.yaml", "size.yaml"):
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


def test_the_checkout_carries_what_a_wheel_carries() -> None:
    manifest = json.loads((PACKAGE / "published" / "manifest.json").read_bytes())
    planned = plan_corpus(PACKAGE / "specs", manifest["profile"])
    listed = {item for ids in manifest["vectors"].values() for item in ids}
    assert listed == {plan.id for plan in planned.plans}
