"""Verdicts of earlier runs that are taken over, and those that are not."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import sample_results as sample
from misbehaviour import CASES, harness, vector_id
from runnable_corpus import runnable_corpus, write_manifest

from onnx_conformance.core.corpus.corpus import Entry
from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.validator.host.backends import Backend
from onnx_conformance.validator.host.protocol import Description
from onnx_conformance.validator.main import main
from onnx_conformance.validator.results.file_format import read_results
from onnx_conformance.validator.results.merging import Source
from onnx_conformance.validator.running.planning import RunPlan
from onnx_conformance.validator.running.reuse.identity import (
    WORDS,
    cannot_be_known,
    harness_digest,
    identity_of,
)
from onnx_conformance.validator.running.reuse.reusing import Reused, reusable

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.validator.results.records import Results, Row

    Output = pytest.CaptureFixture[str]

CONTROL, INVALID = "shape-15/good/float32", "shape-15/wrong/float32"
DIGESTS = {CONTROL: "a" * 64, INVALID: "b" * 64}
PLAN = RunPlan(
    {
        item: Entry(item, Kind("invalid" if item == INVALID else "valid"), "nowhere", digest)
        for item, digest in DIGESTS.items()
    },
    2,
    (),
    {INVALID: CONTROL},
)
IDENTITY = dict.fromkeys(WORDS, "same")


def row(vector: str, verdict: str = "pass", **facts: Any) -> Row:  # noqa: ANN401  any field of Row
    return sample.row(vector, verdict, **{"digest": DIGESTS[vector][:32], **facts})


def taken(
    path: Path, *rows: Row, identity: dict[str, str] | None = None, started: str = "2026-11-20"
) -> Reused:
    return reusable([source(path, *rows, identity=identity, started=started)], IDENTITY, PLAN)


def source(
    path: Path, *rows: Row, identity: dict[str, str] | None = None, started: str = "2026-11-20"
) -> Source:
    header = sample.header("some", list(DIGESTS), started=started)
    header = replace(header, extra={"identity": IDENTITY if identity is None else identity})
    return Source(path.name, sample.write(path, header, list(rows)))


# --- what is taken over ---------------------------------------------------------------------


def test_same_vector_and_identity_are_taken_over_with_their_date(tmp_path: Path) -> None:
    found = taken(tmp_path / "r.jsonl", row(CONTROL), row(INVALID, "accepted-invalid"))
    assert [(CONTROL, "pass", "2026-11-20"), (INVALID, "accepted-invalid", "2026-11-20")] == [
        (item.id, item.verdict, item.reused) for item in found.rows()
    ]
    assert ("reuse: 2 of 2 verdicts taken over",) == found.notes


def test_what_failed_is_taken_over_with_its_values(tmp_path: Path) -> None:
    got = [{"name": "shape", "type": "int64", "shape": [1], "values": [3]}]
    found = taken(tmp_path / "r.jsonl", row(CONTROL, "wrong-value", got=got))
    assert [got] == [item.got for item in found.rows()]


def test_vector_that_changed_is_run_again(tmp_path: Path) -> None:
    found = taken(tmp_path / "r.jsonl", row(CONTROL, digest="c" * 32))
    assert {} == found.verdicts
    assert "reuse: 1 not taken over: the vector changed" in found.notes


@pytest.mark.parametrize("key", WORDS)
def test_nothing_is_taken_over_where_one_part_of_the_identity_differs(
    key: str, tmp_path: Path
) -> None:
    found = taken(tmp_path / "r.jsonl", row(CONTROL), identity={**IDENTITY, key: "other"})
    assert {} == found.verdicts
    assert f"its {WORDS[key]} was other, and is same" in found.notes[1]


def test_nothing_is_taken_over_of_results_without_an_identity(tmp_path: Path) -> None:
    found = taken(tmp_path / "r.jsonl", row(CONTROL), identity={})
    assert {} == found.verdicts
    assert "a version that did not say what its verdicts depend on" in found.notes[1]


@pytest.mark.parametrize(
    "verdict", ["crashed", "timed-out", "protocol-error", "error", "bad-vector"]
)
def test_verdict_that_another_run_might_not_repeat_is_not_taken_over(
    verdict: str, tmp_path: Path
) -> None:
    assert {} == taken(tmp_path / "r.jsonl", row(CONTROL, verdict)).verdicts


@pytest.mark.parametrize(
    "details",
    [
        {"incidents": ["exit 3"]},
        {"reruns": ["pass"]},
        {"in_company": {"verdict": "rejected", "message": "", "after": "x"}},
    ],
)
def test_vector_that_did_not_always_do_the_same_is_run_again(
    details: dict[str, Any], tmp_path: Path
) -> None:
    assert {} == taken(tmp_path / "r.jsonl", row(CONTROL, "rejected", details=details)).verdicts


def test_invalid_vector_is_run_again_with_its_control(tmp_path: Path) -> None:
    found = taken(tmp_path / "r.jsonl", row(CONTROL, digest="c" * 32), row(INVALID))
    assert {} == found.verdicts
    assert "reuse: 1 not taken over: their control is run again" in found.notes


def test_youngest_of_several_counts(tmp_path: Path) -> None:
    sources = [
        source(tmp_path / "new.jsonl", row(CONTROL), started="2026-11-22"),
        source(tmp_path / "old.jsonl", row(CONTROL, "wrong-value"), started="2026-11-20"),
    ]
    assert {CONTROL: "pass"} == reusable(sources, IDENTITY, PLAN).verdicts


def test_date_is_that_of_the_run_that_found_the_verdict(tmp_path: Path) -> None:
    found = taken(tmp_path / "r.jsonl", row(CONTROL, reused="2026-10-01"))
    assert ["2026-10-01"] == [item.reused for item in found.rows()]


# --- identities -----------------------------------------------------------------------------


def test_identity_changes_with_the_content_of_a_program(tmp_path: Path) -> None:
    program = tmp_path / "harness.py"
    program.write_text("1")
    before = harness_digest("command:x", ("python", str(program)))
    program.write_text("2")
    assert before != harness_digest("command:x", ("python", str(program)))


def test_identity_changes_with_the_build_that_a_harness_tells() -> None:
    backend = Backend("some", ("some",))

    def of(build: str) -> dict[str, str]:
        raw = {"name": "some", "version": "1", "details": {"build": build}}
        return identity_of("some", backend, Description("some", "1", "path", raw=raw), {})

    one, other = of("a"), of("b")
    assert ["build"] == [key for key in WORDS if one[key] != other[key]]


@pytest.mark.parametrize(("details", "known"), [({}, False), ({"build": "abc"}, True)])
def test_backend_of_a_module_is_known_again_by_its_build_alone(
    details: dict[str, str], *, known: bool
) -> None:
    description = Description("mine", "1", "path", details=details)
    assert known == (cannot_be_known("python:mine", description) == "")


# --- the command ----------------------------------------------------------------------------


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return runnable_corpus(tmp_path / "vectors", CASES)


def run(root: Path, *words: object, name: str = "well_behaved") -> int:
    given = ["--backend", f"command:{shlex.join(harness(name))}", "--vectors", root, *words]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["onnx-validate", "run", *map(str, given)])
        return main()


def reused(results: Results) -> dict[str, bool]:
    return {item.id: item.reused is not None for item in results.rows}


def changed(root: Path, case: str) -> None:
    """Give a vector of the corpus other files, and the manifest their digest."""
    path = root / "valid" / "shape-15" / f"test_shape_15_{case}_float32" / "data.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "purpose": "another"}))
    write_manifest(root)


def test_only_what_changed_is_run_again(root: Path, tmp_path: Path, capsys: Output) -> None:
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    run(root, "--results", old)
    changed(root, "two")
    assert 0 == run(root, "--results", new, "--reuse", old)
    expected = {vector_id(case): case != "two" for case in CASES}
    assert expected == reused(read_results(new))
    printed = capsys.readouterr()
    assert "4 of 5 verdicts were taken over from earlier runs (--reuse)" in printed.out
    assert "reuse: 1 not taken over: the vector changed" in printed.err


def test_rows_are_the_same_as_without_reuse_but_for_the_mark(root: Path, tmp_path: Path) -> None:
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    run(root, "--results", old, name="wrong_length")
    run(root, "--results", new, "--reuse", old, name="wrong_length")
    before, after = (
        {
            document["id"]: document
            for document in map(json.loads, path.read_text().splitlines())
            if document["record"] == "row" and document["verdict"] != "protocol-error"
        }
        for path in (old, new)
    )
    marks = {document.pop("reused")[:4] for document in after.values()}
    assert before == after
    assert 1 == len(marks)


def test_another_harness_takes_nothing_over(root: Path, tmp_path: Path, capsys: Output) -> None:
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    run(root, "--results", old)
    run(root, "--results", new, "--reuse", old, name="rejects")
    assert not any(reused(read_results(new)).values())
    assert "its harness was" in capsys.readouterr().err


def test_results_may_be_renewed_from_themselves(root: Path, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    run(root, "--results", path)
    changed(root, "one")
    assert 0 == run(root, "--results", path, "--reuse", path)
    assert not reused(read_results(path))[vector_id("one")]
    assert [path] == list(tmp_path.glob("r.jsonl*"))


def test_file_that_is_not_there_yet_is_said(root: Path, tmp_path: Path, capsys: Output) -> None:
    path = tmp_path / "r.jsonl"
    assert 0 == run(root, "--results", path, "--reuse", path)
    assert "there is no such file; nothing is taken over" in capsys.readouterr().err
    assert not any(reused(read_results(path)).values())


# --- the gate -------------------------------------------------------------------------------


def gated(root: Path, tmp_path: Path) -> tuple[Path, Path]:
    """Results of which all is reused, and a baseline that lists nothing."""
    path, baseline = tmp_path / "r.jsonl", tmp_path / "baseline.yaml"
    run(root, "--results", path)
    run(root, "--results", path, "--reuse", path)
    baseline.write_text("format: 1\nentries: []\n")
    return path, baseline


def test_gate_with_reuse_is_refused(root: Path, tmp_path: Path, capsys: Output) -> None:
    path, baseline = gated(root, tmp_path)
    assert 2 == run(root, "--reuse", path, "--baseline", baseline)
    assert "permit it with --allow-reused" in capsys.readouterr().err
    assert 0 == run(root, "--reuse", path, "--baseline", baseline, "--allow-reused")


def test_gate_on_results_with_reused_verdicts_is_red(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    path, baseline = gated(root, tmp_path)
    words = ["onnx-validate", "baseline", "check", str(baseline), str(path), "--vectors", str(root)]
    monkeypatch.setattr(sys, "argv", words)
    assert 5 == main()
    assert "5 of 5 verdicts were taken over" in capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", [*words, "--allow-reused"])
    assert 0 == main()
