"""What meets in a corpus: element types, forms and situations by classes."""

from __future__ import annotations

from onnx_conformance.generators.corpus.coverage.combinations import (
    IMPOSSIBLE,
    Combination,
    combination_gaps,
    combination_table,
    meetings,
    reason_against,
)
from onnx_conformance.generators.planning.type_classes import type_class


def test_types_are_in_classes() -> None:
    names = ("float16", "bfloat16", "float8e5m2", "int2", "int64", "bool", "seq(tensor(float))")
    expected = ["float16", "float16", "float8 and less", "int4 and less", "int64", "bool"]
    assert [*expected, "container"] == [type_class(name) for name in names]


def test_a_pair_is_missing_where_an_operator_has_both_halves() -> None:
    one = {
        Combination("float32", "static", "defaults, few"),
        Combination("bool", "static", "defaults, few"),
        Combination("float32", "if_branch", "defaults, one"),
    }
    other = {Combination("string", "static", "defaults, one")}
    types_and_forms, _, forms_and_situations = meetings([one, other])
    assert (("bool", "if_branch"),) == types_and_forms.missing
    assert (("if_branch", "defaults, few"),) == forms_and_situations.missing


def test_a_pair_that_another_operator_has_is_not_missing() -> None:
    one = {
        Combination("float32", "if_branch", "defaults, few"),
        Combination("bool", "static", "defaults, few"),
        Combination("bool", "static", "defaults, few"),
    }
    other = {
        Combination("bool", "if_branch", "defaults, few"),
        Combination("float32", "static", "defaults, few"),
    }
    assert not list(combination_gaps(meetings([one, other])))


def test_a_missing_pair_is_a_gap_that_says_what_to_do() -> None:
    one = {
        Combination("int8", "produced", "defaults, few"),
        Combination("bool", "twice", "defaults, few"),
    }
    (first, _) = combination_gaps(meetings([one]))
    assert first.startswith("no vector has type 'bool' with form 'produced'; give it to a case")


def test_what_cannot_meet_is_no_gap_and_has_a_reason() -> None:
    one = {
        Combination("container", "static", "defaults, no tensor"),
        Combination("bool", "twice", "defaults, few"),
    }
    (types_and_forms, *_) = meetings([one])
    assert (("bool", "static"),) == types_and_forms.missing
    assert (("container", "twice"),) == types_and_forms.excepted
    assert reason_against(("container", "twice")) is IMPOSSIBLE[0]
    assert reason_against(("attributes, few", "function_twice")) is None


def test_the_page_counts_pairs_and_gives_the_reasons() -> None:
    one = {Combination("bool", "twice", "defaults, few")}
    page = combination_table(meetings([one]))
    assert "| type, form | 1 | 0 | 0 |" in "\n".join(page)
    assert any("SequenceConstruct and Optional take no such element" in line for line in page)
