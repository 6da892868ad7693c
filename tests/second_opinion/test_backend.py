"""The second opinion as a harness: the real program in a process of its own."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
from places import ROOT, VECTORS

if TYPE_CHECKING:
    from pathlib import Path

MODEL = VECTORS / "valid/relu-14/test_relu_14_shape_1_float32/model.onnx"


def conversation(*requests: dict[str, object]) -> list[dict[str, object]]:
    done = subprocess.run(
        [sys.executable, "-m", "second_opinion.backend"],
        input="".join(json.dumps(item) + "\n" for item in requests),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def run_request(model: Path, shape: list[int]) -> dict[str, object]:
    data = np.full(shape, -1, np.float32)
    value = {"name": "X", "type": "float32", "shape": shape, "data": _encoded(data)}
    return {
        "command": "run",
        "id": "some",
        "model": {"path": str(model)},
        "outputs": ["Y"],
        "data_sets": [[value]],
    }


def _encoded(data: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> str:
    return base64.b64encode(data.tobytes()).decode()


def test_it_says_who_it_is_and_answers() -> None:
    describe, reply = conversation(
        {"command": "describe", "protocol": 1}, run_request(MODEL, [1]), {"command": "stop"}
    )
    assert ("second-opinion", "path") == (describe["name"], describe["model"])
    zero = {"type": "float32", "shape": [1], "data": _encoded(np.zeros(1, np.float32))}
    assert {"id": "some", "outputs": [[zero]]} == reply


def test_what_it_cannot_answer_is_unsupported(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"no model")
    (reply,) = conversation(run_request(tmp_path / "model.onnx", [1]))
    assert str(reply["unsupported"])
