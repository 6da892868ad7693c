from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from model_files import TWO_RELUS, run_command, write_model
from places import VECTORS
from sample_results import header, row, simple, write

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

RELU = "relu-14/specials/float32"
OTHER_RELU = "relu-14/example/float32"
ADD = "add-14/specials/float32"
STRANGE = """<ir_version: 8, opset_import: ["": 17]> g (double[2] x) => (double[2] y)
{ y = Relu(x) }"""


def document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, *words: object
) -> tuple[int, dict[str, Any]]:
    """The exit code and the JSON report of the command on a model."""
    path = write_model(tmp_path, text)
    report = tmp_path / "report.json"
    words = ("model", path, "--vectors", VECTORS, "--json", report, *words)
    return run_command(monkeypatch, *words), json.loads(report.read_bytes())


def line_of(found: dict[str, Any], operator: str) -> dict[str, Any]:
    """The line of the first use of an operator."""
    line: dict[str, Any] = next(item for item in found["uses"] if item["operator"] == operator)
    return line


def test_without_results_the_uses_and_their_vectors_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, found = document(tmp_path, monkeypatch, TWO_RELUS)
    relu = line_of(found, "Relu")
    assert (0, 2, "same") == (code, relu["nodes"], relu["coverage"])
    assert RELU in relu["vectors"]["ids"]
    assert "3 nodes, 2 uses: 2 covered by vectors" in capsys.readouterr().out


def test_vectors_that_must_be_refused_say_nothing_of_a_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, found = document(tmp_path, monkeypatch, TWO_RELUS)
    assert "relu-14/too_few_inputs/float32" not in line_of(found, "Relu")["vectors"]["ids"]


def test_the_requirements_that_concern_a_use_are_told_with_their_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, found = document(tmp_path, monkeypatch, TWO_RELUS)
    told = line_of(found, "Relu")["requirements"]
    assert told
    assert all(item["text"] and item["source"] and item["vectors"] for item in told)


def test_a_use_of_other_types_than_all_vectors_is_near(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, found = document(tmp_path, monkeypatch, STRANGE)
    assert "near" == line_of(found, "Relu")["coverage"]


def test_a_use_of_a_foreign_domain_has_no_vector(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = """<ir_version: 8, opset_import: ["": 17, "com.microsoft": 1]>
    g (float[2] x) => (float[2] y) { y = com.microsoft.Gelu(x) }"""
    _, found = document(tmp_path, monkeypatch, text)
    assert "none" == line_of(found, "Gelu")["coverage"]


def test_a_failing_vector_makes_its_use_fail_and_the_worst_use_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    results = tmp_path / "results.jsonl"
    simple(results, "mine", {RELU: "wrong-value", OTHER_RELU: "pass", ADD: "pass"})
    code, found = document(tmp_path, monkeypatch, TWO_RELUS, "--results", results)
    statuses = [(item["operator"], item["evidence"][0]["status"]) for item in found["uses"]]
    assert (1, [("Relu", "fail"), ("Add", "pass")]) == (code, statuses)
    assert RELU == found["uses"][0]["evidence"][0]["causes"][0]["example"]
    out = capsys.readouterr().out
    assert "mine 1.0: 3 nodes, 2 uses: 1 pass, 1 fail" in out
    assert "fail (1 of 2)" in out


def test_a_use_whose_vectors_all_pass_passes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = tmp_path / "results.jsonl"
    simple(results, "mine", {RELU: "pass", ADD: "pass"})
    code, _ = document(tmp_path, monkeypatch, TWO_RELUS, "--results", results)
    assert 0 == code


def test_a_use_whose_vectors_were_not_run_is_no_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = tmp_path / "results.jsonl"
    simple(results, "mine", {RELU: "pass"})
    code, found = document(tmp_path, monkeypatch, TWO_RELUS, "--results", results)
    assert (5, "not run") == (code, line_of(found, "Add")["evidence"][0]["status"])


def test_a_use_that_is_only_ever_unsupported_is_unsupported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = tmp_path / "results.jsonl"
    simple(results, "mine", {RELU: "unsupported", OTHER_RELU: "unsupported", ADD: "pass"})
    code, found = document(tmp_path, monkeypatch, TWO_RELUS, "--results", results)
    assert (1, "unsupported") == (code, line_of(found, "Relu")["evidence"][0]["status"])


def test_the_reading_that_a_runtime_took_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = tmp_path / "results.jsonl"
    rows = [row(RELU, kind="latitude", expect="any", taken="a_nan"), row(ADD)]
    write(results, header("mine", [RELU, ADD]), rows)
    code, found = document(tmp_path, monkeypatch, TWO_RELUS, "--results", results, "--verbose")
    assert (0, {"a_nan": 1}) == (code, line_of(found, "Relu")["evidence"][0]["readings_taken"])


def test_results_of_vectors_that_were_cut_from_the_model_decide(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, found = document(tmp_path, monkeypatch, TWO_RELUS)
    own = f"relu-14/use_{line_of(found, 'Relu')['use']}/float32"
    corpus, cut = tmp_path / "corpus.jsonl", tmp_path / "cut.jsonl"
    simple(corpus, "mine", {RELU: "wrong-value", ADD: "pass"})
    simple(cut, "mine", {own: "pass"}, corpus={"version": "cut", "digest": "b" * 64})
    code, found = document(tmp_path, monkeypatch, TWO_RELUS, "--results", corpus, cut)
    evidence = line_of(found, "Relu")["evidence"][0]
    assert (0, "pass", "the model") == (code, evidence["status"], evidence["vectors_of"])


def test_results_of_two_runtimes_are_two_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = tmp_path / "one.jsonl", tmp_path / "other.jsonl"
    simple(one, "one", {RELU: "pass", ADD: "pass"})
    simple(other, "other", {RELU: "rejected", ADD: "pass"})
    code, found = document(tmp_path, monkeypatch, TWO_RELUS, "--results", one, other)
    statuses = [item["status"] for item in line_of(found, "Relu")["evidence"]]
    assert (1, ["pass", "fail"]) == (code, statuses)


def test_a_model_without_nodes_is_incomplete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = '<ir_version: 8, opset_import: ["": 17]> g (float[2] x) => (float[2] x) { }'
    path = write_model(tmp_path, text)
    assert 5 == run_command(monkeypatch, "model", path, "--vectors", VECTORS)
    assert "has no nodes" in capsys.readouterr().err


def test_a_file_that_is_no_model_is_bad_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "model.onnx"
    path.write_text("version https://git-lfs.github.com/spec/v1")
    assert 3 == run_command(monkeypatch, "model", path, "--vectors", VECTORS)
    assert "is no ONNX model" in capsys.readouterr().err


def test_names_of_nodes_are_never_markup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = TWO_RELUS.replace("a = Relu(x)", '["<script>x</script>"] a = Relu(x)')
    path, page = write_model(tmp_path, text), tmp_path / "page.html"
    words = ("model", path, "--vectors", VECTORS, "--html", page, "--verbose")
    assert 0 == run_command(monkeypatch, *words)
    written = page.read_text(encoding="utf-8")
    assert "&lt;script&gt;" in written
    assert "<script>" not in written


def test_the_report_is_the_same_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = []
    for name in ("one", "other"):
        folder = tmp_path / name
        folder.mkdir()
        _, found = document(folder, monkeypatch, TWO_RELUS)
        texts.append(json.dumps(found))
    assert texts[0] == texts[1]


def test_the_table_in_markdown_has_a_row_for_each_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = tmp_path / "report.md"
    document(tmp_path, monkeypatch, TWO_RELUS, "--markdown", report)
    rows = [line for line in report.read_text(encoding="utf-8").splitlines() if line[0:3] == "| `"]
    assert 2 == len(rows)
