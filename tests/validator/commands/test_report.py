from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest
import sample_results as sample
from small_corpus import small_vector, write_corpus

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
        ("badge", '{\n  "schemaVersion": 1'),
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


def test_compare_with_half_of_the_old_run_ends_5(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sample.write(tmp_path / "old.jsonl", sample.header("a", [A, B]), [sample.row(A)])
    sample.simple(tmp_path / "new.jsonl", "a", {A: "pass", B: "rejected"})
    assert 5 == run(monkeypatch, "compare", tmp_path / "old.jsonl", tmp_path / "new.jsonl")
    assert "1 planned vector without a verdict" in capsys.readouterr().err


def test_min_cases_holds_for_reports_and_comparisons(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sample.simple(tmp_path / "a.jsonl", "a", {A: "pass"})
    assert 5 == run(monkeypatch, "report", tmp_path / "a.jsonl", "--min-cases", 2)
    files = (tmp_path / "a.jsonl", tmp_path / "a.jsonl")
    assert 5 == run(monkeypatch, "compare", *files, "--min-cases", 2)
    assert 3 == capsys.readouterr().err.count("1 vector with a verdict, fewer than --min-cases 2")
    assert 0 == run(monkeypatch, "report", tmp_path / "a.jsonl", "--min-cases", 1)


class Gated:
    """A corpus of two vectors, a baseline for one of them, and two shards of a run."""

    def __init__(self, root: Path) -> None:
        self.root = root
        corpus = write_corpus(root / "vectors", map(small_vector, (A, B)))
        self._corpus = {"version": "test", "digest": corpus.digest}
        self.baseline = root / "baseline.yaml"
        self.baseline.write_text(f"entries:\n  - {{id: {B}, verdict: rejected, reason: why}}\n")

    def shard(self, number: int, vector_id: str, verdict: str) -> Path:
        path = self.root / f"{number}.jsonl"
        extra = {"shard": f"{number}/2"}
        sample.simple(path, "a", {vector_id: verdict}, corpus=self._corpus, extra=extra)
        return path

    def words(self, *shards: Path) -> tuple[object, ...]:
        options = ("--baseline", self.baseline, "--vectors", self.root / "vectors")
        return ("report", *shards, *options, "--junit", self.root / "all.xml")


def test_a_report_of_all_shards_is_held_against_the_baseline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gated = Gated(tmp_path)
    shards = (gated.shard(1, A, "pass"), gated.shard(2, B, "rejected"))
    assert 0 == run(monkeypatch, *gated.words(*shards))
    assert "gate green: 1 pass, 1 fail as listed" in capsys.readouterr().out
    assert "skipped" in (tmp_path / "all.xml").read_text()


@pytest.mark.parametrize(("verdict", "code"), [("crashed", 1), ("pass", 1)])
def test_a_report_with_a_baseline_is_red_where_a_verdict_is_not_as_listed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    verdict: str,
    code: int,
) -> None:
    gated = Gated(tmp_path)
    shards = (gated.shard(1, A, "pass"), gated.shard(2, B, verdict))
    assert code == run(monkeypatch, *gated.words(*shards), "--annotations", "github")
    printed = capsys.readouterr().out
    assert "gate RED" in printed
    assert "::error file=" in printed


def test_a_report_with_a_baseline_is_not_green_while_a_shard_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gated = Gated(tmp_path)
    assert 5 == run(monkeypatch, *gated.words(gated.shard(1, A, "pass")))
    assert "gate RED: incomplete" in capsys.readouterr().out
    assert (tmp_path / "all.xml").exists()


def test_what_a_missing_shard_may_hold_is_neither_added_nor_withdrawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gated = Gated(tmp_path)
    shards = (gated.shard(1, A, "pass"), gated.shard(2, B, "pass"))
    assert 5 == run(monkeypatch, "compare", *shards, "--to", shards[0])
    printed = capsys.readouterr().out
    assert "0 added, 0 not-run, 0 withdrawn, 1 unknown, 1 the same" in printed
    assert "1 vector of one run may be in a shard that the other lacks" in printed
    assert 5 == run(monkeypatch, "compare", shards[1], "--to", *shards)
    assert "0 added, 0 not-run, 0 withdrawn, 1 unknown, 1 the same" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["compare", "site"])
def test_a_run_that_was_asked_for_less_is_incomplete(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    old, new = str(tmp_path / "old.jsonl"), str(tmp_path / "new.jsonl")
    sample.simple(tmp_path / "old.jsonl", "a", {A: "pass", B: "pass"})
    sample.simple(tmp_path / "new.jsonl", "a", {A: "pass"})
    words = {
        "compare": [old, new],
        "site": [new, "--since", old, "--output", str(tmp_path / "site")],
    }
    assert 5 == run(monkeypatch, command, *words[command])
    printed = capsys.readouterr()
    assert "1 vector of the earlier run was not run" in printed.out + printed.err


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
