from __future__ import annotations

from small_corpus import entries_of

from onnx_conformance.core.yaml.reading import parse_yaml
from onnx_conformance.validator.gate.baseline import gate
from onnx_conformance.validator.gate.entries import baseline_of
from onnx_conformance.validator.gate.expectations import NO_EXPECTATIONS, expectations_of
from onnx_conformance.validator.gate.words import gate_lines
from onnx_conformance.validator.results.records import Header, Results, Row

IDS = ("shape-15/a/int8", "shape-15/a/float32", "shape-15/b/int8", "shape-15/c/int8")


def results_of(*verdicts: str) -> Results:
    rows = tuple(
        Row(item, verdict, None, "why", 0.0) for item, verdict in zip(IDS, verdicts, strict=True)
    )
    return Results(Header("b", {}, {}, IDS, extra={"backend": "b"}), rows, None)


def test_what_failed_alike_is_one_line() -> None:
    results = results_of("crashed", "crashed", "rejected", "pass")
    outcome = gate(results.rows, NO_EXPECTATIONS, IDS)
    assert [
        "shape-15/a/int8: crashed: why",
        "    and 1 more like it: shape-15/a/float32",
        "shape-15/b/int8: rejected: why",
        "run one alone: onnx-validate run --backend b 'shape-15/a/int8'",
        "gate RED: 3 not expected, 1 pass",
    ] == list(gate_lines(outcome, results))


def test_different_verdicts_of_a_case_are_different_lines() -> None:
    results = results_of("crashed", "rejected", "pass", "pass")
    lines = list(gate_lines(gate(results.rows, NO_EXPECTATIONS, IDS), results))
    assert ["shape-15/a/int8: crashed: why", "shape-15/a/float32: rejected: why"] == lines[:2]


def test_what_is_left_out_is_counted() -> None:
    results = results_of("crashed", "rejected", "rejected", "timed-out")
    lines = list(gate_lines(gate(results.rows, NO_EXPECTATIONS, IDS), results, most=1))
    assert "and 2 more causes of 3 unexpected failures; --verbose lists all" == lines[1]


def test_many_failures_do_not_hide_a_stale_entry() -> None:
    text = f"entries: [{{id: {IDS[3]}, verdict: crashed, reason: x}}]\n"
    known = expectations_of(baseline_of(parse_yaml(text, "b.yaml")), entries_of(IDS))
    results = results_of("crashed", "rejected", "timed-out", "pass")
    lines = list(gate_lines(gate(results.rows, known, IDS), results, most=1))
    assert lines[2].startswith(f"b.yaml:1: '{IDS[3]}' is listed as crashed, but it passes now")


def test_without_a_limit_every_vector_has_a_line() -> None:
    results = results_of("crashed", "crashed", "crashed", "crashed")
    lines = list(gate_lines(gate(results.rows, NO_EXPECTATIONS, IDS), results, most=None))
    expected = {f"{item}: crashed: why" for item in IDS}
    assert expected == {line.strip() for line in lines[:4]}


def test_a_stale_entry_needs_no_command() -> None:
    text = f"entries: [{{id: {IDS[0]}, verdict: crashed, reason: x}}]\n"
    known = expectations_of(baseline_of(parse_yaml(text, "b.yaml")), entries_of(IDS))
    results = results_of("pass", "pass", "pass", "pass")
    lines = list(gate_lines(gate(results.rows, known, IDS), results))
    assert 2 == len(lines)
    assert lines[0].startswith(f"b.yaml:1: '{IDS[0]}' is listed as crashed, but it passes now")


def test_a_green_gate_is_one_line() -> None:
    results = results_of("pass", "pass", "pass", "pass")
    assert ["gate green: 4 pass"] == list(
        gate_lines(gate(results.rows, NO_EXPECTATIONS, IDS), results)
    )
