"""`--accuracy` from the outside: what it changes, what is recorded, what is not mixed."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

import pytest
from limited_corpus import EXACT, LIMITED, RULE, limited_corpus
from misbehaviour import harness

from onnx_conformance.core.corpus.vectors import relative_directory
from onnx_conformance.validator.main import main
from onnx_conformance.validator.results.file_format import read_results
from onnx_conformance.validator.results.rerun_command import reproducing_command

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.validator.results.records import Results

    Output = pytest.CaptureFixture[str]

BACKEND = f"command:{shlex.join(harness('well_behaved'))}"


class Corpus:
    """The corpus, and runs of it."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.root = limited_corpus(folder / "vectors")
        self._patch = monkeypatch

    def command(self, *words: str) -> int:
        self._patch.setattr(sys, "argv", ["onnx-validate", *words])
        return main()

    def run(self, *words: str, name: str = "results.jsonl") -> int:
        options = ("--vectors", str(self.root), "--results", str(self.folder / name), *words)
        return self.command("run", "--backend", BACKEND, *options)

    def results(self, name: str = "results.jsonl") -> Results:
        return read_results(self.folder / name)


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Corpus:
    return Corpus(tmp_path, monkeypatch)


@pytest.mark.parametrize(
    ("words", "code", "verdict", "used"),
    [
        ((), 1, "wrong-value", 2.0),
        (("--accuracy", "ieee"), 1, "wrong-value", 2.0),
        (("--accuracy", "gpu"), 0, "pass", 1.0),
        (("--accuracy", "onnx"), 0, "pass", 1.0),
    ],
)
def test_the_profile_decides_and_the_row_says_what_was_measured(
    words: tuple[str, ...], code: int, verdict: str, used: float, corpus: Corpus
) -> None:
    assert code == corpus.run(*words)
    row = {row.id: row for row in corpus.results().rows}[LIMITED]
    assert (verdict, used, "gpu") == (row.verdict, row.details["used"], row.details["met"])


def test_a_vector_whose_limits_contradict_themselves_is_bad_and_fails_nobody(
    corpus: Corpus,
) -> None:
    folder = corpus.root / relative_directory("valid", LIMITED) / "test_data_set_0"
    (folder / "low_0.pb").write_bytes((folder / "high_0.pb").read_bytes())
    (corpus.root / "manifest.json").unlink()
    assert 3 == corpus.run()
    row = {row.id: row for row in corpus.results().rows}[LIMITED]
    assert ("bad-vector", True) == (row.verdict, "the ieee limits do not hold" in row.message)


def test_a_vector_without_limits_is_judged_alike_and_says_nothing_of_them(corpus: Corpus) -> None:
    corpus.run("--accuracy", "gpu")
    row = {row.id: row for row in corpus.results().rows}[EXACT]
    assert ("pass", {}) == (row.verdict, dict(row.details))


def test_a_failure_says_where_the_limits_come_from(corpus: Corpus) -> None:
    corpus.run()
    row = {row.id: row for row in corpus.results().rows}[LIMITED]
    assert (RULE, "shape[1]: expected 5, got 3; permitted 4 to 6, 1 outside") == (
        row.details["accuracy"],
        row.details["difference"],
    )


@pytest.mark.parametrize("words", [(), ("--accuracy", "gpu")])
def test_the_header_records_the_profile(words: tuple[str, ...], corpus: Corpus) -> None:
    corpus.run(*words)
    assert (words[-1] if words else "ieee") == corpus.results().header.extra["accuracy"]


def test_the_command_that_repeats_a_verdict_has_the_profile(corpus: Corpus) -> None:
    corpus.run("--accuracy", "gpu", "--tolerance", "strict")
    command = reproducing_command(corpus.results().header, LIMITED)
    assert command.endswith(f" --tolerance strict --accuracy gpu '{LIMITED}'")


def test_the_command_that_repeats_a_verdict_is_short_where_the_default_was_taken(
    corpus: Corpus,
) -> None:
    corpus.run()
    assert "--accuracy" not in reproducing_command(corpus.results().header, LIMITED)


def test_an_unknown_profile_is_a_usage_error(corpus: Corpus, capsys: Output) -> None:
    with pytest.raises(SystemExit, match="2"):
        corpus.run("--accuracy", "fast")
    assert "invalid choice: 'fast'" in capsys.readouterr().err


def test_a_run_of_another_profile_is_not_resumed(corpus: Corpus, capsys: Output) -> None:
    corpus.run()
    assert 2 == corpus.run("--accuracy", "gpu", "--resume")
    assert "were made with --accuracy 'ieee', not 'gpu'" in capsys.readouterr().err


def test_comparing_runs_of_different_profiles_warns(corpus: Corpus, capsys: Output) -> None:
    corpus.run()
    corpus.run("--accuracy", "gpu", name="gpu.jsonl")
    capsys.readouterr()
    files = (str(corpus.folder / name) for name in ("results.jsonl", "gpu.jsonl"))
    assert 0 == corpus.command("compare", *files)
    printed = capsys.readouterr().out
    assert "judged by different limits, --accuracy ieee and gpu: a change may be the judge's" in (
        printed
    )


def test_comparing_runs_of_one_profile_does_not_warn(corpus: Corpus, capsys: Output) -> None:
    corpus.run()
    file = str(corpus.folder / "results.jsonl")
    corpus.command("compare", file, file)
    assert "judged by different limits" not in capsys.readouterr().out


def test_files_of_one_backend_with_different_profiles_are_not_put_together(
    corpus: Corpus, capsys: Output
) -> None:
    corpus.run()
    corpus.run("--accuracy", "gpu", name="gpu.jsonl")
    files = (str(corpus.folder / name) for name in ("results.jsonl", "gpu.jsonl"))
    assert 3 == corpus.command("report", *files)
    assert "gpu.jsonl: was judged with --accuracy gpu, but" in capsys.readouterr().err


def test_under_names_of_their_own_profiles_stand_side_by_side(
    corpus: Corpus, capsys: Output
) -> None:
    corpus.run("--name", "cpu rule")
    corpus.run("--accuracy", "gpu", "--name", "gpu rule", name="gpu.jsonl")
    files = (str(corpus.folder / name) for name in ("results.jsonl", "gpu.jsonl"))
    assert 0 == corpus.command("report", *files)
    assert "gpu rule" in capsys.readouterr().out
