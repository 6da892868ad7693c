"""Whose failure one of a transformed model is: the version converter stands for all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx
import pytest
from harness_client import HarnessClient, reshape_model, shape_model, tensor, unknown_operator_model
from onnx import helper

if TYPE_CHECKING:
    from collections.abc import Iterator

X = tensor(np.zeros((2, 3), np.float32), "x")
SHAPE = tensor([3, -1], "s", "int64")


@pytest.fixture(scope="module")
def converter() -> Iterator[HarnessClient]:
    with HarnessClient("transformer", "version-converter") as client:
        client.describe()
        yield client


def parsed(text: str, opset: int) -> bytes:
    graph = onnx.parser.parse_graph(text)
    opsets = [helper.make_opsetid("", opset)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    return bytes(model.SerializeToString())


def test_the_transformed_model_gives_the_outputs(converter: HarnessClient) -> None:
    reply = converter.run(shape_model(opset=1), [X])
    assert {"outputs": [[tensor([2, 3], None, "int64")]]} == reply


def test_the_handshake_says_what_it_is_judged_by(converter: HarnessClient) -> None:
    details = converter.describe()["details"]
    assert details["judged by"].startswith("onnxruntime ")
    assert "28" == details["target opset"]


def test_what_onnxruntime_has_not_got_is_unsupported(converter: HarnessClient) -> None:
    reply = converter.run(reshape_model(14), [X, SHAPE])
    assert "complex64" in reply["unsupported"]


def test_a_model_that_is_refused_before_and_after_says_nothing(converter: HarnessClient) -> None:
    reply = converter.run(unknown_operator_model(), [X])
    assert "refuses the model before version-converter too" in reply["unsupported"]


def test_a_run_that_is_refused_before_and_after_says_nothing(converter: HarnessClient) -> None:
    misfit = tensor(np.zeros((1, 5), np.float32), "x")
    reply = converter.run(reshape_model(), [misfit, SHAPE])
    assert "refuses the model before version-converter too" in reply["unsupported"]


def test_a_failure_of_the_transformation_is_the_transformers(converter: HarnessClient) -> None:
    # onnx.version_converter 1.23 drops the functions of a model, and their calls then call nothing.
    model = onnx.parser.parse_model(
        """<ir_version: 8, opset_import: ["": 19, "local": 1]>
        g (float[2,3] x) => (int64[b] y) { y = local.Dimensions (x) }
        <opset_import: ["": 19], domain: "local"> Dimensions (a) => (b) { b = Shape (a) }"""
    )
    reply = converter.run(model.SerializeToString(), [X])
    assert reply["rejected"]["message"].startswith("after version-converter: ")


def test_a_fault_that_the_transformation_hides_is_accepted(converter: HarnessClient) -> None:
    # Reshape-5 has no allowzero; the converter carries it to a version that has.
    model = parsed(
        "g (float[2,3] x, int64[2] s) => (float[a,b] y) { y = Reshape <allowzero = 0> (x, s) }", 5
    )
    reply = converter.run(model, [X, SHAPE])
    assert "outputs" in reply


def test_an_unknown_transformer_is_refused() -> None:
    with HarnessClient("transformer", "nonesuch") as client:
        assert "give one of onnxsim" in client.errors().splitlines()[-1]
