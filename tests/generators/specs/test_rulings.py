"""specs/rulings.yaml: what was withdrawn, corrected and declined, and what is no ruling."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.specs.rulings import (
    RULINGS_FILE,
    Ruling,
    Rulings,
    read_rulings,
    taken_by,
    without_effect,
)

if TYPE_CHECKING:
    from pathlib import Path

TEXT = """\
withdrawn:
  - ids: [shape-1/a/float32, "shape-1/b/*"]
    release: "0.3.0"
    reason: its model is not what its purpose says
corrected:
  - ids: [shape-1/c]
    release: "0.2.0"
    ruling: "the page means the other bound: docs/readings.md"
declined:
  - {ids: ["*/*/*.opset29"], reason: nothing changed}
"""
IDS = ("shape-1/a/float32", "shape-1/b/float32", "shape-1/b/int8", "shape-1/c/float32")


def read(folder: Path, text: str) -> Rulings:
    (folder / RULINGS_FILE).write_text(text, "utf-8")
    return read_rulings(folder, ("0.2.0", "0.3.0"))


def test_rulings_are_read_with_their_lines(tmp_path: Path) -> None:
    found = read(tmp_path, TEXT)
    where = f"{tmp_path / RULINGS_FILE}:"
    assert found == Rulings(
        withdrawn=(
            Ruling(
                ("shape-1/a/float32", "shape-1/b/*"),
                "its model is not what its purpose says",
                f"{where}2",
                "0.3.0",
            ),
        ),
        corrected=(
            Ruling(
                ("shape-1/c",),
                "the page means the other bound: docs/readings.md",
                f"{where}6",
                "0.2.0",
            ),
        ),
        declined=(Ruling(("*/*/*.opset29",), "nothing changed", f"{where}10"),),
    )


def test_a_folder_without_the_file_has_no_rulings(tmp_path: Path) -> None:
    assert Rulings() == read_rulings(tmp_path)


def test_a_ruling_takes_the_ids_that_its_patterns_match(tmp_path: Path) -> None:
    found = taken_by(read(tmp_path, TEXT).withdrawn, IDS)
    assert IDS[:3] == tuple(found)


def test_a_pattern_that_matches_nothing_is_said_with_its_line(tmp_path: Path) -> None:
    (line,) = without_effect(read(tmp_path, TEXT).declined, IDS)
    assert line.startswith(f"{tmp_path / RULINGS_FILE}:10: nothing below '*/*' is called")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", ":1: a mapping is needed here, not a list"),
        ("withdrawed: []", ":1: unknown key 'withdrawed'"),
        ("withdrawn: {}", ":1: a list is needed here"),
        ("withdrawn:\n  - {ids: [a], reason: b}", ":2: key 'release' is missing"),
        ("withdrawn:\n  - {ids: [a], release: '0.3.0'}", ":2: key 'reason' is missing"),
        ("corrected:\n  - {ids: [a], release: '0.3.0', reason: b}", ":2: unknown key 'reason'"),
        ("declined:\n  - {ids: [a], release: '0.3.0', reason: b}", ":2: unknown key 'release'"),
        ("declined:\n  - {ids: [], reason: b}", ":2: ids or patterns are needed here"),
        ("declined:\n  - {ids: a, reason: b}", ":2: a list is needed here"),
        ("declined:\n  - {ids: ['a/[']}", ":2: key 'reason' is missing"),
        ("declined:\n  - {ids: ['a/[z-a]'], reason: b}", ":2: 'a/[z-a]' is no pattern"),
        ("withdrawn:\n  - {ids: [a], release: '0.9.0', reason: b}", ":2: unknown release '0.9.0'"),
        ("withdrawn:\n  - {ids: [a], release: soon, reason: b}", ":2: 'soon' is no version"),
        ("withdrawn:\n  - {ids: [a], release: 0.3, reason: b}", ":2: a text is needed here"),
    ],
)
def test_what_is_no_ruling_is_one_line_with_its_place(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(BadInputError) as caught:
        read(tmp_path, text)
    (line,) = str(caught.value).splitlines()
    assert line.startswith(f"{tmp_path / RULINGS_FILE}{message}")
