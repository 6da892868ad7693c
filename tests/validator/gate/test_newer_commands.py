"""A newer corpus on the real commands: `run`, `baseline roll`, `report`, the pytest plugin."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from dated_manifests import OLD, date_corpus
from places import MISBEHAVING
from runnable_corpus import runnable_corpus

COMMAND = str(Path(sys.executable).with_name("onnx-validate"))
HARNESS = MISBEHAVING / "segfaults.py"
BACKEND = f"command:{shlex.join([sys.executable, str(HARNESS)])}"
PLUGIN = "onnx_conformance.validator.plugin.pytest_plugin"
BAD = "shape-15/bad/float32"  # the harness dies of it
CORPUS = ("--vectors", "corpus")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A corpus in which the vector that fails is newer than the baseline."""
    runnable_corpus(tmp_path / "corpus", ("bad", "fine", "good", "other"))
    date_corpus(tmp_path / "corpus", [BAD])
    (tmp_path / "b.yaml").write_text('corpus: "0.2.0"\nselection: all\npassed: 3\nentries: []\n')
    return tmp_path


def call(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, *words, *CORPUS], cwd=folder, capture_output=True, text=True, check=False
    )


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return call(folder, "run", "--backend", BACKEND, *words)


def test_a_run_is_green_and_says_what_is_new(folder: Path) -> None:
    done = run(folder, "--baseline", "b.yaml", "--annotations", "github")
    assert 0 == done.returncode, done.stdout + done.stderr
    assert "\nnew in 0.3.0: 1 fail, 1 cause\n" in done.stdout
    assert "gate green: 3 pass, 1 new and not listed" in done.stdout
    assert "::notice title=ONNX conformance::new in 0.3.0: 1 fail, 1 cause" in done.stdout


def test_strict_new_is_red(folder: Path) -> None:
    done = run(folder, "--baseline", "b.yaml", "--strict-new")
    assert (1, True) == (done.returncode, "gate RED: 1 not expected" in done.stdout)


def test_as_of_the_earlier_release_the_new_vector_is_not_run(folder: Path) -> None:
    done = run(folder, "--corpus-as-of", OLD, "--baseline", "b.yaml")
    assert (0, True) == (done.returncode, "on 3 vectors of corpus 0.3.0" in done.stdout)
    assert done.stdout.endswith("gate green: 3 pass\n")


def test_rolling_moves_the_baseline_in_one_change_and_report_agrees(folder: Path) -> None:
    run(folder, "--results", "r.jsonl")
    before = call(folder, "report", "r.jsonl", "--baseline", "b.yaml", "--strict-new")
    assert 1 == before.returncode
    dry = call(folder, "baseline", "roll", "b.yaml", "r.jsonl", "--dry-run")
    assert (0, True) == (dry.returncode, dry.stdout.endswith("(not written: --dry-run)\n"))
    assert (folder / "b.yaml").read_text().startswith('corpus: "0.2.0"')
    done = call(folder, "baseline", "roll", "b.yaml", "r.jsonl")
    assert done.stdout.splitlines() == [
        "new in 0.3.0: 1 fail, 1 cause",
        f"added '{BAD}': crashed",
        "is of corpus 0.3.0, was 0.2.0",
        "b.yaml: 3 changes",
    ]
    after = call(folder, "report", "r.jsonl", "--baseline", "b.yaml", "--strict-new")
    assert 0 == after.returncode, after.stdout
    again = call(folder, "baseline", "roll", "b.yaml", "r.jsonl")
    assert "b.yaml: nothing to change\n" == again.stdout


def test_a_run_of_a_part_cannot_roll_the_whole(folder: Path) -> None:
    run(folder, "--results", "r.jsonl", "shape-15/good/*")
    done = call(folder, "baseline", "roll", "b.yaml", "r.jsonl")
    assert (2, 1) == (done.returncode, done.stderr.count("\n"))
    assert "run what it is about" in done.stderr
    assert 'corpus: "0.2.0"' in (folder / "b.yaml").read_text()


@pytest.mark.parametrize(("asked", "code"), [("0.9.0", 2), ("yesterday", 2), ("0.1.0", 5)])
def test_a_release_that_there_is_not_is_one_line(folder: Path, asked: str, code: int) -> None:
    done = run(folder, "--corpus-as-of", asked)
    assert (code, "", 1) == (done.returncode, done.stdout, done.stderr.count("\n"))


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ((), "3 passed, 1 xfailed"),
        (("--onnx-strict-new",), "1 failed, 3 passed"),
        (("--onnx-corpus-as-of=0.2.0",), "3 passed"),
    ],
)
def test_the_plugin_shows_a_new_failure_apart(
    folder: Path, words: tuple[str, ...], found: str
) -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-p", PLUGIN, "-p", "no:cacheprovider", "-rx"),
            *("--onnx-only", f"--onnx-backend={BACKEND}", "--onnx-vectors=corpus"),
            *("--onnx-baseline=b.yaml", *words),
        ],
        cwd=folder,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert f"= {found} in " in done.stdout, done.stdout
    assert ("new in corpus 0.3.0" in done.stdout) is (not words)
