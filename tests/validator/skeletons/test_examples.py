"""The harnesses below examples/, against the real runtimes that they are for."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import numpy as np
import pytest
from harness_client import HarnessClient, raw, reshape_model, shape_model, strings, tensor
from places import ROOT
from runtimes import environment_of, node_packages, runtime_python

from onnx_conformance.validator.host.backends import known_backend

if TYPE_CHECKING:
    from pathlib import Path

SHAPE = tensor([3, -1], "s", "int64")
INT64, STRING, DOUBLE, COMPLEX64, BFLOAT16 = 7, 8, 11, 14, 16
TOOLCHAIN = pytest.mark.skipif(
    shutil.which("cmake") is None or shutil.which("c++") is None,
    reason="cmake or a C++ compiler is not installed",
)


@pytest.fixture(params=["onnxruntime-web", "onnxruntime-node"])
def javascript(request: pytest.FixtureRequest, tmp_path: Path) -> HarnessClient:
    """The JavaScript harness beside the packages, which Node looks for near the file."""
    (tmp_path / "node_modules").symlink_to(node_packages())
    harness = shutil.copy(ROOT / "examples" / "javascript" / "onnxruntime.mjs", tmp_path)
    return HarnessClient(command=("node", harness, request.param))


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The C++ harness, built against the headers and libraries of the openvino wheel."""
    runtime_python(known_backend("openvino"))
    folder = environment_of(known_backend("openvino"))
    cmake = next(folder.glob("lib/python*/site-packages/openvino/cmake"))
    build = tmp_path_factory.mktemp("openvino")
    options = [f"-DOpenVINO_DIR={cmake}", "-DCMAKE_BUILD_TYPE=Release"]
    source = str(ROOT / "examples" / "cpp")
    for command in (
        ["cmake", "-S", source, "-B", str(build), *options],
        ["cmake", "--build", str(build)],
    ):
        subprocess.run(command, check=True, capture_output=True, timeout=300)
    return build / "openvino_harness"


@pytest.mark.runtime("node")
def test_the_javascript_harness_runs_shape_on_each_data_set(javascript: HarnessClient) -> None:
    with javascript as harness:
        assert harness.describe()["name"].startswith("onnxruntime-")
        first = tensor(np.zeros((2, 3), np.float32), "x")
        second = tensor(np.zeros((0, 5), np.float32), "x")
        reply = harness.run(shape_model(opset=15), [first], [second])
    dimensions = [[tensor([2, 3], None, "int64")], [tensor([0, 5], None, "int64")]]
    assert {"outputs": dimensions} == reply


@pytest.mark.runtime("node")
@pytest.mark.parametrize(
    ("code", "name"), [(DOUBLE, "float64"), (INT64, "int64"), (9, "bool"), (10, "float16")]
)
def test_the_javascript_harness_carries_elements_bit_for_bit(
    javascript: HarnessClient, code: int, name: str
) -> None:
    data = np.arange(1, 1 + 6 * np.dtype(name).itemsize, dtype=np.uint8).tobytes()
    data = b"\1\0\1\0\1\1" if name == "bool" else data
    with javascript as harness:
        reply = harness.run(reshape_model(code, 14), [raw(name, [2, 3], data, "x"), SHAPE])
    assert {"outputs": [[raw(name, [3, 2], data)]]} == reply


@pytest.mark.runtime("node")
def test_the_javascript_harness_carries_strings(javascript: HarnessClient) -> None:
    items = [b"", "é".encode(), b"c", b"d", b"e", b"f"]
    with javascript as harness:
        reply = harness.run(reshape_model(STRING, 14), [strings([2, 3], items, "x"), SHAPE])
    assert {"outputs": [[strings([3, 2], items)]]} == reply


@pytest.mark.runtime("node")
@pytest.mark.parametrize(("code", "name"), [(COMPLEX64, "complex64"), (BFLOAT16, "bfloat16")])
def test_the_javascript_harness_says_which_types_are_not_carried(
    javascript: HarnessClient, code: int, name: str
) -> None:
    value = raw(name, [1, 3], bytes(3 * (8 if name == "complex64" else 2)), "x")
    with javascript as harness:
        reply = harness.run(reshape_model(code, 14), [value, SHAPE])
    assert "unsupported" in reply


@pytest.mark.runtime("node")
def test_the_javascript_harness_says_that_a_string_cannot_hold_other_bytes_than_utf_8(
    javascript: HarnessClient,
) -> None:
    items = [b"a", b"\xff", b"c", b"d", b"e", b"f"]
    with javascript as harness:
        reply = harness.run(reshape_model(STRING, 14), [strings([2, 3], items, "x"), SHAPE])
    assert "unsupported" in reply


@pytest.mark.runtime("node")
def test_the_javascript_harness_says_that_a_number_cannot_hold_a_dimension(
    javascript: HarnessClient,
) -> None:
    with javascript as harness:
        reply = harness.run(shape_model(opset=15), [raw("float32", [0, 2**62], b"", "x")])
    assert "JavaScript number" in reply["unsupported"]


@pytest.mark.runtime("node")
def test_the_javascript_harness_reports_what_the_runtime_refuses(
    javascript: HarnessClient,
) -> None:
    with javascript as harness:
        broken = harness.run(b"\xff\xff\xff", [tensor([[1.0]], "x", "float64")])
        x = tensor(np.zeros((1, 5), np.float32), "x")
        misfit = harness.run(reshape_model(opset=14), [x, SHAPE])
    assert ("load", "run") == (broken["rejected"]["phase"], misfit["rejected"]["phase"])


@TOOLCHAIN
@pytest.mark.runtime("openvino")
def test_the_cpp_harness_runs_shape_and_reshape(built: Path) -> None:
    x = tensor(np.arange(6, dtype=np.float32).reshape(2, 3), "x")
    with HarnessClient(command=(str(built),)) as harness:
        assert "openvino-cpp" == harness.describe()["name"]
        shape = harness.run(shape_model(opset=15), [x])
        reshaped = harness.run(reshape_model(opset=14), [x, SHAPE])
    assert {"outputs": [[tensor([2, 3], None, "int64")]]} == shape
    assert {"outputs": [[tensor(np.arange(6, dtype=np.float32).reshape(3, 2))]]} == reshaped


@TOOLCHAIN
@pytest.mark.runtime("openvino")
def test_the_cpp_harness_carries_strings_with_trailing_nuls(built: Path) -> None:
    items = [b"a\0", b"", "é".encode(), b"d", b"e", b"f"]
    with HarnessClient(command=(str(built),)) as harness:
        reply = harness.run(reshape_model(STRING, 14), [strings([2, 3], items, "x"), SHAPE])
    assert {"outputs": [[strings([3, 2], items)]]} == reply


@TOOLCHAIN
@pytest.mark.runtime("openvino")
def test_the_cpp_harness_tells_missing_from_wrong(built: Path) -> None:
    with HarnessClient(command=(str(built),)) as harness:
        x = raw("complex64", [2, 3], bytes(48), "x")
        missing = harness.run(reshape_model(COMPLEX64, 14), [x, SHAPE])
        wrong = harness.run(b"\xff\xff\xff", [tensor([[1.0]], "x", "float64")])
    assert "unsupported" in missing
    assert "load" == wrong["rejected"]["phase"]
