from __future__ import annotations

import ast
import sys
import textwrap
from typing import TYPE_CHECKING

import pytest
from harness_client import MAIN, HarnessClient, shape_model, tensor

from onnx_conformance.validator.harnesses.kit import Model

if TYPE_CHECKING:
    from pathlib import Path

SOURCES = sorted(MAIN.parent.glob("*.py"))
X = tensor([[1.0, 2.0]], "x", "float64") | {"type": "float64"}

# Backends of the ONNX Backend interface that misbehave, each in its own way.
MISBEHAVIOUR = """
import os, sys
from ctypes import CDLL
import numpy as np

class Answers:
    def __init__(self, action): self.action = action
    def run(self, inputs): return [self.action(inputs)]

class Backend:
    @staticmethod
    def act(inputs): return np.array(inputs[0].shape, np.int64)
    @classmethod
    def prepare(cls, model, device): return Answers(cls.act)

class Prints(Backend):
    @staticmethod
    def act(inputs):
        print("from python")
        os.write(1, b"from the descriptor\\n")
        CDLL(None).printf(b"from the library\\n")
        return Backend.act(inputs)

class ReadsInput(Backend):
    @staticmethod
    def act(inputs): return np.array([len(sys.stdin.read()), len(os.read(0, 9))], np.int64)

class Raises(Backend):
    @staticmethod
    def act(inputs): raise ArithmeticError("too hard")

class RefusesToPrepare(Backend):
    @classmethod
    def prepare(cls, model, device): raise ArithmeticError("not this model")

class RunsOut(Backend):
    @staticmethod
    def act(inputs): raise MemoryError("no more")

class ReturnsAnInt(Backend):
    @staticmethod
    def act(inputs): return 5

class SaysIncompatible(Backend):
    @classmethod
    def is_compatible(cls, model, device): return False

class Dies(Backend):
    @staticmethod
    def act(inputs):
        CDLL(None).printf(b"last words\\n")
        os.abort()

print("noise while importing")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "misbehaving.py").write_text(textwrap.dedent(MISBEHAVIOUR))
    return tmp_path


def run(folder: Path, name: str) -> dict[str, object]:
    with HarnessClient("onnx_backend", f"misbehaving:{name}", folder=folder) as harness:
        harness.describe()
        return harness.run(shape_model(11), [X])


def test_a_module_in_the_current_folder_is_served(folder: Path) -> None:
    assert {"outputs": [[tensor([1, 2], None, "int64")]]} == run(folder, "Backend")


def test_what_a_runtime_prints_goes_to_standard_error_and_breaks_no_reply(folder: Path) -> None:
    with HarnessClient("onnx_backend", "misbehaving:Prints", folder=folder) as harness:
        harness.describe()
        assert "outputs" in harness.run(shape_model(11), [X])
        errors = harness.errors()
    for words in ("noise while importing", "from python", "from the descriptor"):
        assert words in errors
    assert "from the library" in errors


def test_what_a_runtime_prints_natively_survives_its_crash(folder: Path) -> None:
    with HarnessClient("onnx_backend", "misbehaving:Dies", folder=folder) as harness:
        harness.describe()
        harness.send(
            {"command": "run", "id": "a", "model": {"path": str(model_file(folder))}}
            | {"outputs": ["y"], "data_sets": [[X]]}
        )
        harness.process.wait(timeout=60)
        errors = harness.errors()
    assert "last words" in errors
    assert "Fatal Python error: Aborted" in errors


def test_a_runtime_reads_nothing_of_the_requests(folder: Path) -> None:
    assert {"outputs": [[tensor([0, 0], None, "int64")]]} == run(folder, "ReadsInput")


def test_an_exception_of_the_run_is_a_rejection_at_run(folder: Path) -> None:
    rejected = {"phase": "run", "message": "ArithmeticError: too hard"}
    assert {"rejected": rejected} == run(folder, "Raises")


def test_an_exception_of_loading_is_a_rejection_at_load(folder: Path) -> None:
    rejected = {"phase": "load", "message": "ArithmeticError: not this model"}
    assert {"rejected": rejected} == run(folder, "RefusesToPrepare")


def test_running_out_of_memory_is_an_error_not_a_rejection(folder: Path) -> None:
    assert "MemoryError: no more" in str(run(folder, "RunsOut")["error"])


def test_a_result_that_is_no_value_is_said_in_words(folder: Path) -> None:
    assert {"outputs": [[{"foreign": "a Python int"}]]} == run(folder, "ReturnsAnInt")


def test_an_incompatible_model_is_unsupported(folder: Path) -> None:
    assert "is_compatible" in str(run(folder, "SaysIncompatible")["unsupported"])


def test_one_loaded_model_runs_every_data_set(folder: Path) -> None:
    with HarnessClient("onnx_backend", "misbehaving:Backend", folder=folder) as harness:
        harness.describe()
        reply = harness.run(shape_model(11), [X], [tensor([[1.0], [2.0], [3.0]], "x")])
    expected = [[tensor([1, 2], None, "int64")], [tensor([3, 1], None, "int64")]]
    assert {"outputs": expected} == reply


def model_file(folder: Path) -> Path:
    path = folder / "model.onnx"
    path.write_bytes(shape_model(11))
    return path


def test_a_model_is_taken_as_a_path_or_inline(folder: Path) -> None:
    with HarnessClient("onnx_backend", "misbehaving:Backend", folder=folder) as harness:
        assert "path" == harness.describe()["model"]
        assert "outputs" in harness.run(model_file(folder), [X])
        assert "outputs" in harness.run(shape_model(11), [X])


def test_inline_is_declared_on_demand(folder: Path) -> None:
    with HarnessClient("onnx_backend", "misbehaving:Backend", "--inline", folder=folder) as harness:
        assert "inline" == harness.describe()["model"]


@pytest.mark.parametrize("ending", ["stop", "end of input"])
def test_the_harness_ends_with_0(folder: Path, ending: str) -> None:
    with HarnessClient("onnx_backend", "misbehaving:Backend", folder=folder) as harness:
        harness.describe()
        if ending == "stop":
            harness.send({"command": "stop"})
        harness.errors()
        assert 0 == harness.process.returncode


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("misbehaving:NoSuch", "has no attribute 'NoSuch'"),
        ("math", "'math' has no prepare(model, device)"),
    ],
)
def test_a_backend_that_cannot_be_used_is_said_on_the_last_line(
    folder: Path, target: str, reason: str
) -> None:
    with HarnessClient("onnx_backend", target, folder=folder) as harness:
        errors = harness.errors()
        assert reason in errors.splitlines()[-1]
        assert 1 == harness.process.returncode


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_a_harness_has_the_syntax_of_python_3_8(source: Path) -> None:
    ast.parse(source.read_text(), str(source), feature_version=(3, 8))


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_a_harness_imports_nothing_above_its_own_package(source: Path) -> None:
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert node.level <= 1
            assert "onnx_conformance" not in (node.module or "")
        if isinstance(node, ast.Import):
            assert not any("onnx_conformance" in name.name for name in node.names)


def test_serving_imports_neither_numpy_nor_onnx() -> None:
    code = (
        f"import sys, runpy; sys.argv = ['x']; sys.path.insert(0, {str(MAIN.parent)!r});"
        f"runpy.run_path({str(MAIN)!r})['importlib'];"
        "import types; p = types.ModuleType('h'); "
        f"p.__path__ = [{str(MAIN.parent)!r}]; sys.modules['h'] = p;"
        "import importlib; importlib.import_module('h.serving');"
        "assert 'numpy' not in sys.modules and 'onnx' not in sys.modules"
    )
    import subprocess

    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_data_beside_a_model_are_files_that_no_vector_has_of_itself(tmp_path: Path) -> None:
    model = Model(path=str(tmp_path / "model.onnx"))
    (tmp_path / "model.onnx").write_bytes(b"location")  # the key of data kept elsewhere
    (tmp_path / "data.json").touch()
    for name in ("test_data_set_0", "test_data_set_1", "permitted_0"):
        (tmp_path / name).mkdir()
    assert not model.keeps_data_beside
    (tmp_path / "weights.bin").touch()
    assert model.keeps_data_beside


def test_a_model_that_names_no_place_of_data_keeps_none_beside_it(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"raw_data")
    (tmp_path / "weights.bin").touch()
    assert not Model(path=str(tmp_path / "model.onnx")).keeps_data_beside
