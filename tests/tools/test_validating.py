"""`make validate`: which vectors it takes, and how it knows how far it is."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest
from tools import validating
from tools.validating import LISTED, WRITTEN, Running, everything, run_all

from onnx_conformance.core.progress import Progress

if TYPE_CHECKING:
    from pathlib import Path


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the manifest of a corpus of one vector, and a command that writes its row."""
    monkeypatch.chdir(tmp_path)
    LISTED.mkdir(parents=True)
    (LISTED / "manifest.json").write_text('{"count": 2}')
    (tmp_path / "build").mkdir()
    return tmp_path


def command(folder: Path, monkeypatch: pytest.MonkeyPatch, lines: str) -> None:
    """The command that a run is: a shell script, which gets `run --backend NAME ...`."""
    path = folder / "onnx-validate"
    path.write_text(f"#!/bin/sh\nname=$3\nresults=$9\n{lines}\n")
    path.chmod(0o755)
    monkeypatch.setattr(validating, "program", lambda: str(path))


def test_vectors_that_were_written_for_todays_manifests_are_taken(checkout: Path) -> None:
    assert LISTED == everything()
    (checkout / WRITTEN).mkdir()
    (checkout / WRITTEN / "manifest.json").write_text('{"count": 1}')
    assert LISTED == everything()
    (checkout / WRITTEN / "manifest.json").write_text('{"count": 2}')
    assert WRITTEN == everything()


ROW = '{"record":"row","verdict":"pass","operator":"Relu"}'


def test_rows_are_counted_once_and_half_a_row_when_it_is_whole(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command(checkout, monkeypatch, "exit 0")
    running = Running("reference", LISTED, 1)
    running.process.wait()
    shown = Terminal()
    progress = Progress(shown, 3)
    running.count(progress)
    assert "" == shown.getvalue()
    running.results.write_text(f'{{"record":"header"}}\n{ROW}\n{ROW[:9]}')
    running.count(progress)
    running.count(progress)
    assert "\r\x1b[K1 of 3, 0 did not pass, 0:00, at Relu" == shown.getvalue()
    with running.results.open("a") as stream:
        stream.write(ROW[9:] + "\n")
    progress = Progress(shown, 3, done=1)
    running.count(progress)
    assert shown.getvalue().endswith("\r\x1b[K2 of 3, 0 did not pass, 0:00, at Relu")


def test_a_run_that_is_not_as_its_baseline_says_is_shown_and_decides(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(validating, "_LOOK", 0.01)
    command(checkout, monkeypatch, 'echo "gate of $name"; [ $name != checker ] || exit 5')
    assert 5 == run_all(2)
    said = capsys.readouterr().out
    assert "reference, checker, onnxruntime on 2 vectors, made while they are judged" in said
    assert ("gate of checker" in said, "gate of reference" in said) == (True, False)
