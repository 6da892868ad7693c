from __future__ import annotations

import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from harness_client import MAIN
from runtimes import ROOT

from onnx_conformance.core.commandline import dispatch
from onnx_conformance.validator.main import COMMANDS

if TYPE_CHECKING:
    from pathlib import Path

VECTORS = str(ROOT / "vectors")
GOOD = "shape-15/clip_start/float32"
# Faults that onnx.reference has had since it was written; see docs/runtimes.md.
WRONG = "shape-15/r3_end_minus_4/float32"
ACCEPTED = "reshape-14/minus_2/float32"


def repro(vector: str, backend: str, folder: Path, *more: str) -> int:
    arguments = [vector, "--backend", backend, "--output", str(folder), "--vectors", VECTORS]
    return dispatch("onnx-validate", "", COMMANDS, ["repro", *arguments, *more])


def run_script(folder: Path, cwd: Path) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, str(folder / "repro.py")],
        capture_output=True,
        timeout=60,
        check=False,
        cwd=cwd,
    )
    return done.returncode, done.stdout.decode() + done.stderr.decode()


def test_a_wrong_result_is_shown_with_what_was_expected(tmp_path: Path) -> None:
    assert 0 == repro(WRONG, "reference", tmp_path / "out")
    code, words = run_script(tmp_path / "out", tmp_path)
    assert 1 == code
    assert "data set 0, shape: DIFFERS" in words
    assert "expected int64 [0] []" in words


def test_an_accepted_fault_is_shown(tmp_path: Path) -> None:
    assert 0 == repro(ACCEPTED, "reference", tmp_path / "out")
    code, words = run_script(tmp_path / "out", tmp_path)
    assert (1, True) == (code, "ACCEPTED: this model or these inputs must be refused" in words)


def test_a_rejected_fault_ends_with_0(tmp_path: Path) -> None:
    repro(ACCEPTED, "onnxruntime", tmp_path / "out")
    code, words = run_script(tmp_path / "out", tmp_path)
    assert (0, True) == (code, "refused, as it must be" in words)


@pytest.mark.parametrize(
    "vector",
    [
        GOOD,
        "reshape-21/odd_count/bfloat16",
        "reshape-21/odd_count/float8e4m3fn",
        "reshape-21/odd_count/string",
    ],
)
def test_a_vector_that_passes_ends_with_0(tmp_path: Path, vector: str) -> None:
    repro(vector, "onnxruntime", tmp_path / "out")
    code, words = run_script(tmp_path / "out", tmp_path)
    assert 0 == code, words
    assert ": as expected" in words


@pytest.mark.parametrize("kind", ["int4", "uint4", "float4e2m1", "int2", "uint2"])
def test_packed_elements_are_written_and_compared(tmp_path: Path, kind: str) -> None:
    repro(f"reshape-25/odd_count/{kind}", "reference", tmp_path / "out")
    code, words = run_script(tmp_path / "out", tmp_path)
    assert 0 == code, words


def test_the_script_names_nothing_of_this_project_in_its_code(tmp_path: Path) -> None:
    repro(GOOD, "onnxruntime", tmp_path / "out")
    source = (tmp_path / "out" / "repro.py").read_text()
    head, _, code = source[3:].partition('"""')
    assert "onnx_conformance" not in code
    assert "Shape-15, case 'clip_start'" in head
    assert "What the operator's document requires:" in head
    assert "Shape <" in head  # the model in words


def test_an_adapted_backend_gets_the_adapted_model(tmp_path: Path) -> None:
    repro("reshape-14/presented/float32", "reference+freeze+static", tmp_path / "out")
    assert ["model_0.onnx", "repro.py"] == sorted(p.name for p in (tmp_path / "out").iterdir())
    code, words = run_script(tmp_path / "out", tmp_path)
    assert 0 == code, words


@pytest.mark.parametrize("form", [(), ("--inline",)], ids=["path", "inline"])
def test_a_command_gets_one_request_through_a_shell_script(
    tmp_path: Path, form: tuple[str, ...]
) -> None:
    command = shlex.join([sys.executable, str(MAIN), "reference", *form])
    assert 0 == repro(WRONG, f"command:{command}", tmp_path / "out")
    done = subprocess.run(
        ["/bin/sh", str(tmp_path / "out" / "repro.sh")],
        capture_output=True,
        timeout=60,
        check=True,
        cwd=tmp_path,
    )
    described, reply = done.stdout.decode().splitlines()
    assert '"protocol":1' in described
    assert '"outputs"' in reply


@pytest.mark.parametrize(
    ("asked", "code", "words"),
    [
        (("shape-15/nonesuch/float32", "reference"), 2, "no vector 'shape-15/nonesuch/float32'"),
        ((GOOD, "nonesuch"), 2, "unknown backend 'nonesuch'"),
        ((GOOD, "command:/bin/true"), 4, "does not answer 'describe'"),
    ],
)
def test_what_cannot_be_shown_is_one_line(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    asked: tuple[str, str],
    code: int,
    words: str,
) -> None:
    assert code == repro(*asked, tmp_path / "out")
    error = capsys.readouterr().err
    assert words in error
    assert 1 == len(error.splitlines())
