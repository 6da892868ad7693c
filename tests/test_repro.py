from __future__ import annotations

import shlex
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from harness_client import MAIN
from hypothesis import example, given
from hypothesis import strategies as st
from limited_corpus import LIMITED, limited_corpus
from runtimes import ROOT

from onnx_conformance.core.commandline import dispatch
from onnx_conformance.core.values.limits import within
from onnx_conformance.validator.main import COMMANDS
from onnx_conformance.validator.repro import reproducing

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


@pytest.mark.parametrize(("profile", "code"), [(None, 1), ("ieee", 1), ("gpu", 0), ("onnx", 0)])
def test_an_output_with_limits_is_held_against_those_of_the_profile(
    profile: str | None, code: int, tmp_path: Path
) -> None:
    root = str(limited_corpus(tmp_path / "vectors"))
    more = ("--accuracy", profile) if profile else ()
    assert 0 == repro(LIMITED, "onnxruntime", tmp_path / "out", "--vectors", root, *more)
    found, words = run_script(tmp_path / "out", tmp_path)
    assert code == found, words
    assert ("lowest   int64 [2] [2, 4]\n  highest  int64 [2] [2, 6]" in words) == (code == 1)


def test_rtol_and_atol_are_no_way_around_the_limits(tmp_path: Path) -> None:
    root = str(limited_corpus(tmp_path / "vectors"))
    repro(LIMITED, "onnxruntime", tmp_path / "out", "--vectors", root)
    source = (tmp_path / "out" / "repro.py").read_text()
    assert "RTOL, ATOL = 0.0, 0.0" in source
    assert "PAIR = None" in source


@given(*[st.integers(0, 2**16 - 1)] * 4)
@example(0x8000, 0x0000, 0x8000, 0x0000)
@example(0x0000, 0x8000, 0x0000, 0x0000)
@example(0x7E00, 0x7E01, 0x7E00, 0x7E00)
@example(0x7C00, 0x7BFF, 0x7BFF, 0x7C00)
def test_the_script_accepts_what_the_validator_accepts(
    want: int, got: int, low: int, high: int
) -> None:
    space: dict[str, Any] = {"np": np, "PAIR": None}
    exec(reproducing._WITHIN, space)  # noqa: S102, SLF001  the text of the script, as it is run
    codes = [np.array([code], "u2") for code in (got, want, low, high)]
    floats = [code.view("f2") for code in codes]
    missing = [np.isnan(item[0]) for item in floats]
    if len({missing[1], missing[2], missing[3]}) == 1:  # as limits are written
        expected = bool(within(codes[1], codes[0], codes[2:], "float16")[0])
        assert expected == space["within"](*floats)


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
