"""action.yml, run as a GitHub runner would, but for installing and uploading."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

import pytest
from action_runner import ActionRun, leave_program, load_action
from places import MISBEHAVING, ROOT
from runnable_corpus import runnable_corpus

from onnx_conformance.validator.results.file_format import read_results
from onnx_conformance.validator.running.selecting import shard_of

if TYPE_CHECKING:
    from pathlib import Path

BAD = "shape-15/bad/float32"


class Repository:
    """The repository of a runtime, checked out on a runner."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        runnable_corpus(folder / "corpus", ("bad", "fine", "good", "other"))

    def act(self, harness: str = "well_behaved.py", **inputs: str) -> ActionRun:
        command = shlex.join([sys.executable, str(MISBEHAVING / harness)])
        given = {"backend": f"command:{command}", "arguments": "--vectors corpus", **inputs}
        run = load_action(ROOT / "action.yml", self.folder, **given)
        leave_program(run)
        return run.run(skip=("install",))


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository")


def test_a_backend_that_passes_is_green_with_everything_written(repository: Repository) -> None:
    run = repository.act()
    assert not run.failed, run.log
    assert "0" == run.outputs["validate"]["exit-code"]
    names = {path.name for path in (repository.folder / "onnx-conformance").iterdir()}
    assert {"results.jsonl", "junit.xml", "report.html", "summary.md"} == names
    assert (repository.folder / "onnx-conformance" / "summary.md").read_text() == run.summary
    assert "onnx-conformance" == run.used["Keep results and reports"]["path"]


def test_a_failure_is_red_annotated_and_in_the_summary(repository: Repository) -> None:
    run = repository.act("segfaults.py")
    assert "failure" == run.outcomes["Gate"]
    assert "1" == run.outputs["validate"]["exit-code"]
    expected = f"::error title=ONNX conformance%3A unexpected::{BAD}: crashed"
    assert expected in run.log["Run the vectors"]
    assert BAD in run.summary
    assert "Keep results and reports" in run.used


def write_baseline(repository: Repository, verdict: str) -> str:
    text = f"entries:\n  - {{id: {BAD}, verdict: {verdict}, reason: known}}\n"
    (repository.folder / "known.yaml").write_text(text)
    return "known.yaml"


def test_a_listed_failure_is_green(repository: Repository) -> None:
    run = repository.act("segfaults.py", baseline=write_baseline(repository, "crashed"))
    assert not run.failed, run.log


def test_a_stale_entry_is_red_beside_its_line(repository: Repository) -> None:
    run = repository.act(baseline=write_baseline(repository, "crashed"))
    assert "failure" == run.outcomes["Gate"]
    expected = "::error file=known.yaml,line=2,title=ONNX conformance%3A stale::known.yaml:2:"
    assert expected in run.log["Run the vectors"]


def test_a_pattern_is_not_expanded_by_the_shell(repository: Repository) -> None:
    (repository.folder / "shape-15").mkdir()
    (repository.folder / "shape-15" / "decoy").touch()
    run = repository.act("segfaults.py", select="shape-15/f* shape-15/go*")
    assert not run.failed, run.log
    assert "2 vectors" in run.log["Run the vectors"]


def test_an_argument_may_have_a_blank(repository: Repository) -> None:
    """So may the folder of the results, the name of the column and that of the corpus."""
    (repository.folder / "corpus").rename(repository.folder / "my corpus")
    run = repository.act(
        arguments="--vectors 'my corpus' --name \"my runtime\"", output="what it did"
    )
    assert not run.failed, run.log
    results = read_results(repository.folder / "what it did" / "results.jsonl")
    assert "my runtime" == results.header.backend


def test_a_quote_that_is_not_closed_is_said(repository: Repository) -> None:
    run = repository.act(arguments="--name 'mine")
    assert "a quote is not closed: --name 'mine" in run.log["Run the vectors"]
    assert run.failed


def test_a_profile_is_given_as_an_input(repository: Repository) -> None:
    (repository.folder / "my profile.yaml").write_text("operators: [Shape]\ntypes: [float32]\n")
    run = repository.act(profile="my profile.yaml")
    assert not run.failed, run.log
    assert "claims 1 operator with 4 vectors (profile: my profile.yaml)" in run.summary


def test_the_vectors_are_kept_between_runs_unless_shards_are_joined(repository: Repository) -> None:
    step = "Keep the vectors between runs"
    assert {"path", "key", "restore-keys"} == repository.act().used[step].keys()
    assert step not in repository.act(cache="false").used
    assert step not in repository.act(join="shards", baseline="b.yaml").used


def test_the_first_step_names_the_cache_by_corpus_and_selection(tmp_path: Path) -> None:
    """That step alone, without what it installs."""
    keys = []
    for number, select in enumerate(("", "relu-14", "relu-14")):
        folder = tmp_path / str(number) / "repository"
        folder.mkdir(parents=True)
        run = load_action(ROOT / "action.yml", folder, select=select)
        install = next(step for step in run.action["runs"]["steps"] if step.get("id") == "install")
        install["run"] = install["run"].partition("python3 -m venv")[0]
        run.action["runs"]["steps"] = [install]
        keys.append(run.run().outputs["install"])
    assert keys[0]["key"].startswith(f"{keys[0]['corpus']}-")
    assert keys[0]["corpus"] == keys[1]["corpus"]
    assert keys[0]["key"] != keys[1]["key"] == keys[2]["key"]


def test_a_shard_is_run_alone(repository: Repository) -> None:
    ids = [f"shape-15/{case}/float32" for case in ("bad", "fine", "good", "other")]
    part = shard_of(ids[-1], 2)
    repository.act(shard=f"{part}/2")
    results = read_results(repository.folder / "onnx-conformance" / "results.jsonl")
    expected = {item for item in ids if shard_of(item, 2) == part}
    assert expected == set(results.header.planned)


def test_a_backend_that_does_not_start_is_red_and_says_so(repository: Repository) -> None:
    run = repository.act(backend="command:false")
    assert "4" == run.outputs["validate"]["exit-code"]
    assert "failure" == run.outcomes["Gate"]
    assert "No verdicts: onnx-validate ended with exit code 4" in run.summary
    log = run.log["Run the vectors"]
    assert "::error title=ONNX conformance::exit code 4: onnx-validate: backend" in log


def test_an_interpreter_that_is_not_there_is_named(repository: Repository) -> None:
    run = repository.act(backend="onnxruntime", python="python9")
    expected = "::error title=ONNX conformance::no interpreter 'python9' here"
    assert expected in run.log["Run the vectors"]
    assert run.failed
    assert "No verdicts" in run.summary


def test_a_flake_is_told_from_a_failure(repository: Repository, tmp_path: Path) -> None:
    counts = tmp_path / "counts"
    counts.mkdir()
    program = [sys.executable, str(MISBEHAVING / "wrong_now_and_then.py"), str(counts)]
    run = repository.act(backend=f"command:{shlex.join([*program, 'wrong,right'])}")
    assert "ONNX conformance%3A flake" in run.log["Run the vectors"]
    assert "failure" == run.outcomes["Gate"]


def test_no_artifact_is_kept_where_its_name_is_empty(repository: Repository) -> None:
    assert "Keep results and reports" not in repository.act(artifact="").used


def write_shards(repository: Repository, *numbers: int) -> None:
    """Run some of two shards, and put their artifacts where the joining job downloads them."""
    for number in numbers:
        run = repository.act("segfaults.py", shard=f"{number}/2", artifact="onnx")
        kept = run.used["Keep results and reports"]
        target = repository.folder / "artifacts" / kept["name"]
        target.parent.mkdir(exist_ok=True)
        (repository.folder / kept["path"]).rename(target)


@pytest.mark.slow
def test_artifacts_of_shards_do_not_clash(repository: Repository) -> None:
    write_shards(repository, 1, 2)
    names = sorted(path.name for path in (repository.folder / "artifacts").iterdir())
    assert ["onnx-1-of-2", "onnx-2-of-2"] == names


def joined(repository: Repository, **inputs: str) -> ActionRun:
    return repository.act(backend="", join="artifacts", artifact="onnx", **inputs)


@pytest.mark.slow
def test_shards_are_joined_and_held_to_the_baseline(repository: Repository) -> None:
    write_shards(repository, 1, 2)
    run = joined(repository, baseline=write_baseline(repository, "crashed"))
    assert not run.failed, run.log
    assert "gate green" in run.log["Run the vectors"]
    assert "onnx" == run.used["Keep results and reports"]["name"]


@pytest.mark.slow
def test_a_shard_that_did_not_arrive_is_red(repository: Repository) -> None:
    write_shards(repository, 2)
    run = joined(repository, baseline=write_baseline(repository, "crashed"))
    assert ("failure", "5") == (run.outcomes["Gate"], run.outputs["validate"]["exit-code"])
    assert "1 shard missing (1/2)" in run.log["Run the vectors"]


@pytest.mark.slow
def test_results_of_another_job_among_the_shards_are_red(repository: Repository) -> None:
    write_shards(repository, 1)
    run = repository.act("segfaults.py", artifact="smoke")
    (repository.folder / run.used["Keep results and reports"]["path"]).rename(
        repository.folder / "artifacts" / "smoke"
    )
    run = joined(repository, baseline=write_baseline(repository, "crashed"))
    assert ("failure", "5") == (run.outcomes["Gate"], run.outputs["validate"]["exit-code"])
    assert "is a whole selection, but " in run.log["Run the vectors"]


def test_no_shard_at_all_is_red_and_says_so(repository: Repository) -> None:
    (repository.folder / "artifacts").mkdir()
    run = joined(repository, baseline=write_baseline(repository, "crashed"))
    assert run.failed
    assert "::error title=ONNX conformance::no results.jsonl below" in run.log["Run the vectors"]


def test_an_action_without_a_backend_is_red_and_says_so(repository: Repository) -> None:
    run = repository.act(backend="")
    assert run.failed
    expected = "::error title=ONNX conformance::the action needs 'backend', or 'join'"
    assert expected in run.log["Run the vectors"]
