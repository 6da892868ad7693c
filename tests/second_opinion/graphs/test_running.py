"""Models around the operators: functions, subgraphs, attributes, and what has no evaluator."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from opinion_models import model, run, tensor
from second_opinion.graphs.registry import evaluator_of
from second_opinion.graphs.running import NoEvaluatorError


def test_a_function_takes_the_attribute_of_its_caller_or_its_default() -> None:
    text = """
        <ir_version: 10, opset_import: ["" : 25, "local" : 1]>
        g (float[?] x) => (float[?] y, float[?] z) {
          y = local.f <alpha = 0.5> (x)
          z = local.f (x)
        }
        <domain: "local", opset_import: ["" : 25]>
        f <alpha: float = 0.25> (a) => (b) { b = LeakyRelu <alpha: float = @alpha> (a) }
        """
    content = onnx.parser.parse_model(text).SerializeToString()
    x = tensor("float32", [-4.0])
    assert [-2.0] == list(run(content, "y", x=x).data)
    assert [-1.0] == list(run(content, "z", x=x).data)


def test_an_operator_without_an_evaluator_is_named() -> None:
    content = model("g (float[?] x) => (float[?] y) { y = ImageDecoder (x) }")
    with pytest.raises(NoEvaluatorError, match=r"no evaluator for ai\.onnx ImageDecoder-20"):
        run(content, "y", x=tensor("float32", [1.0]))


def test_the_version_of_an_operator_follows_from_the_opset() -> None:
    x = tensor("float32", np.arange(4).reshape(1, 2, 2))
    old = model("g (float[?] x) => (float[?] y) { y = Softmax (x) }", 11)
    new = model("g (float[?] x) => (float[?] y) { y = Softmax (x) }", 13)
    # Over all dimensions from 1 on before, over the last one since.
    assert pytest.approx(1) == float(run(old, "y", x=x).data.sum())
    assert pytest.approx(2) == float(run(new, "y", x=x).data.sum())


def test_an_evaluator_may_end_at_a_version() -> None:
    assert evaluator_of("", "Scan", 8) is not evaluator_of("", "Scan", 9)
    assert evaluator_of("", "Nothing", 1) is None
