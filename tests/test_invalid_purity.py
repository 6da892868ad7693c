"""Each invalid vector has one fault: one step repairs it, and tools accept what is left."""

from __future__ import annotations

import json
from pathlib import Path

import onnx
import onnxruntime
import pytest
from one_step_repairs import Invalid, repairs
from onnx import numpy_helper

VECTORS = Path(__file__).parents[1] / "vectors/invalid"
# What onnxruntime takes. A vector beyond is tried with these: what it shows is the same.
NEWEST_IR, NEWEST_OPSET = 13, 26
FOLDERS = sorted(VECTORS.glob("*/test_*"))
BY_VERSION = sorted({folder.parent.name for folder in FOLDERS})


def read(folder: Path) -> Invalid:
    """The model of a vector and its first data set."""
    model = onnx.load(folder / "model.onnx")
    model.ir_version = min(model.ir_version, NEWEST_IR)
    model.opset_import[0].version = min(model.opset_import[0].version, NEWEST_OPSET)
    inputs = {}
    for path in sorted((folder / "test_data_set_0").glob("input_*.pb")):
        tensor = onnx.TensorProto.FromString(path.read_bytes())
        inputs[tensor.name] = numpy_helper.to_array(tensor)
    operator = json.loads((folder / "data.json").read_text())["operator"]
    return Invalid(operator, model, inputs)


def accepted(invalid: Invalid) -> bool:
    """Whether onnx.checker accepts the model and onnxruntime computes a result."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    try:
        onnx.checker.check_model(invalid.model, full_check=True)
        session = onnxruntime.InferenceSession(invalid.model.SerializeToString(), options)
        session.run(None, dict(invalid.inputs))
    except Exception:  # each tool has its own, and all mean no
        return False
    return True


def repairing(invalid: Invalid) -> list[str]:
    """The names of the steps after which the model is accepted."""
    return [name for name, repaired in repairs(invalid) if accepted(repaired)]


@pytest.mark.parametrize("version", BY_VERSION)
def test_one_step_repairs_each_invalid_vector(version: str) -> None:
    folders = [folder for folder in FOLDERS if folder.parent.name == version]
    impure = [folder.name for folder in folders if not repairing(read(folder))]
    assert [] == impure


def test_no_step_repairs_two_faults() -> None:
    invalid = read(VECTORS / "reshape-5/test_reshape_5_shape_as_attribute_float32").changed()
    del invalid.node.input[1:]  # an attribute that version 5 has not, and an input too few
    assert [] == repairing(invalid)


def test_no_step_repairs_a_fault_beside_another_in_a_value() -> None:
    invalid = read(VECTORS / "reshape-14/test_reshape_14_minus_2_float32").changed()
    invalid.node.output.append("rest")
    assert [] == repairing(invalid)
