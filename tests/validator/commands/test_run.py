"""`onnx-validate run` from the outside: exit codes, results files, interruption and resumption."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from misbehaviour import CASES, harness, vector_id
from runnable_corpus import runnable_corpus, shape_vector, write_manifest, write_vector

from onnx_conformance.validator.main import main
from onnx_conformance.validator.results.file_format import read_results

if TYPE_CHECKING:
    from collections.abc import Sequence

    Output = pytest.CaptureFixture[str]


def words(name: str, root: Path, *options: str) -> list[str]:
    return [
        "run",
        "--backend",
        f"command:{shlex.join(harness(name))}",
        "--vectors",
        str(root),
        *options,
    ]


def run(monkeypatch: pytest.MonkeyPatch, arguments: Sequence[str]) -> int:
    monkeypatch.setattr(sys, "argv", ["onnx-validate", *arguments])
    return main()


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return runnable_corpus(tmp_path / "vectors", CASES)


# --- exit codes ----------------------------------------------------------------------------


def test_all_as_expected_is_0(root: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    assert 0 == run(monkeypatch, words("well_behaved", root))
    assert "5 vectors" in capsys.readouterr().out


def test_unexpected_verdict_is_1_and_named_with_its_command(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    assert 1 == run(monkeypatch, words("exits", root))
    printed = capsys.readouterr().out
    assert "crashed: exit 3" in printed
    assert f"--vectors {root} '{vector_id('bad')}'" in printed


def test_one_vector_that_crashes_alone_is_1(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The command that a report gives for a crash must not call the backend unusable.
    assert 1 == run(monkeypatch, words("exits", root, vector_id("bad")))


def test_damaged_vector_is_3_and_the_others_are_judged(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    model = root / "valid" / "shape-15" / "test_shape_15_two_float32" / "model.onnx"
    model.write_bytes(model.read_bytes() + b"\0")
    results = tmp_path / "r.jsonl"
    assert 3 == run(monkeypatch, words("well_behaved", root, "--results", str(results)))
    expected = {vector_id(case): "pass" for case in CASES} | {vector_id("two"): "bad-vector"}
    assert expected == {row.id: row.verdict for row in read_results(results).rows}
    assert "differs from the manifest" in capsys.readouterr().out


@pytest.mark.parametrize("content", ["{", '{"operator": "Other"}'])
@pytest.mark.parametrize("selected", [(), (vector_id("two"),)])
def test_damaged_vector_stays_in_its_operator_version(
    content: str,
    selected: Sequence[str],
    root: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (root / "valid" / "shape-15" / "test_shape_15_two_float32" / "data.json").write_text(content)
    results = tmp_path / "r.jsonl"
    run(monkeypatch, words("well_behaved", root, "--results", str(results), *selected))
    row = next(row for row in read_results(results).rows if row.verdict == "bad-vector")
    operator = "shape" if selected else "Shape"  # alone, nothing says how it is spelled
    assert (operator, 15) == (row.operator, row.since_version)


def test_without_a_manifest_a_damaged_vector_is_3_whatever_is_selected(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    (root / "manifest.json").unlink()
    (root / "valid" / "shape-15" / "test_shape_15_two_float32" / "data.json").write_text("{")
    assert 3 == run(monkeypatch, words("well_behaved", root, vector_id("one")))
    assert "test_shape_15_two_float32" in capsys.readouterr().out


def test_version_in_a_damaged_vector_is_not_believed(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = root / "valid" / "shape-15" / "test_shape_15_two_float32" / "data.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "since_version": 0}))
    results = tmp_path / "r.jsonl"
    assert 3 == run(monkeypatch, words("well_behaved", root, "--results", str(results)))
    assert {("Shape", 15)} == {
        (row.operator, row.since_version) for row in read_results(results).rows
    }


def test_truncated_tensor_is_3_in_one_line(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    (root / "manifest.json").unlink()
    tensor = next((root / "valid").rglob("*one*/test_data_set_0/input_0.pb"))
    tensor.write_bytes(tensor.read_bytes()[:-3])
    assert 3 == run(monkeypatch, words("well_behaved", root))
    printed = capsys.readouterr().out
    assert 1 == printed.count("input_0.pb: is not a readable tensor")
    assert "Traceback" not in printed


def test_corrupt_model_of_a_folder_without_a_manifest_is_for_the_backend_to_judge(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    (root / "manifest.json").unlink()
    next((root / "valid").rglob("*one*/model.onnx")).write_bytes(b"no model")
    options = ["run", "--backend", "reference", "--vectors", str(root), vector_id("one")]
    assert 1 == run(monkeypatch, options)
    assert "rejected at" in capsys.readouterr().out


def test_backend_that_cannot_be_started_is_4_in_one_line(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    results = tmp_path / "r.jsonl"
    results.write_text("what an earlier run found\n")
    options = ["--results", str(results), "--force"]
    assert 4 == run(monkeypatch, words("dies_at_start", root, *options))
    error = capsys.readouterr().err
    assert 1 == len(error.splitlines())
    assert error.rstrip().endswith("librt.so.9: cannot open shared object file")
    assert "what an earlier run found\n" == results.read_text()


def test_backend_that_answers_no_vector_is_4(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    assert 4 == run(monkeypatch, words("dies_on_all", root))
    assert "it answered no vector at all" in capsys.readouterr().err


def test_run_that_ends_early_is_4_and_keeps_its_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    root = runnable_corpus(tmp_path / "vectors", [f"case{number}" for number in range(25)])
    results = tmp_path / "r.jsonl"
    assert 4 == run(monkeypatch, words("errors_on_all", root, "--results", str(results)))
    assert "the last: the driver is not loaded" in capsys.readouterr().err
    lines = records(results)
    assert "footer" == lines[-1]["record"]
    assert lines[-1]["unusable"].startswith("none of ")
    assert 10 <= lines[-1]["counts"]["error"] < 25


def test_crashes_that_the_baseline_lists_are_0(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = runnable_corpus(tmp_path / "vectors", ["fine", "bad1", "bad2"])
    baseline = tmp_path / "baseline.yaml"
    entry = "  - id: shape-15/bad*/*\n    verdict: crashed\n    reason: known\n"
    baseline.write_text(f"entries:\n{entry}")
    assert 0 == run(monkeypatch, words("exits", root, "--baseline", str(baseline)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["no-such-id/x/y"], "matches no vector"),
        (["--min-cases", "6"], "5 vectors are selected, fewer than --min-cases 6"),
    ],
)
def test_nothing_or_too_little_to_judge_is_5(
    root: Path, options: list[str], message: str, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    assert 5 == run(monkeypatch, words("well_behaved", root, *options))
    assert message in capsys.readouterr().err


def test_missing_folder_is_3(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    assert 3 == run(monkeypatch, words("well_behaved", tmp_path / "nowhere"))
    assert "no such folder" in capsys.readouterr().err


# --- controls ------------------------------------------------------------------------------


@pytest.fixture
def controlled(tmp_path: Path) -> Path:
    root = tmp_path / "vectors"
    for control in ("good", "bad"):
        write_vector(root, shape_vector(vector_id(control)))
        invalid = shape_vector(
            vector_id(f"invalid_{control}"), "invalid", reject="load", control=vector_id(control)
        )
        write_vector(root, invalid)
    write_manifest(root)
    return root


def verdicts(path: Path) -> dict[str, str]:
    return {row.case: row.verdict for row in read_results(path).rows}


def test_rejection_counts_only_where_the_control_passes(
    controlled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = tmp_path / "r.jsonl"
    assert 1 == run(monkeypatch, words("rejects", controlled, "--results", str(results)))
    expected = {
        "good": "pass",
        "bad": "rejected",
        "invalid_good": "pass",
        "invalid_bad": "inconclusive",
    }
    assert expected == verdicts(results)


def test_exit_1_says_what_did_not_pass_and_why_it_is_inconclusive(
    controlled: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    assert 1 == run(monkeypatch, words("rejects", controlled))
    lines = capsys.readouterr().out.splitlines()
    assert "exit 1: 2 vectors did not pass (1 rejected, 1 inconclusive)" == lines[-1]
    control = vector_id("bad")
    assert f"inconclusive (1): rejected, but its control is rejected, such as '{control}'" in lines


def test_help_lists_the_exit_codes(monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    for command in (["run"], ["harness", "check"]):
        with pytest.raises(SystemExit):
            run(monkeypatch, [*command, "--help"])
        assert "exit codes: 0 " in " ".join(capsys.readouterr().out.split())


def test_control_that_is_not_selected_is_run_and_noted(
    controlled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    results = tmp_path / "r.jsonl"
    options = ["--results", str(results), vector_id("invalid_good")]
    assert 0 == run(monkeypatch, words("rejects", controlled, *options))
    assert {"good": "pass", "invalid_good": "pass"} == verdicts(results)
    assert "controls that are run though not selected: 1" in capsys.readouterr().err
    assert [vector_id("good")] == read_results(results).header.extra["controls_added"]


def test_crash_of_the_control_makes_a_rejection_inconclusive(
    controlled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = next((controlled / "valid").rglob("*good*/model.onnx"))
    model.write_bytes(b"")
    results = tmp_path / "r.jsonl"
    options = ["--results", str(results), vector_id("invalid_good")]
    assert 3 == run(monkeypatch, words("rejects", controlled, *options))
    assert {"good": "bad-vector", "invalid_good": "inconclusive"} == verdicts(results)


# --- the results file ----------------------------------------------------------------------


def test_failing_row_holds_what_a_report_shows(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = tmp_path / "r.jsonl"
    run(monkeypatch, words("int32_instead", root, "--results", str(results)))
    row = next(item for item in read_results(results).rows if item.case == "bad")
    assert "Shape (data)" in row.details["model"]
    assert row.details["inputs"][0][0].startswith("data: float32 [2, 5]")
    assert row.expected
    assert row.got


def test_name_is_the_column_and_the_command_stays_what_was_given(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    results = tmp_path / "r.jsonl"
    options = ["--name", "mine", "--results", str(results)]
    assert 1 == run(monkeypatch, words("exits", root, *options))
    assert "mine" == read_results(results).header.backend
    printed = capsys.readouterr().out
    assert printed.startswith("mine 1 on 5 vectors")
    backend = shlex.quote(f"command:{shlex.join(harness('exits'))}")
    assert f"onnx-validate run --backend {backend} --vectors {root} '{vector_id('bad')}'" in printed
    assert 5 == run(monkeypatch, words("exits", root, *options, "--resume"))
    assert 2 == run(monkeypatch, words("exits", root, *options[2:], "--resume"))
    assert "the results to resume are of backend 'mine'" in capsys.readouterr().err


def test_name_that_nobody_can_read_is_a_usage_error(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    with pytest.raises(SystemExit):
        run(monkeypatch, words("exits", root, "--name", " "))
    assert "' ' is no name" in capsys.readouterr().err


def test_header_says_who_was_judged_on_what(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = tmp_path / "r.jsonl"
    run(monkeypatch, words("well_behaved", root, "--results", str(results), "shape-15/*/*"))
    header = read_results(results).header
    assert "shape" == header.describe["name"]
    assert "test" == header.corpus["version"]
    assert tuple(map(vector_id, CASES)) == header.planned
    assert {"patterns": ["shape-15/*/*"]} == header.extra["selection"]


def test_noise_is_noted_on_standard_error_and_in_the_footer(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    results = tmp_path / "r.jsonl"
    assert 0 == run(monkeypatch, words("prints_noise", root, "--results", str(results)))
    assert "note: lines on standard output that are no JSON" in capsys.readouterr().err
    assert [4] == list(records(results)[-1]["notes"].values())


def test_a_limit_with_a_unit_is_refused_in_words(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    with pytest.raises(SystemExit) as end:
        run(monkeypatch, words("good", root, "--memory-limit", "500M"))
    assert 2 == end.value.code
    assert "--memory-limit: '500M' is not a positive whole number" in capsys.readouterr().err


# --- stopping and going on -----------------------------------------------------------------


class Started:
    """A run in a process of its own, to be interrupted."""

    def __init__(self, root: Path, results: Path, name: str = "hangs") -> None:
        # A shell that starts the tests in the background lets them ignore SIGINT, and they pass
        # that on.
        program = (
            "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
            " from onnx_conformance.validator.main import main; sys.exit(main())"
        )
        command = [
            *(sys.executable, "-c", program),
            *words(name, root, "--results", str(results), "--timeout", "600", "--jobs", "2"),
        ]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.results = results

    def wait_for_rows(self, count: int) -> None:
        for _ in range(12_000):
            if self.results.exists() and self.results.read_bytes().count(b"\n") > count:
                return
            time.sleep(0.01)
        pytest.fail("the run did not come to its rows")

    def children(self) -> list[int]:
        path = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(item) for item in path.read_text().split()]

    def end(self, number: int) -> tuple[int, str, float]:
        """Send a signal; exit code, standard error and the seconds that it took."""
        start = time.monotonic()
        self.process.send_signal(number)
        _, error = self.process.communicate(timeout=120)
        return self.process.returncode, error.decode(), time.monotonic() - start


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_stops_promptly_and_leaves_whole_results_and_no_process(
    root: Path, tmp_path: Path, number: int
) -> None:
    started = Started(root, tmp_path / "r.jsonl")
    started.wait_for_rows(4)
    children = started.children()
    assert children
    code, error, seconds = started.end(number)
    assert 128 + number == code
    assert f"stopped: 4 of 5 vectors have a verdict; they are in {tmp_path}" in error
    assert "Traceback" not in error
    assert seconds < 60  # of the 600 that the vector has
    assert not [pid for pid in children if Path(f"/proc/{pid}").exists()]
    assert ["header"] + 4 * ["row"] == [item["record"] for item in records(tmp_path / "r.jsonl")]


def test_resume_runs_what_is_left_and_nothing_twice(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    results = tmp_path / "r.jsonl"
    full = words("well_behaved", root, "--results", str(results))
    assert 0 == run(monkeypatch, full)
    whole = results.read_text().splitlines(keepends=True)
    # Cut short after two rows, in the middle of a line, as a power cut would.
    results.write_text("".join(whole[:3]) + whole[3][:40])
    assert 0 == run(monkeypatch, [*full, "--resume"])
    assert "2 verdicts are there already; 3 to go" in capsys.readouterr().err
    lines = records(results)
    assert ["header", *5 * ["row"], "footer"] == [item["record"] for item in lines]
    assert {vector_id(case) for case in CASES} == {item["id"] for item in lines[1:-1]}
    assert {"pass": 5} == lines[-1]["counts"]


def test_resume_of_a_whole_run_runs_nothing(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = tmp_path / "r.jsonl"
    full = words("well_behaved", root, "--results", str(results))
    run(monkeypatch, full)
    before = records(results)
    assert 0 == run(monkeypatch, [*full, "--resume", "--allow-resumed"])
    assert before[:-1] == records(results)[:-1]


def test_resume_uses_the_verdict_of_a_control_from_before(
    controlled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = tmp_path / "r.jsonl"
    full = words("rejects", controlled, "--results", str(results))
    run(monkeypatch, full)
    lines = results.read_text().splitlines(keepends=True)
    left = [line for line in lines[:-1] if "/invalid" not in str(json.loads(line).get("id"))]
    results.write_text("".join(left))
    assert {"good": "pass", "bad": "rejected"} == verdicts(results)
    run(monkeypatch, [*full, "--resume"])
    assert "pass" == verdicts(results)["invalid_good"]
    assert "inconclusive" == verdicts(results)["invalid_bad"]


def test_resume_without_a_file_yet_begins(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = tmp_path / "r.jsonl"
    assert 0 == run(monkeypatch, words("well_behaved", root, "--results", str(results), "--resume"))
    assert 5 == len(read_results(results).rows)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda header: header | {"backend": "other"}, "are of backend 'other', not 'command:"),
        (lambda header: header | {"planned": ["a/b/c"]}, "planned 1 vectors and this run plans 5"),
        (
            lambda header: header | {"extra": {"arguments": ["--python", "other"]}},
            "were made with --python 'other', not None",
        ),
        (
            lambda header: header | {"corpus": {"digest": "0"}},
            "are of another corpus: its manifest has another digest",
        ),
    ],
)
def test_resume_of_another_run_is_refused(  # noqa: PLR0913, PLR0917  fixtures and parameters
    root: Path,
    tmp_path: Path,
    change: Any,  # noqa: ANN401  a function of the header
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Output,
) -> None:
    results = tmp_path / "r.jsonl"
    full = words("well_behaved", root, "--results", str(results))
    run(monkeypatch, full)
    lines = records(results)
    changed = json.dumps(change(lines[0])) + "\n"
    results.write_text(changed)
    assert 2 == run(monkeypatch, [*full, "--resume"])
    assert message in capsys.readouterr().err
    assert changed == results.read_text()


def test_resume_without_results_is_a_usage_error(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    assert 2 == run(monkeypatch, words("well_behaved", root, "--resume"))
    assert "--resume needs --results FILE" in capsys.readouterr().err


def test_reports_are_written(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("html", "junit", "markdown")
    options = [item for name in names for item in (f"--{name}", str(tmp_path / name))]
    assert 1 == run(monkeypatch, words("exits", root, *options))
    for name in names:
        assert vector_id("bad") in (tmp_path / name).read_text()
    assert {0o666 & ~_umask()} == {(tmp_path / name).stat().st_mode & 0o777 for name in names}


def _umask() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return umask


# --- list ----------------------------------------------------------------------------------


def test_list_prints_ids_counts_and_metadata(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    assert 0 == run(monkeypatch, ["list", "--vectors", str(root), "*/t*/*"])
    assert [vector_id("two"), vector_id("three")] == capsys.readouterr().out.split()
    assert 0 == run(monkeypatch, ["list", "--vectors", str(root), "--count"])
    assert "5\n" == capsys.readouterr().out
    assert 0 == run(monkeypatch, ["list", "--vectors", str(root), "--json", vector_id("one")])
    assert "one" == json.loads(capsys.readouterr().out)["case"]
