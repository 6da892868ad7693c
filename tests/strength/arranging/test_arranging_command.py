"""`strength arrangements` on real vectors of one operator: what it writes, and where it fails."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest
from strength.__main__ import main
from strength.arranging.page import page
from strength.arranging.record import Line, digests, read_record, write_record
from strength.records.allowances import UNMEASURED, Allowance, allowances, write_allowances

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Files:
    """A folder of vectors of Not, and where the command writes."""

    vectors: Path
    record: Path
    allowances: Path
    page: Path

    @property
    def digest(self) -> str:
        """Of Not as it is now."""
        return digests(self.vectors / "manifest.json")["Not"]

    def run(self, *words: str) -> int:
        """The exit code of the command."""
        given = {
            "--vectors": self.vectors,
            "--manifest": self.vectors / "manifest.json",
            "--record": self.record,
            "--allowances": self.allowances,
            "--page": self.page,
        }
        options = [str(item) for pair in given.items() for item in pair]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", ["strength", "arrangements", *words, *options])
            return main()

    def know(self, line: Line, allowed: Allowance | None = None) -> None:
        """Write a record of one line, and what goes with it."""
        given = {} if allowed is None else {"Not": allowed}
        write_record({"Not": line}, self.record)
        write_allowances(given, self.allowances)
        self.page.write_text(page(read_record(self.record), given), encoding="utf-8")


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The vectors of Not."""
    folder = tmp_path_factory.mktemp("not")
    command = [sys.executable, "-m", "onnx_conformance.generators.main", "generate", "--jobs", "1"]
    subprocess.run(
        [*command, "--output", str(folder), "not-1/*"], check=True, capture_output=True, timeout=120
    )
    return folder


@pytest.fixture
def files(vectors: Path, tmp_path: Path) -> Files:
    return Files(vectors, tmp_path / "record", tmp_path / "allowances", tmp_path / "page")


def known(files: Files) -> Line:
    return Line(files.digest, 5, 95, 0, ("arranged: a",))


def error_of(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().err.removeprefix("strength: ").strip()


def test_what_is_measured_is_written(files: Files) -> None:
    files.allowances.write_text("{}", encoding="utf-8")
    files.run("--write")
    assert {"Not": files.digest} == {
        name: line.digest for name, line in read_record(files.record).items()
    }


def test_what_did_not_change_is_not_measured_again(
    files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    files.know(known(files))
    files.run("--write")
    assert "0 of 1 operators measured" in capsys.readouterr().out


def test_a_record_that_holds_passes(files: Files) -> None:
    files.know(known(files))
    assert 0 == files.run("--check")


def test_an_operator_with_less_than_is_demanded_fails(
    files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    files.know(replace(known(files), killed=9))
    assert (1, "Not: its vectors kill 90.0 % of the mutants that arrange, less than 95 %;") == (
        files.run("--check"),
        error_of(capsys)[:73],
    )


def test_an_operator_may_have_less_where_that_is_listed(files: Files) -> None:
    files.know(replace(known(files), killed=9), Allowance(90.0, "no case tells"))
    assert 0 == files.run("--check")


def test_an_operator_that_has_less_than_it_may_fails(files: Files) -> None:
    files.know(replace(known(files), killed=8), Allowance(90.0, "no case tells"))
    assert 1 == files.run("--check")


def test_an_allowance_that_is_not_needed_fails(
    files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    files.know(known(files), Allowance(90.0, "no case tells"))
    words = "Not: 99.0 % of its mutants that arrange are killed; take it out of allowances"
    assert (1, words) == (files.run("--check"), error_of(capsys))


def test_an_operator_that_changed_since_it_was_measured_fails(
    files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    files.know(replace(known(files), digest="0123"))
    assert (1, "Not: its vectors, its oracle or what judges it changed") == (
        files.run("--check"),
        error_of(capsys).partition(";")[0],
    )


def test_what_changed_is_listed_as_unmeasured_where_that_is_wanted(files: Files) -> None:
    files.know(replace(known(files), digest="0123"))
    files.run("--unmeasured")
    listed = allowances(files.allowances)
    assert ({}, {"Not": Allowance(None, UNMEASURED)}, 0) == (
        read_record(files.record),
        listed,
        files.run("--check"),
    )


def test_an_operator_that_was_never_measured_fails(
    files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    files.allowances.write_text("{}", encoding="utf-8")
    assert (1, "Not: mutants that arrange were never measured") == (
        files.run("--check"),
        error_of(capsys).partition(";")[0],
    )


def test_a_line_of_no_vector_fails(files: Files, capsys: pytest.CaptureFixture[str]) -> None:
    files.know(known(files))
    document = json.loads(files.record.read_text(encoding="utf-8"))
    document["operators"]["Nand"] = document["operators"]["Not"]
    files.record.write_text(json.dumps(document), encoding="utf-8")
    assert (1, "Nand: the record has it, and the corpus no vector of it") == (
        files.run("--check"),
        error_of(capsys).partition(";")[0],
    )


def test_a_page_that_is_not_that_of_the_record_fails(
    files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    files.know(known(files))
    files.page.write_text("", encoding="utf-8")
    assert (1, True) == (files.run("--check"), "page is out of date" in capsys.readouterr().err)
