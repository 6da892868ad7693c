from __future__ import annotations

import io
import os
import pwd
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import onnx
import pytest
from planned_files import expected_files

from onnx_conformance.core.corpus.archived.packing import packed
from onnx_conformance.core.corpus.archived.unpacking import unpack
from onnx_conformance.core.corpus.cache import cache_folder
from onnx_conformance.core.corpus.corpus import load, open_corpus
from onnx_conformance.core.corpus.listing.model import digest_of
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.files import lock
from onnx_conformance.generators.corpus.making import plan_corpus
from onnx_conformance.generators.corpus.shipping.archiving import write_release
from onnx_conformance.generators.corpus.shipping.installed import PACKAGE, installed_corpus
from onnx_conformance.generators.specs.reading import spec_files
from onnx_conformance.generators.whole_models.reading import model_spec_files
from onnx_conformance.validator.running.planning import make_plan
from onnx_conformance.validator.running.selecting import Selection, select

if TYPE_CHECKING:
    from collections.abc import Mapping

    from onnx_conformance.core.corpus.corpus import Corpus, Entry

Files: TypeAlias = "Mapping[str, Mapping[str, bytes]]"
PUBLISHED = PACKAGE / "published"
VERSION = "size-13"


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Files]:
    """A package with the specs of two small operators, as a wheel would carry it; its vectors."""
    package = tmp_path_factory.mktemp("package")
    (package / "specs").mkdir()
    for name in ("corpus.yaml", "types.yaml", "schemas.json", "size.yaml", "not.yaml"):
        shutil.copy(PACKAGE / "specs" / name, package / "specs" / name)
    corpus = plan_corpus(package / "specs")
    files = {place: dict(content) for place, content in expected_files(corpus)}
    for name, content in files.pop("").items():
        path = package / "published" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return package, files


def environment(folder: Path) -> dict[str, str]:
    return {"ONNX_CONFORMANCE_CACHE": str(folder / "cache")}


def opened(package: Path, folder: Path) -> tuple[Corpus, io.StringIO]:
    """The corpus of a package with its cache in a folder, and where messages go."""
    said = io.StringIO()
    source = installed_corpus(said, package, environment(folder))
    return open_corpus(source.root, source), said


def of(corpus: Corpus, operator_version: str) -> list[Entry]:
    return [item for item in corpus.entries.values() if item.operator_version == operator_version]


def use(package: Path, folder: Path, operator_version: str = VERSION) -> tuple[str, Path]:
    """Ask for all vectors of an operator version and read them: what is said, and their archive."""
    corpus, said = opened(package, folder)
    wanted = of(corpus, operator_version)
    corpus.provide(wanted)
    for entry in wanted:
        load(entry)
    assert corpus.source is not None
    return said.getvalue(), corpus.source.holder(operator_version).path


@pytest.fixture(scope="module")
def first_use(
    published: tuple[Path, Files], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Path, str]:
    """The cache's parent, the archive of the vectors, and what was said while it was written."""
    parent = tmp_path_factory.mktemp("user")
    said, archive = use(published[0], parent)
    return parent, archive, said


def test_the_first_use_writes_what_is_asked_for_and_nothing_else(
    published: tuple[Path, Files], first_use: tuple[Path, Path, str]
) -> None:
    parent, archive, said = first_use
    expected = {place: files for place, files in published[1].items() if f"/{VERSION}/" in place}
    assert expected
    unpacked = unpack(archive)
    assert {f"contents/{VERSION}.json", *expected} == set(unpacked.spans)
    assert expected == {place: unpacked.files(place) for place in expected}
    assert f"writing {len(expected)} vectors of {VERSION}, " in said
    assert [archive] == list((parent / "cache").iterdir())


def test_what_is_in_the_cache_is_the_archive_of_the_release(
    published: tuple[Path, Files], first_use: tuple[Path, Path, str], tmp_path: Path
) -> None:
    write_release(published[0] / "specs", "standard", tmp_path / "release")
    released = tmp_path / "release" / f"{VERSION}.tar.gz"
    assert released.read_bytes() == first_use[1].read_bytes()


def test_the_second_use_writes_nothing_and_says_nothing(
    published: tuple[Path, Files], first_use: tuple[Path, Path, str]
) -> None:
    parent, archive, _ = first_use
    before = archive.stat().st_mtime_ns
    said, _ = use(published[0], parent)
    assert ("", before) == (said, archive.stat().st_mtime_ns)


def test_listing_and_selecting_write_nothing(published: tuple[Path, Files], tmp_path: Path) -> None:
    corpus, said = opened(published[0], tmp_path)
    assert len(published[1]) == corpus.manifest["count"] == len(corpus.entries)
    selected = select(corpus, Selection(operators=("Not",), types=("bool",)))
    assert make_plan(corpus, selected).entries
    assert ("", False) == (said.getvalue(), (tmp_path / "cache").exists())


def test_everything_can_be_asked_for_at_once(published: tuple[Path, Files], tmp_path: Path) -> None:
    corpus, said = opened(published[0], tmp_path)
    corpus.provide(corpus.entries.values())
    assert sorted(published[1]) == sorted(
        str(Path(*load(entry).directory.parts[-3:])) for entry in corpus.entries.values()
    )
    assert f"writing {len(corpus.entries):,} vectors of " in said.getvalue()


def changed_package(published: Path, folder: Path, old: str, new: str) -> Path:
    """A package whose manifest of one operator version says something else."""
    package = shutil.copytree(published, folder / "package")
    path = package / "published" / "manifests" / f"{VERSION}.json"
    before = path.read_bytes()
    after = before.replace(old.encode(), new.encode())
    assert before != after
    path.write_bytes(after)
    root = package / "published" / "manifest.json"
    text = root.read_text("utf-8").replace(digest_of(before), digest_of(after))
    root.write_text(text.replace(f'"onnx": "{onnx.__version__}"', '"onnx": "1.2.3"'), "utf-8")
    return package


def test_what_comes_out_differently_is_not_used(
    published: tuple[Path, Files], tmp_path: Path
) -> None:
    corpus, _ = opened(published[0], tmp_path)
    first = min(of(corpus, VERSION), key=lambda item: item.id)
    package = changed_package(published[0], tmp_path, str(first.digest), "0" * 64)
    changed, _ = opened(package, tmp_path)
    with pytest.raises(BadInputError) as caught:
        changed.provide(of(changed, VERSION))
    message = str(caught.value)
    count = len(corpus.entries)
    assert f"1 of {count} vectors come out differently here, such as {first.id}" in message
    assert "published with onnx 1.2.3; install that" in message
    assert [] == list((tmp_path / "cache").glob("*"))


def test_a_vector_that_the_specs_no_longer_make_is_missed(
    published: tuple[Path, Files], tmp_path: Path
) -> None:
    corpus, _ = opened(published[0], tmp_path)
    first = min(of(corpus, VERSION), key=lambda item: item.id)
    package = changed_package(published[0], tmp_path, f'"{first.id}"', f'"{first.id}.gone"')
    changed, _ = opened(package, tmp_path)
    with pytest.raises(BadInputError, match=f"of .* differently here, such as {first.id}.gone"):
        changed.provide(of(changed, VERSION))


def test_specs_that_were_changed_after_publication_are_named_as_the_cause(
    published: tuple[Path, Files], tmp_path: Path
) -> None:
    package = shutil.copytree(published[0], tmp_path / "package")
    path = package / "specs" / "size.yaml"
    text = path.read_text("utf-8")
    path.write_text(text.replace("{data: [1, 1, 1]}", "{data: [1, 1, 1, 1]}"), "utf-8")
    assert text != path.read_text("utf-8")
    corpus, _ = opened(package, tmp_path)
    with pytest.raises(BadInputError, match="specs or generators are not those"):
        corpus.provide(corpus.entries.values())


def test_another_version_of_the_package_uses_what_did_not_change_and_nothing_else(
    published: tuple[Path, Files], tmp_path: Path
) -> None:
    for item in (VERSION, "not-1"):
        use(published[0], tmp_path, item)
    package = changed_package(published[0], tmp_path, '"counts', '"counts-all')
    corpus, _ = opened(package, tmp_path)
    assert corpus.source is not None
    assert (VERSION,) == tuple(corpus.source.missing([VERSION, "not-1"]))


def test_two_processes_that_ask_at_once_both_have_all(
    published: tuple[Path, Files], tmp_path: Path
) -> None:
    words = [
        "import io, sys",
        "from pathlib import Path",
        "from onnx_conformance.core.corpus.corpus import load, open_corpus",
        "from onnx_conformance.generators.corpus.shipping.installed import installed_corpus",
        f"cache = {{'ONNX_CONFORMANCE_CACHE': {str(tmp_path / 'cache')!r}}}",
        f"source = installed_corpus(io.StringIO(), Path({str(published[0])!r}), cache)",
        "corpus = open_corpus(source.root, source)",
        "corpus.provide(corpus.entries.values())",
        "print(sum(bool(load(item)) for item in corpus.entries.values()))",
    ]
    both = [
        subprocess.Popen(
            [sys.executable, "-c", "\n".join(words)], stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    assert [f"{len(published[1])}\n"] * 2 == [process.communicate()[0] for process in both]
    assert [] == list((tmp_path / "cache").glob(".writing-*"))


def test_a_cache_that_cannot_be_written_is_one_line(
    published: tuple[Path, Files], tmp_path: Path
) -> None:
    (tmp_path / "cache").write_text("a file, not a folder")
    with pytest.raises(BadInputError) as caught:
        use(published[0], tmp_path)
    assert f"{tmp_path / 'cache'}: cannot be written" in str(caught.value)
    assert "$ONNX_CONFORMANCE_CACHE" in str(caught.value)


def test_an_onnx_that_is_too_old_to_write_the_corpus_is_one_line(
    published: tuple[Path, Files], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(onnx, "__version__", "1.14.1")
    with pytest.raises(BadInputError, match=r"this is onnx 1.14.1, which cannot write it"):
        use(published[0], tmp_path)


def test_what_the_generators_need_and_is_not_installed_is_one_line(
    published: tuple[Path, Files], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus, _ = opened(published[0], tmp_path)
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(BadInputError, match=r"cannot be written here: .*another environment"):
        corpus.provide(of(corpus, VERSION))


def test_an_installation_without_manifest_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(BadInputError) as caught:
        installed_corpus(io.StringIO(), tmp_path, environment(tmp_path))
    assert "the installation is not whole" in str(caught.value)


def test_each_spec_is_named_as_ids_begin() -> None:
    # By this the spec of an operator version is found without reading the others.
    _, paths = spec_files(PACKAGE / "specs")
    known = {path.stem for path in (*paths, *model_spec_files(PACKAGE / "specs"))}
    listed = {path.stem.rpartition("-")[0] for path in (PUBLISHED / "manifests").glob("*.json")}
    assert listed
    assert set() == listed - known


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
    published: tuple[Path, Files], first_use: tuple[Path, Path, str], tmp_path: Path
) -> tuple[Path, Path]:
    """The package, and an archive of vectors in a cache of its own that may be spoiled."""
    archive = tmp_path / "cache" / first_use[1].name
    archive.parent.mkdir()
    shutil.copy(first_use[1], archive)
    return published[0], archive


def test_a_vector_that_was_changed_in_the_cache_is_not_believed(cached: tuple[Path, Path]) -> None:
    package, archive = cached
    corpus, _ = opened(package, archive.parents[1])
    entry = of(corpus, VERSION)[0]
    corpus.provide([entry])
    unpacked = unpack(archive)
    files = [
        (f"{place}/{name}".removesuffix("/"), b"" if name == "model.onnx" else content)
        for place in unpacked.spans
        for name, content in unpacked.files(place).items()
    ]
    archive.write_bytes(packed(files))
    with pytest.raises(BadInputError, match=r"differs from the manifest; delete .*written again"):
        load(entry)


@pytest.mark.parametrize("length", [0, 3, 100, -1])
def test_half_a_cache_is_written_again(cached: tuple[Path, Path], length: int) -> None:
    package, archive = cached
    archive.write_bytes(archive.read_bytes()[:length])
    said, _ = use(package, archive.parents[1])  # it reads every vector
    assert f"vectors of {VERSION}" in said


def test_what_a_killed_writer_left_is_removed_and_what_a_living_one_writes_is_not(
    cached: tuple[Path, Path],
) -> None:
    package, archive = cached
    dead, folder, living, young = (
        archive.parent / f".writing-{name}" for name in ("dead", "folder", "live", "new")
    )
    (folder / "valid").mkdir(parents=True)
    for path in (dead, living, young):
        path.write_bytes(b"")
    for path in (dead, folder, living):
        os.utime(path, (0, 0))
    held = os.open(living, os.O_RDONLY)
    assert lock(held)
    archive.unlink()
    use(package, archive.parents[1])
    os.close(held)
    assert {archive, living, young} == set(archive.parent.iterdir())


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_cache_that_may_not_be_read_is_said(cached: tuple[Path, Path]) -> None:
    cached[1].chmod(0)
    with pytest.raises(BadInputError, match="mend its permissions, or name another folder"):
        use(cached[0], cached[1].parents[1])


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
