"""The files of a release: the same bytes wherever they are made, and none that is not whole."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from dated_manifests import OLD, line, write_manifests
from places import ROOT
from planned_files import write_corpus
from releasing.archives import (
    write_corpus_archive,
    write_folder_tar,
    write_operator_archives,
)
from releasing.building import build_release
from releasing.record import record_release
from releasing.sources import Checkout, checkout
from releasing.sums import SUMS, sums_of
from releasing.wheels import write_again
from sample_specs import write_specs

from onnx_conformance.core.corpus.corpus import open_corpus
from onnx_conformance.core.corpus.listing.releases import read_releases
from onnx_conformance.core.errors import BadInputError, UsageError
from onnx_conformance.generators.corpus.making import plan_corpus
from onnx_conformance.generators.corpus.shipping.archiving import write_release
from onnx_conformance.generators.releases.contents import read_manifests
from onnx_conformance.generators.releases.versions import version_problems

if TYPE_CHECKING:
    from collections.abc import Callable

PAGE = ROOT / "vectors" / "README.md"
NAME = "vectors-1"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    specs = write_specs(tmp_path_factory.mktemp("specs"))
    folder = tmp_path_factory.mktemp("corpus") / "vectors"
    write_corpus(plan_corpus(specs), folder)
    return folder


@pytest.fixture
def corpus(kept: Path, tmp_path: Path) -> Path:
    """A corpus that may be spoiled, with other dates and permissions than the first."""
    copy = tmp_path / "elsewhere" / "corpus"
    shutil.copytree(kept, copy, copy_function=shutil.copyfile)
    for path in copy.rglob("*"):
        path.chmod(0o700)
        os.utime(path, (0, 86400 * 365))
    return copy


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def packed(corpus: Path, target: Path) -> bytes:
    write_corpus_archive(corpus, PAGE, target, NAME)
    return target.read_bytes()


def test_an_archive_has_the_same_bytes_wherever_the_corpus_lies(
    kept: Path, corpus: Path, tmp_path: Path
) -> None:
    assert packed(kept, tmp_path / "a.tar.xz") == packed(corpus, tmp_path / "b.tar.xz")


def test_what_is_unpacked_is_the_corpus_with_the_page_on_its_format(
    kept: Path, tmp_path: Path
) -> None:
    count = write_corpus_archive(kept, PAGE, tmp_path / "a.tar.xz", NAME)
    with tarfile.open(tmp_path / "a.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    unpacked = tmp_path / NAME
    beside = {"README.md", "proto/onnx-ml.proto", "proto/onnx-data.proto"}
    assert contents(kept).keys() | beside == contents(unpacked).keys()
    assert open_corpus(kept).entries.keys() == open_corpus(unpacked).entries.keys()
    assert len(open_corpus(unpacked).entries) == count


def test_the_archives_of_operator_versions_are_those_that_generate_writes(
    kept: Path, tmp_path: Path
) -> None:
    specs = write_specs(tmp_path / "specs")
    write_release(specs, "standard", tmp_path / "generated")
    write_operator_archives(kept, PAGE, tmp_path / "packed")
    packed = contents(tmp_path / "packed")
    messages = {name for name in packed if name.startswith("proto/")}
    assert {"proto/onnx-ml.proto", "proto/onnx-data.proto"} == messages
    assert contents(tmp_path / "generated") == {
        name: content for name, content in packed.items() if name not in messages
    }


def damage(corpus: Path) -> None:
    next(corpus.rglob("model.onnx")).write_bytes(b"other")


def lose_a_file(corpus: Path) -> None:
    next(corpus.rglob("model.onnx")).unlink()


@pytest.mark.parametrize("spoil", [damage, lose_a_file])
def test_a_vector_that_is_not_what_its_manifest_says_is_not_packed(
    corpus: Path, tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    spoil(corpus)
    with pytest.raises(BadInputError, match="differs from its manifest"):
        packed(corpus, tmp_path / "a.tar.xz")


def test_a_folder_without_a_manifest_is_not_packed(corpus: Path, tmp_path: Path) -> None:
    (corpus / "manifest.json").unlink()
    with pytest.raises(BadInputError, match="has no vectors with a manifest"):
        packed(corpus, tmp_path / "a.tar.xz")


def test_a_tar_of_a_folder_knows_names_and_contents_alone(corpus: Path, tmp_path: Path) -> None:
    write_folder_tar(corpus, tmp_path / "a.tar", NAME)
    with tarfile.open(tmp_path / "a.tar") as archive:
        members = archive.getmembers()
    assert sorted(item.name for item in members) == [item.name for item in members]
    assert {(315532800, 0o644, 0, 0, "", "")} == {
        (item.mtime, item.mode, item.uid, item.gid, item.uname, item.gname) for item in members
    }


def test_a_wheel_written_again_depends_on_its_content_and_the_date_alone(tmp_path: Path) -> None:
    files = {"a/b.py": b"1" * 500, "x-1.dist-info/RECORD": b"r", "a/a.py": b"2"}
    for name, order, date in (("1", list(files), 1999), ("2", list(files)[::-1], 2020)):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            for item in order:
                entry = zipfile.ZipInfo(item, (date, 1, 1, 0, 0, 0))
                entry.external_attr = 0o100600 << 16
                archive.writestr(entry, files[item])
        write_again(tmp_path / name, tmp_path / f"{name}.whl", 1_700_000_000)
    assert (tmp_path / "1.whl").read_bytes() == (tmp_path / "2.whl").read_bytes()
    with zipfile.ZipFile(tmp_path / "1.whl") as archive:
        assert ["a/a.py", "a/b.py", "x-1.dist-info/RECORD"] == archive.namelist()
        assert files == {name: archive.read(name) for name in files}


def test_the_sums_are_what_sha256sum_reads(tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(b"2")
    (tmp_path / "a").write_bytes(b"1")
    (tmp_path / SUMS).write_text(sums_of(tmp_path))
    words = ["sha256sum", "--check", "--strict", SUMS]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "a: OK\nb: OK\n" == done.stdout
    assert sums_of(tmp_path) == (tmp_path / SUMS).read_text()  # its own sum is not among them


def committed(root: Path) -> Path:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for words in (("init", "-q"), ("add", "."), (*who, "commit", "-q", "-m", "First")):
        subprocess.run(["git", *words], cwd=root, check=True)  # noqa: S607
    return root


# --- the list of releases ---------------------------------------------------------------------


def test_a_release_is_listed_with_what_it_holds_and_once(tmp_path: Path) -> None:
    write_manifests(tmp_path, [line("add-14/a/float32", "1")], version=OLD)
    record_release(tmp_path, "2026-11-23")
    (found,) = read_releases(tmp_path)
    assert (OLD, "2026-11-23", 1) == (found.version, found.date, found.count)
    assert [] == list(version_problems(read_manifests(tmp_path)))
    with pytest.raises(UsageError, match=r"corpus 0\.2\.0 is released: raise `version`"):
        record_release(tmp_path, "2026-11-24")


def test_a_version_that_says_too_little_is_not_listed(tmp_path: Path) -> None:
    lines = [line("add-14/a/float32", "1"), line("add-14/b/float32", "2", "0.2.1")]
    held = {OLD: {"add-14/a/float32": "1"}}
    write_manifests(tmp_path, lines, version="0.2.1", released=held)
    with pytest.raises(BadInputError, match=r"must be 0\.3\.0: 1 vector added"):
        record_release(tmp_path, "2026-11-23")
    assert [OLD] == [item.version for item in read_releases(tmp_path)]


def test_a_corpus_that_is_not_listed_as_released_is_a_trial(tmp_path: Path) -> None:
    root = tmp_path / "repository"
    write_manifests(root / "vectors" / "standard", [line("add-14/a/float32", "1")], version=OLD)
    (root / "specs").mkdir()
    (root / "specs" / "corpus.yaml").write_text(f'version: "{OLD}"\n')
    committed(root)
    with pytest.raises(UsageError, match=r"releases\.json: does not list 0\.2\.0"):
        build_release(root, tmp_path / "vectors", tmp_path / "new", trial=False)
    # A trial goes on to the vectors, which are not there.
    with pytest.raises(BadInputError, match=r"vectors/manifest\.json: is missing"):
        build_release(root, tmp_path / "vectors", tmp_path / "new", trial=True)


# --- the checkout -----------------------------------------------------------------------------


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    root.mkdir()
    (root / "kept.txt").write_text("1")
    return committed(root)


def test_a_release_holds_tracked_files_alone(repository: Path, tmp_path: Path) -> None:
    (repository / "build").mkdir()
    (repository / "build" / "left.py").write_text("")
    checkout(repository, changed=False).copy(tmp_path / "copy")
    assert [tmp_path / "copy" / "kept.txt"] == [*(tmp_path / "copy").rglob("*")]


def test_a_checkout_with_changes_is_refused_unless_it_is_a_trial(repository: Path) -> None:
    (repository / "kept.txt").write_text("2")
    with pytest.raises(UsageError, match=r"1 files differ from the commit, such as kept\.txt"):
        checkout(repository, changed=False)
    assert isinstance(checkout(repository, changed=True), Checkout)


def test_a_folder_that_is_no_checkout_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is no checkout"):
        checkout(tmp_path, changed=False)


def test_the_date_is_that_of_the_commit_or_of_the_environment(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    words = ["git", "log", "-1", "--format=%ct"]
    made = subprocess.run(words, cwd=repository, capture_output=True, text=True, check=True).stdout
    assert int(made) == checkout(repository, changed=False).epoch
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "12")
    assert 12 == checkout(repository, changed=False).epoch


def test_the_versions_are_those_of_the_files() -> None:
    sources = Checkout(ROOT, 0)
    assert (ROOT / "pyproject.toml").read_text().count(f'version = "{sources.version}"') == 1
    assert f'"corpus": "{sources.corpus}"' in (ROOT / "vectors" / "manifest.json").read_text()


@pytest.mark.slow
def test_a_wheel_built_elsewhere_has_the_same_bytes(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from releasing.sources import checkout;"
        "from releasing.wheels import build_wheel;"
        "print(build_wheel(checkout(Path(sys.argv[1]), changed=True), Path(sys.argv[2])))"
    )
    built = []
    for name, umask, zone in (("a", 0o022, "UTC"), ("b", 0o077, "Asia/Kathmandu")):
        folder, temporary = tmp_path / name, tmp_path / f"temporary-{name}"
        folder.mkdir()
        temporary.mkdir()
        circumstances = {"TZ": zone, "TMPDIR": str(temporary), "SOURCE_DATE_EPOCH": "1700000000"}
        done = subprocess.run(
            [sys.executable, "-c", program, str(ROOT), str(folder)],
            cwd=ROOT,
            env={**os.environ, **circumstances},
            umask=umask,
            capture_output=True,
            text=True,
            check=True,
        )
        built.append(Path(done.stdout.strip()).read_bytes())
    assert built[0] == built[1]
