"""The figures of the pages come from the results of one run of everything, by one command."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
import sample_results as sample
from tools import figures

from onnx_conformance.validator.reports import terminal
from onnx_conformance.validator.results.merging import merge, read_sources

if TYPE_CHECKING:
    from pathlib import Path

PRINTED = """\
one 1.0 on 1,234 vectors of corpus 9
                    pass  fail  crashed
Add                  100    20        ·
Max                    ·    19        ·
Relu                   1     2        ·
Sub                    1     1        ·
AVeryLongOperator      3     1        ·
all                1,000   234        1
crashed: 1 timed-out
fail: 234 wrong-value
unsupported (3): no such type
accuracy: 5 of 6 operators with limits meet ieee

gate green: 1000 pass
"""


def test_a_table_of_a_few_rows_is_as_wide_as_they_are() -> None:
    assert [
        "one 1.0 on 1,234 vectors of corpus 9",
        "       pass  fail  crashed",
        "Add     100    20        ·",
        "Max       ·    19        ·",
        "Relu      1     2        ·",
        "Sub       1     1        ·",
        "…",
        "all   1,000   234        1",
        "crashed: 1 timed-out",
        "fail: 234 wrong-value",
        "…",
        "accuracy: 5 of 6 operators with limits meet ieee",
    ] == figures.in_short(PRINTED.splitlines())


def test_a_table_without_its_sum_is_said() -> None:
    with pytest.raises(ValueError, match="the report has no row 'all'"):
        figures.in_short(PRINTED.replace("all  ", "some ").splitlines())


README = """\
# A

## What you see

    old figures

One failing vector, alone:

12 of ONNX's 34 operators so far
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "build").mkdir()
    (tmp_path / "docs").mkdir()
    ids = ("add-14/a/float32", "add-14/b/float32", "pow-15/a/float32", "where-16/a/float32")
    for number, name in enumerate(figures.BACKENDS):
        path = tmp_path / "build" / f"{name}.jsonl"
        verdicts = {
            id_: "pass" if index > number else "wrong-value" for index, id_ in enumerate(ids)
        }
        sample.simple(path, name, verdicts)
        printed = terminal.render(merge(read_sources([path])))
        text = f"{printed}accuracy: all\n\ngate green: {number} pass\n"
        path.with_suffix(".txt").write_text(text, "utf-8")
    (tmp_path / "README.md").write_text(README, "utf-8")
    (tmp_path / "CHANGELOG.md").write_text("- Specs for 12 operators\n", "utf-8")
    page = "205 of 227 operators have a spec, 3 of 4 versions.\n"
    (tmp_path / "docs" / "coverage.md").write_text(page, "utf-8")
    (tmp_path / "docs" / "scoreboard.md").write_text("# Old\n", "utf-8")
    monkeypatch.setattr(figures, "ROOT", tmp_path)
    return tmp_path


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["figures.py", *words])
    return figures.main()


def test_the_pages_are_written_from_the_results_and_are_right_from_then_on(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 1 == run(monkeypatch, "--check")
    assert README == (project / "README.md").read_text("utf-8")
    assert 0 == run(monkeypatch)
    readme = (project / "README.md").read_text("utf-8")
    assert "205 of ONNX's 227 operators so far" in readme
    assert "- Specs for 205 operators\n" == (project / "CHANGELOG.md").read_text("utf-8")
    for name, passed in (("reference", 3), ("checker", 2), ("onnxruntime", 1)):
        assert f"    {name}: gate green: {3 - passed} pass (baselines/{name}.yaml)" in readme
        board = (project / "docs" / "scoreboard.md").read_text("utf-8")
        assert f"| `{name}` | {passed} | {4 - passed} | · | · | · | · | 4 |" in board
    words = [line.split() for line in readme.splitlines()]
    assert ["Where-16", "1"] in [line[:2] for line in words]
    assert ["onnxruntime", "1", "3", "·", "·", "·", "·", "4"] in words
    capsys.readouterr()
    assert 0 == run(monkeypatch, "--check")
    assert "" == capsys.readouterr().out


def test_what_make_scoreboard_found_of_others_stays_on_the_scoreboard(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = project / "build" / "scoreboard"
    folder.mkdir()
    sample.simple(folder / "tract.jsonl", "tract", {"add-14/a/float32": "pass"})
    sample.simple(folder / "checker.jsonl", "checker", {"add-14/a/float32": "pass"})
    assert 0 == run(monkeypatch)
    board = (project / "docs" / "scoreboard.md").read_text("utf-8")
    assert "| `tract` | 1 |" in board
    assert 1 == board.count("| `checker` |")


def test_a_scoreboard_that_would_lose_a_runtime_is_left_as_it_is(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    board = project / "docs" / "scoreboard.md"
    board.write_text("# Old\n\n| `tract` | 1 |\n", "utf-8")
    assert 0 == run(monkeypatch)
    assert "# Old\n\n| `tract` | 1 |\n" == board.read_text("utf-8")
    assert "build/scoreboard has no results of tract (1 such)" in capsys.readouterr().out


def test_the_number_of_operators_is_written_without_any_run(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in (project / "build").iterdir():
        path.unlink()
    assert 0 == run(monkeypatch, "--counts")
    readme = (project / "README.md").read_text("utf-8")
    assert README.replace("12 of ONNX's 34", "205 of ONNX's 227") == readme
    assert "- Specs for 205 operators\n" == (project / "CHANGELOG.md").read_text("utf-8")


def test_a_page_that_says_something_else_is_named(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 0 == run(monkeypatch)
    path = project / "README.md"
    path.write_text(path.read_text("utf-8").replace("gate green: 2", "gate green: 3"), "utf-8")
    capsys.readouterr()
    assert 1 == run(monkeypatch, "--check")
    assert "README.md: differs\n" == capsys.readouterr().out


def test_without_results_nothing_is_written(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "build" / "checker.txt").unlink()
    assert 3 == run(monkeypatch)
    assert "`make validate` writes it" in capsys.readouterr().err
    assert README == (project / "README.md").read_text("utf-8")
