"""The release: archives that are the same everywhere, and that the validator reads as they are."""

from __future__ import annotations

import gzip
import io
import tarfile
import tracemalloc
from typing import TYPE_CHECKING

import pytest
from planned_files import write_corpus
from sample_specs import write_specs

from onnx_conformance.core.corpus.archived import unpacking
from onnx_conformance.core.corpus.archived.packing import ENDING, packed
from onnx_conformance.core.corpus.archived.unpacking import unpack
from onnx_conformance.core.corpus.corpus import load, read_metadata
from onnx_conformance.core.corpus.vectors_folder import open_vectors
from onnx_conformance.core.errors import BadInputError, IncompleteError, UsageError
from onnx_conformance.generators.corpus.making import plan_corpus
from onnx_conformance.generators.corpus.shipping.archiving import format_page, write_release

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from onnx_conformance.core.corpus.corpus import Corpus

NAME = "reshape-14.tar.gz"


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


def test_there_is_an_archive_for_each_operator_version(specs: Path, kept: Path) -> None:
    versions = {plan.id.split("/")[0] for plan in plan_corpus(specs).plans}
    assert {f"{name}.tar.gz" for name in versions} == {path.name for path in kept.glob("*.tar.gz")}


def unpacked_beside(release: Path) -> None:
    """Unpack all archives into the folder that they are in."""
    for path in list(release.glob("*.tar.gz")):
        with tarfile.open(path) as archive:
            archive.extractall(release, filter="data")
        path.unlink()


def test_what_is_unpacked_is_the_corpus_with_the_page_on_its_format(
    specs: Path, release: Path, tmp_path: Path
) -> None:
    unpacked_beside(release)
    write_corpus(plan_corpus(specs), tmp_path / "vectors")
    found = contents(release)
    lists = {name for name in found if name.startswith("contents/")}
    assert {
        item.replace("manifests/", "contents/") for item in found if "manifests/" in item
    } == lists
    assert {"README.md": format_page(), **contents(tmp_path / "vectors")} == {
        name: content for name, content in found.items() if name not in lists
    }


def test_no_archive_tells_who_made_it_or_when(kept: Path) -> None:
    facts = set()
    for path in kept.glob("*.tar.gz"):
        # magic, method, no name, no date, nothing of compression, no system: RFC 1952
        facts.add(path.read_bytes()[:10].hex())
        with tarfile.open(path) as archive:
            facts |= {
                (item.mtime, item.uid, item.gid, item.uname, item.gname, item.mode)
                for item in archive
            }
    assert facts == {"1f8b08000000000000ff", (0, 0, 0, "", "", 0o644)}


def test_an_archive_begins_with_the_list_of_its_vectors_and_goes_on_in_order(kept: Path) -> None:
    with tarfile.open(kept / NAME) as archive:
        first, *names = archive.getnames()
    assert "contents/reshape-14.json" == first
    assert sorted(names) == names


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


def ids_read(corpus: Corpus) -> set[str]:
    """The ids of all vectors, each read and compared with its digest."""
    corpus.provide(corpus.entries.values())
    return {load(entry).vector.id for entry in corpus.entries.values()}


def planned(specs: Path, operator_version: str = "") -> set[str]:
    return {plan.id for plan in plan_corpus(specs).plans if plan.id.startswith(operator_version)}


def test_a_release_is_read_as_it_is(specs: Path, kept: Path) -> None:
    before = contents(kept)
    corpus = open_vectors(kept)
    assert planned(specs) == ids_read(corpus)
    assert "0.0.1" == corpus.version
    assert before == contents(kept)


def test_archives_read_as_their_unpacked_folder_does(release: Path, kept: Path) -> None:
    unpacked_beside(release)
    archived, plain = open_vectors(kept), open_vectors(release)
    assert list(plain.entries) == list(archived.entries)
    for vector_id, entry in plain.entries.items():
        held = archived.entries[vector_id]
        assert load(entry).files == load(held).files
        assert read_metadata(entry) == read_metadata(held)


def test_a_folder_of_archives_alone_has_the_vectors_that_they_list(
    specs: Path, release: Path
) -> None:
    for path in (release / "manifest.json", *(release / "manifests").iterdir()):
        path.unlink()
    corpus = open_vectors(release)
    assert planned(specs) == ids_read(corpus)
    assert "unversioned" == corpus.version


def test_one_archive_has_its_own_vectors(specs: Path, kept: Path, tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes((kept / NAME).read_bytes())
    corpus = open_vectors(tmp_path / NAME)
    assert planned(specs, "reshape-14/") == ids_read(corpus)
    assert "unversioned" == corpus.version


def test_one_archive_of_a_release_is_held_against_its_manifests(specs: Path, kept: Path) -> None:
    corpus = open_vectors(kept / NAME)
    assert planned(specs, "reshape-14/") == ids_read(corpus)
    assert ("0.0.1", open_vectors(kept).digest) == (corpus.version, corpus.digest)


def test_archives_that_were_unpacked_beside_themselves_are_a_plain_folder(release: Path) -> None:
    with tarfile.open(release / NAME) as archive:
        archive.extractall(release, filter="data")
    entry = next(iter(open_vectors(release).entries.values()))
    assert entry.holder is None


def test_an_archive_that_is_missing_is_named(release: Path) -> None:
    (release / NAME).unlink()
    with pytest.raises(BadInputError, match=f"{NAME}: is missing: fetch it"):
        ids_read(open_vectors(release))


def test_a_file_of_another_kind_is_no_vectors(tmp_path: Path) -> None:
    (tmp_path / "reshape-14.zip").write_bytes(b"PK")
    with pytest.raises(BadInputError, match=r"no archive of them, which ends in \.tar\.gz"):
        open_vectors(tmp_path / "reshape-14.zip")


def test_two_archives_of_one_operator_version_are_refused(release: Path, tmp_path: Path) -> None:
    for name in (NAME, "again.tar.gz"):
        (tmp_path / name).write_bytes((release / NAME).read_bytes())
    with pytest.raises(BadInputError, match=r"holds reshape-14, as .*again"):
        open_vectors(tmp_path)


def test_an_archive_without_a_list_is_refused_by_itself(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(packed([(f"{PLACE}/model.onnx", b"")]))
    with pytest.raises(BadInputError, match=r"has no list of .*unpack it, and name the folder"):
        open_vectors(tmp_path / NAME)


def test_a_manifest_of_an_operator_version_that_is_missing_is_named(release: Path) -> None:
    # Else there would be fewer vectors than were released, and nobody would know.
    (release / "manifests/reshape-14.json").unlink()
    with pytest.raises(BadInputError, match=r"reshape-14\.json: is missing, and manifest\.json"):
        open_vectors(release)


# --- hostile and damaged archives ------------------------------------------------------------

PLACE = "valid/reshape-14/test_reshape_14_zero_float32"
VECTOR = "reshape-14/zero/float32"


def files_of(path: Path) -> dict[str, bytes]:
    with tarfile.open(path) as archive:
        return {item.name: archive.extractfile(item).read() for item in archive}  # type: ignore[union-attr]


def read_vector(release: Path) -> bytes:
    """The model of one vector."""
    return load(open_vectors(release).entries[VECTOR]).files["model.onnx"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({f"{PLACE}/model.onnx": b"other"}, "differs from the manifest; fetch it again"),
        ({f"{PLACE}/model.onnx": None}, "differs from the manifest"),
        ({f"{PLACE}/more.txt": b""}, "differs from the manifest"),
        ({f"{PLACE}/../../../../out": b""}, "which is no vector's file"),
        ({"../out": b""}, "which is no vector's file"),
        ({"/etc/passwd": b""}, "which is no vector's file"),
        ({"valid/reshape-14//model.onnx": b""}, "which is no vector's file"),
        ({"valid/reshape-14/model.onnx": b""}, "which is no vector's file"),
        ({"elsewhere/reshape-14/test_a/model.onnx": b""}, "which is no vector's file"),
        ({f"{PLACE}/a\\..\\b": b""}, "which is no vector's file"),
        ({f"{PLACE}/\x1b[2J": b""}, "which is no vector's file"),
    ],
)
def test_an_archive_with_other_files_is_refused(
    release: Path, change: dict[str, bytes | None], message: str
) -> None:
    files = {**files_of(release / NAME), **change}
    kept = [(name, content) for name, content in files.items() if content is not None]
    (release / NAME).write_bytes(packed(kept))
    with pytest.raises(BadInputError, match=message):
        read_vector(release)


def test_a_vector_that_is_not_in_its_archive_is_missing(release: Path) -> None:
    files = files_of(release / NAME)
    kept = [(name, content) for name, content in files.items() if not name.startswith(PLACE + "/")]
    (release / NAME).write_bytes(packed(kept))
    with pytest.raises(BadInputError, match=f"vector '{VECTOR}' is missing; fetch it again"):
        read_vector(release)


def of_kind(kind: bytes, **facts: object) -> Callable[[tarfile.TarInfo], None]:
    def change(item: tarfile.TarInfo) -> None:
        item.type = kind
        for name, value in facts.items():
            setattr(item, name, value)

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (of_kind(tarfile.SYMTYPE, linkname="/etc/passwd"), "which is a link"),
        (of_kind(tarfile.LNKTYPE, linkname="valid/other"), "which is a link"),
        (of_kind(tarfile.CHRTYPE), "which is a device"),
        (of_kind(tarfile.BLKTYPE), "which is a device"),
        (of_kind(tarfile.FIFOTYPE), "which is a pipe"),
        (of_kind(tarfile.DIRTYPE), "which is a folder"),
        (of_kind(tarfile.CONTTYPE), "which is no plain file"),
        (of_kind(tarfile.GNUTYPE_SPARSE), "cannot be unpacked|which is no plain file"),
        (of_kind(tarfile.REGTYPE, size=1 << 40), "cannot be unpacked|is cut short"),
        (of_kind(tarfile.REGTYPE, size=-1), "cannot be unpacked|is cut short"),
        (of_kind(tarfile.REGTYPE, pax_headers={"size": "-512"}), "cannot be unpacked|cut short"),
        (of_kind(tarfile.REGTYPE, name=f"{PLACE}/model.onnx"), "twice"),
    ],
)
def test_what_is_no_plain_file_of_its_own_is_refused(
    release: Path, change: Callable[[tarfile.TarInfo], None], message: str
) -> None:
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in files_of(release / NAME).items():
            item = tarfile.TarInfo(name)
            item.size = len(content)
            archive.addfile(item, io.BytesIO(content))
        item = tarfile.TarInfo(f"{PLACE}/more.bin")
        change(item)
        size, item.size = item.size, max(item.size, 0)
        header = item.tobuf(
            tarfile.GNU_FORMAT if size < 0 or size > 1 << 34 else tarfile.PAX_FORMAT
        )
        if size < 0:
            item.size = size
            header = item.tobuf(tarfile.GNU_FORMAT)
        tar.seek(archive.offset)
        tar.write(header + bytes(1024))
    (release / NAME).write_bytes(gzip.compress(tar.getvalue()))
    with pytest.raises(BadInputError, match=message):
        read_vector(release)


def cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def other_sum(content: bytes) -> bytes:
    return content[:-8] + bytes([content[-8] ^ 1]) + content[-7:]


def no_tar(content: bytes) -> bytes:
    return gzip.compress(b"no tar" * len(content))


def cut_tar(content: bytes) -> bytes:
    return gzip.compress(gzip.decompress(content)[: 512 * 5 + 100])


@pytest.mark.parametrize(
    "spoil", [lambda _: b"", lambda _: b"no archive", cut, other_sum, no_tar, cut_tar]
)
def test_a_damaged_archive_is_refused_in_words(
    release: Path, spoil: Callable[[bytes], bytes]
) -> None:
    (release / NAME).write_bytes(spoil((release / NAME).read_bytes()))
    with pytest.raises(BadInputError, match=f"{NAME}(: cannot be unpacked: |.* is missing; fetch)"):
        read_vector(release)


@pytest.mark.parametrize(
    ("limit", "value", "message"),
    [
        ("ARCHIVE", 2000, "holds more than is taken: 2,000 bytes at most"),
        ("ARCHIVE_FILE", 100, "100 are taken at most"),
        ("ARCHIVE_FILES", 2, "holds more than is taken: 2 files at most"),
        ("VECTOR_FILES", 1, "holds more than 1 files in "),
    ],
)
def test_an_archive_with_more_than_is_taken_is_refused(
    release: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: int, message: str
) -> None:
    monkeypatch.setattr(f"onnx_conformance.core.corpus.archived.unpacking.{limit}", value)
    with pytest.raises(BadInputError, match=message):
        read_vector(release)


def test_a_bomb_is_not_unpacked_to_its_end(release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limit = 1 << 20
    monkeypatch.setattr("onnx_conformance.core.corpus.archived.unpacking.ARCHIVE", limit)
    (release / NAME).write_bytes(gzip.compress(bytes(32 * limit)))
    tracemalloc.start()
    try:
        with pytest.raises(BadInputError, match="holds more than is taken"):
            read_vector(release)
        assert 8 * limit > tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_bad_archive_is_read_once(release: Path) -> None:
    (release / NAME).write_bytes(b"no archive")
    corpus = open_vectors(release)
    messages = set()
    for _ in range(2):
        with pytest.raises(BadInputError) as caught:
            load(corpus.entries[VECTOR])
        messages.add(str(caught.value))
        (release / NAME).unlink(missing_ok=True)
    assert 1 == len(messages)


def test_the_bytes_of_an_archive_follow_from_its_files_alone(tmp_path: Path) -> None:
    files = [("contents/a-1.json", b"1"), (f"{PLACE}/model.onnx", b"2")]
    assert packed(files) == packed(files)
    (tmp_path / f"a-1{ENDING}").write_bytes(packed(files))
    assert dict(files) == files_of(tmp_path / f"a-1{ENDING}")


@pytest.mark.parametrize("length", [10, 101, 200, 300])
def test_names_of_any_length_are_written_and_read(tmp_path: Path, length: int) -> None:
    name = f"valid/reshape-14/test_{'n' * length}/model.onnx"
    path = tmp_path / NAME
    path.write_bytes(packed([(name, b"content")]))
    assert {name: b"content"} == files_of(path)
    assert {"model.onnx": b"content"} == unpack(path).files(name.removesuffix("/model.onnx"))


def test_both_ways_of_reading_a_tar_find_the_same(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = {path.name: unpack(path) for path in kept.glob("*.tar.gz")}
    asked = []
    monkeypatch.setattr(unpacking, "_as_we_write", asked.append)
    assert ours == {path.name: unpack(path) for path in kept.glob("*.tar.gz")}
    assert len(ours) == len(asked)


def test_a_list_in_an_archive_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(packed([("contents/reshape-14.json", b"[]")]))
    with pytest.raises(BadInputError, match="is not a manifest"):
        open_vectors(tmp_path / NAME)
