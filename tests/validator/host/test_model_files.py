"""Models from archives that a harness opens by path."""

from __future__ import annotations

from pathlib import Path

import pytest
from misbehaviour import harness
from runnable_corpus import runnable_corpus

from onnx_conformance.core.commandline import dispatch
from onnx_conformance.core.corpus.archived.packing import packed
from onnx_conformance.core.corpus.corpus import load, open_corpus
from onnx_conformance.core.corpus.listing.model import Facts, Listed
from onnx_conformance.core.corpus.listing.writing import manifest_files
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.validator.host.model_files import ModelFiles
from onnx_conformance.validator.main import COMMANDS

FILES = {
    "model.onnx": b"model",
    "weights.bin": b"weights",
    "data.json": b"{}",
    "test_data_set_0/input_0.pb": b"in",
    "test_data_set_0/output_0.pb": b"out",
}


def test_a_model_is_alone_with_the_data_beside_it() -> None:
    files = ModelFiles()
    folder = Path(files.path("a-1/b/c", FILES)).parent
    assert {"model.onnx": b"model", "weights.bin": b"weights"} == {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*")
    }
    assert files.path("a-1/b/c", FILES) == files.path("a-1/b/c", FILES)
    files.close()


def test_a_model_without_data_is_a_file_beside_others_without_data() -> None:
    files = ModelFiles()
    alone = {name: content for name, content in FILES.items() if name != "weights.bin"}
    first, second = (Path(files.path(f"a-1/b/{name}", alone)) for name in "cd")
    assert (b"model", b"model") == (first.read_bytes(), second.read_bytes())
    assert {first, second} == set(first.parent.iterdir())
    files.remove("a-1/b/c")
    assert {second} == set(first.parent.iterdir())
    files.close()
    assert not first.parent.exists()


def test_a_model_is_removed_with_its_vector_and_all_at_the_end() -> None:
    files = ModelFiles()
    first, second = (Path(files.path(f"a-1/b/{name}", FILES)) for name in "cd")
    files.remove("a-1/b/c")
    files.remove("a-1/b/none")
    assert (False, True) == (first.parent.exists(), second.exists())
    files.close()
    assert not second.parents[1].exists()


def test_a_model_that_cannot_be_written_is_named() -> None:
    files = ModelFiles()
    with pytest.raises(BadInputError, match=r"cannot be written"):
        files.path("a-1/b/c", {**FILES, "x" * 300: b""})
    files.close()


def released(root: Path, target: Path) -> Path:
    """A runnable corpus as a release."""
    facts = Facts("Shape", "", 15, 15, "static", {"T": "float32"}, (), None)
    entries = open_corpus(root).entries.values()
    vectors = [Listed(item.id, item.kind, str(item.digest), facts) for item in entries]
    for name, content in manifest_files({"corpus": "test"}, vectors).items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_bytes(content)
    named = [
        (f"{entry.directory.relative_to(root).as_posix()}/{name}", content)
        for entry in entries
        for name, content in load(entry).files.items()
    ]
    (target / "shape-15.tar.gz").write_bytes(packed(named))
    return target


def test_a_harness_that_opens_paths_judges_archives_and_nothing_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = runnable_corpus(tmp_path / "vectors", ["one", "two", "three"])
    release = released(root, tmp_path / "release")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    command = "command:" + " ".join(harness("well_behaved"))
    words = ["run", "--backend", command, "--vectors"]
    assert 0 == dispatch("onnx-validate", "", COMMANDS, [*words, str(release)])
    assert 0 == dispatch("onnx-validate", "", COMMANDS, [*words, str(release / "shape-15.tar.gz")])
    assert [] == list((tmp_path / "temporary").iterdir())


def test_vectors_of_an_archive_that_is_damaged_are_bad_and_the_run_ends_with_3(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = runnable_corpus(tmp_path / "vectors", ["one", "two", "three"])
    release = released(root, tmp_path / "release")
    archive = release / "shape-15.tar.gz"
    archive.write_bytes(archive.read_bytes()[:-100])
    command = "command:" + " ".join(harness("well_behaved"))
    words = ["run", "--backend", command, "--vectors", str(release)]
    assert 3 == dispatch("onnx-validate", "", COMMANDS, words)
    assert "cannot be unpacked: it is cut short; fetch it again" in capsys.readouterr().out
