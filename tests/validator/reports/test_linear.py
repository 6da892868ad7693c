"""Every report of a run in which all rows fail of one cause: its cost grows as the rows do."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING, Any

import pytest
import sample_results as sample

from onnx_conformance.validator.commands.shared.formats import writer_of
from onnx_conformance.validator.reports import terminal
from onnx_conformance.validator.reports.site.writing import write_site

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from onnx_conformance.validator.results.records import Results

FORMATS = ("junit", "json", "markdown", "html", "scoreboard", "operators", "badge", "readings")


def failing(path: Path, count: int) -> Results:
    """Results of a library that does not load: every vector is rejected with the same words."""
    ids = [f"shape-15/case_{number}/float32" for number in range(count)]
    rows = [sample.row(item, "rejected", phase="load", message="no library") for item in ids]
    return sample.write(path, sample.header("a", ids), rows)


def calls(work: Callable[[], object]) -> int:
    """How many functions some work calls, steps of generators and functions in C included."""
    count = 0

    def counted(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def require_linear(work: Callable[[Results], Any], tmp_path: Path) -> None:
    few, twice, most = (failing(tmp_path / f"{n}.jsonl", n) for n in (100, 300, 500))
    work(few)  # imports, templates and caches are paid for here
    first, second, third = (calls(lambda it=it: work(it)) for it in (few, twice, most))
    # The second 200 rows cost what the first did, give or take a tenth.
    assert third - second <= 1.1 * (second - first)


@pytest.mark.parametrize("name", FORMATS)
def test_a_report_costs_twice_as_much_for_twice_the_failures_of_one_cause(
    name: str, tmp_path: Path
) -> None:
    write = writer_of(name)
    require_linear(lambda results: "".join(write([results])), tmp_path)


def test_the_text_costs_twice_as_much_for_twice_the_failures_of_one_cause(tmp_path: Path) -> None:
    def work(results: Results) -> None:
        terminal.write([results], io.StringIO(), limit=None)

    require_linear(work, tmp_path)


def test_the_site_costs_twice_as_much_for_twice_the_failures_of_one_cause(tmp_path: Path) -> None:
    require_linear(lambda results: write_site([results], tmp_path / "site"), tmp_path)
