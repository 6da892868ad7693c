from __future__ import annotations

from typing import TYPE_CHECKING

from small_corpus import entries_of

from onnx_conformance.core.yaml.reading import parse_yaml
from onnx_conformance.validator.gate.annotations import github
from onnx_conformance.validator.gate.baseline import gate
from onnx_conformance.validator.gate.entries import baseline_of
from onnx_conformance.validator.gate.expectations import NO_EXPECTATIONS, expectations_of
from onnx_conformance.validator.results.records import Header, Results, Row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from onnx_conformance.validator.gate.expectations import Expectations

A = "shape-15/clip_start/float32"
WORDS = "abcdefghijkl"


def row(vector_id: str, verdict: str, message: str = "") -> Row:
    return Row(vector_id, verdict, None, message, 0.0)


def told(rows: Sequence[Row], known: Expectations = NO_EXPECTATIONS) -> list[str]:
    ids = tuple(item.id for item in rows) or (A,)
    results = Results(Header("b", {}, {}, ids), tuple(rows), None)
    return list(github(gate(rows, known, ids), results))


def test_a_green_gate_says_nothing() -> None:
    assert [] == told([row(A, "pass")])


def test_a_finding_about_an_entry_is_beside_its_line() -> None:
    text = f"entries:\n  - {{id: {A}, verdict: crashed, reason: x}}\n"
    known = expectations_of(baseline_of(parse_yaml(text, "ci/a,b.yaml")), entries_of([A]))
    (line,) = told([row(A, "pass")], known)
    start = "::error file=ci/a%2Cb.yaml,line=2,title=ONNX conformance%3A stale::ci/a,b.yaml:2: "
    assert start == line[: len(start)]


def test_a_hostile_message_stays_one_command() -> None:
    (line,) = told([row(A, "crashed", "100%\n::set-env x\r\x1b[31m")])
    assert line.endswith(f"::{A}: crashed: 100%25 ::set-env x\\x0d\\x1b[31m")


def test_no_more_than_ten_are_given_and_the_last_counts_the_rest() -> None:
    ids = tuple(f"shape-15/c/{word}" for word in WORDS)
    lines = told([row(item, "crashed", f"in {item[-1] * 3}") for item in ids])
    assert 10 == len(lines)
    assert lines[-1].endswith("::and 3 more: see the summary of the job")


def test_what_fails_alike_is_one_command() -> None:
    (line,) = told([row(f"shape-15/c/int{number}", "crashed", "x") for number in (8, 16, 32)])
    assert line.endswith(
        "::shape-15/c/int8: crashed: x and 2 more like it: shape-15/c/int16, shape-15/c/int32"
    )


def test_many_failures_do_not_hide_what_is_listed_wrongly() -> None:
    ids = [f"shape-15/c/{word}" for word in WORDS]
    text = f"entries:\n  - {{id: {A}, verdict: crashed, reason: x}}\n"
    known = expectations_of(baseline_of(parse_yaml(text, "b.yaml")), entries_of([A, *ids]))
    rows = [row(item, "crashed", item[-3:]) for item in ids]
    lines = told([*rows, row(A, "pass")], known)
    assert 10 == len(lines)
    assert 1 == sum("title=ONNX conformance%3A stale::" in line for line in lines)


def test_a_missing_verdict_is_an_error() -> None:
    (line,) = told([])
    assert f"1 planned vectors have no verdict, such as {A}" in line
