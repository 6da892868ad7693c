"""Columns that took hours are not lost where their results files are not at hand."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import sample_results as sample
from tools.scoreboard import kept
from tools.scoreboard.page import written

if TYPE_CHECKING:
    from pathlib import Path

A, B = "shape-15/a/float32", "shape-15/b/float32"


def of_corpus(folder: Path, name: str, corpus: str, *ids: str, part: bool = False) -> None:
    folder.mkdir(exist_ok=True)
    selection = {"selection": {"newest": True}} if part else {}
    head = sample.header(name, ids, extra=selection)
    head = replace(head, corpus={**head.corpus, "digest": corpus * 64, "version": f"0.{corpus}.0"})
    sample.write(folder / f"{name}.jsonl", head, [sample.row(item) for item in ids])


def first_page(tmp_path: Path) -> str:
    """A page of corpus 1, on which `tract` is whole and `iree` is not."""
    of_corpus(tmp_path / "one", "reference", "1", A, B)
    of_corpus(tmp_path / "one", "tract", "1", A, B)
    of_corpus(tmp_path / "one", "iree", "1", A, part=True)
    return written(tmp_path / "one", "")


def sections(page: str) -> list[str]:
    return [line for line in page.splitlines() if line.startswith("#")]


def test_runtime_without_results_keeps_its_line_under_the_corpus_that_it_is_of(
    tmp_path: Path,
) -> None:
    before = first_page(tmp_path)
    of_corpus(tmp_path / "two", "reference", "2", A, B)
    page = written(tmp_path / "two", before)
    assert [
        "# Scoreboard",
        "## Who was judged",
        kept.HEADING,
        "### On corpus `0.1.0` (manifest `111111111111`…)",
    ] == sections(page)
    now, _, earlier = page.partition(kept.HEADING)
    assert (1, 0) == (now.count("| `reference` |"), now.count("`tract`"))
    assert "| `tract` | 2 | · | · | · | · | · | 2 |" in earlier
    assert "- `iree`: `iree` `1.0`, run on `2026-11-21`\n  - a part: `newest`" in earlier
    assert "`reference`" not in earlier


def test_page_that_is_written_again_is_the_same(tmp_path: Path) -> None:
    of_corpus(tmp_path / "two", "reference", "2", A, B)
    page = written(tmp_path / "two", first_page(tmp_path))
    assert page == written(tmp_path / "two", page)


def test_runtimes_of_several_corpora_stay_each_under_its_own(tmp_path: Path) -> None:
    before = first_page(tmp_path)
    of_corpus(tmp_path / "two", "reference", "2", A, B)
    of_corpus(tmp_path / "two", "tvm", "2", A, part=True)
    of_corpus(tmp_path / "three", "reference", "3", A, B)
    of_corpus(tmp_path / "three", "tract", "3", A, B)
    page = written(tmp_path / "three", written(tmp_path / "two", before))
    _, second, first = page.partition(kept.HEADING)[2].split("\n### ")
    assert ("`0.2.0`" in second, "`0.1.0`" in first) == (True, True)
    assert (1, 0) == (second.count("| `tvm` |"), second.count("| `iree` |"))
    assert (1, 0) == (first.count("| `iree` |"), first.count("| `tract` |"))


def test_section_of_onnx_own_tests_stays_behind_it(tmp_path: Path) -> None:
    first_page(tmp_path)
    of_corpus(tmp_path / "one" / "onnx", "tract", "1", A)
    before = written(tmp_path / "one", "")
    of_corpus(tmp_path / "two", "reference", "2", A, B)
    page = written(tmp_path / "two", before)
    assert [kept.HEADING, "## ONNX's own node tests"] == [
        line for line in sections(page)[2:] if line.startswith("## ")
    ]
    assert page == written(tmp_path / "two", page)


def test_page_of_which_nothing_can_be_read_keeps_nothing() -> None:
    assert "" == kept.section(["# Old\n\n| `tract` | 1 |\n"], ["reference"])


def test_parts_alone_make_no_page_and_stand_under_their_corpus(tmp_path: Path) -> None:
    before = first_page(tmp_path)
    of_corpus(tmp_path / "two", "tvm", "2", A, part=True)
    page = written(tmp_path / "two", before)
    now, _, other = page.partition(f"\n{kept.HEADING}\n")
    assert kept.main(before) == now.rstrip()
    assert ["### On corpus `0.2.0` (manifest `222222222222`…)"] == sections(other)
    assert (1, 0) == (other.count("| `tvm` |"), other.count("| `tract` |"))
    assert page == written(tmp_path / "two", page)
