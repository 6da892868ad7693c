"""The skeletons: each must work as it is, in the language that it is in."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest
from harness_client import HarnessClient, shape_model, tensor

from onnx_conformance.core.commandline import dispatch
from onnx_conformance.validator.commands.harness_new import LANGUAGES, skeleton_files
from onnx_conformance.validator.main import COMMANDS

if TYPE_CHECKING:
    from pathlib import Path

X = tensor(np.zeros((2, 3), np.float32), "x")
Words = tuple[str, ...]
NEEDS = {"python": sys.executable, "javascript": "node", "cpp": "c++", "rust": "cargo"}


@pytest.fixture(scope="module", params=list(LANGUAGES))
def command(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Words:
    """The command that runs a skeleton, which is written and built for the module."""
    language = request.param
    folder = tmp_path_factory.mktemp(language) / "harness"
    if shutil.which(NEEDS[language]) is None:
        pytest.skip(f"{NEEDS[language]} is not installed")
    assert 0 == new(language, "--output", str(folder))
    build, run = LANGUAGES[language]
    if build:
        offline = ["--offline"] if language == "rust" else []
        words = [*build.format(folder).split(), *offline]
        subprocess.run(words, check=True, capture_output=True, timeout=300)
    return tuple(run.format(folder).split())


def new(*arguments: str) -> int:
    return dispatch("onnx-validate", "", COMMANDS, ["harness", "new", *arguments])


def test_a_skeleton_works_as_it_is_and_supports_nothing(command: Words, tmp_path: Path) -> None:
    model = tmp_path / "model.onnx"
    model.write_bytes(shape_model())
    with HarnessClient(command=command) as harness:
        assert "my-runtime" == harness.describe()["name"]
        assert {"unsupported": "run is not written yet"} == harness.run(model, [X])
        assert {"unsupported": "run is not written yet"} == harness.run(shape_model(), [X])
        harness.send({"command": "stop"})
        harness.errors()
        assert 0 == harness.process.returncode


def test_a_skeleton_passes_the_check(command: Words, capsys: pytest.CaptureFixture[str]) -> None:
    code = dispatch("onnx-validate", "", COMMANDS, ["harness", "check", "--", *command])
    assert 0 == code, capsys.readouterr()


def test_nothing_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "harness.py").write_text("mine")
    assert 3 == new("python", "--output", str(tmp_path))
    assert "exists already; choose another --output" in capsys.readouterr().err
    assert "mine" == (tmp_path / "harness.py").read_text()


def test_the_next_steps_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "with space"
    new("cpp", "--output", str(folder))
    printed = capsys.readouterr().out
    assert f"c++ -std=c++17 -O2 '{folder}'/harness.cpp -o '{folder}'/harness" in printed
    assert "onnx-validate harness check -- " in printed


def test_a_skeleton_is_sources_only() -> None:
    assert ["Cargo.toml", "src/main.rs", "src/protocol1.rs"] == list(skeleton_files("rust"))
