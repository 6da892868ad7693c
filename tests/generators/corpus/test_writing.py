from __future__ import annotations

import json
import os
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from planned_files import expected_files, write_corpus
from sample_specs import RESHAPE, changed, plan_sample

from onnx_conformance.core.corpus.corpus import load, open_corpus
from onnx_conformance.core.corpus.vector_files import digest, read_files
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.corpus.making import build_all, require_own_directories
from onnx_conformance.generators.corpus.writing import CorpusComparison, CorpusWriter, Written

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.generators.corpus.making import CorpusPlan

PLACE = "valid/reshape-5/test_reshape_5_two_dims_float32"
COUNT = 22


@pytest.fixture
def corpus(tmp_path: Path) -> CorpusPlan:
    return plan_sample(tmp_path / "specs")


@pytest.fixture
def root(tmp_path: Path, corpus: CorpusPlan) -> Path:
    """A corpus that has been written."""
    folder = tmp_path / "vectors"
    assert Written(COUNT, 0, 0, 0) == write_corpus(corpus, folder)
    return folder


def state(root: Path) -> dict[str, tuple[int, int, bytes]]:
    """Inode, time and content of every file."""
    return {
        path.relative_to(root).as_posix(): (
            path.stat().st_ino,
            path.stat().st_mtime_ns,
            path.read_bytes(),
        )
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def contents(root: Path) -> dict[str, bytes]:
    return {name: content for name, (_, _, content) in state(root).items()}


# --- writing ---


def test_a_second_generation_touches_nothing(corpus: CorpusPlan, root: Path) -> None:
    before = state(root)
    assert Written(0, 0, COUNT, 0) == write_corpus(corpus, root)
    assert before == state(root)


def test_two_writers_in_one_folder_are_one_too_many(tmp_path: Path) -> None:
    with CorpusWriter(tmp_path / "v") as first:
        with pytest.raises(BadInputError, match="another command is writing there"):
            CorpusWriter(tmp_path / "v").__enter__()
        first.add("valid/a-1/test_one", {"model.onnx": b"", "data.json": b""})
    with CorpusWriter(tmp_path / "v"):
        pass  # the first has ended


def test_only_what_changed_is_written(tmp_path: Path, root: Path) -> None:
    before = state(root)
    text = changed("[0, 3], shape: [3, 0]}\n    outputs", "[0, 4], shape: [4, 0]}\n    outputs")
    text = changed(
        "    outputs: {reshaped: [3, 0]}\n  - id: allowzero_2",
        "    outputs: {reshaped: [4, 0]}\n  - id: allowzero_2",
        text,
    )
    assert Written(0, 2, COUNT - 2, 0) == write_corpus(plan_sample(tmp_path / "specs", text), root)
    after = state(root)
    touched = {name for name in after if after[name] != before.get(name)}
    folders = {name.split("/")[2] for name in touched if name.count("/") > 1}
    assert {
        "test_reshape_14_zero_float32",
        "test_reshape_14_zero_float32_opset17",
    } == folders
    own = {name for name in touched if name.count("/") < 2}
    assert {"manifest.json", "manifests/reshape-14.json"} == own


def test_a_new_case_adds_its_vectors_alone(tmp_path: Path, root: Path) -> None:
    case = (
        "  - id: another\n    covers: [requested-shape]\n    spread: everywhere\n"
        "    inputs: {data: [4], shape: [2, 2]}\n    outputs: {reshaped: [2, 2]}\n"
    )
    before = state(root)
    text = changed("cases:\n", f"cases:\n{case}")
    assert Written(6, 0, COUNT, 0) == write_corpus(plan_sample(tmp_path / "specs", text), root)
    after = state(root)
    assert before == {
        name: before[name] if name.startswith("manifest") else after[name] for name in before
    }


def test_vectors_that_are_no_longer_planned_are_removed(tmp_path: Path, root: Path) -> None:
    start, end = RESHAPE.index("  - id: allowzero_2"), RESHAPE.index("invalid:")
    smaller = plan_sample(tmp_path / "specs", RESHAPE[:start] + RESHAPE[end:])
    assert Written(0, 0, COUNT - 1, 1) == write_corpus(smaller, root)
    assert not list((root / "latitude").glob("*"))


def test_what_a_killed_generation_left_is_removed(corpus: CorpusPlan, root: Path) -> None:
    (root / ".writing-abc/test_reshape_5").mkdir(parents=True)
    (root / ".writing-abc/test_reshape_5/model.onnx").write_bytes(b"half")
    (root / ".writing-def").write_bytes(b"half a manifest")
    assert Written(0, 0, COUNT, 2) == write_corpus(corpus, root)
    assert [] == list(root.glob(".writing-*"))


@pytest.mark.parametrize(
    "place", ["valid/notes.txt", "valid/reshape-5/notes.txt", "valid/reshape-5/mine/notes.txt"]
)
def test_what_is_no_vector_is_not_removed(corpus: CorpusPlan, root: Path, place: str) -> None:
    (root / place).parent.mkdir(exist_ok=True)
    (root / place).write_text("somebody's work")
    with pytest.raises(BadInputError) as caught:
        write_corpus(corpus, root)
    named = root / place.removesuffix("/notes.txt") if "mine" in place else root / place
    assert f"{named}: is no vector; move it away" == str(caught.value)
    assert "somebody's work" == (root / place).read_text()


def test_what_lies_beside_the_vectors_is_left_alone(corpus: CorpusPlan, root: Path) -> None:
    (root / "README.md").write_text("the format")
    write_corpus(corpus, root)
    assert "the format" == (root / "README.md").read_text()


@pytest.mark.parametrize("damage", ["other", "missing", "extra", "truncated"])
def test_a_damaged_vector_is_mended(corpus: CorpusPlan, root: Path, damage: str) -> None:
    before = contents(root)
    model = root / PLACE / "model.onnx"
    if damage == "other":
        model.write_bytes(b"something else")
    elif damage == "missing":
        model.unlink()
    elif damage == "extra":
        (root / PLACE / "notes.txt").write_text("")
    else:
        model.write_bytes(model.read_bytes()[:-1])
    assert Written(0, 1, COUNT - 1, 0) == write_corpus(corpus, root)
    assert before == contents(root)


def test_a_link_in_a_vector_is_replaced_by_the_file(corpus: CorpusPlan, root: Path) -> None:
    before = contents(root)
    model = root / PLACE / "model.onnx"
    elsewhere = root.parent / "elsewhere.onnx"
    model.rename(elsewhere)
    model.symlink_to(elsewhere)
    assert Written(0, 1, COUNT - 1, 0) == write_corpus(corpus, root)
    assert not model.is_symlink()
    assert before == contents(root)


def failing(corpus: CorpusPlan) -> CorpusPlan:
    """A corpus whose last vector cannot be built: its opset is before any IR version."""
    last = replace(corpus.plans[-1], form="no such form")
    return replace(corpus, plans=(*corpus.plans[:-1], last))


def test_a_generation_that_fails_leaves_each_vector_whole(
    tmp_path: Path, corpus: CorpusPlan
) -> None:
    root = tmp_path / "new"
    with pytest.raises(BadInputError, match="unknown form 'no such form'"):
        write_corpus(failing(corpus), root)
    expected = {
        built.vector.id: built.files
        for built in build_all(replace(corpus, plans=corpus.plans[:-1]))
    }
    found = {}
    for path in root.glob("*/*/*"):
        files = read_files(path)
        found[json.loads(files["data.json"])["id"]] = files
    assert expected == found


def test_a_generation_that_fails_writes_no_manifest(tmp_path: Path, corpus: CorpusPlan) -> None:
    root = tmp_path / "new"
    with pytest.raises(BadInputError):
        write_corpus(failing(corpus), root)
    assert not (root / "manifest.json").exists()


def test_a_generation_that_fails_removes_nothing(corpus: CorpusPlan, root: Path) -> None:
    before = state(root)
    with pytest.raises(BadInputError):
        write_corpus(failing(corpus), root)
    assert before == state(root)


def test_a_generation_that_failed_is_completed_by_the_next(
    tmp_path: Path, corpus: CorpusPlan, root: Path
) -> None:
    second = tmp_path / "second"
    with pytest.raises(BadInputError):
        write_corpus(failing(corpus), second)
    assert Written(1, 0, COUNT - 1, 0) == write_corpus(corpus, second)
    assert contents(root) == contents(second)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, corpus: CorpusPlan) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInputError) as caught:
        write_corpus(corpus, tmp_path / "file")
    assert str(caught.value).startswith(f"{tmp_path}/file: cannot be written: ")


def test_a_file_where_a_vector_should_be_is_named(tmp_path: Path, corpus: CorpusPlan) -> None:
    root = tmp_path / "vectors"
    (root / PLACE).parent.mkdir(parents=True)
    (root / PLACE).write_text("")
    with pytest.raises(BadInputError) as caught:
        write_corpus(corpus, root)
    assert str(caught.value).startswith(f"{root}/")
    assert ": cannot be written: " in str(caught.value)
    assert [] == [path.name for path in root.rglob(".writing-*")]


def test_files_can_be_read_by_everybody(root: Path) -> None:
    modes = {oct(path.stat().st_mode & 0o444) for path in root.rglob("*")}
    assert {"0o444"} == modes


def test_nothing_temporary_remains(root: Path) -> None:
    assert [] == [path for path in root.rglob("*") if path.name.startswith(".")]


# --- the manifest ---


def test_the_manifest_has_a_digest_of_every_vector(root: Path) -> None:
    manifest = json.loads((root / "manifest.json").read_bytes())
    listed = {}
    for path in (root / "manifests").iterdir():
        lines = json.loads(path.read_bytes())["vectors"]
        assert len(lines) == manifest["operators"][path.stem]["count"]
        listed.update({name: line["digest"] for name, line in lines.items()})
    found = {}
    for path in root.glob("*/*/*"):
        files = read_files(path)
        found[json.loads(files["data.json"])["id"]] = digest(files)
    assert found == listed
    assert COUNT == manifest["count"] == len(listed)


def test_the_manifest_says_what_wrote_the_corpus(root: Path) -> None:
    import onnx

    manifest = json.loads((root / "manifest.json").read_bytes())
    assert ("0.0.1", "standard", 18, onnx.__version__) == (
        manifest["corpus"],
        manifest["profile"],
        manifest["newest_opset"],
        manifest["onnx"],
    )


def test_the_validator_opens_what_was_written(root: Path) -> None:
    corpus = open_corpus(root)
    assert COUNT == len(corpus.entries)
    for entry in corpus.entries.values():
        assert entry.id == load(entry).vector.id


def test_the_requirements_are_there_in_words(root: Path) -> None:
    words = json.loads((root / "requirements.json").read_bytes())
    assert {
        "text": "With allowzero=1 a 0 is a dimension of 0.",
        "document": "Reshape-14",
        "part": "Summary",
        "since": 14,
        "until": None,
    } == words["Reshape"]["literal-zero"]


def test_two_vectors_cannot_share_a_directory(corpus: CorpusPlan) -> None:
    # No element type is called like this today; the check is what keeps it that way.
    first = corpus.plans[0]
    with pytest.raises(BadInputError) as caught:
        require_own_directories([replace(first, types={"T": name}) for name in ("a_b", "a.b")])
    expected = (
        "'reshape-1/two_dims/a_b' and 'reshape-1/two_dims/a.b' would share the directory"
        " valid/reshape-1/test_reshape_1_two_dims_a_b"
    )
    assert expected == str(caught.value)


# --- checking ---


def differences(corpus: CorpusPlan, root: Path) -> list[str]:
    comparison = CorpusComparison(root)
    own = {}
    for place, files in expected_files(corpus):
        if place:
            comparison.add(place, files)
        else:
            own = files
    return [item.replace(str(root), "R") for item in comparison.finish(own)]


def test_what_was_written_does_not_differ(corpus: CorpusPlan, root: Path) -> None:
    assert [] == differences(corpus, root)


def test_a_missing_folder_is_a_difference(corpus: CorpusPlan, tmp_path: Path) -> None:
    assert ["R: no such folder"] == differences(corpus, tmp_path / "nowhere")


def test_a_missing_vector_is_named(corpus: CorpusPlan, root: Path) -> None:
    os.rename(root / PLACE, root / "elsewhere")  # noqa: PTH104  a folder
    assert [f"R/{PLACE}: is missing"] == differences(corpus, root)


def test_a_file_that_differs_is_named(corpus: CorpusPlan, root: Path) -> None:
    (root / PLACE / "data.json").write_text("{}")
    assert [f"R/{PLACE}/data.json: differs"] == differences(corpus, root)


def test_a_missing_file_is_named(corpus: CorpusPlan, root: Path) -> None:
    (root / PLACE / "test_data_set_0/input_1.pb").unlink()
    assert [f"R/{PLACE}/test_data_set_0/input_1.pb: is missing"] == differences(corpus, root)


def test_a_file_too_many_is_named(corpus: CorpusPlan, root: Path) -> None:
    (root / PLACE / "test_data_set_0/input_2.pb").write_bytes(b"")
    assert [f"R/{PLACE}/test_data_set_0/input_2.pb: is left over"] == differences(corpus, root)


def test_a_link_in_a_vector_is_named(corpus: CorpusPlan, root: Path) -> None:
    (root / PLACE / "link").symlink_to(root)
    expected = [f"R/{PLACE}/link: is a link; a vector holds plain files only"]
    assert expected == differences(corpus, root)


def test_a_vector_that_no_spec_declares_is_named(corpus: CorpusPlan, root: Path) -> None:
    (root / "valid/reshape-5/test_reshape_5_old_float32").mkdir()
    (root / "valid/stray").write_text("")
    assert [
        "R/valid/reshape-5/test_reshape_5_old_float32: is left over; no spec declares it",
        "R/valid/stray: is left over; no spec declares it",
    ] == differences(corpus, root)


@pytest.mark.parametrize(
    "name", ["manifest.json", "manifests/reshape-14.json", "requirements.json"]
)
def test_a_wrong_or_missing_file_of_the_corpus_is_named(
    corpus: CorpusPlan, root: Path, name: str
) -> None:
    (root / name).write_text("{}")
    assert [f"R/{name}: differs"] == differences(corpus, root)
    (root / name).unlink()
    assert [f"R/{name}: is missing"] == differences(corpus, root)


def test_a_manifest_with_one_digest_changed_differs(corpus: CorpusPlan, root: Path) -> None:
    path = root / "manifests/reshape-5.json"
    digest_of_one = json.loads(path.read_bytes())["vectors"]["reshape-5/two_dims/float32"]["digest"]
    path.write_text(path.read_text("utf-8").replace(digest_of_one, "0" * 64), "utf-8")
    assert ["R/manifests/reshape-5.json: differs"] == differences(corpus, root)


def test_the_manifest_of_an_operator_version_that_is_gone_is_named_and_removed(
    corpus: CorpusPlan, root: Path
) -> None:
    stray = root / "manifests/reshape-99.json"
    stray.write_text("{}")
    assert [
        "R/manifests/reshape-99.json: is left over; no spec declares its operator version"
    ] == differences(corpus, root)
    write_corpus(corpus, root)
    assert not stray.exists()


def test_checking_writes_nothing(corpus: CorpusPlan, root: Path) -> None:
    (root / PLACE / "data.json").write_text("{}")
    before = state(root)
    differences(corpus, root)
    assert before == state(root)
