"""Readings that one runtime alone takes, or mixes: what a bug in latitude looks like."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import sample_results as sample
from places import ROOT

from onnx_conformance.core.corpus.corpus import open_corpus
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.validator.reports import ledger as ledger_report
from onnx_conformance.validator.reports import readings as page
from onnx_conformance.validator.reports import terminal
from onnx_conformance.validator.reports.facts.readings_taken import (
    LEDGER,
    alone,
    mixed,
    read_ledger,
    witnesses_ledger,
)
from onnx_conformance.validator.results.changes import changes_between

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.validator.results.records import Results

NAN = "relu-14/with_nan/float32"
HALF = "relu-14/with_nan/float16"


def run(tmp_path: Path, name: str, **taken: str) -> Results:
    """A run of a runtime that took a reading of each vector."""
    ids = {"float32": NAN, "float16": HALF}
    rows = [
        sample.row(ids[key], "pass", kind="latitude", expect="any", taken=reading)
        for key, reading in taken.items()
    ]
    head = sample.header(name, [row.id for row in rows], describe={"name": name, "version": "1"})
    return sample.write(tmp_path / f"{name}.jsonl", head, rows)


def test_a_reading_that_no_witness_takes_is_named(tmp_path: Path) -> None:
    """NaN to 0 is permitted by one reading of Relu, and no failure."""
    (found,) = alone(run(tmp_path, "mine", float32="zero"), witnesses_ledger())
    assert ("relu-14/with_nan", {"zero": 1}) == (found.case, found.taken)
    assert {frozenset({"propagates"})} == set(found.others.values())
    (line,) = [
        line
        for line in terminal.render([run(tmp_path, "mine", float32="zero")]).splitlines()
        if line.startswith("readings: ")
    ]
    assert line.startswith("readings: 1 case with one that onnxruntime ")
    assert line.endswith(" do not take: relu-14/with_nan (zero)")


@pytest.mark.parametrize("reading", ["propagates", "rejected"])
def test_what_a_witness_takes_and_a_refusal_are_nothing_peculiar(
    reading: str, tmp_path: Path
) -> None:
    results = run(tmp_path, "mine", float32=reading)
    assert [] == alone(results, witnesses_ledger())
    assert "readings: " not in terminal.render([results])


def test_a_witness_is_not_compared_with_itself(tmp_path: Path) -> None:
    ledger = read_ledger(_written(tmp_path, run(tmp_path, "first", float32="zero")))
    assert [] == alone(run(tmp_path, "first", float32="propagates"), ledger)
    assert 1 == len(alone(run(tmp_path, "second", float32="propagates"), ledger))


def test_a_case_in_which_readings_are_mixed_is_named(tmp_path: Path) -> None:
    results = run(tmp_path, "mine", float32="propagates", float16="zero")
    assert [{"propagates": 1, "zero": 1}] == [item.taken for item in mixed(results)]
    assert (
        "readings: 1 case in which it takes now one, now another:"
        " relu-14/with_nan (propagates, zero)"
    ) in terminal.render([results]).splitlines()


def test_the_page_of_one_runtime_stands_beside_the_witnesses(tmp_path: Path) -> None:
    text = page.render([run(tmp_path, "mine", float32="zero")])
    assert "## Taken by it alone" in text
    assert "| `relu-14/with_nan` | `zero` 1 | `propagates` | `propagates` |" in text


def test_a_reading_that_changes_between_versions_is_told(tmp_path: Path) -> None:
    old, new = (run(tmp_path, "mine", float32=reading) for reading in ("propagates", "zero"))
    (change,) = changes_between(old, new).of("changed")
    assert NAN == change.id


def _written(tmp_path: Path, *results: Results) -> Path:
    path = tmp_path / "ledger.json"
    path.write_text(ledger_report.render(results))
    return path


def test_a_ledger_is_read_as_it_was_written(tmp_path: Path) -> None:
    first = run(tmp_path, "first", float32="zero", float16="propagates")
    ledger = read_ledger(_written(tmp_path, first, run(tmp_path, "second")))
    assert {"relu-14/with_nan": (frozenset({"zero", "propagates"}), frozenset())} == ledger.cases
    assert ["first 1", "second 1"] == [str(item) for item in ledger.witnesses]


def test_a_damaged_ledger_is_said_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "ledger.json"
    path.write_text('{"format": 1, "corpus": "", "witnesses": [], "cases": {"a/b": [[]]}}')
    with pytest.raises(BadInputError, match="is no ledger of readings"):
        read_ledger(path)


def test_the_ledger_that_comes_along_is_of_cases_of_the_corpus() -> None:
    standard = ROOT / "vectors/standard"
    cases = {"/".join(item.split("/")[:2]) for item in open_corpus(standard).entries}
    listed = json.loads(LEDGER.read_text())["cases"]
    assert len(listed) > 1000
    assert set() == set(listed) - cases
