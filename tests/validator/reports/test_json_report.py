from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
import sample_results as sample
from result_schemas import LINE, REPORT

from onnx_conformance.core.corpus.vectors import PHASES
from onnx_conformance.validator.gate.marks import Mark
from onnx_conformance.validator.judging.verdicts import Verdict
from onnx_conformance.validator.reports import json_report
from onnx_conformance.validator.reports.facts.tally import ACCEPTED, GROUPS

if TYPE_CHECKING:
    from pathlib import Path

A = "shape-15/clip_start/float32"
B = "shape-15/clip_end/float32"


def valid(document: Any, schema: dict[str, Any]) -> bool:  # noqa: ANN401  JSON
    return jsonschema.Draft202012Validator(schema).is_valid(document)


@pytest.mark.parametrize("schema", [REPORT, LINE], ids=["report", "results"])
def test_the_schema_is_one(schema: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator.check_schema(schema)


def test_the_schemas_know_every_verdict_group_and_phase() -> None:
    verdicts = [verdict.value for verdict in Verdict]
    assert verdicts == REPORT["$defs"]["verdict"]["enum"]
    row = LINE["$defs"]["row"]["properties"]
    assert verdicts == row["verdict"]["enum"]
    assert [*PHASES, None] == row["phase"]["enum"]
    # `accepted` is a word of pages: results files and JSON have the verdicts as they were given.
    assert [group.name for group in GROUPS if group is not ACCEPTED] == REPORT["$defs"]["group"][
        "enum"
    ]


def test_realistic_results_are_valid_by_both_schemas(tmp_path: Path) -> None:
    ids = list(sample.identities())[:200]
    results = [sample.realistic(tmp_path / f"{name}.jsonl", name, ids, weakness=6) for name in "ab"]
    document = json.loads(json_report.render(results))
    jsonschema.Draft202012Validator(REPORT).validate(document)
    line_schema = jsonschema.Draft202012Validator(LINE)
    for line in (tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines():
        line_schema.validate(json.loads(line))


def test_a_marked_incomplete_run_is_valid(tmp_path: Path) -> None:
    head = sample.header("a", [A, B], extra={"missing_shards": ["2/2"]})
    results = sample.write(tmp_path / "a.jsonl", head, [sample.row(A, "rejected", phase="load")])
    marks = {"a": {A: Mark("expected", "no parser", "b.yaml:3", "https://example.org/1")}}
    document = json.loads(json_report.render([results], marks))
    jsonschema.Draft202012Validator(REPORT).validate(document)
    (backend,) = document["backends"]
    assert (False, [B], ["2/2"]) == (
        backend["complete"],
        backend["missing"],
        backend["missing_shards"],
    )
    judged = document["vectors"][0]["verdicts"]["a"]
    assert ("expected", "b.yaml:3") == (judged["baseline"]["outcome"], judged["baseline"]["where"])


@pytest.mark.parametrize(
    ("where", "key", "value"),
    [
        ((), "format", 2),
        (("backends", 0), "complete", "yes"),
        (("backends", 0, "counts", "groups"), "fine", 1),
        (("vectors", 0, "verdicts", "a"), "verdict", "splendid"),
        (("vectors", 0), "colour", "red"),
    ],
)
def test_the_schema_refuses_what_is_no_report(
    tmp_path: Path, where: tuple[Any, ...], key: str, value: object
) -> None:
    results = sample.simple(tmp_path / "a.jsonl", "a", {A: "pass"})
    document = json.loads(json_report.render([results]))
    part = document
    for step in where:
        part = part[step]
    assert valid(document, REPORT)
    part[key] = value
    assert not valid(document, REPORT)


def test_the_results_schema_refuses_a_line_without_a_verdict() -> None:
    line = {"record": "row", "id": A, "phase": None, "message": "", "seconds": 0}
    assert not valid(line, LINE)
    assert valid({**line, "verdict": "pass"}, LINE)


def test_groups_add_up_to_the_total(tmp_path: Path) -> None:
    ids = list(sample.identities())[:200]
    results = sample.realistic(tmp_path / "a.jsonl", "a", ids, weakness=6)
    (backend,) = json.loads(json_report.render([results]))["backends"]
    assert 200 == backend["counts"]["total"] == sum(backend["counts"]["groups"].values())
    assert 200 == sum(item["total"] for item in backend["operator_versions"])


def test_a_vector_has_the_verdict_of_each_backend_that_ran_it(tmp_path: Path) -> None:
    both = [
        sample.simple(tmp_path / "a.jsonl", "a", {A: "pass", B: "crashed"}),
        sample.simple(tmp_path / "b.jsonl", "b", {A: "rejected"}),
    ]
    vectors = json.loads(json_report.render(both))["vectors"]
    found = {
        item["id"]: {name: judged["verdict"] for name, judged in item["verdicts"].items()}
        for item in vectors
    }
    assert found == {B: {"a": "crashed"}, A: {"a": "pass", "b": "rejected"}}


def test_a_failure_has_its_command_and_a_pass_has_none(tmp_path: Path) -> None:
    results = sample.simple(tmp_path / "a.jsonl", "a", {A: "rejected", B: "pass"})
    passing, failing = json.loads(json_report.render([results]))["vectors"]
    assert f"onnx-validate run --backend a '{A}'" == failing["verdicts"]["a"]["command"]
    assert "command" not in passing["verdicts"]["a"]


def test_any_text_of_a_runtime_is_ascii_in_the_file(tmp_path: Path) -> None:
    hostile = "\ud800\x00\u2028é"
    rows = [sample.row(A, "rejected", message=hostile)]
    results = sample.write(tmp_path / "a.jsonl", sample.header("a", [A]), rows)
    text = json_report.render([results])
    assert text.isascii()
    assert hostile == json.loads(text)["vectors"][0]["verdicts"]["a"]["message"]
