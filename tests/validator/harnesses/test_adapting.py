from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx
import pytest
from harness_client import HarnessClient, reshape_model, shape_model, tensor
from onnx import helper, numpy_helper

from onnx_conformance.validator.harnesses.protobuf import (
    fields,
    freeze,
    input_names,
    message_of,
    opset,
    output_names,
    with_static_inputs,
)
from onnx_conformance.validator.harnesses.values import Tensor

if TYPE_CHECKING:
    from pathlib import Path

SHAPE = Tensor("int64", (2,), np.array([3, -1], np.int64).tobytes())
# Reads a model back as what the runtime was given.
SPY = """
from pathlib import Path

import numpy as np
class Backend:
    @staticmethod
    def prepare(model, device):
        print(len(model.graph.input), "inputs", [
            [dim.dim_value for dim in item.type.tensor_type.shape.dim] for item in model.graph.input
        ], [item.name for item in model.graph.initializer])
        class Prepared:
            def run(self, inputs): return [np.array([len(inputs)], np.int64)]
        return Prepared()
"""


def overridable_model() -> bytes:
    """`y = Reshape(x, s)`, where s has a default that a caller may override."""
    model = onnx.load_model_from_string(reshape_model())
    model.graph.initializer.append(numpy_helper.from_array(np.array([6, 1], np.int64), "s"))
    return bytes(model.SerializeToString())


def test_a_message_that_is_not_touched_keeps_its_bytes() -> None:
    model = reshape_model()
    assert model == message_of(fields(model))


def test_negative_and_large_numbers_survive() -> None:
    attribute = helper.make_attribute("start", -1).SerializeToString()
    assert attribute == message_of(fields(attribute))
    large = helper.make_attribute("start", 2**62).SerializeToString()
    assert large == message_of(fields(large))


@pytest.mark.parametrize("data", [b"\xff\xff\xff", b"\x0a\x05ab", b"\x0b", b"\x80" * 11], ids=repr)
def test_what_is_no_message_is_an_error(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"wire type|ends beyond|without an end"):
        list(fields(data))


def test_names_and_opset_are_read_as_onnx_reads_them() -> None:
    assert ["x", "s"] == input_names(reshape_model())
    assert ["y"] == output_names(reshape_model())
    assert 21 == opset(reshape_model())
    assert 15 == opset(shape_model(opset=15))


def test_an_input_with_a_default_need_not_be_fed() -> None:
    assert ["x"] == input_names(overridable_model())


def test_a_frozen_input_is_an_initializer_with_the_value() -> None:
    model = onnx.load_model_from_string(freeze(reshape_model(), {"s": SHAPE}))
    onnx.checker.check_model(model, full_check=True)
    assert ["x"] == [item.name for item in model.graph.input]
    assert [3, -1] == numpy_helper.to_array(model.graph.initializer[0]).tolist()


def test_a_frozen_input_stays_an_input_where_the_ir_is_older_than_4() -> None:
    model = onnx.load_model_from_string(freeze(reshape_model(opset=5, ir=3), {"s": SHAPE}))
    onnx.checker.check_model(model, full_check=True)
    assert ["x", "s"] == [item.name for item in model.graph.input]
    assert ["x"] == input_names(model.SerializeToString())


def test_freezing_replaces_a_default() -> None:
    model = onnx.load_model_from_string(freeze(overridable_model(), {"s": SHAPE}))
    assert [[3, -1]] == [numpy_helper.to_array(i).tolist() for i in model.graph.initializer]


def test_strings_are_frozen_as_string_data() -> None:
    value = Tensor("string", (2,), [b"a\0", b"b"])
    model = onnx.load_model_from_string(freeze(reshape_model(8), {"x": value}))
    assert [b"a\0", b"b"] == list(model.graph.initializer[0].string_data)


def test_static_inputs_have_the_given_dimensions_and_keep_their_type() -> None:
    model = onnx.load_model_from_string(with_static_inputs(reshape_model(), {"x": (2, 0)}))
    onnx.checker.check_model(model)
    expected = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [2, 0])
    assert expected == model.graph.input[0]
    assert onnx.load_model_from_string(reshape_model()).graph.input[1] == model.graph.input[1]


@pytest.mark.parametrize(
    ("options", "seen"),
    [
        ((), "2 inputs [[0, 0], [2]] []"),
        (("--freeze",), "1 inputs [[0, 0]] ['s']"),
        (("--static",), "2 inputs [[2, 3], [2]] []"),
        (("--freeze", "--static"), "1 inputs [[2, 3]] ['s']"),
    ],
)
def test_a_runtime_sees_what_the_options_say(
    tmp_path: Path, options: tuple[str, ...], seen: str
) -> None:
    folder = tmp_path
    (folder / "spy.py").write_text(SPY)
    x = tensor(np.zeros((2, 3), np.float32), "x")
    with HarnessClient("onnx_backend", "spy:Backend", *options, folder=folder) as client:
        assert [name[2:] for name in options] == [
            item["adaptation"] for item in client.describe().get("adapts", [])
        ]
        client.run(reshape_model(), [x, tensor([3, -1], "s", "int64")])
        assert seen in client.errors()


def test_reload_loads_the_model_for_each_data_set(tmp_path: Path) -> None:
    folder = tmp_path
    (folder / "spy.py").write_text(SPY)
    x = tensor(np.zeros((2, 3), np.float32), "x")
    for options, loads in (((), 1), (("--reload",), 2)):
        with HarnessClient("onnx_backend", "spy:Backend", *options, folder=folder) as client:
            client.run(shape_model(), [x], [x])
            assert loads == client.errors().count("1 inputs")


def test_a_value_for_what_is_no_input_is_unsupported(tmp_path: Path) -> None:
    folder = tmp_path
    (folder / "spy.py").write_text(SPY)
    x = tensor(np.zeros((2, 3), np.float32), "x")
    with HarnessClient("onnx_backend", "spy:Backend", folder=folder) as client:
        reply = client.run(overridable_model(), [x, tensor([3, -1], "s", "int64")])
    assert "takes no value for initialized input 's'" in reply["unsupported"]
