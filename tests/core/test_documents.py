"""Files that others write: what is in them is said in one line, and costs its own vector only."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from commands import run_words, validate
from onnx import TensorProto, helper
from runnable_corpus import runnable_corpus

from onnx_conformance.core import documents
from onnx_conformance.core.corpus.corpus import load, open_corpus, read_metadata
from onnx_conformance.core.documents import is_deeper, parsed
from onnx_conformance.core.errors import BadInputError, ExitCode
from onnx_conformance.core.limits import FOLDERS, ID, METADATA, NESTING
from onnx_conformance.validator.results.file_format import read_results
from onnx_conformance.validator.running.selecting import Selection, select

if TYPE_CHECKING:
    from pathlib import Path

DEEP = b"[" * 100_000


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    root = runnable_corpus(tmp_path / "vectors", ("good", "other"))
    (root / "manifest.json").unlink()
    return root


def spoil(root: Path, content: bytes) -> Path:
    path = root / "valid/shape-15/test_shape_15_other_float32/data.json"
    path.unlink()
    path.write_bytes(content)
    return path


def changed(root: Path, **changes: Any) -> bytes:  # noqa: ANN401  anything may be in a file
    path = root / "valid/shape-15/test_shape_15_other_float32/data.json"
    return json.dumps({**json.loads(path.read_bytes()), **changes}).encode()


WRONG: dict[str, Any] = {
    "id": ["shape-15/other/float32"],
    "kind": {},
    "operator": 5,
    "since_version": "15",
    "opset": 1 << 70,
    "types": {"T": 1},
    "covers": "abc",
    "expect": [],
    "rtol": "0",
    "inputs": [None],
    "permitted": [3],
    "value_kinds": [],
    "absent_inputs": 7,
}


@pytest.mark.parametrize("key", WRONG)
def test_value_of_a_wrong_type_costs_its_own_vector_only(corpus: Path, key: str) -> None:
    spoil(corpus, changed(corpus, **{key: WRONG[key]}))
    done = validate(*run_words(corpus))
    assert ExitCode.BAD_INPUT == done.returncode
    assert b"Shape-15     1" in done.stdout
    assert b"1 bad-vector" in done.stdout
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    "content",
    [DEEP, b"", b"\0" * 4096, b"\xff\xfe", b'{"id": NaN}', b"[]", b'{"id": ' + b"1" * 5000 + b"}"],
)
def test_file_that_is_no_document_costs_its_own_vector_only(corpus: Path, content: bytes) -> None:
    spoil(corpus, content)
    found = open_corpus(corpus).entries
    good = load(found["shape-15/good/float32"]).vector
    (bad,) = (entry for entry in found.values() if entry.id != good.id)
    with pytest.raises(BadInputError):
        load(bad)


def test_file_that_is_a_pipe_is_not_waited_for(corpus: Path) -> None:
    path = corpus / "valid/shape-15/test_shape_15_other_float32/data.json"
    path.unlink()
    os.mkfifo(path)
    assert ExitCode.BAD_INPUT == validate(*run_words(corpus)).returncode
    (corpus / "manifest.json").symlink_to(path)
    assert ExitCode.BAD_INPUT == validate("list", "--vectors", corpus).returncode


def test_file_that_is_too_large_is_not_read(corpus: Path) -> None:
    path = spoil(corpus, b"")
    os.truncate(path, METADATA + 1)
    (bad,) = (item for item in open_corpus(corpus).entries.values() if "good" not in item.id)
    with pytest.raises(BadInputError, match="bytes; 1,048,576 are taken at most"):
        read_metadata(bad)


def test_vector_that_cannot_be_read_fits_every_filter(corpus: Path) -> None:
    spoil(corpus, b"{}x")
    taken = select(open_corpus(corpus), Selection(types=("float32",)))
    assert 2 == len(taken)


def test_folder_whose_name_is_no_utf8_costs_its_own_vector_only(corpus: Path) -> None:
    folder = corpus / "valid/shape-15/test_shape_15_other_float32"
    folder.rename(os.fsdecode(os.fsencode(folder) + b"\xff"))
    done = validate(*run_words(corpus))
    assert (ExitCode.BAD_INPUT, True) == (done.returncode, b"is no UTF-8" in done.stdout)


def test_folders_inside_each_other_have_an_end(corpus: Path) -> None:
    entry = next(iter(open_corpus(corpus).entries.values()))
    entry.directory.joinpath(*["a"] * (FOLDERS + 1)).mkdir(parents=True)
    with pytest.raises(BadInputError, match="folders inside each other"):
        load(entry)


@pytest.mark.parametrize("opset", [-1, 0, 1 << 31, 1 << 62])
def test_plain_model_of_any_opset_is_read(tmp_path: Path, opset: int) -> None:
    value = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])
    other = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1])
    graph = helper.make_graph([helper.make_node("Abs", ["x"], ["y"])], "g", [value], [other])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    (tmp_path / "test").mkdir()
    (tmp_path / "test" / "model.onnx").write_bytes(model.SerializeToString())
    entry = open_corpus(tmp_path).entries["test"]
    assert ("Abs", 0) == (load(entry).vector.operator, load(entry).vector.since_version)


def test_plain_model_whose_names_are_no_utf8_is_a_bad_vector(tmp_path: Path) -> None:
    value = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])
    graph = helper.make_graph([helper.make_node("Abcd", ["x"], ["x"])], "g", [value], [value])
    (tmp_path / "test").mkdir()
    content = helper.make_model(graph).SerializeToString().replace(b"Abcd", b"\xff\xfe\xfd\xfc")
    (tmp_path / "test" / "model.onnx").write_bytes(content)
    with pytest.raises(BadInputError):
        load(open_corpus(tmp_path).entries["test"])


# --- manifests --------------------------------------------------------------------------------


def with_manifest(root: Path, change: dict[str, Any]) -> Path:
    root = runnable_corpus(root, ("good", "other"))
    path = root / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_bytes()), **change}))
    return root


IDS = [f"shape-15/{case}/float32" for case in ("good", "other")]


@pytest.mark.parametrize(
    "change",
    [
        {"vectors": []},
        {"vectors": {"valid": ["a"]}},
        {"vectors": {"valid": {"a": 1}}},
        {"vectors": {"valid": {"a\n": "0"}}},
        {"vectors": {"valid": {"a" * (ID + 1): "0"}}},
        {"corpus": None},
        {"format": "1"},
        {"folders": {IDS[0]: 3}},
        {"folders": dict.fromkeys(IDS, "valid/one")},
        {"folders": {IDS[0]: "valid/one", IDS[1]: "valid/./two/../one"}},
    ],
)
def test_manifest_that_is_none_is_one_line(tmp_path: Path, change: dict[str, Any]) -> None:
    root = with_manifest(tmp_path / "vectors", change)
    done = validate("list", "--vectors", root)
    assert (ExitCode.BAD_INPUT, 1) == (done.returncode, done.stderr.count(b"\n"))
    assert b"manifest.json: " in done.stderr


def test_manifest_cannot_pass_one_vector_off_as_another(tmp_path: Path) -> None:
    root = runnable_corpus(tmp_path / "vectors", ("good", "other"))
    path = root / "manifest.json"
    manifest = json.loads(path.read_bytes())
    listed = manifest["vectors"]["valid"]
    manifest["folders"] = {IDS[1]: "valid/shape-15/test_shape_15_good_float32"}
    manifest["vectors"]["valid"] = {IDS[1]: listed[IDS[0]]}
    path.write_text(json.dumps(manifest))
    with pytest.raises(BadInputError, match="says that it is the valid vector 'shape-15/good/"):
        load(open_corpus(root).entries[IDS[1]])


# --- results ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    folder = tmp_path_factory.mktemp("results")
    root = runnable_corpus(folder / "vectors", ("good", "bad"))
    validate(*run_words(root, "segfaults"), "--results", folder / "r")
    return [json.loads(line) for line in (folder / "r").read_text().splitlines()]


ROW_FACTS = {
    "id": [["a"], 5, "", "a\nb", "a" * (ID + 1)],
    "verdict": [["pass"], {}, "good", 1],
    "phase": [[], 1],
    "message": [None, [], {}],
    "seconds": ["1", None, [], float("nan"), float("inf")],
    "since_version": ["15", 1.5, 1 << 80],
    "types": [[], {"T": 1}],
    "covers": ["abc", [1], {}],
    "control": [5, []],
    "stderr": [5],
    "details": [[], "x", {"model": 5}, {"inputs": "x"}, {"in_company": []}, {"reruns": {}}],
    "unknown": [1],
}
HEADER_FACTS = {
    "format": [2, None, []],
    "backend": [None, []],
    "describe": [[], None, {"name": 1}, {"adapts": "x"}, {"adapts": ["x"]}],
    "corpus": [[], {"version": []}, {"digest": 1}],
    "planned": ["abc", [1], None, [["a"]], ["a\x1b[2J"]],
    "requirements": [[]],
    "extra": [[], {"arguments": "x"}, {"files": [1]}],
}


@pytest.mark.parametrize(
    ("line", "key", "value"),
    [
        *((0, key, value) for key, values in HEADER_FACTS.items() for value in values),
        *((1, key, value) for key, values in ROW_FACTS.items() for value in values),
        (3, "counts", []),
        (3, "lost_children", {"count": "9"}),
    ],
)
def test_results_of_a_wrong_type_are_one_line(
    tmp_path: Path,
    results: list[dict[str, Any]],
    line: int,
    key: str,
    value: Any,  # noqa: ANN401  anything may be in a file
) -> None:
    documents = [*results]
    documents[line] = {**documents[line], key: value}
    path = tmp_path / "r"
    path.write_text("".join(json.dumps(item) + "\n" for item in documents))
    with pytest.raises(BadInputError, match=f"r:{line + 1}: is not a results record"):
        read_results(path)


def test_line_of_zeros_in_results_is_not_printed_whole(
    tmp_path: Path, results: list[dict[str, Any]]
) -> None:
    lines = [json.dumps(item) + "\n" for item in results]
    (tmp_path / "r").write_text("".join([lines[0], "\0" * 1_000_000 + "\n", *lines[1:]]))
    done = validate("report", tmp_path / "r")
    assert ExitCode.BAD_INPUT == done.returncode
    assert len(done.stderr) < 1000


def test_long_text_of_a_baseline_is_not_printed_whole(tmp_path: Path) -> None:
    root = runnable_corpus(tmp_path / "vectors", ("good",))
    (tmp_path / "b.yaml").write_text(
        f"entries:\n  - {{id: {'a' * 1_000_000}, verdict: crashed, reason: b}}\n"
    )
    done = validate("baseline", "check", tmp_path / "b.yaml", "--vectors", root)
    assert ExitCode.BAD_INPUT == done.returncode
    assert (True, 1) == (len(done.stderr) < 5000, done.stderr.count(b"\n"))


@pytest.mark.parametrize(("depth", "refused"), [(NESTING, False), (NESTING + 1, True)])
def test_documents_are_nested_so_deep_and_no_deeper(depth: int, *, refused: bool) -> None:
    content = b"[" * depth + b"0" + b"]" * depth
    assert refused == is_deeper(json.loads(content), NESTING)
    if refused:
        with pytest.raises(ValueError, match="nested more than 64 deep"):
            parsed(content)
    else:
        parsed(content)


def test_values_of_a_row_that_are_nested_deep_are_one_line(
    tmp_path: Path, results: list[dict[str, Any]]
) -> None:
    value: Any = 1
    for _ in range(400):
        value = [value]
    path = tmp_path / "r"
    changed_row = {**results[1], "got": value}
    path.write_text("".join(json.dumps(item) + "\n" for item in (results[0], changed_row)))
    with pytest.raises(BadInputError, match="r:2: is not a results record: nested more than 64"):
        read_results(path)


def test_a_type_of_which_every_value_holds_is_what_the_check_says() -> None:
    samples: list[Any] = [None, "", "a", 0, 1 << 70, 0.5, True, [], ["a"], [1], {}, {"a": 1}]
    musts = [item for item in vars(documents).values() if isinstance(item, documents.Must)]
    assert len(musts) > 10
    for must in musts:
        assert all(must.holds(item) for item in samples if type(item) is must.always)
