"""Real processes that crash, hang, print, lie and eat memory, and the verdicts that they get."""

from __future__ import annotations

import contextlib
import re
import sys
import time
from pathlib import Path

import pytest
from misbehaviour import CASES, Ran, harness, run_cases, run_corpus, vector_id
from runnable_corpus import runnable_corpus, shape_vector, write_manifest, write_vector

from onnx_conformance.core.corpus.corpus import open_corpus
from onnx_conformance.core.errors import BackendUnusableError
from onnx_conformance.validator.host import starting
from onnx_conformance.validator.host.engine import PATIENCE, Engine
from onnx_conformance.validator.host.preparing import Preparer
from onnx_conformance.validator.host.worker import Settings

OTHERS = [case for case in CASES if case != "bad"]
HANGS = 0.8


def others_pass(ran: Ran) -> bool:
    return [ran.verdicts[case] for case in OTHERS] == ["pass"] * len(OTHERS)


@pytest.mark.parametrize(
    ("name", "verdict", "message"),
    [
        ("segfaults", "crashed", "signal SIGSEGV"),
        ("aborts", "crashed", "signal SIGABRT"),
        ("exits", "crashed", "exit 3"),
        ("half_a_line_and_exits", "crashed", "exit 0"),
        ("closes_output", "crashed", "closed its standard output"),
        ("leaves_a_grandchild", "crashed", "exit 7"),
        ("endless_line", "protocol-error", "more than 1 MiB on standard output without a reply"),
        ("wrong_id", "protocol-error", "wrong id: a reply for 'shape-15/another/float32'"),
        ("not_json", "protocol-error", "NaN is not JSON"),
        ("absurd_shape", "protocol-error", "negative dimension in shape [-1, 3]"),
        ("wrong_length", "protocol-error", "shape [3] of int64 needs 24 bytes, 8 given"),
        ("unknown_type", "protocol-error", "unknown element type 'long'"),
        ("int32_instead", "wrong-type", "int32"),
        ("one_dimension_too_many", "wrong-shape", "got int64 [1, 2]"),
    ],
)
def test_misbehaviour_is_the_verdict_of_its_vector_alone(
    tmp_path: Path, name: str, verdict: str, message: str
) -> None:
    ran = run_cases(tmp_path, name)
    assert verdict == ran.rows["bad"].verdict
    assert message in ran.rows["bad"].message
    assert others_pass(ran)


@pytest.mark.parametrize("name", ["absurd_shape", "wrong_length"])
def test_an_absurd_output_of_an_invalid_vector_is_accepted_invalid(
    tmp_path: Path, name: str
) -> None:
    root = runnable_corpus(tmp_path / "vectors", ["one"])
    write_vector(root, shape_vector("shape-15/bad/float32", "invalid", reject="run"))
    write_manifest(root)
    ran = run_corpus(root, name, Settings(jobs=1, timeout=5))
    assert {"one": "pass", "bad": "accepted-invalid"} == ran.verdicts


@pytest.mark.parametrize(
    "name",
    [
        "hangs",
        "half_a_line_and_hangs",
        "late_reply",
        "closes_input",
        "swaps_replies",
        "floods_stderr",
    ],
)
def test_no_reply_within_the_deadline_is_timed_out(tmp_path: Path, name: str) -> None:
    ran = run_cases(tmp_path, name, timeout=HANGS)
    assert "timed-out" == ran.rows["bad"].verdict
    assert others_pass(ran)


def test_tail_of_endless_stderr_is_kept(tmp_path: Path) -> None:
    stderr = run_cases(tmp_path, "floods_stderr", timeout=HANGS).rows["bad"].stderr
    assert "\n...\n" in stderr
    assert "warning: this kernel is deprecated\n" in stderr
    assert len(stderr) < 10_000


def test_endless_noise_is_the_verdict_of_its_vector_alone(tmp_path: Path) -> None:
    # Either limit may be met first: that of the output or that of the time.
    ran = run_cases(tmp_path, "endless_noise", timeout=2)
    assert ran.rows["bad"].verdict in ("protocol-error", "timed-out")
    assert others_pass(ran)


def test_memory_limit_ends_what_eats_memory(tmp_path: Path) -> None:
    root = runnable_corpus(tmp_path / "vectors", CASES)
    ran = run_corpus(root, "eats_memory", Settings(memory_limit=256))
    assert "crashed" == ran.rows["bad"].verdict
    assert "MemoryError" in ran.rows["bad"].stderr
    assert others_pass(ran)


def test_noise_is_forgiven_and_counted(tmp_path: Path) -> None:
    ran = run_cases(tmp_path, "prints_noise")
    assert "pass" == ran.rows["bad"].verdict
    assert others_pass(ran)
    assert {"lines on standard output that are no JSON object (noise)": 4} == dict(
        ran.engine.tally.notes
    )


def test_the_reason_of_a_panic_stands_first_and_is_said(tmp_path: Path) -> None:
    row = run_cases(tmp_path, "panics").rows["bad"]
    expected = (
        "exit 101; it said: thread 'main' panicked at shape.rs:12: the shape overflows"
        " … note: run with RUST_BACKTRACE=full"
    )
    assert expected == row.message
    assert len(row.stderr) < 10_000


def test_stderr_of_a_crash_is_kept(tmp_path: Path) -> None:
    assert "about to die\n" == run_cases(tmp_path, "segfaults").rows["bad"].stderr


def test_half_a_line_is_kept(tmp_path: Path) -> None:
    stderr = run_cases(tmp_path, "half_a_line_and_exits").rows["bad"].stderr
    assert 'half a line: {"id": "shape-15/bad/float32", "outp' in stderr


def test_every_vector_gets_its_own_verdict_with_several_jobs(tmp_path: Path) -> None:
    cases = [f"{kind}{number}" for number in range(6) for kind in ("good", "bad")]
    ran = run_cases(tmp_path, "exits", cases, jobs=3)
    expected = {case: "crashed" if case.startswith("bad") else "pass" for case in cases}
    assert expected == ran.verdicts


def test_who_was_in_flight_is_run_alone_before_it_is_blamed(tmp_path: Path) -> None:
    ran = run_cases(tmp_path, "echo_of_a_crash")
    assert dict.fromkeys(CASES, "pass") == ran.verdicts
    incidents = ran.rows["three"].details["incidents"]
    assert [f"signal SIGABRT (after '{vector_id('bad')}' in the same child)"] == incidents


def test_a_vector_that_crashes_alone_keeps_the_first_crash_as_an_incident(tmp_path: Path) -> None:
    row = run_cases(tmp_path, "segfaults").rows["bad"]
    assert [f"signal SIGSEGV (after '{vector_id('two')}' in the same child)"] == row.details[
        "incidents"
    ]


def test_second_reply_costs_no_other_vector_its_verdict_and_is_noted(tmp_path: Path) -> None:
    ran = run_cases(tmp_path, "replies_twice")
    assert dict.fromkeys(CASES, "pass") == ran.verdicts
    (example,) = ran.engine.tally.examples.values()
    assert f"a second reply for '{vector_id('bad')}' came while another was due" in example


def test_child_that_ends_after_each_reply_costs_no_verdict(tmp_path: Path) -> None:
    ran = run_cases(tmp_path, "dies_between")
    assert dict.fromkeys(CASES, "pass") == ran.verdicts
    assert sum(ran.engine.tally.notes.values()) > 0


def test_deadline_counts_from_when_a_vector_can_have_started(tmp_path: Path) -> None:
    # Five requests are in the child's hands at once; the last is answered after 2.5 s.
    cases = [f"bad{number}" for number in range(5)]
    ran = run_cases(tmp_path, "slow_but_in_time", cases, timeout=2)
    assert dict.fromkeys(cases, "pass") == ran.verdicts
    assert all(0.4 < row.seconds < 2 for row in ran.rows.values())


def test_deadline_waits_for_a_request_that_is_still_being_written(tmp_path: Path) -> None:
    root = tmp_path / "vectors"
    write_vector(root, shape_vector(vector_id("large")), [(400_000,)])
    write_manifest(root)
    start = time.monotonic()
    ran = run_corpus(root, "reads_slowly", Settings(timeout=1))
    assert "pass" == ran.rows["large"].verdict
    assert time.monotonic() - start > 1


def test_what_a_child_started_ends_with_it(tmp_path: Path) -> None:
    stderr = run_cases(tmp_path, "leaves_a_grandchild").rows["bad"].stderr
    found = re.search(r"grandchild (\d+)", stderr)
    assert found is not None
    assert _is_gone(int(found.group(1)))


def _is_gone(pid: int) -> bool:
    """Whether a process ends soon; an orphan may wait for init to take it."""
    for _ in range(6000):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.01)
    return False


# --- backends that are none ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        (
            "dies_at_start",
            "exit 1 before the reply to 'describe'; it said: loading … ImportError: librt",
        ),
        ("silent_at_start", "no reply to 'describe' within 0.3 s"),
        ("bad_handshake", "needs 'model' as 'path' or 'inline', not 'by pigeon'"),
        ("another_protocol", "the harness speaks protocol 2, this validator 1"),
    ],
)
def test_backend_that_cannot_be_started_is_unusable(tmp_path: Path, name: str, reason: str) -> None:
    root = runnable_corpus(tmp_path / "vectors", CASES)
    with pytest.raises(BackendUnusableError, match=re.escape(reason)):
        run_corpus(root, name, Settings(start_timeout=0.3 if "silent" in name else 10))


def test_program_that_does_not_exist_is_unusable() -> None:
    engine = Engine(("no-such-program-here",), Preparer({}), Settings(), ["a/b/c"])
    with pytest.raises(BackendUnusableError, match="'no-such-program-here': no such program"):
        engine.start()


def test_command_line_in_one_word_is_no_program() -> None:
    engine = Engine(("sh -c true",), Preparer({}), Settings(), ["a/b/c"])
    with pytest.raises(BackendUnusableError, match="'sh -c true': no such program; quotes make"):
        engine.start()


@pytest.mark.parametrize(
    ("content", "mode", "reason"),
    [
        ("#!/bin/sh\n", 0o644, "it is not executable (chmod +x)"),
        ("#!/no/such/shell -e\n", 0o755, "names the interpreter '/no/such/shell', which is not"),
        ("#!/usr/bin/env no-such-interpreter\n", 0o755, "interpreter 'no-such-interpreter', which"),
    ],
)
def test_program_that_cannot_be_started_says_why(
    tmp_path: Path, content: str, mode: int, reason: str
) -> None:
    program = tmp_path / "harness"
    program.write_text(content)
    program.chmod(mode)
    engine = Engine((str(program),), Preparer({}), Settings(), ["a/b/c"])
    with pytest.raises(BackendUnusableError, match=re.escape(reason)):
        engine.start()


@pytest.mark.parametrize("name", ["dies_on_all", "errors_on_all"])
def test_backend_that_answers_nothing_ends_the_run_early(tmp_path: Path, name: str) -> None:
    cases = [f"case{number}" for number in range(40)]
    ran = run_cases(tmp_path, name, cases)
    assert ran.engine.unusable.startswith("none of ")
    assert PATIENCE <= len(ran.rows) < len(cases)


def test_vectors_from_all_over_the_plan_are_tried_before_giving_up(tmp_path: Path) -> None:
    cases = [f"bad{number:02}" for number in range(PATIENCE + 4)] + ["good"]
    ran = run_cases(tmp_path, "exits", cases)
    assert "" == ran.engine.unusable
    assert {"crashed": PATIENCE + 4, "pass": 1} == _counts(ran)


def _counts(ran: Ran) -> dict[str, int]:
    verdicts = list(ran.verdicts.values())
    return {verdict: verdicts.count(verdict) for verdict in verdicts}


def test_losses_that_are_expected_do_not_end_the_run(tmp_path: Path) -> None:
    cases = [f"bad{number:02}" for number in range(PATIENCE + 2)]
    root = runnable_corpus(tmp_path / "vectors", cases)
    expected = [vector_id(case) for case in cases]
    ran = run_corpus(root, "exits", Settings(), expected_losses=expected)
    assert {"crashed": len(cases)} == _counts(ran)


def test_backend_that_cannot_be_started_again_ends_the_run_and_keeps_the_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STARTS_ONCE", str(tmp_path / "taken"))
    monkeypatch.setattr(starting, "PAUSES", (0.05, 0.05))
    ran = run_cases(tmp_path, "starts_once")
    assert {"one": "pass", "two": "pass"} == ran.verdicts
    assert "it said: the device is busy" in ran.engine.unusable


def test_backend_of_which_only_one_can_run_is_judged_with_one_child(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STARTS_ONCE", str(tmp_path / "taken"))
    monkeypatch.setattr(starting, "PAUSES", (0.05, 0.05))
    cases = [f"bad{number}" for number in range(12)]
    root = runnable_corpus(tmp_path / "vectors", cases)
    ran = run_corpus(root, "serves_one_at_a_time", Settings(jobs=2))
    assert dict.fromkeys(cases, "pass") == ran.verdicts
    assert "no more than 1 at a time can be started: exit 1" in str(ran.engine.tally.notes)


@pytest.mark.parametrize("one_by_one", [False, True])
def test_children_that_are_over_before_a_vector_are_not_started_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, one_by_one: bool
) -> None:
    monkeypatch.setattr(starting, "PAUSES", (0.05, 0.05))
    corpus = open_corpus(runnable_corpus(tmp_path / "vectors", CASES))
    engine = Engine(
        harness("talks_after_describe"),
        Preparer(corpus.entries),
        Settings(),
        () if one_by_one else corpus.entries,
    )
    with contextlib.closing(engine):
        engine.start()
        if one_by_one:
            with pytest.raises(BackendUnusableError, match="bad handshake"):
                engine.one(vector_id("one"))
        else:
            assert [] == list(engine.run())
    assert "bad handshake: a reply that nobody asked for: {'level': 'info'" in engine.unusable
    assert {"a child could not be started": 3} == dict(engine.tally.notes)


def test_program_that_is_replaced_meanwhile_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "harness"
    source = Path(harness("replaced_meanwhile")[-1])
    program.write_text(f"#!{sys.executable} -S\n{source.read_text()}")
    program.chmod(0o755)
    monkeypatch.setenv("PROGRAM", str(program))
    monkeypatch.setenv("PYTHONPATH", str(source.parent))
    corpus = open_corpus(runnable_corpus(tmp_path / "vectors", CASES))
    engine = Engine((str(program),), Preparer(corpus.entries), Settings(), corpus.entries)
    engine.start()
    assert sorted(map(vector_id, CASES)) == sorted(finished.id for finished in engine.run())
    assert ("", True) == (engine.unusable, engine.tally.notes["a child could not be started"] > 0)


# --- what takes long ------------------------------------------------------------------------


def test_first_vector_of_a_child_has_time_to_compile(tmp_path: Path) -> None:
    root = runnable_corpus(tmp_path / "vectors", CASES)
    ran = run_corpus(root, "slow_first_vector", Settings(timeout=2, warm_up=60))
    assert dict.fromkeys(CASES, "pass") == ran.verdicts


def test_only_the_first_vector_of_a_child_has_time_to_compile(tmp_path: Path) -> None:
    ran = run_corpus(
        runnable_corpus(tmp_path / "vectors", CASES), "hangs", Settings(timeout=0.6, warm_up=60)
    )
    assert "no reply within 0.6 s" == ran.rows["bad"].message


def test_allowance_for_the_first_vector_ends_once_one_did_without() -> None:
    starts = starting.Starts(warm_up=30)
    starts.succeed(in_time=False)
    before = starts.warm_up
    starts.succeed(in_time=True)
    assert (30, 0) == (before, starts.warm_up)


def test_allowance_for_the_first_vector_ends_where_it_does_not_help() -> None:
    starts = starting.Starts(warm_up=30)
    seen = []
    for _ in range(3):
        seen.append(starts.warm_up)
        starts.too_slow()
    assert [30, 30, 0] == seen


def test_child_that_reads_for_ever_is_timed_out(tmp_path: Path) -> None:
    root = tmp_path / "vectors"
    for case in ("one", "two"):
        write_vector(root, shape_vector(vector_id(case)), [(4_000_000,)])
    write_manifest(root)
    start = time.monotonic()
    settings = Settings(timeout=0.5, start_timeout=1, warm_up=0)
    ran = run_corpus(root, "reads_for_ever", settings)
    assert {"one": "timed-out", "two": "timed-out"} == ran.verdicts
    assert time.monotonic() - start < 60


# --- what a harness declares ---------------------------------------------------------------


def test_vectors_of_a_later_opset_are_unsupported_without_being_sent(tmp_path: Path) -> None:
    ran = run_cases(tmp_path, "old")
    assert dict.fromkeys(CASES, "unsupported") == ran.verdicts
    assert "the model imports opset 15; the backend takes at most 14" == ran.rows["bad"].message


def test_inline_harness_needs_no_file(tmp_path: Path) -> None:
    cases = ["bad1", "bad2"]
    ran = run_cases(tmp_path, "opens_nothing", cases)
    assert dict.fromkeys(cases, "pass") == ran.verdicts


def test_child_that_cannot_see_the_file_system_is_judged_inline(tmp_path: Path) -> None:
    try:
        ran = run_cases(tmp_path, "in_an_empty_root")
    except BackendUnusableError as error:
        if "exit 77" in str(error):
            pytest.skip("this system lets nobody change the root of a process")
        raise
    assert dict.fromkeys(CASES, "pass") == ran.verdicts


@pytest.mark.parametrize("harness", ["opens_nothing", "adapts"])
def test_a_model_without_the_data_beside_it_is_not_sent(tmp_path: Path, harness: str) -> None:
    root = tmp_path / "vectors"
    vector = shape_vector(vector_id("external"))
    write_vector(root, vector)
    (next(root.rglob("model.onnx")).parent / "weights.bin").write_bytes(b"1234")
    write_manifest(root)
    ran = run_corpus(root, harness, Settings())
    assert "unsupported" == ran.rows["external"].verdict
    assert "weights.bin" in ran.rows["external"].message


# --- the end -------------------------------------------------------------------------------


def test_child_that_ignores_stop_is_killed_and_noted(tmp_path: Path) -> None:
    ran = run_cases(tmp_path, "ignores_stop")
    assert {"a child did not end within 2 s of 'stop'": 1} == dict(ran.engine.tally.notes)


def test_crash_at_stop_is_noted(tmp_path: Path) -> None:
    ran = run_cases(tmp_path, "crashes_at_stop")
    assert dict.fromkeys(CASES, "pass") == ran.verdicts
    assert {"a child ended with signal SIGABRT at 'stop'": 1} == dict(ran.engine.tally.notes)


def test_stop_ends_a_run_that_hangs(tmp_path: Path) -> None:
    root = runnable_corpus(tmp_path / "vectors", CASES)
    corpus = open_corpus(root)
    engine = Engine(
        harness("hangs"), Preparer(corpus.entries), Settings(timeout=600), corpus.entries
    )
    engine.start()
    start = time.monotonic()
    seen = []
    for finished in engine.run():
        seen.append(finished.id)
        if len(seen) == 2:
            engine.stop()
    assert [vector_id("one"), vector_id("two")] == seen
    assert time.monotonic() - start < 60
