from __future__ import annotations

from small_corpus import entries_of

from onnx_conformance.core.yaml_reading import parse_yaml
from onnx_conformance.validator.gate.annotations import github
from onnx_conformance.validator.gate.baseline import gate
from onnx_conformance.validator.gate.entries import NO_EXPECTATIONS, baseline_of, expectations_of
from onnx_conformance.validator.results.records import Row

A = "shape-15/clip_start/float32"


def row(vector_id: str, verdict: str, message: str = "") -> Row:
    return Row(vector_id, verdict, None, message, 0.0)


def test_a_green_gate_says_nothing() -> None:
    assert [] == list(github(gate([row(A, "pass")], NO_EXPECTATIONS, (A,))))


def test_a_finding_about_an_entry_is_beside_its_line() -> None:
    text = f"entries:\n  - {{id: {A}, verdict: crashed, reason: x}}\n"
    known = expectations_of(baseline_of(parse_yaml(text, "ci/a,b.yaml")), entries_of([A]))
    (line,) = github(gate([row(A, "pass")], known, (A,)))
    start = "::error file=ci/a%2Cb.yaml,line=2,title=ONNX conformance%3A stale::ci/a,b.yaml:2: "
    assert start == line[: len(start)]


def test_a_hostile_message_stays_one_command() -> None:
    (line,) = github(
        gate([row(A, "crashed", "100%\n::set-env x\r\x1b[31m")], NO_EXPECTATIONS, (A,))
    )
    assert line.endswith(f"::{A}: crashed: 100%25 ::set-env x\\x0d\\x1b[31m")


def test_no_more_than_ten_are_given_and_the_last_counts_the_rest() -> None:
    ids = tuple(f"shape-15/c/{number}" for number in range(12))
    lines = list(github(gate([row(item, "crashed") for item in ids], NO_EXPECTATIONS, ids)))
    assert 10 == len(lines)
    assert lines[-1].endswith("::and 3 more: see the summary of the job")


def test_a_missing_verdict_is_an_error() -> None:
    (line,) = github(gate([], NO_EXPECTATIONS, (A,)))
    assert f"1 planned vectors have no verdict, such as {A}" in line
