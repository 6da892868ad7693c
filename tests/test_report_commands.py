from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest
import sample_results as sample

from onnx_conformance.validator import main

if TYPE_CHECKING:
    from pathlib import Path

A = "shape-15/clip_start/float32"
B = "shape-15/clip_end/float32"


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["onnx-validate", *map(str, arguments)])
    return main.main()


def test_report_prints_the_summary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sample.simple(tmp_path / "a.jsonl", "a", {A: "pass", B: "rejected"})
    assert 0 == run(monkeypatch, "report", tmp_path / "a.jsonl")
    assert f"onnx-validate run --backend a '{B}'" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("html", "<!doctype html>"),
        ("markdown", "# ONNX conformance"),
        ("junit", "<?xml"),
        ("json", '{"format":1'),
        ("badge", "<svg"),
        ("scoreboard", "# Scoreboard"),
        ("operators", "# Operators"),
    ],
)
def test_report_writes_what_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, start: str
) -> None:
    sample.simple(tmp_path / "a.jsonl", "a", {A: "pass"})
    output = tmp_path / "new" / "report"
    assert 0 == run(monkeypatch, "report", tmp_path / "a.jsonl", f"--{name}", output)
    assert output.read_text(encoding="utf-8").startswith(start)


def test_a_report_of_half_a_run_is_written_and_ends_5(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sample.write(tmp_path / "a.jsonl", sample.header("a", [A, B]), [sample.row(A)], footer=False)
    output = tmp_path / "a.md"
    assert 5 == run(monkeypatch, "report", tmp_path / "a.jsonl", "--markdown", output)
    assert "onnx-validate: a: 1 planned vector without a verdict" in capsys.readouterr().err
    assert output.exists()


def test_a_missing_shard_ends_5(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sample.simple(tmp_path / "a.jsonl", "a", {A: "pass"}, extra={"shard": "1/2"})
    assert 5 == run(monkeypatch, "report", tmp_path / "a.jsonl")
    assert "1 shard missing (2/2)" in capsys.readouterr().err


def test_contradicting_shards_end_3_and_write_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sample.simple(tmp_path / "1.jsonl", "a", {A: "pass"})
    sample.simple(tmp_path / "2.jsonl", "a", {A: "crashed"})
    files = (tmp_path / "1.jsonl", tmp_path / "2.jsonl")
    assert 3 == run(monkeypatch, "report", *files, "--json", tmp_path / "r.json")
    assert 1 == capsys.readouterr().err.count("\n")
    assert not (tmp_path / "r.json").exists()


def test_other_corpora_end_3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sample.simple(tmp_path / "1.jsonl", "a", {A: "pass"})
    other = {"version": "other", "digest": "b" * 64}
    sample.simple(tmp_path / "2.jsonl", "b", {A: "pass"}, corpus=other)
    assert 3 == run(monkeypatch, "report", tmp_path / "1.jsonl", tmp_path / "2.jsonl")


@pytest.mark.parametrize("content", [None, "", "hello\nworld\n", '{"record":"row"}\n{}\n'])
def test_a_file_that_holds_no_results_ends_3_on_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    content: str | None,
) -> None:
    path = tmp_path / "a.jsonl"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    assert 3 == run(monkeypatch, "report", path)
    error = capsys.readouterr().err
    assert (1, True) == (error.count("\n"), str(path) in error)


def test_a_report_that_cannot_be_written_ends_3(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sample.simple(tmp_path / "a.jsonl", "a", {A: "pass"})
    (tmp_path / "file").write_text("", encoding="utf-8")
    target = tmp_path / "file" / "r.json"
    assert 3 == run(monkeypatch, "report", tmp_path / "a.jsonl", "--json", target)
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("pass", "pass", 0),
        ("crashed", "pass", 0),
        ("rejected", "crashed", 0),
        ("pass", "rejected", 1),
    ],
)
def test_compare_ends_1_only_where_something_broke(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, code: int
) -> None:
    sample.simple(tmp_path / "old.jsonl", "a", {A: old})
    sample.simple(tmp_path / "new.jsonl", "a", {A: new})
    assert code == run(monkeypatch, "compare", tmp_path / "old.jsonl", tmp_path / "new.jsonl")


def test_compare_with_half_a_run_ends_5(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sample.simple(tmp_path / "old.jsonl", "a", {A: "pass"})
    sample.write(tmp_path / "new.jsonl", sample.header("a", [A]), [])
    assert 5 == run(monkeypatch, "compare", tmp_path / "old.jsonl", tmp_path / "new.jsonl")


def test_compare_writes_markdown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sample.simple(tmp_path / "old.jsonl", "a", {A: "pass"})
    sample.simple(tmp_path / "new.jsonl", "a", {A: "crashed"})
    output = tmp_path / "c.md"
    files = (tmp_path / "old.jsonl", tmp_path / "new.jsonl")
    assert 1 == run(monkeypatch, "compare", *files, "--markdown", output)
    assert "## Broken: 1 vector" in output.read_text(encoding="utf-8")


def test_the_json_report_names_the_files_it_was_made_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample.simple(tmp_path / "a.jsonl", "a", {A: "pass"})
    output = tmp_path / "r.json"
    run(monkeypatch, "report", tmp_path / "a.jsonl", "--json", output)
    (backend,) = json.loads(output.read_text(encoding="utf-8"))["backends"]
    assert [str(tmp_path / "a.jsonl")] == backend["files"]
