"""Each invalid vector has one fault: one step repairs it, and tools accept what is left."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import onnx
import onnxruntime
import pytest
from committed_corpus import built, committed, plans_by_id, sample_folder
from one_step_repairs import Invalid, repairs
from onnx import numpy_helper

from onnx_conformance.core.corpus.vectors import slug
from onnx_conformance.core.values.elements import ELEMENT_TYPES
from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.planning.classes import CLASSES

if TYPE_CHECKING:
    from pathlib import Path

# What onnxruntime takes. A vector beyond is tried with these: what it shows is the same.
NEWEST_IR, NEWEST_OPSET = 13, 26
# The operators whose repairs are written in one_step_repairs.
REPAIRED = {"Reshape", "Shape", "Size"}
INVALID = [plan for plan in committed().plans if plan.kind == "invalid"]
BY_VERSION = sorted({plan.id.split("/")[0] for plan in INVALID if plan.spec.operator in REPAIRED})
# Cases once more in a type that onnxruntime may have no kernel for: the plain one shows the same.
IN_ANOTHER_TYPE = {slug(plan.id) for plan in INVALID if plan.rule == CLASSES}
OTHERS = sorted({plan.spec.slug for plan in INVALID if plan.spec.operator not in REPAIRED})
CODES = {item.name: item.code for item in ELEMENT_TYPES}


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
    every = sorted((sample_folder() / "invalid" / version).iterdir())
    folders = [folder for folder in every if folder.name not in IN_ANOTHER_TYPE]
    assert folders
    impure = [folder.name for folder in folders if not repairing(read(folder))]
    assert [] == impure


def test_no_step_repairs_two_faults() -> None:
    invalid = read(
        sample_folder() / "invalid/reshape-13/test_reshape_13_shape_as_attribute_float32"
    ).changed()
    del invalid.node.input[1:]  # an attribute that version 13 has not, and an input too few
    assert [] == repairing(invalid)


def test_no_step_repairs_a_fault_beside_another_in_a_value() -> None:
    invalid = read(sample_folder() / "invalid/reshape-14/test_reshape_14_minus_2_float32").changed()
    invalid.node.output.append("rest")
    assert [] == repairing(invalid)


# --- an invalid vector beside its control ---


def aspects(vector_id: str) -> dict[str, object]:
    """What can be told of a vector without running it, by what it is about."""
    here = built(vector_id)
    operator = plans_by_id()[vector_id].spec.operator
    node = next(item for item in here.model.graph.node if item.op_type == operator)
    values = [item.value for item in here.data_sets[0].inputs]
    tensors = [item for item in values if isinstance(item, Tensor)]
    # The type of the output follows from that of the first input.
    first = CODES[tensors[0].type] if tensors else 0
    return {
        "inputs of the node": list(node.input),
        "outputs of the node": list(node.output),
        "attributes": [item.SerializeToString() for item in node.attribute],
        "element types": [item.type for item in tensors],
        "dimensions": [item.shape for item in tensors],
        "declared types": [
            item.type.tensor_type.elem_type - first for item in here.model.graph.output
        ],
    }


@pytest.mark.parametrize("operator", OTHERS)
def test_an_invalid_vector_differs_from_its_control_in_one_thing_at_most(operator: str) -> None:
    wrong = {}
    for plan in INVALID:
        if plan.spec.slug == operator:
            here, control = aspects(plan.id), aspects(plan.control or "")
            differing = [name for name in here if here[name] != control[name]]
            if len(differing) > 1:
                wrong[plan.id] = differing
    assert {} == wrong
