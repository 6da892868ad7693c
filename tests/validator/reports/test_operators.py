from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import sample_results as sample

from onnx_conformance.validator.reports.facts.tally import tally_by_operator
from onnx_conformance.validator.reports.operators import passes, render

if TYPE_CHECKING:
    from pathlib import Path

OLD = "shape-13/whole/float32"
NEW = "shape-15/clip_start/float32"
OTHER = "size-13/scalar/float32"


def line_of(text: str, operator: str) -> str:
    return next(line for line in text.splitlines() if line.startswith(f"| `{operator}`"))


def test_all_versions_of_an_operator_count_as_one(tmp_path: Path) -> None:
    results = sample.simple(tmp_path / "a.jsonl", "a", {OLD: "pass", NEW: "pass", OTHER: "pass"})
    assert ["Shape", "Size"] == list(tally_by_operator(results))
    assert "| `Shape` | ✓ 2 |" == line_of(render([results]), "Shape")


@pytest.mark.parametrize(
    "verdict", ["wrong-value", "inconclusive", "crashed", "rejected", "error", "bad-vector"]
)
def test_one_vector_that_does_not_pass_keeps_the_operator_from_passing(
    tmp_path: Path, verdict: str
) -> None:
    results = sample.simple(tmp_path / "a.jsonl", "a", {OLD: "pass", NEW: verdict})
    assert f"| `Shape` | ✗ 1 of 2 vectors: 1 {verdict} |" == line_of(render([results]), "Shape")


def test_one_unsupported_vector_keeps_the_operator_from_passing(tmp_path: Path) -> None:
    results = sample.simple(tmp_path / "a.jsonl", "a", {OLD: "pass", NEW: "unsupported"})
    assert not passes(tally_by_operator(results)["Shape"])
    assert "| `Shape` | ○ 1 of 2 vectors: 1 unsupported |" == line_of(render([results]), "Shape")


def test_an_operator_without_a_verdict_does_not_pass(tmp_path: Path) -> None:
    head = sample.header("a", [OLD, NEW])
    results = sample.write(tmp_path / "a.jsonl", head, [sample.row(OLD)], footer=False)
    assert not passes(tally_by_operator(results)["Shape"])
    assert "**incomplete:**" in render([results])


def test_an_operator_that_is_wholly_unsupported_is_shown_as_that(tmp_path: Path) -> None:
    results = sample.simple(tmp_path / "a.jsonl", "a", {OLD: "unsupported", NEW: "unsupported"})
    assert "| `Shape` | ○ 0 of 2 vectors: 2 unsupported |" == line_of(render([results]), "Shape")


def test_a_permitted_result_does_not_keep_an_operator_from_passing(tmp_path: Path) -> None:
    rows = [sample.row(OLD), sample.row(NEW, expect="any", taken="a scalar")]
    results = sample.write(tmp_path / "a.jsonl", sample.header("a", [OLD, NEW]), rows)
    assert passes(tally_by_operator(results)["Shape"])


def test_operators_are_counted_by_whether_they_pass(tmp_path: Path) -> None:
    verdicts = {OLD: "pass", NEW: "wrong-value", OTHER: "pass", "reshape-14/x/int8": "unsupported"}
    results = sample.simple(tmp_path / "a.jsonl", "a", verdicts)
    assert "| `a` | 3 | 1 | 1 | 1 |" in render([results])


def test_backends_stand_side_by_side(tmp_path: Path) -> None:
    one = sample.simple(tmp_path / "a.jsonl", "a", {OLD: "pass"})
    two = sample.simple(tmp_path / "b.jsonl", "b", {OTHER: "pass"})
    text = render([one, two])
    assert "| `Shape` | ✓ 1 | not selected |" == line_of(text, "Shape")


def test_models_of_several_nodes_have_a_line_of_their_own(tmp_path: Path) -> None:
    rows = [sample.row(OLD, operator="")]
    results = sample.write(tmp_path / "a.jsonl", sample.header("a", [OLD]), rows)
    assert "| `(models of several nodes)` | ✓ 1 |" in render([results])
