"""`onnx-validate explore`, as a process, on backends that are wrong in a known way."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest
from commands import VALIDATE, validate
from misbehaviour import harness
from places import VECTORS

from onnx_conformance.core.errors import ExitCode

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

STANDARD = VECTORS / "standard"

# Each exploration starts a process that draws, a backend, and reads all manifests.
pytestmark = pytest.mark.slow


def backend(name: str) -> str:
    words = [item for item in harness(name) if item != "-S"]  # one of ours needs NumPy
    return "command:" + " ".join(f"'{word}'" for word in words)


def explore(name: str, *words: object) -> subprocess.CompletedProcess[bytes]:
    return validate(
        *("explore", "--backend", backend(name), "--vectors", STANDARD, "--jobs", 1),
        *("--makers", 1, "--seed", "7", *words),
    )


def causes(path: Path) -> Sequence[dict[str, object]]:
    footer = json.loads(path.read_text().splitlines()[-1])
    found: Sequence[dict[str, object]] = footer["explored"]["causes"]
    return found


@pytest.fixture(scope="module")
def explored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("explored")
    words = ("--operator", "Neg", "--count", 60)
    files = ("--results", folder / "results.jsonl", "--output", folder / "found")
    done = explore("wrong_neg_of_infinity", *words, *files)
    (folder / "out.txt").write_bytes(done.stdout + done.stderr)
    assert done.returncode == ExitCode.OK, done.stderr
    return folder


def test_a_fault_that_takes_a_special_value_is_one_cause_with_its_edit(explored: Path) -> None:
    found = causes(explored / "results.jsonl")
    assert ["special values in X"] in [item["edits"] for item in found]


def test_a_cause_was_run_again_alone(explored: Path) -> None:
    assert {True} == {item["alone"] for item in causes(explored / "results.jsonl")}


def test_the_folder_of_a_cause_is_a_vector_that_stands_alone(explored: Path) -> None:
    folders = [item for item in (explored / "found").iterdir() if item.is_dir()]
    assert folders
    words = ("run", "--backend", backend("wrong_neg_of_infinity"), "--vectors", folders[0])
    done = validate(*words, "--jobs", 1)
    assert done.returncode == ExitCode.UNEXPECTED
    assert b"wrong-value" in done.stdout


def test_run_and_show_take_the_id_of_a_finding(explored: Path) -> None:
    name = str(causes(explored / "results.jsonl")[0]["id"])
    words = ("--backend", backend("wrong_neg_of_infinity"), "--vectors", STANDARD, name)
    ran = validate("run", "--jobs", 1, *words)
    assert ran.returncode == ExitCode.UNEXPECTED
    assert name.encode() in ran.stdout
    shown = validate("show", name, explored / "results.jsonl", "--vectors", STANDARD)
    assert shown.returncode == ExitCode.OK
    assert b"Neg" in shown.stdout


def test_the_same_seed_and_count_find_the_same(explored: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.jsonl"
    explore("wrong_neg_of_infinity", "--operator", "Neg", "--count", 60, "--results", again)
    expected = [(item["id"], item["calls"]) for item in causes(explored / "results.jsonl")]
    assert expected == [(item["id"], item["calls"]) for item in causes(again)]


def test_what_earlier_results_show_is_known(explored: Path, tmp_path: Path) -> None:
    known, again = tmp_path / "known.jsonl", tmp_path / "again.jsonl"
    words = ("--backend", backend("wrong_neg_of_infinity"), "--vectors", STANDARD)
    name = str(causes(explored / "results.jsonl")[0]["id"])
    validate("run", "--jobs", 1, *words, name, "--results", known)
    explore(
        "wrong_neg_of_infinity",
        "--operator",
        "Neg",
        "--count",
        60,
        "--known",
        known,
        "--results",
        again,
    )
    assert name in [item["known"] for item in causes(again)]


def test_a_backend_that_passes_nothing_is_said_and_is_no_success() -> None:
    done = explore("rejects_all", "--operator", "Neg", "--count", 20)
    assert done.returncode == ExitCode.INCOMPLETE
    assert b"passes none of the vectors" in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("--budget", "0"),
        ("--budget", "0m"),
        ("--count", "0"),
        ("--count", "9", "--budget", "9s"),
        ("--graphs", "--operator", "Neg"),
    ],
)
def test_a_budget_of_nothing_and_contradictions_are_mistakes_of_usage(
    words: tuple[str, ...],
) -> None:
    assert explore("rejects_all", *words).returncode == ExitCode.USAGE


def test_an_unknown_operator_is_named_with_similar_ones() -> None:
    done = explore("rejects_all", "--operator", "Nag", "--count", "5")
    assert done.returncode == ExitCode.INCOMPLETE
    assert b"neg" in done.stderr


def test_ctrl_c_keeps_what_was_found(tmp_path: Path) -> None:
    results = tmp_path / "results.jsonl"
    words = ["explore", "--backend", backend("wrong_neg_of_infinity"), "--vectors", str(STANDARD)]
    words += ["--operator", "Neg", "--count", "100000", "--seed", "7", "--results", str(results)]
    # On a terminal it says a few times a second how many failures there are.
    terminal, end = pty.openpty()
    process = subprocess.Popen([*VALIDATE, *words], stdout=subprocess.PIPE, stderr=end)
    os.close(end)
    said = b""
    while not re.search(rb", [1-9]\d* failures", said):
        said += os.read(terminal, 4096)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate()
    os.close(terminal)
    assert process.returncode == 128 + signal.SIGINT
    found = causes(results)
    assert found
    # What a vector of the corpus shows by now is printed with that vector, not with its own id.
    named = [str(item["known"] or item["id"]) for item in found]
    assert [] == [name for name in named if name.encode() not in out]
