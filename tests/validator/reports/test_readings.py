"""What runtimes make of what documents leave open (`validator/reports/readings.py`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sample_results as sample

from onnx_conformance.validator.reports import readings

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.validator.results.records import Results

A = "shape-15/clip_start/float32"
B = "shape-15/clip_end/float32"
C = "size-13/scalar/int8"


def run(folder: Path, name: str, **taken: str | None) -> Results:
    """A run that took these readings of A, B and C."""
    ids = {"a": A, "b": B, "c": C}
    rows = [
        sample.row(ids[key], kind="latitude", expect="any", taken=reading)
        for key, reading in taken.items()
    ]
    header = sample.header(name, [ids[key] for key in taken])
    return sample.write(folder / f"{name}.jsonl", header, rows)


def test_readings_are_counted_by_operator_the_most_frequent_first(tmp_path: Path) -> None:
    text = readings.render([run(tmp_path, "one", a="wraps", b="wraps", c="result")])
    assert "| `Shape` | `wraps` 2 |" in text
    assert "| `Size` | `result` 1 |" in text


def test_cases_in_which_two_runtimes_differ_are_listed(tmp_path: Path) -> None:
    both = [
        run(tmp_path, "one", a="wraps", b="rejected"),
        run(tmp_path, "two", a="saturates", b="rejected"),
    ]
    text = readings.render(both)
    assert "1 case in which two of them took other readings." in text
    assert "| `shape-15/clip_start` | `wraps` 1 | `saturates` 1 |" in text
    assert "`shape-15/clip_end`" not in text


def test_a_runtime_without_a_reading_does_not_differ(tmp_path: Path) -> None:
    text = readings.render([run(tmp_path, "one", a="wraps"), run(tmp_path, "two", c="result")])
    assert "Nowhere in these results." in text
    assert "| `Shape` | `wraps` 1 | · |" in text


def test_results_without_latitude_say_so(tmp_path: Path) -> None:
    one = sample.simple(tmp_path / "one.jsonl", "one", {A: "pass"})
    assert "No vector of kind latitude has a verdict here." in readings.render([one])
