"""What a baseline may include: how deep, how often, from where, and what an error shows of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from onnx_conformance.core.corpus.corpus import Entry
from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.limits import INCLUDES
from onnx_conformance.validator.gate.entries import read_baseline
from onnx_conformance.validator.gate.expectations import expectations_of

PRIVATE = "daemon:$6$salted$digested:19000:0:99999:7:::"


def chain(folder: Path, length: int, times: int = 1) -> Path:
    """Files that each include the next one, as often as `times` says; the first of them."""
    for number in range(length):
        last = number == length - 1
        include = "" if last else f"include: [{', '.join([f'{number + 1}.yaml'] * times)}]\n"
        entry = "- {id: shape-15/a/b, verdict: rejected, reason: r}" if last else ""
        (folder / f"{number}.yaml").write_text(
            f"{include}entries:{' []' if not last else ''}\n{entry}\n"
        )
    return folder / "0.yaml"


def refused(path: Path) -> str:
    with pytest.raises(BadInputError) as caught:
        read_baseline(path)
    return str(caught.value)


def test_a_file_that_is_included_in_many_ways_is_read_once(tmp_path: Path) -> None:
    baseline = read_baseline(chain(tmp_path, 27, times=2))  # 2^26 ways to the last
    assert 27 == len(baseline.files)
    assert baseline.made_with is None
    assert baseline.about.corpus is None


def test_entries_that_are_included_in_many_ways_count_once(tmp_path: Path) -> None:
    baseline = read_baseline(chain(tmp_path, 27, times=2))
    corpus = {"shape-15/a/b": Entry("shape-15/a/b", Kind.VALID, Path(), None)}
    assert ["shape-15/a/b"] == list(expectations_of(baseline, corpus).of)


def test_files_that_include_each_other_too_deep_are_refused(tmp_path: Path) -> None:
    assert INCLUDES + 1 == len(read_baseline(chain(tmp_path, INCLUDES + 1)).files)
    message = refused(chain(tmp_path, 1_200))
    assert f"{INCLUDES}.yaml:1: files include each other more than {INCLUDES} deep" in message


@pytest.mark.parametrize("written", ["../outside.yaml", "inside/../../outside.yaml", "link.yaml"])
def test_a_file_outside_the_folder_is_refused_unread(tmp_path: Path, written: str) -> None:
    folder = tmp_path / "here"
    (folder / "inside").mkdir(parents=True)
    (tmp_path / "outside.yaml").write_text("entries: []\n")
    if hasattr(os, "symlink"):
        (folder / "link.yaml").symlink_to("../outside.yaml")
    path = folder / "a.yaml"
    path.write_text(f"include: {written}\nentries: []\n")
    assert f"a.yaml:1: {folder / written} lies outside {folder}" in refused(path)
    assert 2 == len(read_baseline(path, tmp_path).files)


@pytest.mark.parametrize("content", [PRIVATE, f"a: [{PRIVATE}", f"key: {PRIVATE}", "\0\0", ""])
def test_nothing_is_shown_of_what_is_no_baseline(tmp_path: Path, content: str) -> None:
    (tmp_path / "shadow").write_text(content)
    path = tmp_path / "a.yaml"
    path.write_text("include: shadow\nentries: []\n")
    message = refused(path)
    assert "no baseline" in message
    assert not any(part in message for part in ("daemon", "salted", "digested", "19000"))
