"""Nothing that becomes of standard output, or of the disk, changes a verdict or loses one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from commands import in_shell, run_words, validate
from misbehaviour import CASES
from runnable_corpus import runnable_corpus

from onnx_conformance.core import commandline
from onnx_conformance.core.errors import ExitCode


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return runnable_corpus(tmp_path / "vectors", CASES)


# --- a reader who leaves --------------------------------------------------------------------


@pytest.mark.parametrize(
    "leaving", ['"$@" | true; exit ${PIPESTATUS[0]}', '"$@" | head -1; exit ${PIPESTATUS[0]}']
)
def test_closed_pipe_leaves_the_verdict_and_the_reports(
    tmp_path: Path, corpus: Path, leaving: str
) -> None:
    done = in_shell(leaving, *run_words(corpus, "exits"), "--junit", tmp_path / "junit.xml")
    assert (ExitCode.UNEXPECTED, b"") == (done.returncode, done.stderr)
    assert "exit 3" in (tmp_path / "junit.xml").read_text()


def test_no_standard_output_leaves_the_verdict_and_the_reports(
    tmp_path: Path, corpus: Path
) -> None:
    done = in_shell('"$@" >&-', *run_words(corpus, "exits"), "--html", tmp_path / "page.html")
    assert (ExitCode.UNEXPECTED, b"") == (done.returncode, done.stderr)
    assert (tmp_path / "page.html").is_file()


def test_no_standard_error_leaves_the_verdict(corpus: Path) -> None:
    done = in_shell('"$@" 2>&-', *run_words(corpus, "dies_at_start"))
    assert ExitCode.BACKEND_UNUSABLE == done.returncode


@pytest.mark.parametrize("command", ["compare", "baseline"])
def test_closed_pipe_leaves_the_verdict_of_every_gate(
    tmp_path: Path, corpus: Path, command: str
) -> None:
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    validate(*run_words(corpus), "--results", good)
    validate(*run_words(corpus, "exits"), "--results", bad)
    if command == "compare":
        words = ["compare", str(good), str(bad)]
    else:
        baseline = tmp_path / "baseline.yaml"
        baseline.write_text("entries: []\n")
        words = ["baseline", "check", str(baseline), str(bad), "--vectors", str(corpus)]
    done = in_shell('"$@" | true; exit ${PIPESTATUS[0]}', *words)
    assert (ExitCode.UNEXPECTED, b"") == (done.returncode, done.stderr)


# --- a full disk ----------------------------------------------------------------------------


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_no_room_for_standard_output_has_a_code_of_its_own_and_costs_no_report(
    tmp_path: Path, corpus: Path
) -> None:
    words = (*run_words(corpus, "exits"), "--html", tmp_path / "page.html")
    done = in_shell('"$@" > /dev/full', *words)
    assert ExitCode.CANNOT_WRITE == done.returncode
    assert b"onnx-validate: standard output: cannot be written: No space left" in done.stderr
    assert 1 == done.stderr.count(b"\n")
    assert (tmp_path / "page.html").is_file()


def test_no_room_for_results_keeps_the_rows_before_and_can_be_resumed(
    tmp_path: Path, corpus: Path
) -> None:
    results = tmp_path / "results.jsonl"
    words = (*run_words(corpus), "--results", results)
    validate(*words)
    # In blocks of 1,024 bytes: room for the header and some rows.
    room = (results.stat().st_size - 700) // 1024
    done = in_shell(f'ulimit -f {room}; "$@"', *words)
    assert ExitCode.CANNOT_WRITE == done.returncode
    assert f"{results}: cannot be written: ".encode() in done.stderr
    assert 1 == done.stderr.count(b"\n")
    lines = results.read_bytes().splitlines(keepends=True)
    rows = [line for line in lines if b'"pass"' in line and line.endswith(b"\n")]
    assert 0 < len(rows) < len(CASES)
    again = validate(*words, "--resume")
    assert (ExitCode.OK, b"note: ") == (again.returncode, again.stderr[15:21])
    assert rows[0] in results.read_bytes()


def test_no_room_for_the_temporary_results_is_one_line(tmp_path: Path, corpus: Path) -> None:
    done = in_shell('ulimit -f 1; "$@"', *run_words(corpus), TMPDIR=str(tmp_path))
    assert ExitCode.CANNOT_WRITE == done.returncode
    assert 1 == done.stderr.count(b"\n")
    assert [corpus] == list(tmp_path.iterdir())


def test_no_room_for_one_report_costs_no_other(tmp_path: Path, corpus: Path) -> None:
    # The page takes more than 20 blocks of 1,024 bytes, the others less.
    reports = [f"--{name}={tmp_path / name}" for name in ("html", "junit", "markdown")]
    done = in_shell('ulimit -f 20; "$@"', *run_words(corpus), *reports)
    assert ExitCode.CANNOT_WRITE == done.returncode
    assert f"{tmp_path / 'html'}: cannot be written: ".encode() in done.stderr
    assert ["junit", "markdown", "vectors"] == sorted(item.name for item in tmp_path.iterdir())


# --- files that are none ---------------------------------------------------------------------


@pytest.mark.parametrize("option", ["--results", "--html"])
def test_named_pipe_is_refused(tmp_path: Path, corpus: Path, option: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    done = validate(*run_words(corpus), option, tmp_path / "pipe")
    assert ExitCode.BAD_INPUT == done.returncode
    assert f"{tmp_path / 'pipe'}: is ".encode() in done.stderr


def test_one_file_for_two_options_is_refused(tmp_path: Path, corpus: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "one")
    words = ("--html", tmp_path / "one", "--results", tmp_path / "link")
    done = validate(*run_words(corpus), *words)
    assert ExitCode.USAGE == done.returncode
    assert b"--results and --html both name" in done.stderr
    assert not (tmp_path / "one").exists()


# --- faults of our own ------------------------------------------------------------------------


def test_fault_of_our_own_is_one_line_and_has_a_code_of_its_own(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(commandline.TRACEBACK_VARIABLE, raising=False)
    commands = {"fail": (__name__, "fails")}
    assert ExitCode.FAULT == commandline.dispatch("program", "d", commands, ["fail"])
    said = capsys.readouterr().err
    assert said.startswith("program: a fault of program itself, which says nothing of any backend")
    assert "RecursionError: too deep (test_printing.py:" in said
    assert 1 == said.count("\n")


def test_fault_of_our_own_is_traced_where_that_is_asked_for(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(commandline.TRACEBACK_VARIABLE, "1")
    commandline.dispatch("program", "d", {"fail": (__name__, "fails")}, ["fail"])
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def configure(_parser: object) -> None:
    """This module stands in for a command."""


def execute(_arguments: object) -> int:
    raise RecursionError("too deep")
