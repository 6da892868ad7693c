"""Every backend with a harness here, against the real runtime."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx.parser
import pytest
from harness_client import (
    HarnessClient,
    raw,
    reshape_model,
    shape_model,
    strings,
    tensor,
    unknown_operator_model,
)
from misbehaviour import vector_id
from runnable_corpus import runnable_corpus
from runtimes import runtime_python

from onnx_conformance.core.values.elements import ELEMENT_TYPES
from onnx_conformance.validator.host.backends import HARNESSES, find_backend
from onnx_conformance.validator.host.known_backends import KNOWN_BACKENDS, KnownBackend

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from onnx_conformance.core.values.elements import ElementType

SHAPE = tensor([3, -1], "s", "int64")
X = tensor(np.arange(6, dtype=np.float32).reshape(2, 3), "x")
IN_CORE = ("reference", "checker", "onnxruntime", "onnxruntime-noopt", "version-converter")

# What a column says of a shape that is fed at run time, where it says `unsupported`.
NO_RUN_TIME_SHAPE = {"tract", "tvm", "jaxonnxruntime"}
# Columns that have a result of Shape in a type of their own, which is no tensor.
NO_TENSOR_FROM_SHAPE = {"tract", "tvm"}
# Columns that need static shapes for Reshape, and answer wrongly or refuse without.
NEEDS_STATIC = {"emx-onnx-cgen", "iree"}
JUDGES_VALIDITY = {"checker"}

COLUMNS = [
    pytest.param(
        name,
        backend,
        marks=() if backend.name in IN_CORE else (pytest.mark.runtime(backend.name),),
        id=name,
    )
    for backend in KNOWN_BACKENDS
    for name in (backend.name, *(f"{backend.name}+{suffix}" for suffix in backend.adapted))
]


@pytest.fixture(scope="module")
def started() -> Iterator[dict[str, HarnessClient]]:
    """Harnesses by column: one each for the module, since some take seconds to start."""
    clients: dict[str, HarnessClient] = {}
    yield clients
    for client in clients.values():
        client.__exit__()


def client_of(started: dict[str, HarnessClient], name: str, backend: KnownBackend) -> HarnessClient:
    if name not in started:
        python = runtime_python(backend)
        command = find_backend(name, python).command
        arguments = command[command.index(str(HARNESSES)) + 1 :]
        started[name] = HarnessClient(*arguments, python=python)
    return started[name]


@pytest.mark.parametrize(("name", "backend"), COLUMNS)
def test_the_handshake_names_the_runtime_and_declares_every_adaptation(
    started: dict[str, HarnessClient], name: str, backend: KnownBackend
) -> None:
    description = client_of(started, name, backend).describe()
    assert description["name"]
    assert description["version"][0].isdigit()
    declared = {item["adaptation"] for item in description.get("adapts", [])}
    assert set(name.split("+")[1:]) == declared
    assert all(item["reason"] for item in description.get("adapts", []))


@pytest.mark.parametrize(("name", "backend"), COLUMNS)
def test_shape_gives_the_dimensions(
    started: dict[str, HarnessClient], name: str, backend: KnownBackend
) -> None:
    reply = client_of(started, name, backend).run(shape_model(opset=15), [X])
    if name in JUDGES_VALIDITY:
        assert {"accepted": True} == reply
    elif name in NO_TENSOR_FROM_SHAPE:
        assert "unsupported" in reply
    elif name == "emx-onnx-cgen":
        # Without static shapes its C code has -1 where a dimension was symbolic.
        assert {"outputs": [[tensor([-1, -1], None, "int64")]]} == reply
    else:
        assert {"outputs": [[tensor([2, 3], None, "int64")]]} == reply


@pytest.mark.parametrize(("name", "backend"), COLUMNS)
def test_reshape_takes_a_shape_at_run_time_or_says_that_it_does_not(
    started: dict[str, HarnessClient], name: str, backend: KnownBackend
) -> None:
    reply = client_of(started, name, backend).run(reshape_model(opset=14), [X, SHAPE])
    if name in JUDGES_VALIDITY:
        assert {"accepted": True} == reply
    elif name in NO_RUN_TIME_SHAPE:
        assert "unsupported" in reply
    elif name in NEEDS_STATIC:
        assert "rejected" in reply
    else:
        expected = tensor(np.arange(6, dtype=np.float32).reshape(3, 2))
        assert {"outputs": [[expected]]} == reply


@pytest.mark.parametrize(("name", "backend"), COLUMNS)
def test_no_element_type_is_an_error_of_the_harness(
    started: dict[str, HarnessClient], name: str, backend: KnownBackend
) -> None:
    client = client_of(started, name, backend)
    replies = {
        element.name: client.run(reshape_model(element.code, 25, ir=13), [value_of(element), SHAPE])
        for element in ELEMENT_TYPES
        if not backend.remark.startswith("slow") or element.code % 5 == 1
    }
    assert {} == {name: reply["error"] for name, reply in replies.items() if "error" in reply}


@pytest.mark.runtime("iree")
def test_unsigned_integers_of_iree_have_the_sign_that_the_model_declares(
    started: dict[str, HarnessClient],
) -> None:
    (backend,) = (item for item in KNOWN_BACKENDS if item.name == "iree")
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["": 14]>
        g (uint8[2] x, uint8[2] y) => (uint8[2] z) { z = Add (x, y) }""").SerializeToString()
    x, y = (
        tensor(np.array(item, np.uint8), name) for name, item in (("x", [200, 1]), ("y", [50, 2]))
    )
    reply = client_of(started, "iree", backend).run(model, [x, y])
    assert {"outputs": [[tensor(np.array([250, 3], np.uint8))]]} == reply


def value_of(element: ElementType) -> dict[str, Any]:
    """Six elements of a type, as `x`."""
    if element.kind == "string":
        return strings([2, 3], [b"a", b"b", b"c", b"d", b"e", b"f"], "x")
    return raw(element.name, [2, 3], bytes([1] * element.byte_count(6)), "x")


@pytest.mark.parametrize(("name", "backend"), COLUMNS)
def test_a_zero_size_array_with_huge_dimensions_is_no_error_of_the_harness(
    started: dict[str, HarnessClient], name: str, backend: KnownBackend
) -> None:
    client = client_of(started, name, backend)
    reply = client.run(shape_model(opset=15), [raw("float32", [0, 2**62], b"", "x")])
    assert "error" not in reply


@pytest.mark.parametrize(("name", "backend"), COLUMNS)
def test_what_is_no_model_is_rejected(
    started: dict[str, HarnessClient], name: str, backend: KnownBackend
) -> None:
    reply = client_of(started, name, backend).run(b"\xff\xff\xff", [X])
    assert reply["rejected"]["phase"] in ("decode", "load")
    assert reply["rejected"]["message"]


@pytest.mark.parametrize(("name", "backend"), COLUMNS)
def test_an_unknown_operator_gives_no_outputs(
    started: dict[str, HarnessClient], name: str, backend: KnownBackend
) -> None:
    reply = client_of(started, name, backend).run(unknown_operator_model(), [X])
    assert 1 == len({"rejected", "unsupported"}.intersection(reply))


@pytest.mark.parametrize(("name", "backend"), COLUMNS)
def test_a_script_shows_the_vector_with_the_runtime_alone(
    tmp_path: Path, name: str, backend: KnownBackend
) -> None:
    python = runtime_python(backend)
    root, out = runnable_corpus(tmp_path / "vectors", ["one"]), tmp_path / "out"
    main = "import sys; from onnx_conformance.validator.main import main; sys.exit(main())"
    command = [sys.executable, "-c", main]
    arguments = ["repro", vector_id("one"), "--backend", name, "--python", python]
    paths = ["--output", str(out), "--vectors", str(root)]
    subprocess.run([*command, *arguments, *paths], check=True, timeout=120)
    done = subprocess.run(
        [python, str(out / "repro.py")], capture_output=True, timeout=120, check=False
    )
    words = done.stdout.decode() + done.stderr.decode()
    if name in JUDGES_VALIDITY:
        assert "accepted" in words
    # tract and TVM give the dimensions as a type of their own, emx-onnx-cgen those that it does not
    # know when it compiles as -1.
    wrong = name in ("tract", "tvm", "emx-onnx-cgen")
    assert (3 if wrong else 0) == done.returncode, words
