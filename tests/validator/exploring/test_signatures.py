"""What two failures have in common."""

from __future__ import annotations

import pytest

from onnx_conformance.validator.exploring.signatures import signature_of
from onnx_conformance.validator.judging.verdicts import Verdict
from onnx_conformance.validator.results.records import Row


def row(verdict: Verdict, message: str, difference: str = "") -> Row:
    details = {"difference": difference} if difference else {}
    return Row("a-1/b/c", verdict, None, message, 0.0, operator="Add", details=details)


@pytest.mark.parametrize(
    ("expected", "got", "words"),
    [
        ("nan", "1.0", "NaN is expected, a number returned"),
        ("inf", "nan", "an infinity is expected, NaN returned"),
        ("0.0", "-0.0", "the other sign of zero"),
        ("1.0", "1.0001", "a number near the right one"),
        ("2.0", "-2.0", "the other sign"),
        ("2", "7", "a number is expected, a number returned"),
    ],
)
def test_wrong_values_are_told_apart_by_what_stands_for_what(
    expected: str, got: str, words: str
) -> None:
    text = f"C[1, 2]: expected {expected}, got {got}; permitted 1 to 2"
    assert ("Add", "wrong-value", words) == signature_of(row(Verdict.WRONG_VALUE, "", text))


def test_a_refusal_is_known_by_its_words_without_names_and_numbers() -> None:
    first = row(Verdict.REJECTED, "rejected at run: Node 'x1' has shape {1,2}")
    second = row(Verdict.REJECTED, "rejected at run: Node 'y' has shape {3,4}")
    assert signature_of(first) == signature_of(second)


def test_a_death_is_known_without_its_last_words() -> None:
    first = row(Verdict.CRASHED, "signal SIGSEGV; it said: a")
    assert signature_of(first) == signature_of(row(Verdict.CRASHED, "signal SIGSEGV; it said: b"))
    assert signature_of(first) != signature_of(row(Verdict.CRASHED, "signal SIGFPE"))


def test_another_type_is_known_by_what_is_returned_in_place_of_whichever() -> None:
    first = row(
        Verdict.WRONG_TYPE, "", "Y: expected float64 [2] = [0.5, nan], got float32 [2] = [0.5, nan]"
    )
    second = row(
        Verdict.WRONG_TYPE,
        "",
        "Y: expected float16 [] = 1.0 or float16 [] = 2.0, got float32 [] = 1.0",
    )
    third = row(
        Verdict.WRONG_TYPE,
        "",
        "Y: expected float64 [0], empty, got sequence of 1 (float64 [0], empty)",
    )
    assert ("Add", "wrong-type", "float32 returned") == signature_of(first) == signature_of(second)
    assert ("Add", "wrong-type", "sequence returned") == signature_of(third)


def test_what_is_no_value_is_known_by_what_is_said_of_it() -> None:
    text = "Y: expected int64 [1] = [3], got an output without a value, which is no ONNX value"
    assert (
        "an output without a value, which is no ONNX value"
        == signature_of(row(Verdict.WRONG_TYPE, "", text))[2]
    )
