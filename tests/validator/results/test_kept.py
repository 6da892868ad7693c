"""Results files that are there already: what a run may replace, continue, and take for its own."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from typing import TYPE_CHECKING

import pytest
from misbehaviour import CASES, FOLDER
from runnable_corpus import runnable_corpus

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.validator.main import main
from onnx_conformance.validator.results.file_format import read_results

if TYPE_CHECKING:
    from pathlib import Path

    Output = pytest.CaptureFixture[str]


class Place:
    """A folder with a corpus, a harness that can be changed, and a results file."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = root
        self.harness = root / "harness.py"
        self.results = root / "r.jsonl"
        shutil.copy(FOLDER / "well_behaved.py", self.harness)
        runnable_corpus(root / "vectors", CASES)
        self._monkeypatch = monkeypatch
        monkeypatch.chdir(root)

    def call(self, *words: str) -> int:
        self._monkeypatch.setattr(sys, "argv", ["onnx-validate", *words])
        return main()

    def run(self, *words: str) -> int:
        command = shlex.join([sys.executable, "-S", str(self.harness)])
        options = ("--vectors", "vectors", "--jobs", "1", "--results", "r.jsonl")
        return self.call("run", "--backend", f"command:{command}", *options, *words)

    def interrupt(self, rows: int = 2) -> None:
        """Leave the results file as a run leaves it that is killed."""
        lines = self.results.read_text().splitlines(keepends=True)
        self.results.write_text("".join(lines[: 1 + rows]))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output) -> Place:
    place = Place(tmp_path, monkeypatch)
    assert 0 == place.run()
    capsys.readouterr()
    return place


# --- what is replaced ----------------------------------------------------------------------


def test_the_same_run_again_replaces_its_finished_file(place: Place) -> None:
    assert 0 == place.run()
    assert ["r.jsonl"] == [path.name for path in place.root.glob("r.jsonl*")]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--name", "other"], "and this run is of 'other'; name another file with --results, or"),
        (
            ["--type", "float32"],
            "this run is of the selection {'types': ['float32']}; name",
        ),
        (["--shard", "1/2"], "the whole corpus, of 20"),
    ],
)
def test_verdicts_of_another_run_are_not_replaced(
    place: Place, capsys: Output, words: list[str], said: str
) -> None:
    before = place.results.read_bytes()
    assert 2 == place.run(*words)
    error = capsys.readouterr().err
    assert "r.jsonl: holds 5 verdicts" in error
    assert said in error
    assert before == place.results.read_bytes()


def test_verdicts_of_another_command_under_the_same_name_are_not_replaced(
    place: Place, capsys: Output
) -> None:
    assert 0 == place.run("--name", "mine", "--force")
    place.harness = place.harness.rename(place.root / "other.py")
    assert 2 == place.run("--name", "mine")
    assert "holds 5 verdicts made with --backend" in capsys.readouterr().err


def test_force_replaces_verdicts_of_another_run(place: Place) -> None:
    assert 0 == place.run("--name", "other", "--force")
    assert "other" == read_results(place.results).header.backend


def test_what_is_no_results_file_is_not_replaced(place: Place, capsys: Output) -> None:
    place.results.write_text("my notes\n")
    assert 2 == place.run()
    assert "r.jsonl: is no results file, and would be replaced" in capsys.readouterr().err
    assert "my notes\n" == place.results.read_text()


@pytest.mark.parametrize("content", ["", '{"record":"header","form'])
def test_a_file_without_anything_in_it_is_replaced(place: Place, content: str) -> None:
    place.results.write_text(content)
    assert 0 == place.run("--name", "other")


def test_an_interrupted_file_is_kept_beside_and_said(place: Place, capsys: Output) -> None:
    place.interrupt()
    before = place.results.read_bytes()
    assert 0 == place.run()
    assert before == (place.root / "r.jsonl.interrupted").read_bytes()
    assert "a run that was cut short are kept in r.jsonl.interrupted" in capsys.readouterr().err
    place.interrupt(rows=3)
    assert 0 == place.run()
    assert (place.root / "r.jsonl.interrupted-2").is_file()


def test_an_interrupted_file_stays_where_the_backend_does_not_start(place: Place) -> None:
    place.interrupt()
    before = place.results.read_bytes()
    place.harness.unlink()
    assert 4 == place.run()
    assert before == place.results.read_bytes()
    assert not (place.root / "r.jsonl.interrupted").exists()


def test_a_backend_that_does_not_start_says_how_old_the_results_are(
    place: Place, capsys: Output
) -> None:
    started = read_results(place.results).header.started
    place.harness.unlink()
    assert 4 == place.run()
    assert f"r.jsonl still holds the results of {started}" in capsys.readouterr().err


# --- what is continued ---------------------------------------------------------------------


def test_resuming_a_finished_file_starts_the_backend(place: Place, capsys: Output) -> None:
    place.harness.unlink()
    assert 4 == place.run("--resume", "--allow-resumed")
    assert "is unusable" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"version": "1"', '"version": "2"'),
        ('"model": "path"', '"model": "inline"'),
        ('"version": "1"', '"version": "1", "details": {"threads": "8"}'),
    ],
)
def test_resuming_a_finished_file_asks_the_backend_who_it_is(
    place: Place, capsys: Output, old: str, new: str
) -> None:
    text = place.harness.read_text()
    assert old in text
    place.harness.write_text(text.replace(old, new))
    assert 2 == place.run("--resume", "--allow-resumed")
    assert "the results to resume are of a backend whose" in capsys.readouterr().err


@pytest.mark.parametrize("gate", [[], ["--baseline", "known.yaml"]])
def test_a_run_that_judged_nothing_now_is_incomplete(
    place: Place, capsys: Output, gate: list[str]
) -> None:
    (place.root / "known.yaml").write_text("entries: []\n")
    started = read_results(place.results).header.started
    assert 5 == place.run("--resume", *gate)
    printed = capsys.readouterr().out
    assert f"every verdict is of an earlier run, begun {started}: nothing was judged now" in printed
    assert f"begun {started}: --resume judged nothing" in printed
    assert 0 == place.run("--resume", "--allow-resumed", *gate)


def test_one_vector_judged_now_is_enough_and_the_others_are_dated(
    place: Place, capsys: Output
) -> None:
    started = read_results(place.results).header.started
    place.interrupt(rows=4)
    assert 0 == place.run("--resume")
    words = f"4 verdicts are of an earlier run, begun {started}; --resume judged 1 more"
    assert words in capsys.readouterr().out
    assert 0 == place.call("report", "r.jsonl")
    assert words in capsys.readouterr().out


# --- what is read --------------------------------------------------------------------------


def test_joined_files_are_no_results_file(place: Place, capsys: Output) -> None:
    both = place.root / "both.jsonl"
    both.write_bytes(2 * place.results.read_bytes())
    assert 3 == place.call("report", "both.jsonl")
    assert "both.jsonl:8: a second header: no run writes that" in capsys.readouterr().err


def test_nothing_may_follow_the_footer(place: Place) -> None:
    lines = place.results.read_bytes().splitlines(keepends=True)
    place.results.write_bytes(b"".join([*lines, lines[1]]))
    with pytest.raises(BadInputError, match=r"r\.jsonl:8: a record after the footer"):
        read_results(place.results)


def test_a_second_header_in_a_file_without_a_footer_is_refused(place: Place) -> None:
    lines = place.results.read_bytes().splitlines(keepends=True)
    place.results.write_bytes(b"".join([*lines[:3], *lines]))
    with pytest.raises(BadInputError, match=r"r\.jsonl:4: a second header"):
        read_results(place.results)


def test_a_report_says_when_the_run_began(place: Place, capsys: Output) -> None:
    started = read_results(place.results).header.started
    assert 0 == place.call("report", "r.jsonl", "--markdown", "r.md")
    assert f"corpus test, run of {started}" in capsys.readouterr().out
    assert f"run of {started}" in (place.root / "r.md").read_text()


def test_vectors_of_the_working_folder_that_nobody_named_are_named(
    place: Place, capsys: Output
) -> None:
    command = shlex.join([sys.executable, "-S", str(place.harness)])
    assert 0 == place.call("run", "--backend", f"command:{command}")
    assert "the vectors are those of ./vectors in the working folder" in capsys.readouterr().out
    assert 0 == place.run()
    assert "./vectors" not in capsys.readouterr().out


# --- the gate ------------------------------------------------------------------------------


def test_the_gate_of_joined_shards_is_not_green_where_a_smoke_run_lies_beside(
    place: Place, capsys: Output
) -> None:
    (place.root / "known.yaml").write_text("entries: []\n")
    shutil.move(place.results, place.root / "smoke.jsonl")
    assert 0 == place.run("--shard", "1/3")
    files = ("r.jsonl", "smoke.jsonl")
    options = ("--vectors", "vectors")
    assert 5 == place.call("report", *files, "--baseline", "known.yaml", *options)
    assert 5 == place.call("baseline", "check", "known.yaml", *files, *options)
    said = "smoke.jsonl: is a whole selection, but r.jsonl is shard 1/3"
    assert 2 == capsys.readouterr().err.count(said)


def test_markdown_and_junit_of_a_gate_that_an_alarm_turns_red_say_so(place: Place) -> None:
    (place.root / "known.yaml").write_text("passed: 9\nentries: []\n")
    reports = ("--markdown", "r.md", "--junit", "r.xml", "--html", "r.html")
    assert 1 == place.run("--baseline", "known.yaml", *reports)
    alarm = "known.yaml:1: 9 vectors passed when the baseline was written, and 5 do now"
    assert "**Gate: red.**" in (place.root / "r.md").read_text()
    for name in ("r.md", "r.xml", "r.html"):
        assert alarm in (place.root / name).read_text()
    assert json.loads(place.results.read_text().splitlines()[-1])["counts"] == {"pass": 5}
