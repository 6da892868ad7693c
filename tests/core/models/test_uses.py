from __future__ import annotations

from typing import TYPE_CHECKING

import onnx
import onnx.parser
import pytest
from model_files import TWO_RELUS, use_of_operator, uses_in, write_model
from onnx import TensorProto, helper

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.models.attributes import similar_attributes
from onnx_conformance.core.models.inferring import inferred
from onnx_conformance.core.models.listing import list_uses
from onnx_conformance.core.models.opening import open_model

if TYPE_CHECKING:
    from pathlib import Path


def with_external(folder: Path, location: str) -> Path:
    """A model with one initializer whose four bytes of data are said to be in a file."""
    model = onnx.parser.parse_model(
        '<ir_version: 8, opset_import: ["": 17]> g (float[1] x) => (float[1] y) {y = Add(x, w)}'
    )
    tensor = model.graph.initializer.add()
    tensor.name, tensor.data_type, tensor.data_location = "w", TensorProto.FLOAT, 1
    tensor.dims.append(1)
    for key, value in (("location", location), ("offset", "0"), ("length", "4")):
        entry = tensor.external_data.add()
        entry.key, entry.value = key, value
    path = folder / "model.onnx"
    path.write_bytes(model.SerializeToString())
    return path


def test_nodes_that_call_an_operator_in_the_same_way_are_one_use(tmp_path: Path) -> None:
    listed = uses_in(tmp_path, TWO_RELUS)
    assert [("Relu", 2), ("Add", 1)] == [
        (item.use.operator, len(item.nodes)) for item in listed.found
    ]


def test_a_use_names_the_operator_version_that_the_opset_has(tmp_path: Path) -> None:
    assert "relu-14" == use_of_operator(uses_in(tmp_path, TWO_RELUS), "Relu").operator_version


def test_types_of_values_between_nodes_are_inferred(tmp_path: Path) -> None:
    assert (("T", "float32"),) == use_of_operator(uses_in(tmp_path, TWO_RELUS), "Add").types


def test_an_initializer_is_a_constant_input_and_a_named_dimension_is_dynamic(
    tmp_path: Path,
) -> None:
    use = use_of_operator(uses_in(tmp_path, TWO_RELUS), "Add")
    assert "float32 2D dynamic, float32 1D constant" == use.input_words


def test_an_attribute_that_has_its_default_is_not_set(tmp_path: Path) -> None:
    text = """<ir_version: 8, opset_import: ["": 17]> g (float[2] x) => (float[2] y, float[2] z)
    { y = Softmax<axis = -1>(x)
      z = Softmax<axis = 0>(x) }"""
    words = [item.use.attribute_words for item in uses_in(tmp_path, text).found]
    assert ["", "axis=0"] == words


def test_nodes_in_subgraphs_are_listed_with_the_node_around_them(tmp_path: Path) -> None:
    text = """<ir_version: 8, opset_import: ["": 17]> g (bool c, float[2] x) => (float[2] y)
    { y = If(c) <then_branch = a () => (float[2] p) { p = Neg(x) },
                 else_branch = b () => (float[2] q) { q = Abs(x) }> }"""
    (found,) = (item for item in uses_in(tmp_path, text).found if item.use.operator == "Neg")
    assert ("subgraph", "float32") == (found.use.form, found.use.type_words)
    assert found.places[0].startswith("#0 If -> y.then_branch / ")


def test_nodes_of_functions_are_listed_with_the_types_of_the_call(tmp_path: Path) -> None:
    text = """<ir_version: 8, opset_import: ["": 17, "own": 1]>
    g (double[2] x) => (double[2] y) { y = own.twice(x) }
    <domain: "own", opset_import: ["": 17]> twice (a) => (b) { b = Add(a, a) }"""
    listed = uses_in(tmp_path, text)
    use = use_of_operator(listed, "Add")
    assert ("function", "float64") == (use.form, use.type_words)
    assert () == listed.remarks


def test_a_node_between_dequantize_and_quantize_says_so(tmp_path: Path) -> None:
    text = """<ir_version: 8, opset_import: ["": 17]> g (uint8[2] x) => (uint8[2] y)
    <float s = {0.5}, uint8 z = {0}>
    { a = DequantizeLinear(x, s, z)
      b = Relu(a)
      y = QuantizeLinear(b, s, z) }"""
    use = use_of_operator(uses_in(tmp_path, text), "Relu")
    assert "between DequantizeLinear and QuantizeLinear" == use.quantized


def test_the_nodes_of_a_foreign_domain_are_one_sentence(tmp_path: Path) -> None:
    text = """<ir_version: 8, opset_import: ["": 17, "com.microsoft": 1]>
    g (float[2] x) => (float[2] y) { a = com.microsoft.Gelu(x)
      y = Relu(a) }"""
    foreign, unknown = uses_in(tmp_path, text).remarks
    assert foreign == (
        "1 node of the domain 'com.microsoft', which ONNX has no document of, so that no vector"
        " can cover them: Gelu 1"
    )
    assert unknown.startswith("1 node takes a value whose type nothing says")


def test_an_opset_newer_than_ours_is_said_and_looked_up_as_the_newest(tmp_path: Path) -> None:
    newer = TWO_RELUS.replace('"": 17', '"": 99')
    listed = uses_in(tmp_path, newer)
    assert any("opset 99 of ai.onnx is newer than" in item for item in listed.remarks)
    assert "relu-14" == use_of_operator(listed, "Relu").operator_version


def test_an_operator_that_the_opset_no_longer_has_is_said(tmp_path: Path) -> None:
    text = """<ir_version: 8, opset_import: ["": 17]> g (float[1,1,2,2] x) => (float[1,1,4,4] y)
    <float[4] s = {1, 1, 2, 2}> { y = Upsample(x, s) }"""
    listed = uses_in(tmp_path, text)
    assert any("Upsample in opset 17" in item for item in listed.remarks)


@pytest.mark.parametrize("kept", [0, 1, 20, 60])
def test_a_truncated_file_is_no_model(tmp_path: Path, kept: int) -> None:
    path = write_model(tmp_path, TWO_RELUS)
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(BadInputError, match="is no ONNX model"):
        open_model(path)


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="no such file"):
        open_model(tmp_path / "model.onnx")


def test_external_data_that_is_there_is_not_read_and_no_remark(tmp_path: Path) -> None:
    (tmp_path / "weights").write_bytes(bytes(4))
    opened = open_model(with_external(tmp_path, "weights"))
    assert ((), {"weights": 4}) == (opened.remarks, opened.beside)


def test_missing_external_data_costs_a_sentence_and_no_use(tmp_path: Path) -> None:
    listed = list_uses(with_external(tmp_path, "weights"))
    assert ("1 tensor in 'weights', which is not there",) == listed.remarks
    assert "float32 1D, float32 1D constant" == use_of_operator(listed, "Add").input_words


def test_external_data_that_ends_too_early_is_said(tmp_path: Path) -> None:
    (tmp_path / "weights").write_bytes(bytes(3))
    (remark,) = open_model(with_external(tmp_path, "weights")).remarks
    assert remark.startswith("1 tensor ends behind the end of the file with their data")


def test_a_tensor_without_a_length_needs_the_bytes_of_its_elements(tmp_path: Path) -> None:
    (tmp_path / "weights").write_bytes(bytes(3))
    path = with_external(tmp_path, "weights")
    model = onnx.ModelProto.FromString(path.read_bytes())
    (tensor,) = model.graph.initializer
    kept = [item for item in tensor.external_data if item.key == "location"]
    del tensor.external_data[:]
    tensor.external_data.extend(kept)
    path.write_bytes(model.SerializeToString())
    (remark,) = open_model(path).remarks
    assert "behind the end" in remark


def test_an_ir_version_newer_than_ours_is_said(tmp_path: Path) -> None:
    text = TWO_RELUS.replace("ir_version: 8", "ir_version: 99")
    assert text != TWO_RELUS
    assert any("IR version 99 is newer" in item for item in uses_in(tmp_path, text).remarks)


@pytest.mark.parametrize("location", ["../weights", "/etc/hostname", "a/../../weights", ""])
def test_external_data_outside_the_folder_of_the_model_is_refused(
    tmp_path: Path, location: str
) -> None:
    folder = tmp_path / "inner"
    folder.mkdir()
    (tmp_path / "weights").write_bytes(bytes(4))
    (remark,) = open_model(with_external(folder, location)).remarks
    assert remark.endswith("is no place inside the model's folder: it is not read")


def test_a_link_out_of_the_folder_of_the_model_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "inner"
    folder.mkdir()
    (tmp_path / "secret").write_bytes(bytes(4))
    (folder / "weights").symlink_to(tmp_path / "secret")
    (remark,) = open_model(with_external(folder, "weights")).remarks
    assert remark.endswith("leads out of the model's folder: it is not read")


def test_inference_that_does_not_end_in_time_costs_the_types_alone() -> None:
    model = onnx.parser.parse_model(TWO_RELUS)
    found, reason = inferred(model, deadline=1e-6)
    assert reason is not None
    assert "took more than" in reason
    assert [item.op_type for item in model.graph.node] == [
        item.op_type for item in found.graph.node
    ]


def test_weights_do_not_go_to_the_process_that_infers() -> None:
    model = onnx.parser.parse_model(TWO_RELUS)
    large = helper.make_tensor("large", TensorProto.FLOAT, [4096], bytes(4 * 4096), raw=True)
    model.graph.initializer.append(large)
    found, reason = inferred(model)
    assert reason is None
    assert found.ByteSize() < 4096


def test_attributes_are_alike_if_names_and_texts_are_and_numbers_may_differ() -> None:
    assert similar_attributes({"mode": "linear", "axes": (1,)}, {"mode": "linear", "axes": (2, 3)})
    assert not similar_attributes({"mode": "linear"}, {"mode": "cubic"})
    assert not similar_attributes({"mode": "linear"}, {"mode": "linear", "axes": (1,)})
