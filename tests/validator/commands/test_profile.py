"""A runtime's profile from the outside: what is run, counted and red, and with which code."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

import pytest
from commands import validate
from misbehaviour import harness
from runnable_corpus import shape_vector, write_manifest, write_vector

from onnx_conformance.validator.results.file_format import read_results

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

SHAPE_15 = '{"operators": {"Shape": [15]}}'
BACKEND = f"command:{shlex.join(harness('claims'))}"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two vectors of float32 and one of float16, which the harness does not implement."""
    folder = tmp_path_factory.mktemp("profiles") / "vectors"
    for name, element in (("a", "float32"), ("b", "float32"), ("bad", "float16")):
        vector = shape_vector(f"shape-15/{name}/{element}", types={"T": element})
        write_vector(folder, vector)
    write_manifest(folder)
    return folder


def run(root: Path, claims: str = SHAPE_15, *words: object) -> subprocess.CompletedProcess[bytes]:
    return validate(
        "run", "--backend", BACKEND, "--name", "mine", "--vectors", root, *words, CLAIMS=claims
    )


def test_what_the_handshake_does_not_claim_is_not_run_and_not_red(root: Path) -> None:
    done = run(root, '{"types": ["float32"]}')
    out = done.stdout.decode()
    assert 0 == done.returncode, done.stderr
    assert out.splitlines()[:3] == [
        "mine 1 on 2 vectors of corpus test",
        "claims 1 operator with 2 vectors (profile: its handshake); 2 hold, 0 do not",
        "not claimed, and not run: 1 vector (1 of other element types); --all runs them",
    ]


def test_to_refuse_what_is_claimed_is_a_failure(root: Path) -> None:
    done = run(root)
    assert 1 == done.returncode
    assert "rejected: claimed by the profile, and unsupported: not implemented" in (
        done.stdout.decode()
    )


def test_with_all_the_rest_runs_and_is_counted_apart(root: Path, tmp_path: Path) -> None:
    results = tmp_path / "r.jsonl"
    done = run(root, '{"types": ["float32"]}', "--all", "--results", results)
    assert 0 == done.returncode, done.stderr
    counted = "counted apart: 1 vector (1 of other element types); they ran: 1 unsupported"
    assert counted in done.stdout.decode()
    assert 3 == len(read_results(results).rows)
    again = validate("report", results)
    assert counted in again.stdout.decode()
    assert "mine 1 on 2 vectors" in again.stdout.decode()


def test_a_file_goes_before_the_handshake(root: Path, tmp_path: Path) -> None:
    path = tmp_path / "my.yaml"
    path.write_text("types: [float32]\n")
    done = run(root, SHAPE_15, "--profile", path)
    assert 0 == done.returncode, done.stderr
    assert f"(profile: {path}); 2 hold" in done.stdout.decode()


def test_a_profile_that_selects_nothing_is_incomplete(root: Path) -> None:
    done = run(root, '{"operators": ["Size"]}')
    assert 5 == done.returncode
    assert b"claims none of 3 selected vectors: 3 of other operators; --all runs" in done.stderr


def test_a_mistake_in_the_handshake_makes_the_backend_unusable(root: Path) -> None:
    done = run(root, '{"types": ["floot"]}')
    assert 4 == done.returncode
    assert b"'profile' of 'describe': unknown element type 'floot'" in done.stderr


def test_an_unknown_name_of_a_profile_is_a_usage_error(root: Path) -> None:
    done = run(root, SHAPE_15, "--profile", "sonx")
    assert 2 == done.returncode
    assert b"did you mean sonnx?" in done.stderr


def test_every_shard_tells_of_the_whole_selection(root: Path, tmp_path: Path) -> None:
    files = [tmp_path / f"{part}.jsonl" for part in (1, 2, 3)]
    codes = [
        run(root, '{"types": ["float32"]}', "--shard", f"{number}/3", "--results", path).returncode
        for number, path in enumerate(files, 1)
    ]
    there = [path for path in files if path.exists()]
    assert {0, 5} >= set(codes)  # a shard may have none of three vectors
    facts = [read_results(path).header.extra["profile"] for path in there]
    assert [(2, {"type": 1})] * len(there) == [
        (item["claimed"], item["not_claimed"]) for item in facts
    ]


def test_results_are_not_resumed_with_another_profile(root: Path, tmp_path: Path) -> None:
    results = tmp_path / "r.jsonl"
    run(root, '{"types": ["float32"]}', "--results", results)
    done = run(root, SHAPE_15, "--results", results, "--resume")
    assert 2 == done.returncode
    assert b"another profile of what the runtime claims" in done.stderr


def test_list_shows_what_a_profile_claims(root: Path, tmp_path: Path) -> None:
    path = tmp_path / "my.yaml"
    path.write_text("types: [float32]\n")
    done = validate("list", "--vectors", root, "--profile", path)
    assert ["shape-15/a/float32", "shape-15/b/float32"] == done.stdout.decode().split()


def test_suggest_writes_a_profile_that_a_run_takes(root: Path, tmp_path: Path) -> None:
    results, path = tmp_path / "r.jsonl", tmp_path / "my.yaml"
    run(root, "{}", "--results", results)
    done = validate("profile", "suggest", results, "--output", path)
    assert 0 == done.returncode, done.stderr
    assert b"it claims 1 operator with 2 of 3 vectors, of which 2 pass" in done.stderr
    assert 0 == run(root, SHAPE_15, "--profile", path).returncode


def test_nothing_is_suggested_of_a_runtime_that_answered_nothing(
    root: Path, tmp_path: Path
) -> None:
    results = tmp_path / "r.jsonl"
    run(root, "{}", "--results", results, "--type", "float16")
    done = validate("profile", "suggest", results)
    assert 5 == done.returncode
    assert b"there is nothing to claim" in done.stderr


def test_the_handshake_is_kept_in_the_results(root: Path, tmp_path: Path) -> None:
    results = tmp_path / "r.jsonl"
    run(root, SHAPE_15, "--results", results)
    header = json.loads(results.read_text().splitlines()[0])
    assert json.loads(SHAPE_15) == header["describe"]["profile"]


def test_a_damaged_profile_in_results_is_said_in_one_line(root: Path, tmp_path: Path) -> None:
    results = tmp_path / "r.jsonl"
    run(root, SHAPE_15, "--results", results)
    lines = results.read_text().splitlines(keepends=True)
    header = json.loads(lines[0])
    header["extra"]["profile"]["claims"] = {"types": ["floot"]}
    results.write_text("".join([json.dumps(header) + "\n", *lines[1:]]))
    done = validate("report", results)
    assert 3 == done.returncode
    assert b"the profile in the results of 'mine': unknown element type 'floot'" in done.stderr
