"""Nobody fails for what another vector did, and no backend goes free by dying often."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from itertools import permutations
from typing import TYPE_CHECKING

import pytest
from commands import run_words, validate
from misbehaviour import CASES, harness, run_cases, run_corpus, vector_id
from runnable_corpus import runnable_corpus, shape_vector, write_manifest, write_vector

from onnx_conformance.core.errors import ExitCode
from onnx_conformance.validator.host import starting
from onnx_conformance.validator.host.worker import Settings
from onnx_conformance.validator.results.file_format import read_results
from onnx_conformance.validator.results.lost_children import FLOOR, LostChildren, of_shards
from onnx_conformance.validator.running import doubts

if TYPE_CHECKING:
    from pathlib import Path


def test_failure_that_another_vector_caused_is_shown_as_what_it_is(tmp_path: Path) -> None:
    row = run_cases(tmp_path, "spoils_the_next").rows["three"]
    assert "pass" == row.verdict
    fared = row.details["in_company"]
    assert ("wrong-value", vector_id("bad")) == (fared["verdict"], fared["after"])
    assert "expected int64 [2] = [2, 6]" in fared["message"]


@pytest.mark.parametrize("order", list(permutations(("a", "bad", "c", "d")))[::5])
def test_verdicts_do_not_depend_on_the_order(tmp_path: Path, order: tuple[str, ...]) -> None:
    assert dict.fromkeys(order, "pass") == run_cases(tmp_path, "spoils_the_next", order).verdicts


def test_failure_that_repeats_alone_stays_as_it_was(tmp_path: Path) -> None:
    row = run_cases(tmp_path, "int32_instead").rows["bad"]
    assert "wrong-type" == row.verdict
    assert not {"incidents", "in_company"} & set(row.details)


def test_first_failures_from_a_cause_are_confirmed_and_the_others_now_and_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    confirmed = []
    plain = doubts.Doubts._confirm  # noqa: SLF001  counted, and done all the same

    def counting(self, finished, *more):  # noqa: ANN001, ANN002, ANN202  as the original
        confirmed.append(finished.id)
        plain(self, finished, *more)

    monkeypatch.setattr(doubts.Doubts, "_confirm", counting)
    cases = ["good", *(f"bad{number:02}" for number in range(20))]
    ran = run_cases(tmp_path, "int32_instead", cases)
    assert [vector_id(f"bad{number:02}") for number in (0, 3, 15)] == confirmed
    assert {"good": "pass", **{f"bad{n:02}": "wrong-type" for n in range(20)}} == ran.verdicts


def test_of_very_many_causes_not_all_are_confirmed_at_once() -> None:
    found = doubts.Doubts(None, None)  # type: ignore[arg-type]  only counts
    due = [found._failures_from(("wrong-value", str(n))).next == 1 for n in range(40)]  # noqa: SLF001
    assert [True] * 17 + [False] * 7 + [True] == due[:25]
    assert 16 + 3 == sum(due)


def test_what_is_too_much_to_be_confirmed_is_believed_and_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doubts, "MOST", 0)
    ran = run_cases(tmp_path, "int32_instead")
    assert "wrong-type" == ran.rows["bad"].verdict
    assert (
        1 == ran.engine.tally.notes["failures that were not run again alone: there were too many"]
    )


def test_after_one_contradiction_every_failure_is_confirmed(tmp_path: Path) -> None:
    cases = [name for number in range(6) for name in (f"bad{number}", f"next{number}")]
    ran = run_cases(tmp_path, "spoils_the_next", cases)
    assert dict.fromkeys(cases, "pass") == ran.verdicts


def test_rejection_in_a_spoiled_process_is_confirmed_once_the_backend_is_distrusted(
    tmp_path: Path,
) -> None:
    """A runtime that refuses everything once it is spoiled would pass every invalid vector."""
    root = tmp_path / "vectors"
    for case in ("good", "bad", "next"):
        write_vector(root, shape_vector(f"shape-15/{case}/float32"))
    write_vector(root, shape_vector("shape-15/wrong/float32", "invalid", control=vector_id("good")))
    write_manifest(root)
    ran = run_corpus(root, "refuses_once_spoiled", Settings())
    expected = {"good": "pass", "bad": "pass", "next": "pass", "wrong": "accepted-invalid"}
    assert expected == ran.verdicts


def test_without_a_baseline_what_fails_in_company_only_is_red_everywhere(tmp_path: Path) -> None:
    corpus = runnable_corpus(tmp_path / "vectors", CASES)
    files = {name: tmp_path / name for name in ("junit", "markdown", "html", "results")}
    words = [word for name, path in files.items() for word in (f"--{name}", path)]
    done = validate(*run_words(corpus, "spoils_the_next"), *words)
    assert ExitCode.UNEXPECTED == done.returncode
    assert b"1 vector did otherwise alone in a fresh process" in done.stdout
    failures = ET.parse(files["junit"]).getroot().iter("failure")  # noqa: S314  ours
    assert ["pass alone, wrong-value behind others: "] == [
        item.get("message", "")[:39] for item in failures
    ]
    assert "1 vector did otherwise alone" in files["markdown"].read_text()
    assert "1 vector did otherwise alone" in files["html"].read_text()


def test_entry_that_says_flaky_makes_it_green(tmp_path: Path) -> None:
    corpus = runnable_corpus(tmp_path / "vectors", CASES)
    baseline = tmp_path / "baseline.yaml"
    baseline.write_text("entries: []\n")
    red = validate(*run_words(corpus, "spoils_the_next"), "--baseline", baseline)
    assert ExitCode.UNEXPECTED == red.returncode
    assert f"'{vector_id('bad')}' in the same one: expected int64".encode() in red.stdout
    entry = f"  - {{id: {vector_id('three')}, verdict: wrong-value, reason: leaks, flaky: true}}"
    baseline.write_text(f"entries:\n{entry}\n")
    green = validate(*run_words(corpus, "spoils_the_next"), "--baseline", baseline)
    assert (ExitCode.OK, True) == (green.returncode, b"1 listed as flaky" in green.stdout)


def test_what_a_baseline_lists_is_not_run_again(tmp_path: Path) -> None:
    corpus = runnable_corpus(tmp_path / "vectors", CASES)
    counts = tmp_path / "counts"
    counts.mkdir()
    program = (*harness("wrong_now_and_then"), str(counts), "wrong")
    command = "command:" + " ".join(f"'{word}'" for word in program)
    baseline = tmp_path / "baseline.yaml"
    baseline.write_text("entries:\n  - {id: '*/bad', verdict: wrong-type, reason: none}\n")
    words = ("--vectors", corpus, "--jobs", "1", "--baseline", baseline)
    done = validate("run", "--backend", command, *words)
    assert ExitCode.OK == done.returncode
    assert 1 == len(list(counts.glob("*bad*")))


def test_where_no_fresh_child_can_be_started_the_first_word_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(starting, "PAUSES", (0.05, 0.05))
    monkeypatch.setenv("STARTS_ONCE", str(tmp_path / "taken"))
    monkeypatch.setenv("WRONG", "1")
    ran = run_cases(tmp_path, "starts_once", ("one", "two", "bad"))
    assert {"one": "pass", "two": "pass", "bad": "wrong-type"} == ran.verdicts
    assert ran.engine.unusable


# --- children that are lost -------------------------------------------------------------------


def lost(tmp_path: Path, *words: object) -> tuple[int, bytes, Path]:
    cases = [f"case{number}" for number in range(12)]
    corpus = runnable_corpus(tmp_path / "vectors", cases)
    results = tmp_path / "results.jsonl"
    command = run_words(corpus, "dies_on_every_second")
    done = validate(*command, "--results", results, *words)
    return done.returncode, done.stdout, results


def test_backend_that_dies_on_every_second_vector_is_red(tmp_path: Path) -> None:
    code, said, results = lost(tmp_path, "--junit", tmp_path / "junit", "--html", tmp_path / "page")
    assert ExitCode.UNEXPECTED == code
    assert b"more than the 1 that --max-lost-children permits" in said
    assert {"pass": 12} == dict(read_results(results).counts)
    (error,) = ET.parse(tmp_path / "junit").getroot().iter("error")  # noqa: S314  ours
    assert "lost-children" == error.get("type")
    assert "more than the 1 that --max-lost-children permits" in (tmp_path / "page").read_text()


def test_lost_children_within_the_limit_are_noted_and_green(tmp_path: Path) -> None:
    code, said, _ = lost(tmp_path, "--max-lost-children", "50")
    assert ExitCode.OK == code
    assert b"of the backend were lost between vectors" in said


def test_every_gate_counts_lost_children(tmp_path: Path) -> None:
    _, _, results = lost(tmp_path)
    baseline = tmp_path / "baseline.yaml"
    baseline.write_text("entries: []\n")
    checked = validate("baseline", "check", baseline, results, "--vectors", tmp_path / "vectors")
    words = ("--baseline", baseline, "--vectors", tmp_path / "vectors")
    reported = validate("report", results, *words)
    assert (ExitCode.UNEXPECTED, ExitCode.UNEXPECTED) == (checked.returncode, reported.returncode)
    assert b"gate RED: " in checked.stdout


def test_resuming_forgets_no_lost_child(tmp_path: Path) -> None:
    _, _, results = lost(tmp_path)
    lines = results.read_text().splitlines(keepends=True)
    results.write_text("".join(lines[:-2]))
    command = run_words(tmp_path / "vectors", "dies_on_every_second")
    again = validate(*command, "--results", results, "--resume")
    assert ExitCode.UNEXPECTED == again.returncode
    footer = json.loads(results.read_text().splitlines()[-1])
    assert footer["lost_children"]["count"] > FLOOR
    whole = validate(*command, "--results", results, "--resume", "--allow-resumed")
    assert ExitCode.UNEXPECTED == whole.returncode


def test_the_children_that_shards_lost_are_added_up() -> None:
    shards = [LostChildren(9, 10, "a"), LostChildren(4, 3, "b"), LostChildren(0, 0)]
    assert LostChildren(13, 2, "a") == of_shards(shards, 20_000)
