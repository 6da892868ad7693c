"""ONNX's shape inference as a backend: compared with what the oracles say of types and shapes."""

from __future__ import annotations

import base64
import struct
from typing import Any

import onnx
import pytest

from onnx_conformance.core.values.tensors import Tensor, Value
from onnx_conformance.core.values.wire import from_wire, to_wire
from onnx_conformance.generators.interpreter.harness import main, vectors_with_bodies
from onnx_conformance.generators.interpreter.witnesses import inference
from onnx_conformance.generators.interpreter.witnesses.inference import InferenceServer, ReadSession

STFT = """
<ir_version: 8, opset_import: ["": 17]>
g (float[1,9,1] x, int64 step, int64 length) => (float[N,M,B,T] y) {
  y = STFT (x, step, , length)
}
"""
CONCAT = """
<ir_version: 8, opset_import: ["": 17]>
g (float[N,2] x, float[N,3] z) => (float[N,M] y) { y = Concat <axis = 1> (x, z) }
"""

RANGE = """
<ir_version: 13, opset_import: ["": 27]>
g (float start, float limit, float delta) => (float[N] y) { y = Range (start, limit, delta) }
"""


def tensor(*shape: int, element: str = "float32", data: bytes | None = None) -> Tensor:
    count = Tensor(element, shape, b"").element_count
    size = {"float32": 4, "int64": 8}[element]
    return Tensor(element, shape, bytes(size * count) if data is None else data)


def real(value: float) -> Tensor:
    return tensor(data=struct.pack("<f", value))


def number(value: int) -> Tensor:
    return tensor(element="int64", data=value.to_bytes(8, "little"))


def asked(text: str, outputs: tuple[str, ...] = ("y",), **feeds: Tensor) -> dict[str, Any]:
    return InferenceServer().answer(request_of(text, outputs, **feeds))


def request_of(text: str, outputs: tuple[str, ...] = ("y",), **feeds: Tensor) -> dict[str, Any]:
    proto = onnx.parser.parse_model(text)
    return {
        "id": "v",
        "model": {"data": base64.b64encode(proto.SerializeToString()).decode("ascii")},
        "data_sets": [[{"name": name, **to_wire(value)} for name, value in feeds.items()]],
        "outputs": list(outputs),
    }


def shape_of(value: Value) -> tuple[int, ...]:
    assert isinstance(value, Tensor)
    return value.shape


def test_what_is_inferred_as_it_comes_out_is_accepted() -> None:
    assert {"id": "v", "accepted": True} == asked(CONCAT, x=tensor(4, 2), z=tensor(4, 3))


def test_another_shape_than_comes_out_is_the_reply(monkeypatch: pytest.MonkeyPatch) -> None:
    # onnx 1.23 infers as many bins of a one-sided STFT as a frame is long.
    reply = asked(STFT, x=tensor(1, 9, 1), step=number(2), length=number(4))
    ((output,),) = reply["outputs"]
    assert tensor(1, 3, 4, 2) == from_wire(output)
    inferred = onnx.helper.make_tensor_type_proto(onnx.TensorProto.DOUBLE, [None, None])
    monkeypatch.setattr(inference, "_infer", lambda _: {"y": inferred})
    ((output,),) = asked(CONCAT, x=tensor(4, 2), z=tensor(4, 3))["outputs"]
    assert Tensor("float64", (4, 5), bytes(8 * 20)) == from_wire(output)


def test_a_shape_that_comes_out_by_another_reading_is_accepted() -> None:
    # The preferred reading gives 3 elements; with the difference rounded there are 4.
    fed = {"start": real(0.1), "limit": real(0.4), "delta": real(0.1)}
    assert {"id": "v", "accepted": True} == asked(RANGE, **fed)


def test_each_reading_of_each_question_gives_a_result(monkeypatch: pytest.MonkeyPatch) -> None:
    session = InferenceServer().load(request_of(RANGE)["model"])
    assert isinstance(session, ReadSession)
    fed = {"start": real(0.1), "limit": real(0.4), "delta": real(0.1)}
    assert [(3,), (4,), (3,)] == [shape_of(found["y"]) for found in session.ways(fed)]
    monkeypatch.setattr(inference, "_MOST_WAYS", 1)
    assert [(3,)] == [shape_of(found["y"]) for found in session.ways(fed)]


def test_a_shape_too_large_to_show_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    inferred = onnx.helper.make_tensor_type_proto(onnx.TensorProto.FLOAT, [1 << 20, 5])
    monkeypatch.setattr(inference, "_infer", lambda _: {"y": inferred})
    reply = asked(CONCAT, x=tensor(4, 2), z=tensor(4, 3))
    words = "inferred float32 [1048576, 5], is float32 [4, 5]"
    assert {"phase": "load", "message": words} == reply["rejected"]


def test_dimensions_that_contradict_only_when_they_are_known_are_rejected() -> None:
    text = CONCAT.replace("float[N,3]", "float[K,3]")
    reply = asked(text, x=tensor(4, 2), z=tensor(3, 3))
    assert "load" == reply["rejected"]["phase"]
    assert "InferenceError" in reply["rejected"]["message"]


def test_what_the_oracles_do_not_know_is_accepted_as_it_was_inferred() -> None:
    text = CONCAT.replace("Concat <axis = 1>", "Concat <axis = 1, unknown = 1>")
    assert {"id": "v", "accepted": True} == asked(text, x=tensor(4, 2), z=tensor(4, 3))


def test_the_vectors_that_function_bodies_speak_of_are_listed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert 0 == main(["--list-bodies"])
    assert vectors_with_bodies() == capsys.readouterr().out.splitlines()
    listed = set(vectors_with_bodies())
    assert {"relu-14/*", "ai.onnx.preview.flexattention-1/*"} < listed
    # GroupNormalization-18 is deprecated, and has no vectors.
    assert {"relu-13/*", "size-25/*", "groupnormalization-18/*"}.isdisjoint(listed)


def test_it_declares_that_it_computes_nothing() -> None:
    description = InferenceServer().describe()
    assert ("validity", onnx.__version__) == (description["judges"], description["version"])


@pytest.mark.parametrize("options", [["--other"], ["--bodies", "--inference"]])
def test_an_unknown_option_is_one_line(
    options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert 2 == main(options)
    assert capsys.readouterr().err.startswith("unknown options")
