"""Failures put together by what they have in common."""

from __future__ import annotations

from dataclasses import replace

import pytest

from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.validator.results.cause_words import against, cause_lines, others_in_words
from onnx_conformance.validator.results.causes import causes_of, words_without_particulars
from onnx_conformance.validator.results.records import Row


def row(  # noqa: PLR0913  the facts that causes are told by
    vector_id: str,
    verdict: str = "wrong-value",
    message: str = "",
    *,
    covers: str = "sum",
    form: str = "static",
    kind: Kind = Kind.VALID,
) -> Row:
    version, _, variant = vector_id.split("/")
    operator, number = version.split("-")
    return Row(
        vector_id,
        verdict,
        None,
        message,
        0.0,
        kind=kind,
        operator=operator,
        since_version=int(number),
        types={"T": variant.split(".")[0]},
        form=form,
        covers=(covers,),
    )


def ids_of(*rows: Row, judged: tuple[Row, ...] = ()) -> list[tuple[str, ...]]:
    return [cause.ids for cause in causes_of(rows, judged or rows)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("shape {3,1} is wrong", "shape {4} is wrong"),
        ("In Node, ('Cast_X', Cast)", "In Node, ('Cast_input', Cast)"),
        ("at 0x7f12", "at 0x7fab"),
        ("type complex64", "type complex128"),
        ("/a/b.cc:233 oh", "/a/b.cc:7 oh"),
        ("Could not run Add", "Could not run Add"),
    ],
)
def test_what_a_runtime_says_is_the_same_whatever_the_model(one: str, other: str) -> None:
    assert words_without_particulars(one, "Add") == words_without_particulars(other, "Add")


def test_the_operators_own_name_is_no_difference() -> None:
    one = words_without_particulars("no kernel for Add(7)", "Add")
    assert one == words_without_particulars("no kernel for Mul(7)", "Mul")


def test_different_words_are_different_causes() -> None:
    rows = (
        row("Add-7/a/float32", "rejected", "no kernel"),
        row("Add-7/b/float32", "rejected", "oom"),
    )
    assert 2 == len(ids_of(*rows))


def test_one_complaint_about_many_operators_is_one_cause() -> None:
    rows = [row(f"{name}-7/a/float32", "rejected", f"no {name} here") for name in ("Add", "Mul")]
    (cause,) = causes_of(rows)
    assert ("Add", "Mul") == cause.operators


def test_wrong_values_against_one_requirement_are_one_cause() -> None:
    rows = (
        row("Add-7/a/float32"),
        row("Add-7/b/float64", covers="sum"),
        row("Add-7/c/float32", covers="broadcast"),
    )
    assert [("Add-7/a/float32", "Add-7/b/float64"), ("Add-7/c/float32",)] == ids_of(*rows)


def test_a_type_that_alone_fails_is_the_cause() -> None:
    failing = (row("Max-8/a/int64", covers="greatest"), row("Max-8/b/int64", covers="broadcast"))
    (cause,) = causes_of(failing, (*failing, row("Max-8/a/float32", "pass")))
    assert "with int64 alone" == cause.common


def test_the_only_type_that_was_tried_is_no_cause() -> None:
    failing = (row("Max-8/a/int64", covers="greatest"), row("Max-8/b/int64", covers="broadcast"))
    assert 2 == len(ids_of(*failing))


def test_a_form_that_alone_fails_is_the_cause_for_all_operators() -> None:
    rows = [
        row(f"{name}-7/{case}/float32.folded", covers=case, form="folded")
        for name in ("Add", "Mul")
        for case in ("a", "b")
    ]
    (cause,) = causes_of(rows)
    assert ("in form folded alone", 4) == (cause.common, len(cause.rows))


def test_a_missing_check_is_one_cause_for_all_operators() -> None:
    rows = [
        row(f"{name}-7/a/bool", "accepted-invalid", covers="types", kind=Kind.INVALID)
        for name in ("Add", "Mul")
    ]
    assert 1 == len(causes_of(rows))


def test_silent_wrong_results_come_first_and_then_the_most_frequent() -> None:
    rows = [
        row("A-1/a/float32", "unsupported", "u"),
        *(row(f"B-1/{case}/float32", "rejected", "r") for case in "abc"),
        row("C-1/a/float32", "crashed", "c"),
        row("D-1/a/float32", "accepted-invalid"),
        row("E-1/a/float32", "wrong-shape"),
        *(row(f"F-1/{case}/float32") for case in "ab"),
    ]
    expected = ["F", "E", "D", "C", "B", "A"]
    assert expected == [cause.example.operator for cause in causes_of(rows)]


def test_the_example_is_the_plainest_vector_of_the_newest_version() -> None:
    rows = (
        row("Add-7/a/float32"),
        row("Add-14/a/float64"),
        row("Add-14/a/float32.folded", form="folded"),
        row("Add-14/a/float32"),
    )
    (cause,) = causes_of(rows)
    assert "Add-14/a/float32" == cause.example.id


def test_no_failure_is_no_cause() -> None:
    assert () == causes_of([])


def test_a_cause_says_in_which_operators_it_shows() -> None:
    rows = [row(f"{name}-7/a/float32", "rejected", "no") for name in ("Add", "Mul", "Sub")]
    (cause,) = causes_of(rows)
    expected = "and 2 more like it in 3 operators (Add, Mul, Sub): Mul-7/a/float32, Sub-7/a/float32"
    assert expected == others_in_words(cause)


def test_every_line_of_a_cause_is_printable() -> None:
    (cause,) = causes_of([row("Add-7/a/float32", "rejected", "\x1b[2J\nno")])
    assert ["Add-7/a/float32: rejected: \\x1b[2J no"] == list(cause_lines(cause, {}))


def test_a_vector_of_several_requirements_does_not_say_which_one_is_broken() -> None:
    known = {"Add": {"sum": {"text": "Sums."}, "shape": {"text": "Broadcasts."}}}
    one = row("Add-7/a/float32")
    assert "Sums." == against(one, known)
    assert "one of 2: Sums." == against(replace(one, covers=("sum", "shape")), known)
    assert "Sums." == against(replace(one, covers=("sum", "unknown")), known)
