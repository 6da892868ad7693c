from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
import sample_results as sample
import xmlschema
from places import SUPPORT

from onnx_conformance.validator.gate.marks import Mark
from onnx_conformance.validator.judging.verdicts import Verdict
from onnx_conformance.validator.reports import junit

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.validator.results.records import Results, Row

A = "shape-15/clip_start/float32"
B = "shape-15/clip_end/float32"
SCHEMA = xmlschema.XMLSchema(SUPPORT / "junit.xsd")


def one(path: Path, row: Row) -> Results:
    return sample.write(path / "a.jsonl", sample.header("a", [row.id]), [row])


def parsed(text: str) -> ET.Element:
    return ET.fromstring(text)  # noqa: S314  what we wrote ourselves


def children(text: str) -> list[str]:
    return [child.tag for child in parsed(text).iter("testcase") for child in child]


def test_every_verdict_is_valid_by_the_schema(tmp_path: Path) -> None:
    rows = [
        sample.row(f"shape-15/case_{number}/int8", verdict.value)
        for number, verdict in enumerate(Verdict)
    ]
    head = sample.header("a", [*(row.id for row in rows), A])
    SCHEMA.validate(junit.render([sample.write(tmp_path / "a.jsonl", head, rows)]))


def test_realistic_backends_are_valid_by_the_schema(tmp_path: Path) -> None:
    ids = list(sample.identities())[:300]
    results = [sample.realistic(tmp_path / f"{name}.jsonl", name, ids, weakness=6) for name in "ab"]
    SCHEMA.validate(junit.render(results))


def test_the_schema_refuses_what_ant_and_jenkins_refuse(tmp_path: Path) -> None:
    text = junit.render([one(tmp_path, sample.row(A, "crashed"))])
    for good, bad in (('time="0.001000"', 'time="1e-3"'), ("<error", "<mistake"), ("T09", " 09")):
        with pytest.raises(xmlschema.XMLSchemaException):
            SCHEMA.validate(text.replace(good, bad).replace("</error", "</mistake"))


@pytest.mark.parametrize(
    ("verdict", "tags"),
    [
        ("pass", []),
        ("wrong-value", ["failure"]),
        ("rejected", ["failure"]),
        ("accepted-invalid", ["failure"]),
        ("crashed", ["error"]),
        ("timed-out", ["error"]),
        ("protocol-error", ["error"]),
        ("error", ["error"]),
        ("bad-vector", ["error"]),
        ("unsupported", ["skipped"]),
        ("inconclusive", ["skipped"]),
    ],
)
def test_a_verdict_has_its_element(tmp_path: Path, verdict: str, tags: list[str]) -> None:
    assert tags == children(junit.render([one(tmp_path, sample.row(A, verdict))]))


def test_what_is_skipped_is_told_in_brief(tmp_path: Path) -> None:
    row = sample.row(A, "unsupported", message="no kernel", details={"model": sample.MODEL})
    text = junit.render([one(tmp_path, row)])
    assert ("unsupported: no kernel" in text, sample.MODEL[:20] in text) == (True, False)
    assert f"onnx-validate run --backend a '{A}'" in text


def test_a_rejection_is_told_once(tmp_path: Path) -> None:
    said = "rejected at load: no such attribute"
    row = sample.row(A, "rejected", phase="load", message=said, got=said, expected="outputs")
    (failure,) = parsed(junit.render([one(tmp_path, row)])).iter("failure")
    assert 1 == str(failure.text).count("no such attribute")


def test_a_planned_vector_without_a_verdict_is_an_error(tmp_path: Path) -> None:
    results = sample.write(tmp_path / "a.jsonl", sample.header("a", [A, B]), [sample.row(A)])
    text = junit.render([results])
    assert ["error"] == children(text)
    assert 'tests="2"' in text


def test_counts_of_a_suite_are_those_of_its_cases(tmp_path: Path) -> None:
    verdicts = {A: "pass", B: "crashed", "shape-15/c/int8": "rejected"}
    verdicts["shape-15/d/int8"] = "unsupported"
    suite = parsed(junit.render([sample.simple(tmp_path / "a.jsonl", "a", verdicts)]))[0]
    counts = {key: suite.get(key) for key in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "4", "failures": "1", "errors": "1", "skipped": "1"}


@pytest.mark.parametrize(
    ("verdict", "mark", "tags"),
    [
        ("rejected", Mark("expected", "no parser", "b.yaml:3"), ["skipped"]),
        ("crashed", Mark("expected", "known", "b.yaml:3"), ["skipped"]),
        ("rejected", Mark("flaky", "races", "b.yaml:3"), ["skipped"]),
        ("pass", Mark("flaky", "races", "b.yaml:3"), []),
        ("pass", Mark("stale", "b.yaml:3: passes now", "b.yaml:3"), ["failure"]),
        ("unsupported", Mark("unexpected", "is not listed"), ["failure"]),
        ("wrong-value", Mark("unexpected", "listed as rejected", "b.yaml:3"), ["failure"]),
        ("crashed", Mark("unexpected", "is not listed"), ["error"]),
        ("bad-vector", Mark("expected", "no"), ["error"]),
    ],
)
def test_the_gate_decides_where_there_was_one(
    tmp_path: Path, verdict: str, mark: Mark, tags: list[str]
) -> None:
    text = junit.render([one(tmp_path, sample.row(A, verdict))], {"a": {A: mark}})
    SCHEMA.validate(text)
    assert tags == children(text)


def test_a_known_failure_says_why_and_where_it_is_listed(tmp_path: Path) -> None:
    mark = Mark("expected", "the parser takes no 0", "b.yaml:3", "https://example.org/1")
    text = junit.render([one(tmp_path, sample.row(A, "rejected"))], {"a": {A: mark}})
    message = next(parsed(text).iter("skipped")).get("message")
    assert message == "rejected: rejected happened (known, b.yaml:3: the parser takes no 0)"


def test_a_failure_carries_what_a_person_needs(tmp_path: Path) -> None:
    row = sample.row(
        A,
        "wrong-type",
        message="int32 came",
        expected=[{"name": "y", "type": "int64", "shape": [], "values": [3]}],
        details={"model": sample.MODEL, "difference": "type"},
        stderr="warning",
    )
    failure = next(parsed(junit.render([one(tmp_path, row)])).iter("failure"))
    text = failure.text or ""
    for word in ("int64", "Shape <start: int = -10>", "warning", f"--backend a '{A}'"):
        assert word in text


def test_characters_that_xml_cannot_hold_are_made_visible(tmp_path: Path) -> None:
    hostile = "\x00\x1b[31m]]>\ud800\ufffe<&\"' \U0001f600"
    text = junit.render([one(tmp_path, sample.row(A, "rejected", message=hostile, stderr=hostile))])
    SCHEMA.validate(text)
    message = next(parsed(text).iter("failure")).get("message") or ""
    assert message == "rejected: \\x00\\x1b[31m]]>\\ud800\\ufffe<&\"' \U0001f600"


def test_a_name_with_spaces_stays_one_token(tmp_path: Path) -> None:
    results = sample.simple(tmp_path / "a.jsonl", "tract  (freeze)\n", {A: "pass"})
    SCHEMA.validate(junit.render([results]))
