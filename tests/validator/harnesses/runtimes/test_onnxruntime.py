"""What onnxruntime's Python API needs: OrtValue for what NumPy has not, and its own words."""

from __future__ import annotations

import math
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
import pytest
from harness_client import HarnessClient, raw, reshape_model, shape_model, strings, tensor
from onnx import TensorProto, helper

from onnx_conformance.core.values.elements import ELEMENT_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from onnx_conformance.core.values.elements import ElementType

SHAPE = tensor([3, -1], "s", "int64")
# onnxruntime has kernels of Reshape for these types, whatever its Python API makes of them.
CARRIED = [e for e in ELEMENT_TYPES if e.bits >= 8 and e.kind != "complex" and e.since_ir < 12]


@pytest.fixture(scope="module", params=["default", "--no-optimization"])
def harness(request: pytest.FixtureRequest) -> Iterator[HarnessClient]:
    options = () if request.param == "default" else (request.param,)
    with HarnessClient("onnxruntime", *options) as client:
        client.describe()
        yield client


@pytest.mark.parametrize("element", CARRIED, ids=lambda element: element.name)
def test_every_carried_type_comes_back_bit_for_bit(
    harness: HarnessClient, element: ElementType
) -> None:
    data = bytes([0, 1] * 3) if element.kind == "bool" else bytes(range(6 * element.bits // 8))
    value = raw(element.name, [2, 3], data, "x")
    reply = harness.run(reshape_model(element.code, 21), [value, SHAPE])
    assert {"outputs": [[raw(element.name, [3, 2], data)]]} == reply


def test_strings_keep_their_trailing_nuls(harness: HarnessClient) -> None:
    items = [b"a\0", b"", "é".encode(), b"d", b"e", b"f"]
    reply = harness.run(reshape_model(8), [strings([2, 3], items, "x"), SHAPE])
    assert {"outputs": [[strings([3, 2], items)]]} == reply


@pytest.mark.parametrize("shape", [[0, 2**62], [2**62, 0, 5], [0, 2**40, 2**40]])
def test_zero_size_arrays_beyond_numpy_are_carried(
    harness: HarnessClient, shape: list[int]
) -> None:
    assert 0 == math.prod(shape)
    model = shape_model(rank=len(shape))
    reply = harness.run(model, [raw("float32", shape, b"", "x")])
    assert {"outputs": [[tensor(shape, None, "int64")]]} == reply


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (reshape_model(14), "tensor(complex64) is not currently registered or supported"),
        (reshape_model(22), "NOT_IMPLEMENTED"),
        (reshape_model(1, 1000), "Current official support for domain ai.onnx is till opset"),
        (reshape_model(1, ir=99), "Unsupported model IR version: 99"),
    ],
    ids=["complex64", "int4", "opset", "ir"],
)
def test_what_onnxruntime_has_not_got_is_unsupported_in_its_own_words(
    harness: HarnessClient, model: bytes, words: str
) -> None:
    reply = harness.run(model, [tensor(np.zeros((2, 3), np.float32), "x"), SHAPE])
    assert words in reply["unsupported"]


def test_a_domain_that_is_for_training_alone_is_unsupported(harness: HarnessClient) -> None:
    domain = "ai.onnx.preview.training"
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, []) for name in "RXGV"]
    inputs.insert(1, helper.make_tensor_value_info("T", TensorProto.INT64, []))
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, []) for name in "YW"]
    more = {"alpha": 1.0, "beta": 1.0, "norm_coefficient": 0.0, "mode": "standard"}
    node = helper.make_node("Momentum", list("RTXGV"), list("YW"), domain=domain, **more)
    graph = helper.make_graph([node], "momentum", inputs, outputs)
    imports = [helper.make_opsetid("", 18), helper.make_opsetid(domain, 1)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=8)
    values = [tensor(np.float32(1), name) for name in "RXGV"]
    values.insert(1, tensor(np.int64(0), "T"))
    reply = harness.run(model.SerializeToString(), values)
    assert "Momentum(-1) is not a registered function/op" in reply["unsupported"]


def test_a_misfit_at_run_time_is_rejected_at_run(harness: HarnessClient) -> None:
    reply = harness.run(reshape_model(), [tensor(np.zeros((1, 5), np.float32), "x"), SHAPE])
    assert "run" == reply["rejected"]["phase"]


def test_a_wrong_attribute_is_rejected_at_load(harness: HarnessClient) -> None:
    graph = onnx.parser.parse_graph('g (float[a] x) => (int64[b] y) { y = Shape <start="1"> (x) }')
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    reply = harness.run(model.SerializeToString(), [tensor(np.zeros(2, np.float32), "x")])
    assert "load" == reply["rejected"]["phase"]


def test_an_output_that_is_never_set_is_no_value_and_no_crash(harness: HarnessClient) -> None:
    # -1 is onnxruntime's own word for "no such output is wanted".
    model = onnx.parser.parse_model(
        '<ir_version: 10, opset_import: ["" : 23]> g (float[1, 1, 1, 1] q) => (float[1, 1, 1, 1] y)'
        " { t, , , y = Attention <qk_matmul_output_mode = -1> (q, q, q) }"
    )
    one = tensor(np.ones((1, 1, 1, 1), np.float32), "q")
    reply = harness.run(model.SerializeToString(), [one])
    assert "without a value" in str(reply)


def test_sequences_go_in_and_come_out(harness: HarnessClient) -> None:
    graph = onnx.parser.parse_graph("g (seq(float[a]) x) => (seq(float[a]) y) { y = Identity (x) }")
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    value: dict[str, Any] = {"sequence": [tensor(np.ones(1, np.float32))]}
    reply = harness.run(model.SerializeToString(), [{"name": "x", **value}])
    assert {"outputs": [[value]]} == reply


def ml_model(operator: str, inputs: onnx.TypeProto, output: onnx.TypeProto, **given: Any) -> bytes:  # noqa: ANN401
    """A model of one node of ai.onnx.ml, from `x` to `y`."""
    node = helper.make_node(operator, ["x"], ["y"], domain="ai.onnx.ml", **given)
    values = [helper.make_value_info("x", inputs)], [helper.make_value_info("y", output)]
    imports = [helper.make_opsetid("ai.onnx.ml", 1), helper.make_opsetid("", 21)]
    model = helper.make_model(
        helper.make_graph([node], "g", *values), opset_imports=imports, ir_version=10
    )
    return model.SerializeToString()


FLOATS = helper.make_tensor_type_proto(onnx.TensorProto.FLOAT, None)


def vectorizer(kind: int) -> bytes:
    """A model of DictVectorizer, from strings to numbers of a kind."""
    scalar = helper.make_tensor_type_proto(kind, [])
    return ml_model(
        "DictVectorizer",
        helper.make_map_type_proto(onnx.TensorProto.STRING, scalar),
        helper.make_tensor_type_proto(kind, None),
        string_vocabulary=["a", "b"],
    )


def map_of(keys: list[bytes], *values: object, name: str | None = None) -> dict[str, Any]:
    """The wire form of a map from strings to scalars."""
    wire = {"map": {"keys": strings([len(keys)], keys), "values": [tensor(x) for x in values]}}
    return wire if name is None else {"name": name, **wire}


def test_maps_to_float_go_in(harness: HarnessClient) -> None:
    value = map_of([b"b"], np.float32(0.1), name="x")
    reply = harness.run(vectorizer(onnx.TensorProto.FLOAT), [value])
    assert {"outputs": [[tensor(np.array([[0, 0.1]], np.float32))]]} == reply


@pytest.mark.parametrize(
    ("keys", "values", "words"),
    [
        ([b"b"], [np.int64(1)], "takes maps to float32 alone, not to int64"),
        ([], [], "takes no empty map"),
    ],
    ids=["int64", "empty"],
)
def test_maps_that_the_api_does_not_take_are_unsupported(
    harness: HarnessClient, keys: list[bytes], values: list[object], words: str
) -> None:
    value = map_of(keys, *values, name="x")
    assert words in harness.run(vectorizer(onnx.TensorProto.INT64), [value])["unsupported"]


def test_maps_come_out_with_the_declared_type_of_their_values(harness: HarnessClient) -> None:
    scalar = helper.make_tensor_type_proto(onnx.TensorProto.FLOAT, [])
    maps = helper.make_map_type_proto(onnx.TensorProto.STRING, scalar)
    model = ml_model(
        "ZipMap",
        FLOATS,
        helper.make_sequence_type_proto(maps),
        classlabels_strings=["a", "b"],
    )
    reply = harness.run(model, [tensor(np.array([[0.1, -0.0]], np.float32), "x")])
    first = map_of([b"a", b"b"], np.float32(0.1), np.float32(-0.0))
    assert {"outputs": [[{"sequence": [first]}]]} == reply


def test_optimization_is_named_in_the_handshake() -> None:
    with HarnessClient("onnxruntime", "--no-optimization") as client:
        assert "disabled" == client.describe()["details"]["graph optimization"]
    with HarnessClient("onnxruntime") as client:
        assert "all" == client.describe()["details"]["graph optimization"]


def test_a_level_and_passes_that_are_left_out_are_named_in_the_handshake() -> None:
    options = ("--optimization=basic", "--without=ConstantFolding,CastElimination")
    with HarnessClient("onnxruntime", *options) as client:
        details = client.describe()["details"]
    assert "basic" == details["graph optimization"]
    assert "ConstantFolding, CastElimination" == details["disabled passes"]


def test_an_interpreter_without_the_runtime_says_so(tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(bare)], check=True)
    with HarnessClient("onnxruntime", python=str(bare / "bin" / "python")) as client:
        assert client.errors().splitlines()[-1].startswith("ModuleNotFoundError: No module named")
