from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

import pytest
from places import MISBEHAVING
from runnable_corpus import runnable_corpus

from onnx_conformance.core.errors import ExitCode
from onnx_conformance.validator.gate.expectations import NO_EXPECTATIONS
from onnx_conformance.validator.main import main
from onnx_conformance.validator.results.file_format import read_results
from onnx_conformance.validator.results.records import Row
from onnx_conformance.validator.running.rerunning import is_red, run_again

if TYPE_CHECKING:
    from pathlib import Path


def row(vector_id: str, verdict: str) -> Row:
    return Row(vector_id, verdict, None, "", 0.0)


def test_each_row_gets_the_verdicts_of_its_further_runs() -> None:
    verdicts = iter(["pass", "crashed", "crashed", "crashed"])
    rows = run_again(
        [row("a", "crashed"), row("b", "crashed")],
        2,
        lambda ids: [row(item, next(verdicts)) for item in ids],
    )
    assert [["pass", "crashed"], ["crashed", "crashed"]] == [
        item.details["reruns"] for item in rows
    ]


def test_what_a_backend_given_up_early_left_over_is_run_afresh() -> None:
    given = []

    def two_at_most(ids: list[str]) -> list[Row]:
        given.append(tuple(ids))
        return [row(item, "crashed") for item in ids[:2]]

    rows = run_again([row(name, "crashed") for name in "abcde"], 1, two_at_most)
    assert [("a", "b", "c", "d", "e"), ("c", "d", "e"), ("e",)] == given
    assert [["crashed"]] * 5 == [item.details["reruns"] for item in rows]


def test_a_run_that_gives_nothing_ends() -> None:
    (only,) = run_again([row("a", "crashed")], 1, lambda _: [])
    assert [] == only.details["reruns"]


def test_a_pass_is_not_red() -> None:
    assert [False, True] == [is_red(row("a", item), NO_EXPECTATIONS) for item in ("pass", "error")]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    corpus = runnable_corpus(tmp_path / "vectors", ("bad", "good"))

    def call(plan: str, *words: str) -> tuple[int, dict[str, Row]]:
        counts = tmp_path / "counts"
        counts.mkdir()
        program = MISBEHAVING / "wrong_now_and_then.py"
        command = shlex.join([sys.executable, str(program), str(counts), plan])
        results = tmp_path / "r.jsonl"
        options = ("--backend", f"command:{command}", "--vectors", str(corpus))
        argv = ["onnx-validate", "run", *options, "--results", str(results), *words]
        monkeypatch.setattr(sys, "argv", argv)
        code = main()
        return code, {item.id: item for item in read_results(results).rows}

    return call


BAD = "shape-15/bad/float32"


def test_a_flake_is_reported_as_such(run: object, capsys: pytest.CaptureFixture[str]) -> None:
    code, rows = run("wrong,right", "--rerun-failures", "2")  # type: ignore[operator]
    assert ExitCode.UNEXPECTED == code
    assert ("wrong-type", ["pass", "pass"]) == (rows[BAD].verdict, rows[BAD].details["reruns"])
    assert f"{BAD}: flakes: wrong-type, then pass, pass when run again" in capsys.readouterr().out


def test_a_failure_that_repeats_is_no_flake(
    run: object, capsys: pytest.CaptureFixture[str]
) -> None:
    code, rows = run("wrong", "--rerun-failures", "1")  # type: ignore[operator]
    assert (ExitCode.UNEXPECTED, ["wrong-type"]) == (code, rows[BAD].details["reruns"])
    assert "flakes" not in capsys.readouterr().out


def test_only_what_is_red_is_run_again(run: object, tmp_path: Path) -> None:
    baseline = tmp_path / "b.yaml"
    baseline.write_text(f"entries: [{{id: {BAD}, verdict: wrong-type, reason: x}}]\n")
    code, rows = run("wrong", "--rerun-failures", "1", "--baseline", str(baseline))  # type: ignore[operator]
    assert ExitCode.OK == code
    assert [False, False] == ["reruns" in item.details for item in rows.values()]


def test_a_flake_that_is_listed_as_flaky_is_green(run: object, tmp_path: Path) -> None:
    baseline = tmp_path / "b.yaml"
    baseline.write_text(f"entries: [{{id: {BAD}, verdict: wrong-type, reason: x, flaky: true}}]\n")
    code, _ = run("right", "--baseline", str(baseline))  # type: ignore[operator]
    assert ExitCode.OK == code
