"""Rows whose large facts stay in the results file: the same facts, a fraction of the memory."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING

import pytest
import sample_results as sample

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.validator.judging.verdicts import Verdict
from onnx_conformance.validator.results.file_format import read_results
from onnx_conformance.validator.results.stored_rows import StoredRow
from onnx_conformance.validator.running.recording import Recording

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from onnx_conformance.validator.results.records import Row

LARGE = {
    "expected": [{"name": "y", "type": "int64", "shape": [1], "values": [1]}],
    "got": "rejected",
    "stderr": "é\n" * 9_000,
    "details": {"model": "m" * 500, "used": 0.5},
}


def recorded(path: Path, rows: Sequence[Row]) -> Recording:
    record = Recording(path)
    record.begin(sample.header("a", [row.id for row in rows]))
    for row in rows:
        record.row(row)
    record.close()
    return record


def test_large_facts_are_those_of_the_file(tmp_path: Path) -> None:
    rows = [
        sample.row("shape-15/a/int8"),
        sample.row("shape-15/b/int8", "rejected", **LARGE),
        sample.row("shape-15/c/int8", "crashed", stderr="boom"),
        sample.row("shape-15/d/int8", details={"met": "ieee"}),
    ]
    record = recorded(tmp_path / "r", rows)
    for found in (record.results.rows, read_results(tmp_path / "r").rows):
        assert all(isinstance(row, StoredRow) for row in found)
        assert rows == list(found)
        assert LARGE["details"] == found[1].details
        assert [True, False] == [found[3].tells("met"), found[3].tells("model")]


def test_a_file_that_was_changed_meanwhile_is_said(tmp_path: Path) -> None:
    path = tmp_path / "r"
    recorded(path, [sample.row("shape-15/b/int8", "rejected", **LARGE)])
    (row,) = read_results(path).rows
    path.write_bytes(path.read_bytes().replace(b"shape-15/b", b"shape-15/x"))
    with pytest.raises(BadInputError, match="was changed while it was read: 'shape-15/b/int8'"):
        _ = row.stderr


def test_a_file_that_was_replaced_meanwhile_is_read_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "r"
    recorded(path, [sample.row("shape-15/b/int8", "rejected", **LARGE)])
    (row,) = read_results(path).rows
    (tmp_path / "other").write_bytes(b"")
    (tmp_path / "other").replace(path)
    assert LARGE["stderr"] == row.stderr


def grown(work: Callable[[], object]) -> int:
    """How many bytes the result of some work takes."""
    tracemalloc.start()
    try:
        kept = work()
        size = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    del kept
    return size


def test_a_row_takes_two_hundred_bytes_whatever_it_holds(tmp_path: Path) -> None:
    large = {**LARGE, "stderr": "é" * 900}
    rows = [
        sample.row(f"shape-15/a{number}/int8", "rejected", **large)
        if number % 2
        else sample.row(f"shape-15/a{number}/int8")
        for number in range(2_000)
    ]
    assert grown(lambda: recorded(tmp_path / "r", rows)) < 200 * len(rows)
    # Its id and its case are among them, which a run has already.
    assert grown(lambda: read_results(tmp_path / "r")) < 350 * len(rows)


def test_the_verdict_that_came_last_counts_in_the_place_of_the_first(tmp_path: Path) -> None:
    first, second = sample.row("shape-15/a/int8", "rejected"), sample.row("shape-15/b/int8")
    record = recorded(tmp_path / "r", [first, second, sample.row("shape-15/a/int8", "crashed")])
    for rows in (record.results.rows, read_results(tmp_path / "r").rows):
        assert [("a", "crashed"), ("b", "pass")] == [(row.case, row.verdict) for row in rows]
        assert rows[1:] == (second,)
        assert rows[-1] == second


def test_a_row_that_is_seen_otherwise_keeps_its_facts(tmp_path: Path) -> None:
    row = sample.row("shape-15/b/int8", "pass", **LARGE)
    (found,) = recorded(tmp_path / "r", [row]).results.rows
    seen = found.with_verdict(Verdict.REJECTED)
    assert (Verdict.REJECTED, False) == (seen.verdict, seen.passed)
    assert LARGE["stderr"] == seen.stderr
    assert row == found
    assert row != seen
