"""Rulings: read with their places, and stale where nothing needs them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from second_opinion.rulings import RULINGS, read_rulings, ruled, stale

from onnx_conformance.core.errors import BadInputError

if TYPE_CHECKING:
    from pathlib import Path

GOOD = """\
rulings:
  - ids: ["cast-25/*"]
    cause: open
    read: {document: Cast-25, part: Summary}
    why: both are right
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "rulings.yaml"
    path.write_text(text, "utf-8")
    return path


def test_the_rulings_that_come_along_can_be_read() -> None:
    assert all(item.why for item in read_rulings(RULINGS))


def test_a_ruling_covers_the_vectors_that_its_pattern_matches(tmp_path: Path) -> None:
    rulings = read_rulings(written(tmp_path, GOOD))
    found = ruled(rulings, ["cast-25/a/float32", "relu-14/a/float32"])
    assert {"cast-25/a/float32": rulings[0]} == found


def test_a_ruling_whose_vectors_agree_is_stale(tmp_path: Path) -> None:
    rulings = read_rulings(written(tmp_path, GOOD))
    (line,) = stale(rulings, [], ["cast-25/a/float32"], all_=False)
    assert line.endswith("rulings.yaml:2: 'cast-25/*' agrees now; take the ruling out")


def test_a_ruling_that_matches_nothing_is_stale_in_a_whole_run_alone(tmp_path: Path) -> None:
    rulings = read_rulings(written(tmp_path, GOOD))
    assert [] == list(stale(rulings, [], ["relu-14/a/float32"], all_=False))
    (line,) = stale(rulings, [], ["relu-14/a/float32"], all_=True)
    assert "matches no vector" in line


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("cause: open", "cause: weather", "weather"),
        ("    why: both are right\n", "", "has no key 'why'"),
        ("document: Cast-25", "page: Cast-25", "page"),
    ],
)
def test_a_ruling_that_says_too_little_is_refused(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    with pytest.raises(BadInputError, match=message):
        read_rulings(written(tmp_path, GOOD.replace(old, new)))
