from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from small_corpus import entries_of

from onnx_conformance.core.errors import BadInputError, ExitCode
from onnx_conformance.core.yaml.reading import parse_yaml
from onnx_conformance.validator.gate.baseline import gate
from onnx_conformance.validator.gate.entries import baseline_of
from onnx_conformance.validator.gate.expectations import expectations_of
from onnx_conformance.validator.gate.writing import initial, quoted
from onnx_conformance.validator.results.records import Header, Results, Row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from onnx_conformance.core.corpus.requirements import Requirements

CORPUS = tuple(
    f"{version}/{case}/{variant}"
    for version in ("reshape-14", "shape-15")
    for case in ("clip", "zero_dim")
    for variant in ("float32", "int8")
)
ENTRIES = entries_of(CORPUS)


def row(vector_id: str, verdict: str, message: str = "", **details: object) -> Row:
    return Row(vector_id, verdict, None, message, 0.0, details=details)


def results_of(rows: Sequence[Row], requirements: Requirements | None = None) -> Results:
    ids = tuple(item.id for item in rows)
    return Results(Header("b", {}, {}, ids, requirements or {}), tuple(rows), None)


def test_a_first_baseline_reads_as_a_person_would_write_it() -> None:
    rows = [
        row(item, "rejected", "no kernel") if item.startswith("reshape-14/") else row(item, "pass")
        for item in CORPUS
    ]
    rows[-1] = row(CORPUS[-1], "wrong-value", "expected 3, got 4")
    expected = """\
# Known failures of tract 0.21 on the ONNX conformance vectors 2026.11.
# Listed vectors are run all the same: one that passes, or fails in another way than listed,
# turns the gate red. `onnx-validate baseline update` removes what is stale.
format: 1
selection: all
passed: 3
entries:
  - id: reshape-14/*
    verdict: rejected
    reason: no kernel
  - id: shape-15/zero_dim/int8
    verdict: wrong-value
    reason: expected 3, got 4
"""
    assert expected == initial(results_of(rows), ENTRIES, "tract 0.21", "2026.11")


def test_a_first_baseline_turns_the_same_results_green() -> None:
    verdicts = ("pass", "rejected", "rejected", "crashed", "pass", "pass", "unsupported", "pass")
    rows = [row(item, verdict) for item, verdict in zip(CORPUS, verdicts, strict=True)]
    text = initial(results_of(rows), ENTRIES, "b", "1")
    known = expectations_of(baseline_of(parse_yaml(text, "b.yaml")), ENTRIES)
    assert ExitCode.OK == gate(rows, known, CORPUS).exit_code


def test_a_pattern_does_not_cover_what_was_not_run() -> None:
    rows = [row(item, "rejected") for item in CORPUS[:3]]
    text = initial(results_of(rows), ENTRIES, "b", "1")
    (entry,) = baseline_of(parse_yaml(text, "b.yaml")).entries
    assert ("reshape-14/clip/*", CORPUS[2]) == entry.patterns


def test_nothing_failing_gives_an_empty_list() -> None:
    text = initial(results_of([row(item, "pass") for item in CORPUS]), ENTRIES, "b", "1")
    assert text.endswith("entries: []\n")


def test_a_vector_that_flaked_is_listed_as_flaky_with_what_it_did() -> None:
    text = initial(
        results_of([row(CORPUS[0], "crashed", reruns=["pass", "timed-out"])]), ENTRIES, "b", "1"
    )
    (entry,) = baseline_of(parse_yaml(text, "b.yaml")).entries
    assert (True, ("crashed", "timed-out")) == (entry.flaky, entry.verdicts)


def test_a_damaged_vector_cannot_be_listed() -> None:
    with pytest.raises(BadInputError) as caught:
        initial(results_of([row(CORPUS[0], "bad-vector")]), ENTRIES, "b", "1")
    assert f"{CORPUS[0]}: is bad-vector; a baseline cannot list that" == str(caught.value)


def test_one_bug_is_one_entry_whatever_its_ids_are() -> None:
    rows = [row(item, "rejected", "no kernel") for item in (CORPUS[0], CORPUS[3], CORPUS[6])]
    rows += [row(CORPUS[1], "rejected", "out of cheese")]
    entries = baseline_of(parse_yaml(initial(results_of(rows), ENTRIES, "b", "1"), "b")).entries
    assert [
        ((CORPUS[0], CORPUS[3], CORPUS[6]), "no kernel"),
        ((CORPUS[1],), "out of cheese"),
    ] == [(entry.patterns, entry.reason) for entry in entries]


def test_the_requirement_is_the_reason_where_a_result_is_wrong() -> None:
    words = {"Shape": {"clip": {"text": "Axes are clamped."}}}
    wrong = replace(row(CORPUS[4], "wrong-value", "m"), operator="Shape", covers=("clip",))
    text = initial(results_of([wrong], words), ENTRIES, "b", "1")
    (entry,) = baseline_of(parse_yaml(text, "b.yaml")).entries
    assert "Axes are clamped." == entry.reason


def test_the_reason_counts_the_other_messages_of_a_cause() -> None:
    rows = [
        row(CORPUS[0], "rejected", "no kernel for 1"),
        row(CORPUS[1], "rejected", "no kernel for 1"),
        row(CORPUS[2], "rejected", "no kernel for 2"),
        row(CORPUS[3], "rejected", "no kernel for 3"),
    ]
    (entry,) = baseline_of(
        parse_yaml(initial(results_of(rows), ENTRIES, "b", "1"), "b.yaml")
    ).entries
    assert "no kernel for 1 (and 2 other messages)" == entry.reason


def test_a_hostile_message_stays_one_line_of_text() -> None:
    message = 'a: b\n\t"quoted" \x1b[31m \u2028 #12 *x &y ' + "long " * 100
    text = initial(results_of([row(CORPUS[0], "rejected", message)]), ENTRIES, "b\nentries: 1", "1")
    (entry,) = baseline_of(parse_yaml(text, "b.yaml")).entries
    assert 'a: b "quoted" [31m #12 *x &y long' == entry.reason[:33]
    assert 200 == len(entry.reason)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("reshape-14/*", "reshape-14/*"),
        ("*/clip/*", '"*/clip/*"'),
        ("off", '"off"'),
        ("1e3", '"1e3"'),
        ("fails: badly", '"fails: badly"'),
        ("a #12", '"a #12"'),
        ("größer \U0001f600", '"größer \U0001f600"'),
        ('say "x"', '"say \\"x\\""'),
        ("back\\slash", '"back\\\\slash"'),
        ("x-[0-9]/*", '"x-[0-9]/*"'),
    ],
)
def test_a_text_is_quoted_where_yaml_would_read_something_else(text: str, written: str) -> None:
    assert written == quoted(text)
    assert text == parse_yaml(written, "f.yaml").value
