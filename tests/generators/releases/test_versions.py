"""The version of the corpus says what happened to its vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from committed_corpus import VECTORS
from dated_manifests import NEW, OLD, gone, line, write_manifests

from onnx_conformance.generators.releases.contents import read_manifests
from onnx_conformance.generators.releases.versions import follows, version_problems

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.core.corpus.listing.model import Listed, Withdrawn

A, B = "add-14/a/float32", "add-14/b/float32"
HELD = {A: "1", B: "2"}
SAME = [line(A, "1"), line(B, "2")]
ADDED = line("add-14/c/float32", "3", NEW)


def problems(
    folder: Path, version: str, lines: list[Listed], away: tuple[Withdrawn, ...] = ()
) -> list[str]:
    write_manifests(folder, lines, away, version, {OLD: HELD})
    return list(version_problems(read_manifests(folder)))


@pytest.mark.parametrize("version", [OLD, "0.2.1", NEW, "1.0.0"])
def test_a_version_in_work_may_be_ahead_of_what_was_done(tmp_path: Path, version: str) -> None:
    assert [] == problems(tmp_path, version, SAME)


def test_added_vectors_move_the_second_number(tmp_path: Path) -> None:
    assert [] == problems(tmp_path, NEW, [*SAME, ADDED])
    later = line("add-14/c/float32", "3", "0.2.1")
    assert problems(tmp_path, "0.2.1", [*SAME, later]) == [
        "specs/corpus.yaml: version 0.2.1 after 0.2.0 must be 0.3.0: 1 vector added"
    ]


def test_corrected_and_withdrawn_vectors_move_the_third_number(tmp_path: Path) -> None:
    lines = [line(A, "11", v0_2_0="1")]
    away = (gone(B, "2", "no page says so", "0.2.1"),)
    assert [] == problems(tmp_path, "0.2.1", lines, away)


@pytest.mark.parametrize("version", ["0.4.0", "0.2.2", "0.3.1", "2.0.0"])
def test_a_version_that_skips_one_is_refused(tmp_path: Path, version: str) -> None:
    (found,) = problems(tmp_path, version, SAME)
    assert f"version {version} does not follow 0.2.0" in found


def test_a_version_that_is_none_is_refused(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, "next", SAME)
    assert found.endswith("'next' is no version of a corpus, such as 0.2.0")


def test_a_changed_format_moves_the_first_number(tmp_path: Path) -> None:
    write_manifests(tmp_path, SAME, (), NEW, {OLD: HELD})
    path = tmp_path / "releases.json"
    path.write_text(path.read_text().replace('"format": 2', '"format": 1'))
    assert list(version_problems(read_manifests(tmp_path))) == [
        "specs/corpus.yaml: version 0.3.0 after 0.2.0 must be 1.0.0: the format changed from 1 to 2"
    ]


@pytest.mark.parametrize(
    ("new", "expected"), [("1.0.0", True), ("0.3.0", True), ("0.2.1", True), ("0.2.0", False)]
)
def test_one_number_moves_by_one(new: str, expected: bool) -> None:  # noqa: FBT001
    assert expected is follows("0.2.0", new)


def test_the_committed_manifests_keep_to_it() -> None:
    assert [] == list(version_problems(read_manifests(VECTORS / "standard")))
