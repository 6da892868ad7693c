"""What both commands say where they cannot begin: one line, and the code that is documented."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from commands import run_words, validate
from runnable_corpus import runnable_corpus

from onnx_conformance.core.commandline import dispatch
from onnx_conformance.validator.main import COMMANDS

if TYPE_CHECKING:
    from pathlib import Path

ONE = "shape-15/one/float32"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["report", "a", "--wat"], "onnx-validate report: unrecognized arguments: --wat; see"),
        (["list", "--wat", "-x"], "onnx-validate list: unrecognized arguments: --wat -x; see"),
        (["harness", "new", "c", "here"], "onnx-validate harness: unrecognized arguments: here"),
        (["run", "--backend"], "onnx-validate run: argument --backend: expected one argument"),
        (["report"], "onnx-validate report: the following arguments are required: RESULTS"),
        (["rnu"], "onnx-validate: argument COMMAND: invalid choice: 'rnu'"),
        (["--wat"], "onnx-validate: unrecognized arguments: --wat"),
    ],
)
def test_a_usage_error_is_one_line_that_names_the_command_with_the_help(
    words: list[str], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        dispatch("onnx-validate", "", COMMANDS, words)
    said = capsys.readouterr().err
    assert (2, 1, True) == (ended.value.code, said.count("\n"), said.startswith(line))
    program = line.partition(":")[0]
    assert said.endswith(f"see `{program} --help`\n")


@pytest.mark.parametrize(
    ("words", "guess"),
    [
        (["run", "--backend", "b", "--jbos", "2"], "--jbos; did you mean --jobs? see `"),
        (["run", "--backend", "b", "--resutls=a"], "; did you mean --results? see `"),
        (["shwo"], "; did you mean show? see `"),
        (["baseline", "chek"], "; did you mean check? see `"),
        (["run", "--backend", "b", "--kind", "vald"], "; did you mean valid? see `"),
        (["report", "a", "--qqq"], "unrecognized arguments: --qqq; see `"),
        (["list", "--wat"], "unrecognized arguments: --wat; see `"),  # not --newest
    ],
)
def test_a_misspelt_option_or_word_is_asked_about(
    words: list[str], guess: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        dispatch("onnx-validate", "", COMMANDS, words)
    assert guess in capsys.readouterr().err


def without(
    package: str, module: str, folder: Path, *words: object
) -> subprocess.CompletedProcess[str]:
    """A command in an environment that lacks a package."""
    program = (
        f"import sys; sys.modules[{package!r}] = None;"
        f" from onnx_conformance.{module}.main import main;"
        f" sys.argv[0] = {module!r}; sys.exit(main())"
    )
    return subprocess.run(
        [sys.executable, "-c", program, *map(str, words)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=folder,
        env={**os.environ},
    )


@pytest.mark.parametrize(
    ("package", "module", "words"),
    [
        ("onnx", "validator", ["run", "--backend", "reference"]),
        ("onnx", "validator", ["run", "--backend", "reference", ONE]),
        ("onnx", "validator", ["show", ONE]),
        ("onnx", "validator", ["repro", ONE, "--backend", "reference"]),
        ("onnx", "validator", ["harness", "check", "--", "true"]),
        ("onnx", "generators", ["list"]),
        ("gmpy2", "generators", ["generate"]),
    ],
)
def test_a_package_that_is_missing_is_no_fault_of_ours_and_no_bad_vector(
    package: str, module: str, words: list[str], tmp_path: Path
) -> None:
    runnable_corpus(tmp_path / "vectors", ("one",))
    done = without(package, module, tmp_path, *words)
    assert (3, "") == (done.returncode, done.stdout)
    (line,) = done.stderr.splitlines()
    assert f"this needs {package}, which is not in this environment" in line
    assert f"pip install {package}" in line


@pytest.mark.parametrize(
    "words",
    [
        ["list"],
        ["backends"],
        ["report", "a.jsonl", "--html", "a.html", "--junit", "a.xml"],
        ["compare", "a.jsonl", "a.jsonl"],
        ["site", "a.jsonl", "--output", "site"],
        ["baseline", "init", "a.jsonl", "--output", "base.yaml"],
        ["baseline", "check", "base.yaml", "a.jsonl"],
        ["harness", "new", "c"],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_what_reads_no_tensor_needs_no_onnx(words: list[str], tmp_path: Path) -> None:
    root = runnable_corpus(tmp_path / "vectors", ("one",))
    assert 0 == validate(*run_words(root), "--results", tmp_path / "a.jsonl").returncode
    (tmp_path / "base.yaml").write_text("format: 1\nentries: []\n")
    if "init" in words:
        (tmp_path / "base.yaml").unlink()
    done = without("onnx", "validator", tmp_path, *words)
    assert "ModuleNotFoundError" not in done.stderr
    assert (0, True) == (done.returncode, bool(done.stdout)), done.stderr


def test_a_harness_is_begun_without_numpy(tmp_path: Path) -> None:
    done = without("numpy", "validator", tmp_path, "harness", "new", "c")
    assert 0 == done.returncode, done.stderr


def test_an_operator_that_the_corpus_lacks_is_unknown_where_onnx_is(tmp_path: Path) -> None:
    runnable_corpus(tmp_path / "vectors", ("one",))
    done = without("onnx", "validator", tmp_path, "list", "--operator", "Loop")
    assert (5, 1) == (done.returncode, done.stderr.count("\n"))
    assert "--operator Loop takes none of 1 vectors" in done.stderr
