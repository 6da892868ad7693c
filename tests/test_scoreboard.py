from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import sample_results as sample
import scoreboard
from committed_corpus import VECTORS

from onnx_conformance.core.corpus.corpus import open_corpus
from onnx_conformance.validator.results.file_format import read_results

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.validator.results.records import Results

CORPUS = open_corpus(VECTORS)
ABS = next(item for item in CORPUS.entries if item.startswith("abs-13/"))
ADD = next(item for item in CORPUS.entries if item.startswith("add-14/"))


def carried(folder: Path, then: dict[str, str] | None) -> Results | None:
    """What is left of results for two operator versions whose digests were others than now."""
    path = folder / "some.jsonl"
    sample.simple(path, "some", {ABS: "pass", ADD: "wrong-value", "abs-13/gone/float32": "pass"})
    if then is not None:
        versions = {**scoreboard.versions(CORPUS), **then}
        path.with_suffix(".versions.json").write_text(json.dumps(versions), encoding="utf-8")
    return scoreboard.carry_over(path, read_results(path), CORPUS)


def test_verdicts_on_operator_versions_that_did_not_change_are_kept(tmp_path: Path) -> None:
    results = carried(tmp_path, {"add-14": "another"})
    assert results is not None
    assert {ABS: "pass"} == {row.id: row.verdict for row in results.rows}


def test_what_is_kept_is_a_run_of_the_corpus_of_today_that_was_stopped(tmp_path: Path) -> None:
    results = carried(tmp_path, {})
    assert results is not None
    assert CORPUS.digest == results.header.corpus["digest"]
    assert tuple(CORPUS.entries) == results.header.planned
    assert len(CORPUS.entries) - 2 == len(results.missing)


@pytest.mark.parametrize(("whole", "same"), [(True, True), (False, True), (True, False)])
def test_what_make_validate_found_is_not_run_again(
    tmp_path: Path, *, whole: bool, same: bool
) -> None:
    found, path = tmp_path / "validated.jsonl", tmp_path / "board.jsonl"
    header = sample.header("some", [ABS, ADD])
    if same:
        header = replace(header, corpus={**header.corpus, "digest": CORPUS.digest})
    rows = [sample.row(ABS, "pass"), sample.row(ADD, "pass")]
    sample.write(found, header, rows if whole else rows[:1])
    assert (whole and same) == scoreboard.take_over(found, path, CORPUS)
    assert (whole and same) == path.exists()


def test_nothing_is_kept_where_nobody_knows_which_vectors_they_were(tmp_path: Path) -> None:
    assert carried(tmp_path, None) is None
