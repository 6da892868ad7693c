"""Known gaps are counted; another one fails, and so does one that is closed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onnx_conformance.generators.corpus.coverage.known_gaps import known_gaps, unlisted

if TYPE_CHECKING:
    from pathlib import Path


def test_a_listed_gap_is_no_fault() -> None:
    assert [] == unlisted(["a has no case"], ["a has no case"])


def test_a_gap_that_is_not_listed_is_a_fault() -> None:
    assert ["b has no case"] == unlisted(["a has no case", "b has no case"], ["a has no case"])


def test_a_listed_line_that_is_no_gap_is_a_fault() -> None:
    (fault,) = unlisted([], ["a has no case"])
    assert fault.endswith("'a has no case' is a gap no more; take it out")


def test_remarks_and_blank_lines_are_no_gaps(tmp_path: Path) -> None:
    (tmp_path / "known.txt").write_text("# why\n\na has no case\n")
    assert ("a has no case",) == known_gaps(tmp_path / "known.txt")


def test_no_list_owes_nothing(tmp_path: Path) -> None:
    assert () == known_gaps(tmp_path / "known.txt")
