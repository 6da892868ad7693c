"""The first baseline of a small runtime: a page, not a book."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_corpus import entries_of

from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.core.errors import ExitCode
from onnx_conformance.core.yaml.reading import parse_yaml
from onnx_conformance.validator.gate.baseline import gate
from onnx_conformance.validator.gate.entries import baseline_of
from onnx_conformance.validator.gate.expectations import expectations_of
from onnx_conformance.validator.gate.writing import initial
from onnx_conformance.validator.judging.verdicts import Verdict
from onnx_conformance.validator.results.records import CorpusFacts, Header, Results, Row

if TYPE_CHECKING:
    from collections.abc import Mapping

    from onnx_conformance.core.corpus.corpus import Entry

CORPUS: CorpusFacts = {"version": "0.2.0", "digest": None, "root": ""}
OPERATORS = ("add", "mul", "relu", *(f"other{number}" for number in range(40)))
KINDS = {
    f"{name}-{version}/{case}/{element}": "invalid" if case == "fault" else "valid"
    for name in OPERATORS
    for version in (7, 14)
    for case in ("plain", "empty", "fault")
    for element in ("float32", "int8")
}
ENTRIES = entries_of(KINDS, KINDS)


def small(vector_id: str) -> Row:
    """What a runtime of three operators, without int8, does with a vector."""
    name, _, variant = vector_id.split("/")
    row = Row(vector_id, Verdict.PASS, None, "", 0.0, kind=Kind(KINDS[vector_id]), operator=name)
    if name.startswith("other"):
        words = f"no operator {name}"
        verdict = Verdict.INCONCLUSIVE if row.kind == Kind.INVALID else Verdict.UNSUPPORTED
        return replace(row, verdict=verdict, message=words)
    if variant == "int8" and name == "mul-14" and row.kind == Kind.VALID:
        return replace(row, verdict=Verdict.WRONG_VALUE, message="expected 3, got 4")
    return row


def text_of(rows: list[Row], entries: Mapping[str, Entry] = ENTRIES) -> str:
    header = Header("small", {}, CORPUS, tuple(row.id for row in rows))
    return initial(Results(header, tuple(rows), None), entries, "small", "0.2.0")


def is_green(text: str, rows: list[Row], entries: Mapping[str, Entry] = ENTRIES) -> bool:
    known = expectations_of(baseline_of(parse_yaml(text, "b.yaml")), entries)
    return gate(rows, known, tuple(row.id for row in rows)).exit_code == ExitCode.OK


def test_a_runtime_that_refuses_most_gets_a_default_and_exceptions() -> None:
    rows = [small(item) for item in KINDS]
    text = text_of(rows)
    found = {
        (entry.patterns, entry.kind, entry.verdicts)
        for entry in baseline_of(parse_yaml(text, "b")).entries
    }
    valid, invalid, passing = Kind.VALID, Kind.INVALID, ("pass",)
    operators = ("add-*/*", "mul-*/*", "relu-*/*")
    assert found == {
        (("*",), invalid, ("inconclusive",)),
        (("*",), valid, ("unsupported",)),
        (operators, invalid, passing),
        (operators, valid, passing),
        (("mul-14/*/int8",), valid, ("wrong-value",)),
    }
    assert "the\n# most specific one counts" in text
    assert is_green(text, rows)


def test_a_new_failure_below_a_default_is_still_red() -> None:
    rows = [small(item) for item in KINDS]
    text = text_of(rows)
    broken = [
        replace(row, verdict=Verdict.UNSUPPORTED) if row.id == "add-14/plain/float32" else row
        for row in rows
    ]
    assert not is_green(text, broken)
    crashed = [
        replace(row, verdict=Verdict.CRASHED) if row.id == "other1-7/plain/int8" else row
        for row in rows
    ]
    assert not is_green(text, crashed)


def test_what_was_not_run_gets_no_default() -> None:
    rows = [small(item) for item in KINDS if "/plain/" in item]
    assert 'id: "*"' not in text_of(rows)


def test_a_runtime_that_passes_most_gets_no_default() -> None:
    rows = [small(item) for item in KINDS]
    mostly = [
        row if row.operator.startswith("other1") else replace(row, verdict=Verdict.PASS)
        for row in rows
    ]
    assert "specific" not in text_of(mostly)


def test_crashes_are_never_a_default() -> None:
    rows = [
        replace(row, verdict=Verdict.CRASHED) if row.operator.startswith("other") else row
        for row in map(small, KINDS)
    ]
    text = text_of(rows)
    assert 'id: "*"' not in text
    assert is_green(text, rows)


FEW = tuple(item for item in KINDS if item.split("-")[0] in {"add", "mul", "relu", "other1"})
# With enough that refuse everything for a default to be worth its line.
SOME = FEW + tuple(
    item for item in KINDS if item.split("-")[0] in {f"other{n}" for n in range(2, 8)}
)
VERDICTS = st.sampled_from(("pass", "unsupported", "unsupported", "inconclusive", "wrong-value"))


@settings(deadline=None, max_examples=40)
@given(st.lists(VERDICTS, min_size=len(FEW), max_size=len(FEW)))
def test_a_first_baseline_is_green_whatever_was_found(verdicts: list[str]) -> None:
    found = dict(zip(FEW, map(Verdict, verdicts), strict=True))
    rows = [
        replace(row, verdict=found.get(row.id, row.verdict), message="m")
        for row in map(small, SOME)
    ]
    entries = {item: ENTRIES[item] for item in SOME}
    assert is_green(text_of(rows, entries), rows, entries)


# --- reasons -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("/home/me/build/ort/core/graph.cc:120 Fail", "graph.cc:120 Fail"),
        ("cannot open C:\\work\\rt\\model.onnx: no", "cannot open model.onnx: no"),
        ("node at 0x7f3a2b10c0 failed", "node at 0x… failed"),
        ("see https://example.org/a/b for more", "see https://example.org/a/b for more"),
        ("type float/int and n/m of 0x10", "type float/int and n/m of 0x10"),
        ("in 'src/a/b.cc' of '/usr/lib/libx.so'", "in 'src/a/b.cc' of 'libx.so'"),
    ],
)
def test_a_reason_has_no_folder_of_a_machine_and_no_address(said: str, reason: str) -> None:
    row = replace(small("add-14/plain/int8"), verdict=Verdict.REJECTED, message=said)
    (entry,) = baseline_of(parse_yaml(text_of([row]), "b")).entries
    assert reason == entry.reason


def test_messages_that_differ_in_an_address_are_one_reason() -> None:
    rows = [
        replace(small(item), verdict=Verdict.REJECTED, message=f"failed at 0x7f00{number:04x}")
        for number, item in enumerate(("add-14/plain/int8", "add-14/plain/float32"))
    ]
    reasons = {entry.reason for entry in baseline_of(parse_yaml(text_of(rows), "b")).entries}
    assert {"failed at 0x…"} == reasons
