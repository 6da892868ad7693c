from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np
import onnx
import pytest
from harness_client import (
    HarnessClient,
    raw,
    reshape_model,
    shape_model,
    tensor,
    unknown_operator_model,
)
from onnx import helper

if TYPE_CHECKING:
    from collections.abc import Iterator

X = tensor(np.zeros((2, 3), np.float32), "x")
SHAPE = tensor([3, -1], "s", "int64")


@pytest.fixture(scope="module")
def reference() -> Iterator[HarnessClient]:
    with HarnessClient("reference") as client:
        client.describe()
        yield client


@pytest.fixture(scope="module")
def checker() -> Iterator[HarnessClient]:
    with HarnessClient("checker") as client:
        client.describe()
        yield client


def old_reshape_model() -> bytes:
    """Reshape-1, with its shape as an attribute: onnx.reference has no such version."""
    graph = onnx.parser.parse_graph(
        "g (float[2,3] x) => (float[3,2] y) { y = Reshape <shape = [3, 2]> (x) }"
    )
    opsets = [helper.make_opsetid("", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=3)
    return bytes(model.SerializeToString())


@pytest.mark.parametrize(
    ("code", "name", "data"),
    [
        (16, "bfloat16", bytes(range(12))),
        (17, "float8e4m3fn", bytes(range(6))),
        (22, "int4", b"\x21\x43\x65"),
    ],
)
def test_the_evaluator_gets_types_of_ml_dtypes(
    reference: HarnessClient, code: int, name: str, data: bytes
) -> None:
    reply = reference.run(reshape_model(code), [raw(name, [2, 3], data, "x"), SHAPE])
    assert {"outputs": [[raw(name, [3, 2], data)]]} == reply


def test_a_version_without_an_implementation_is_unsupported(reference: HarnessClient) -> None:
    reply = reference.run(old_reshape_model(), [X])
    assert "No implementation for operator 'Reshape'" in reply["unsupported"]


def test_an_operator_without_an_implementation_is_unsupported(reference: HarnessClient) -> None:
    graph = onnx.parser.parse_graph("g (int64[a] x) => (int64[a] y) { y = ai.onnx.ml.ZipMap (x) }")
    imports = [helper.make_opsetid("ai.onnx.ml", 1), helper.make_opsetid("", 21)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=10)
    reply = reference.run(model.SerializeToString(), [X])
    assert "No registered implementation for operator 'ZipMap'" in reply["unsupported"]


@pytest.mark.skipif(find_spec("PIL") is not None, reason="Pillow is installed")
def test_images_without_pillow_are_unsupported(reference: HarnessClient) -> None:
    head = '<ir_version: 9, opset_import: ["":20]> g (uint8[N] s) => (uint8[H, W, C] y)'
    model = onnx.parser.parse_model(head + "{ y = ImageDecoder (s) }").SerializeToString()
    reply = reference.run(bytes(model), [tensor(np.zeros(3, np.uint8), "s")])
    assert "Pillow must be installed" in reply["unsupported"]


def test_an_unknown_operator_is_rejected(reference: HarnessClient) -> None:
    assert "load" == reference.run(unknown_operator_model(), [X])["rejected"]["phase"]


def test_what_does_not_parse_is_rejected_at_decode(reference: HarnessClient) -> None:
    assert "decode" == reference.run(b"\xff\xff", [X])["rejected"]["phase"]


def test_the_checker_judges_validity_and_produces_no_values(checker: HarnessClient) -> None:
    assert "validity" == checker.describe()["judges"]
    assert {"accepted": True} == checker.run(shape_model(), [X])


def test_the_checker_rejects_what_strict_inference_finds(checker: HarnessClient) -> None:
    graph = onnx.parser.parse_graph("g (float[2,3] x) => (int64[5] y) { y = Shape (x) }")
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    assert "load" == checker.run(model.SerializeToString(), [X])["rejected"]["phase"]
