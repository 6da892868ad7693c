"""Test directories as ONNX writes them: a model and its values, without our data.json."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

if TYPE_CHECKING:
    from pathlib import Path

FLOAT = helper.make_tensor_type_proto(TensorProto.FLOAT, ["n"])
FLOATS = helper.make_sequence_type_proto(FLOAT)
MAYBE = helper.make_optional_type_proto(FLOAT)
ONES = np.ones(2, np.float32)


def model(
    node: onnx.NodeProto, inputs: dict[str, onnx.TypeProto], outputs: dict[str, onnx.TypeProto]
) -> onnx.ModelProto:
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_value_info(name, declared) for name, declared in inputs.items()],
        [helper.make_value_info(name, declared) for name, declared in outputs.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 16)], ir_version=8)


ABS = model(helper.make_node("Abs", ["x"], ["y"]), {"x": FLOAT}, {"y": FLOAT})


def write(directory: Path, proto: onnx.ModelProto, values: dict[str, bytes]) -> None:
    """One directory: the model and the .pb files, by their names without the ending."""
    (directory / "test_data_set_0").mkdir(parents=True)
    (directory / "model.onnx").write_bytes(proto.SerializeToString())
    for name, content in values.items():
        (directory / "test_data_set_0" / f"{name}.pb").write_bytes(content)


def tensor(value: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> bytes:
    return numpy_helper.from_array(value).SerializeToString()


def write_abs(directory: Path) -> None:
    write(directory, ABS, {"input_0": tensor(-ONES), "output_0": tensor(ONES)})
