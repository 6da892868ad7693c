"""`onnx-validate explore --model`: calls that are near to those of somebody's model."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from commands import validate
from misbehaviour import harness
from model_files import write_model
from places import VECTORS

from onnx_conformance.core.errors import ExitCode
from onnx_conformance.generators.exploring.modelled import ModelDrawer

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

STANDARD = VECTORS / "standard"
MODEL = """<ir_version: 8, opset_import: ["": 17, "own": 1]> g (float[4,6] x) => (float[4,3] y)
<float[6,3] w = {1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18}>
{ a = Neg(x) s = Softmax<axis = 1>(a) y = MatMul(s, w) z = own.Strange(y) }"""


def explore(*words: object) -> subprocess.CompletedProcess[bytes]:
    command = [item for item in harness("wrong_neg_of_infinity") if item != "-S"]
    backend = "command:" + " ".join(f"'{word}'" for word in command)
    return validate(
        *("explore", "--backend", backend, "--vectors", STANDARD, "--jobs", 1),
        *("--makers", 1, "--seed", "7", *words),
    )


@pytest.mark.slow
def test_a_fault_near_to_a_use_of_the_model_is_found(tmp_path: Path) -> None:
    path, results = write_model(tmp_path, MODEL), tmp_path / "results.jsonl"
    words = ("--model", path, "--operator", "Neg", "--count", 40, "--results", results)
    done = explore(*words)
    assert ExitCode.OK == done.returncode, done.stderr
    causes = json.loads(results.read_text().splitlines()[-1])["explored"]["causes"]
    assert ["special values in X"] in [item["edits"] for item in causes]


def test_only_what_the_model_uses_is_drawn(tmp_path: Path) -> None:
    drawer = ModelDrawer(write_model(tmp_path, MODEL))
    assert {"neg": ["neg-13"], "softmax": ["softmax-13"], "matmul": ["matmul-13"]} == (
        drawer.subjects
    )


def test_the_same_number_of_the_same_model_is_the_same_call(tmp_path: Path) -> None:
    path = write_model(tmp_path, MODEL)
    one, other = (ModelDrawer(path).draw("softmax-13", 7, 3) for _ in range(2))
    assert one.edits
    assert (one.edits, one.inputs) == (other.edits, other.inputs)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--operator", "Relu"), ExitCode.INCOMPLETE, b"nothing can be drawn of any of these"),
        (("--graphs",), ExitCode.USAGE, b"two things to draw from"),
    ],
)
def test_what_cannot_be_drawn_of_a_model_is_said(
    tmp_path: Path, words: tuple[str, ...], code: ExitCode, said: bytes
) -> None:
    done = explore("--model", write_model(tmp_path, MODEL), "--count", 3, *words)
    assert code == done.returncode
    assert said in done.stderr


def test_a_file_that_is_no_model_is_bad_input(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_text("no model")
    assert ExitCode.BAD_INPUT == explore("--model", path, "--count", 3).returncode


def test_a_call_of_a_model_is_not_drawn_again_without_it() -> None:
    words = ("run", "--backend", "reference", "--vectors", STANDARD, "explore/neg-13/m7.1")
    done = validate(*words)
    assert ExitCode.BAD_INPUT == done.returncode
    assert b"drawn from a user's model" in done.stderr
