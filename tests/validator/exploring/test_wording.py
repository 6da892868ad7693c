"""What the report says of a cause."""

from __future__ import annotations

import pytest

from onnx_conformance.core.exploring.explorer import Explored
from onnx_conformance.validator.exploring.causes import Blame, Failure, Found
from onnx_conformance.validator.exploring.wording import cause_lines
from onnx_conformance.validator.judging.verdicts import Verdict
from onnx_conformance.validator.results.records import Row


@pytest.mark.parametrize(
    ("alone", "last"),
    [
        (True, "1 call"),
        (None, "not run alone"),
        (False, "not again when it ran alone: look at what ran before it"),
    ],
)
def test_a_cause_says_whether_it_was_run_alone(last: str, *, alone: bool | None) -> None:
    row = Row("explore/add-14/s1.0", Verdict.REJECTED, None, "no", 0.0, operator="Add")
    found = Found(Failure(row, Explored(row.id, "Add"), row.id, alone))
    assert last == list(cause_lines(found))[1].rpartition(" · ")[2]


def test_what_is_to_blame_stands_below_the_edits() -> None:
    row = Row("explore/add-14/s1.0", Verdict.REJECTED, None, "no", 0.0, operator="Add")
    blame = Blame("basic", optimized=True, passes=("ConstantFolding",))
    found = Found(Failure(row, Explored(row.id, "Add"), row.id, alone=True), blame=blame)
    expected = (
        "    passes without optimization, fails from level basic on; passes without ConstantFolding"
    )
    assert expected == list(cause_lines(found))[2]
