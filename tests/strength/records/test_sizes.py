"""The record of faults of size, its part of the page, and the arguments."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from large_vectors import large_vector, write_listed
from strength.__main__ import main
from strength.commands import sizes as command
from strength.records import sizes
from strength.records.sizes import (
    SizesLine,
    digest_of,
    digests_of_lock,
    read_sizes,
    sizes_part,
    stale,
    without_argument,
    write_sizes,
)
from strength.sizes.arguments import argued, read_arguments, unneeded
from strength.sizes.faults import FAULTS
from strength.sizes.measuring import Noticed
from strength.vectors import entries_of_sizes

from onnx_conformance.core.errors import BadInputError

if TYPE_CHECKING:
    from pathlib import Path

FIRST, SECOND, THIRD = (item.name for item in FAULTS[:3])
LINES = {
    "Add": SizesLine("a1", Noticed("Add", 2, {FIRST: "add-14/sizes_9/float32"}, (SECOND,))),
    "Size": SizesLine("b2", Noticed("Size", 1, {}, (), (THIRD, FIRST))),
}
ARGUMENTS = """\
- because: its result is one number
  faults: ["written: only *"]
  operators: [Size, Neg]
"""


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    write_sizes(LINES, tmp_path / "sizes.json")
    assert LINES == read_sizes(tmp_path / "sizes.json")
    assert {} == read_sizes(tmp_path / "absent.json")


def test_what_is_no_record_is_told(tmp_path: Path) -> None:
    (tmp_path / "sizes.json").write_text('{"faults": []}')
    with pytest.raises(BadInputError, match=r"sizes\.json: no record of faults of size"):
        read_sizes(tmp_path / "sizes.json")


def test_the_digest_changes_with_a_vector(tmp_path: Path) -> None:
    array = np.ones(3, np.float32)
    line = large_vector(tmp_path, "neg-13/sizes_3/float32", "Neg", {"X": array}, {"Y": -array})
    write_listed(tmp_path, [line])
    entries = entries_of_sizes(tmp_path, "", "Neg")
    changed = [replace(entries[0], digest="0" * 64)]
    assert digest_of(entries) == digest_of(list(entries))
    assert digest_of(entries) != digest_of(changed)


def test_the_lock_has_the_digests_of_what_is_measured(tmp_path: Path) -> None:
    array = np.ones(3, np.float32)
    names = ("neg-13/sizes_3/float32", "neg-13/small/float32")
    lines = [large_vector(tmp_path, it, "Neg", {"X": array}, {"Y": -array}) for it in names]
    write_listed(tmp_path, lines)
    expected = {"Neg": digest_of(entries_of_sizes(tmp_path, "", "Neg"))}
    assert expected == digests_of_lock(tmp_path / "manifest.json")


def test_what_the_record_does_not_hold_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "arguments.yaml"
    path.write_text(ARGUMENTS)
    monkeypatch.setattr(sizes, "read_arguments", lambda: read_arguments(path))
    renews = "`make mutants-sizes` renews it"
    changed = "its vectors about sizes, or the faults, changed since these were measured"
    told_of = list(stale(LINES, {"Add": "a1", "Size": "other", "Neg": "c3"}))
    assert [
        f"Neg: faults of size were never put before its vectors; {renews}",
        f"Size: {changed}; {renews}",
        f"Add: nothing notices '{SECOND}', and nothing is argued",
        f"Size: nothing notices '{THIRD}', and nothing is argued",
    ] == told_of
    (gone, *_) = stale(LINES, {"Size": "b2"})
    assert gone.startswith("Add: the record has faults of size, and the corpus no vector")


def test_an_argument_is_about_named_faults_of_named_operators(tmp_path: Path) -> None:
    path = tmp_path / "arguments.yaml"
    path.write_text(ARGUMENTS)
    found = read_arguments(path)
    assert "its result is one number" == argued(found, "Size", FIRST, idle=False)
    assert "" == argued(found, "Add", FIRST, idle=True)
    assert [("Add", SECOND), ("Size", THIRD)] == without_argument(LINES, found)
    assert [("Neg", "its result is one number")] == unneeded(found, [("Size", FIRST)])


def test_an_argument_about_all_is_about_what_no_vector_is_large_enough_for(
    tmp_path: Path,
) -> None:
    path = tmp_path / "arguments.yaml"
    path.write_text("- {because: too large, faults: ['read: *'], operators: all}")
    found = read_arguments(path)
    assert ["too large", ""] == [argued(found, "X", "read: a", idle=it) for it in (True, False)]


@pytest.mark.parametrize(
    "text",
    ["- {because: x, faults: [a]}", "- {because: x, faults: [a], operators: Size}", "- 3"],
)
def test_an_argument_that_lacks_a_part_is_bad_input(tmp_path: Path, text: str) -> None:
    path = tmp_path / "arguments.yaml"
    path.write_text(text)
    with pytest.raises(BadInputError, match="because, faults and operators"):
        read_arguments(path)


def test_the_page_counts_what_is_noticed_and_names_what_is_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "arguments.yaml"
    path.write_text(ARGUMENTS)
    monkeypatch.setattr(sizes, "read_arguments", lambda: read_arguments(path))
    part = sizes_part(LINES)
    assert "4 questions of 2 operators with 3 vectors" in part
    assert "**1 noticed (25.0 %)**" in part
    assert f"| {FIRST} | 1 of 2 | 1 |  |" in part
    assert f"| {SECOND} | 0 of 1 |  | Add |" in part
    assert "* Size: its result is one number." in part
    assert "" == sizes_part({})


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A record of its own."""
    path = tmp_path / "sizes.json"
    monkeypatch.setattr(command, "read_sizes", lambda: read_sizes(path))
    monkeypatch.setattr(command, "write_sizes", lambda lines: write_sizes(lines, path))
    return path


def told(*words: str) -> int:
    import sys

    before, sys.argv = sys.argv, ["strength", "sizes", *words]
    try:
        return main()
    finally:
        sys.argv = before


def test_only_what_changed_is_measured_again(
    tmp_path: Path, record: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    array = (np.arange(131_103) % 251 + 1).astype(np.float32)
    folder = tmp_path / "vectors"
    name = "neg-13/sizes_131103/float32"
    line = large_vector(folder, name, "Neg", {"X": array}, {"Y": -array})
    write_listed(folder, [line])
    words = ("--vectors", str(folder), "--jobs", "1", "--page", str(tmp_path / "page.md"))
    told(*words, "--write")
    assert "1 operators measured" in capsys.readouterr().out
    assert name in record.read_text()
    told(*words)
    assert "0 operators measured" in capsys.readouterr().out


def test_a_fault_that_nothing_notices_is_exit_code_1(
    tmp_path: Path, record: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not record.exists()
    array = np.ones(200, np.float32)
    folder = tmp_path / "vectors"
    line = large_vector(folder, "neg-13/sizes_200/float32", "Neg", {"X": array}, {"Y": -array})
    write_listed(folder, [line])
    assert 1 == told("--vectors", str(folder), "--jobs", "1")
    assert "TOO SMALL Neg: written: only the first 256 elements" in capsys.readouterr().out


def test_a_folder_without_vectors_of_the_family_is_exit_code_5(
    tmp_path: Path, record: Path
) -> None:
    assert not record.exists()
    array = np.ones(3, np.float32)
    folder = tmp_path / "vectors"
    line = large_vector(folder, "neg-13/small/float32", "Neg", {"X": array}, {"Y": -array})
    write_listed(folder, [line])
    assert 5 == told("--vectors", str(folder))
