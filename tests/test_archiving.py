"""The release: zips that are the same everywhere, and that the validator reads as they are."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

import pytest
from sample_specs import write_specs

from onnx_conformance.core.corpus.corpus import load, open_corpus
from onnx_conformance.core.corpus.zips import zips_in
from onnx_conformance.core.errors import BadInputError, IncompleteError, UsageError
from onnx_conformance.generators.corpus.making import plan_corpus
from onnx_conformance.generators.corpus.shipping.archiving import format_page, write_release
from onnx_conformance.generators.corpus.writing import write_corpus

if TYPE_CHECKING:
    from pathlib import Path

NAME = "reshape-14.zip"


@pytest.fixture(scope="module")
def specs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_specs(tmp_path_factory.mktemp("specs"))


@pytest.fixture(scope="module")
def kept(specs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release") / "new"
    write_release(specs, "standard", folder)
    return folder


@pytest.fixture
def release(kept: Path, tmp_path: Path) -> Path:
    """A release that may be spoiled."""
    folder = tmp_path / "release"
    for path in kept.rglob("*"):
        if path.is_file():
            (folder / path.relative_to(kept)).parent.mkdir(parents=True, exist_ok=True)
            (folder / path.relative_to(kept)).write_bytes(path.read_bytes())
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("jobs", [1, 2])
def test_two_releases_of_one_corpus_have_the_same_bytes(
    specs: Path, kept: Path, tmp_path: Path, jobs: int
) -> None:
    write_release(specs, "standard", tmp_path / "again", jobs=jobs)
    assert contents(kept) == contents(tmp_path / "again")


def test_there_is_a_zip_for_each_operator_version(specs: Path, kept: Path) -> None:
    versions = {plan.id.split("/")[0] for plan in plan_corpus(specs).plans}
    assert {f"{name}.zip" for name in versions} == {path.name for path in kept.glob("*.zip")}


def test_what_is_unpacked_is_the_corpus_with_the_page_on_its_format(
    specs: Path, release: Path, tmp_path: Path
) -> None:
    for path in list(release.glob("*.zip")):
        with zipfile.ZipFile(path) as archive:
            archive.extractall(release)
        path.unlink()
    write_corpus(plan_corpus(specs), tmp_path / "vectors")
    assert {"README.md": format_page(), **contents(tmp_path / "vectors")} == contents(release)


def test_no_entry_tells_who_made_it_or_when_and_none_is_compressed(kept: Path) -> None:
    facts = set()
    for path in kept.glob("*.zip"):
        with zipfile.ZipFile(path) as archive:
            facts |= {
                (item.date_time, item.create_system, item.external_attr, item.compress_type)
                for item in archive.infolist()
            }
    assert facts == {((1980, 1, 1, 0, 0, 0), 3, 0o100644 << 16, zipfile.ZIP_STORED)}


def test_a_folder_with_something_in_it_is_refused(specs: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(UsageError, match="is not an empty folder"):
        write_release(specs, "standard", tmp_path)


def test_a_folder_that_cannot_be_made_is_named(specs: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInputError, match=r"file/below: cannot be written: Not a directory"):
        write_release(specs, "standard", tmp_path / "file" / "below")


def test_a_selection_that_takes_nothing_is_no_release(specs: Path, tmp_path: Path) -> None:
    with pytest.raises(IncompleteError, match="conv-1: takes no vector"):
        write_release(specs, "standard", tmp_path / "new", ("conv-1",))
    assert not (tmp_path / "new" / "manifest.json").exists()


# --- reading it -------------------------------------------------------------------------------


def read_all(release: Path, cache: Path) -> list[str]:
    """The ids of all vectors, each read and held against its digest."""
    source = zips_in(release, {"ONNX_CONFORMANCE_CACHE": str(cache)})
    corpus = open_corpus(release, source)
    corpus.provide(corpus.entries.values())
    return [load(entry).vector.id for entry in corpus.entries.values()]


def test_the_validator_takes_a_release_as_it_is(specs: Path, kept: Path, tmp_path: Path) -> None:
    planned = {plan.id for plan in plan_corpus(specs).plans}
    assert planned == set(read_all(kept, tmp_path / "cache"))


def test_zips_that_were_unpacked_beside_themselves_are_a_plain_folder(release: Path) -> None:
    with zipfile.ZipFile(release / NAME) as archive:
        archive.extractall(release)
    assert zips_in(release) is None


def test_a_zip_that_is_missing_is_named(release: Path, tmp_path: Path) -> None:
    (release / NAME).unlink()
    with pytest.raises(BadInputError, match=f"{NAME}: is missing"):
        read_all(release, tmp_path / "cache")


def test_a_manifest_of_an_operator_version_that_is_missing_is_named(
    release: Path, tmp_path: Path
) -> None:
    # Else there would be fewer vectors than were released, and nobody would know.
    (release / "manifests/reshape-14.json").unlink()
    with pytest.raises(BadInputError, match=r"reshape-14\.json: is missing, and manifest\.json"):
        read_all(release, tmp_path / "cache")


def rewritten(path: Path, change: dict[str, bytes | None]) -> None:
    """Write a zip again with other contents: None leaves a file out."""
    with zipfile.ZipFile(path) as archive:
        files: dict[str, bytes | None] = {item: archive.read(item) for item in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in {**files, **change}.items():
            if content is not None:
                archive.writestr(name, content)


PLACE = "valid/reshape-14/test_reshape_14_zero_float32"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({f"{PLACE}/model.onnx": b"other"}, "1 of .* are not what the manifest lists"),
        ({f"{PLACE}/model.onnx": None}, "1 of .* are not what the manifest lists"),
        ({f"{PLACE}/more.txt": b""}, "1 of .* are not what the manifest lists"),
        ({"valid/reshape-14/test_more/model.onnx": b""}, "such as valid/reshape-14/test_more"),
        ({f"{PLACE}/../../../../out": b""}, "which is no vector's file"),
        ({"/etc/passwd": b""}, "which is no vector's file"),
        ({f"{PLACE}/a\\..\\b": b""}, "which is no vector's file"),
    ],
)
def test_a_zip_with_other_vectors_is_not_unpacked(
    release: Path, tmp_path: Path, change: dict[str, bytes | None], message: str
) -> None:
    rewritten(release / NAME, change)
    with pytest.raises(BadInputError, match=message):
        read_all(release, tmp_path / "cache")
    assert not list((tmp_path / "cache").glob("reshape-14-*"))


@pytest.mark.parametrize("content", [b"", b"no zip", None])
def test_a_file_that_is_no_zip_is_one_line(
    release: Path, tmp_path: Path, content: bytes | None
) -> None:
    half = (release / NAME).read_bytes()
    (release / NAME).write_bytes(half[: len(half) // 2] if content is None else content)
    with pytest.raises(BadInputError, match=f"{NAME}: cannot be unpacked: "):
        read_all(release, tmp_path / "cache")


def test_a_zip_that_would_unpack_to_too_much_is_not_unpacked(
    release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("onnx_conformance.core.corpus.zips.ARCHIVE", 1000)
    with pytest.raises(BadInputError, match="holds more than is taken"):
        read_all(release, tmp_path / "cache")


def test_the_bytes_of_a_zip_follow_from_its_files_alone() -> None:
    from onnx_conformance.generators.corpus.shipping.archiving import zipped

    files = [("b", b"2"), ("a", b"1")]
    assert zipped(files) == zipped(reversed(files))
    with zipfile.ZipFile(io.BytesIO(zipped(files))) as archive:
        assert ["a", "b"] == archive.namelist()
