"""Failures of exploration by their causes, and which of them the corpus shows."""

from __future__ import annotations

import pytest

from onnx_conformance.validator.exploring.causes import KnownFailures
from onnx_conformance.validator.judging.verdicts import Verdict
from onnx_conformance.validator.results.records import Row

WRONG_TYPE = "Y: expected {} [1] = [0.5], got float32 [1] = [0.5]"
WRONG_VALUE = "Y[0]: expected 0.5, got nan"


def row(identity: str, verdict: Verdict, difference: str, kind: str) -> Row:
    details = {"difference": difference}
    return Row(identity, verdict, None, "", 0.0, operator="Det", types={"T": kind}, details=details)


@pytest.mark.parametrize(
    ("verdict", "difference", "known"),
    [
        (Verdict.WRONG_TYPE, WRONG_TYPE, "det-22/types/bfloat16"),
        (Verdict.WRONG_VALUE, WRONG_VALUE, ""),
    ],
)
def test_another_type_is_known_whatever_types_the_vector_has_and_another_value_is_not(
    verdict: Verdict, difference: str, known: str
) -> None:
    shown = row("det-22/types/bfloat16", verdict, difference.format("bfloat16"), "bfloat16")
    found = row("explore/det-22/s1.1", verdict, difference.format("float64"), "float64")
    assert known == KnownFailures([shown], {}).of(found)


def test_another_value_of_the_same_types_is_known() -> None:
    shown = row("det-22/plain/float32", Verdict.WRONG_VALUE, WRONG_VALUE, "float32")
    found = row("explore/det-22/s1.1", Verdict.WRONG_VALUE, WRONG_VALUE, "float32")
    assert "det-22/plain/float32" == KnownFailures([shown], {}).of(found)
