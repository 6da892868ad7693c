"""`python -m strength classes`: mutants in the kernel of one class of element types."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from generated import generated
from strength.__main__ import main

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def strings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return generated(tmp_path_factory, "squeezed_strings", "squeeze-25/*/string")


def called(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr("sys.argv", ["strength", "classes", *words])
    return main()


def test_what_the_vectors_of_the_rule_kill_alone_is_told(
    strings: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--vectors", str(strings), "--samples", "0", "--killers", "--operator", "Squeeze")
    assert 0 == called(monkeypatch, *words, "--operator", "Squeeze")
    lines = capsys.readouterr().out.splitlines()
    # A kernel of strings that takes away an axis of any size: a vector of the rule refuses it.
    assert [line for line in lines if " squeeze-25/size_3/string  string: " in line]
    assert lines[0].startswith("Squeeze: ")
    assert lines[-1].startswith("all: ")
    first, last = (int(line.split()[1]) for line in (lines[0], lines[-1]))
    assert last == 2 * first


def test_a_folder_without_vectors_of_the_operator_is_no_success(
    strings: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 5 == called(monkeypatch, "--vectors", str(strings), "--operator", "Add")
    assert "has no vector of Add" in capsys.readouterr().err
